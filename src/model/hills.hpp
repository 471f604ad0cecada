// The hills that `auto` has climbed and locked, so that it does not search them again.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "gp/basin.hpp"
#include "gp/inputs.hpp"

namespace oscbo::model {

using gp::Index;

/// A value type. All parameters must be numeric and always active.
class Hills {
 public:
  Hills(Index parameters, std::uint64_t seed) : parameters_(parameters), seed_(seed) {}

  [[nodiscard]] bool empty() const { return hills_.empty(); }
  [[nodiscard]] const std::vector<std::shared_ptr<const gp::Basin>>& list() const { return hills_; }

  /// lock adds a hill. If less than a fifth of the box then lies outside all hills, lock calls
  /// open, so that the search starts again with more knowledge.
  void lock(std::shared_ptr<const gp::Basin> hill);

  /// open unlocks all hills and forgets them.
  void open();

  /// unlocked_points returns the observations that are on no hill.
  [[nodiscard]] std::vector<Index> unlocked_points(const gp::Inputs& inputs);

 private:
  static constexpr std::size_t kOnAHill = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] bool contain(const std::vector<double>& x) const;
  [[nodiscard]] double unlocked_share() const;

  Index parameters_;
  std::uint64_t seed_;
  std::vector<std::shared_ptr<const gp::Basin>> hills_;
  // For each observation: kOnAHill if a hill is known to hold it, otherwise n if the first n hills
  // of the list are known not to hold it. Neither hills nor observations move, so each pair is
  // checked only once.
  std::vector<std::size_t> asked_;
};

}  // namespace oscbo::model
