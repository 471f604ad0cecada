// Which of several searches for the same maximum need not go on.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace oscbo::acquisition {

/// Hopeless is a search that twenty times what its last four evaluations have gained would not
/// bring up to the best value of all. On the way up a hill a search gains more than that, so few
/// are stopped that would have won in the end: about one in a hundred suggestions, by little.
class HopelessSearches {
 public:
  explicit HopelessSearches(std::size_t searches) : best_(searches) {}

  void observe(std::size_t search, double value) {
    std::vector<double>& best = best_[search];
    best.push_back(best.empty() ? value : std::max(best.back(), value));
    best_of_all_ = std::max(best_of_all_, value);
  }

  [[nodiscard]] bool contains(std::size_t search) const {
    constexpr std::size_t kFirst = 12;  // evaluations that every search may make
    constexpr std::size_t kRecent = 4;
    constexpr double kDoubt = 20.0;
    const std::vector<double>& best = best_[search];
    if (best.size() < kFirst) return false;
    const double gain = best.back() - best[best.size() - 1 - kRecent];
    return best.back() + kDoubt * gain < best_of_all_;
  }

 private:
  std::vector<std::vector<double>> best_;  // by search: the best value after each evaluation
  double best_of_all_ = -std::numeric_limits<double>::infinity();
};

}  // namespace oscbo::acquisition
