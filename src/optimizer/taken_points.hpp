// The points that must not be proposed again.
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "space/region.hpp"

namespace oscbo {

/// Two points are equal if all their coordinates agree when rounded to nine decimals. Coordinates
/// are computed from the values, so two points with the same values are equal.
class TakenPoints {
 public:
  void insert(const space::Coordinates& u) { ++counts_[key(u)]; }

  void erase(const space::Coordinates& u) {
    const auto found = counts_.find(key(u));
    if (found != counts_.end() && --found->second == 0) counts_.erase(found);
  }

  /// contains returns whether the values that u stands for are taken.
  [[nodiscard]] bool contains(const space::Region& region, const space::Coordinates& u) const {
    return counts_.contains(key(region.domain().to_coordinates(region.values(u))));
  }

  [[nodiscard]] std::size_t size() const { return counts_.size(); }

 private:
  [[nodiscard]] static std::vector<double> key(const space::Coordinates& u) {
    constexpr double kDigits = 1e9;
    std::vector<double> rounded(u.size());
    for (std::size_t k = 0; k < u.size(); ++k) rounded[k] = std::round(kDigits * u[k]);
    return rounded;
  }

  std::map<std::vector<double>, int> counts_;
};

}  // namespace oscbo
