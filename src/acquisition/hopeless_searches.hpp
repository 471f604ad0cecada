// Decides which of several searches for the same maximum to stop early.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace oscbo::acquisition {

/// A search is hopeless if 20 times the gain of its last four evaluations would not bring it to the
/// best value of all searches. A search that is still climbing a hill usually gains enough to go
/// on, so a search that would have won is rarely stopped: about one suggestion in a hundred
/// changes, and the new one is only slightly worse.
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
  std::vector<std::vector<double>> best_;  // for each search, the best value after each evaluation
  double best_of_all_ = -std::numeric_limits<double>::infinity();
};

}  // namespace oscbo::acquisition
