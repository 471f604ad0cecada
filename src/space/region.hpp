// The part of a space that a search considers. A parameter may be fixed to a given value, and a
// number may be restricted to a part of its range.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "numeric/polytope.hpp"
#include "numeric/random_stream.hpp"
#include "numeric/simplex.hpp"
#include "space/domain.hpp"

namespace oscbo::space {

class Region {
 public:
  /// The region is the whole space at first.
  explicit Region(const Domain& domain);

  /// give fixes a parameter to a value. hold restricts a number to a part of [0, 1]. A number with
  /// levels keeps the levels in this part or, if there are none, the nearest one.
  void give(std::size_t k, double value);
  void hold(std::size_t k, double lower, double upper);

  /// make_active restricts the parameters that k depends on to levels that make k active. Returns
  /// false if there are none.
  [[nodiscard]] bool make_active(std::size_t k);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] double lower(std::size_t k) const { return sides_[k].lower; }
  [[nodiscard]] double upper(std::size_t k) const { return sides_[k].upper; }

  /// is_restricted tells whether any parameter is given or held.
  [[nodiscard]] bool is_restricted() const { return is_restricted_; }

  /// is_finite tells whether every parameter has levels or is given.
  [[nodiscard]] bool is_finite() const;

  // --- points ------------------------------------------------------------------------------------

  /// draw maps uniforms to a point of the region. If constraints exclude that point, draw takes
  /// further random numbers from `stream`. It returns nothing if these lead to no point either.
  [[nodiscard]] std::optional<Coordinates> draw(const Uniforms& uniforms,
                                                numeric::RandomStream& stream) const;

  /// This overload of draw takes the uniforms from `stream` too.
  [[nodiscard]] std::optional<Coordinates> draw(numeric::RandomStream& stream) const;

  /// repair returns a point of the region near `u`, or nothing if it finds none. It rounds levels,
  /// clips numbers, sets given parameters and enforces constraints.
  [[nodiscard]] std::optional<Coordinates> repair(Coordinates u) const;

  /// contains tells whether u is a point of the region.
  [[nodiscard]] bool contains(const Coordinates& u) const;

  /// values converts coordinates to values. Given parameters have exactly the given values.
  [[nodiscard]] std::vector<double> values(const Coordinates& u) const {
    return domain_->from_coordinates(u, given_);
  }

  // --- moves -------------------------------------------------------------------------------------

  /// polytope returns the set that the constraints leave to `variables` if the other coordinates
  /// are as in u.
  [[nodiscard]] const numeric::Polytope& polytope(const Coordinates& u,
                                                  const std::vector<std::size_t>& variables) const;

  /// variables returns the parameters that a gradient search may move at u.
  [[nodiscard]] std::vector<std::size_t> variables(const Coordinates& u) const;

  /// neighbours returns points that differ from u in one parameter with levels. A category changes
  /// to each other category, or to a random selection if there are very many. A number moves by 1,
  /// 2, 4, ... levels. Parameters that become active are drawn at random.
  [[nodiscard]] std::vector<Coordinates> neighbours(const Coordinates& u,
                                                    numeric::RandomStream& stream) const;

  /// combinations returns a point for each combination of levels that the constraints allow. It
  /// returns nothing if there are more than `most` combinations, allowed or not. Continuous
  /// parameters are drawn at random.
  [[nodiscard]] std::optional<std::vector<Coordinates>> combinations(
      std::size_t most, numeric::RandomStream& stream) const;

  /// Like combinations, constrained_combinations returns a point for each combination that the
  /// constraints allow, but it prunes partial combinations that violate constraints. It is slow per
  /// combination, but finds the few feasible ones among very many. It returns nothing if the number
  /// of combinations, partial or complete, may exceed `most` after pruning.
  [[nodiscard]] std::optional<std::vector<Coordinates>> constrained_combinations(
      std::size_t most, numeric::RandomStream& stream) const;

 private:
  struct Side {
    double lower = 0.0;
    double upper = 1.0;
    std::optional<double> given = std::nullopt;
    // The levels that remain on an axis with levels. If `only` is not empty, only the levels in
    // `only` remain.
    double first_level = 0.0;
    double last_level = 0.0;
    std::vector<double> only = {};

    [[nodiscard]] bool has_level(double level) const {
      return level >= first_level && level <= last_level &&
             (only.empty() || std::find(only.begin(), only.end(), level) != only.end());
    }

    /// Returns the remaining level nearest to `level`.
    [[nodiscard]] double nearest(double level) const {
      if (only.empty()) return std::clamp(level, first_level, last_level);
      return *std::min_element(only.begin(), only.end(), [&](double a, double b) {
        return std::abs(a - level) < std::abs(b - level);
      });
    }
  };

  /// A range of levels, both ends included.
  struct Levels {
    double first;
    double last;
  };
  [[nodiscard]] std::optional<std::vector<Coordinates>> combinations_of(
      std::size_t most, numeric::RandomStream& stream, bool along_constraints) const;
  [[nodiscard]] std::vector<std::size_t> named_after(std::size_t k) const;
  [[nodiscard]] Levels levels_with_room(const Coordinates& u, std::size_t k) const;

  [[nodiscard]] bool is_choice(std::size_t k) const {
    return !domain_->axis(k).is_continuous() && !sides_[k].given && !domain_->axis(k).is_fixed();
  }
  [[nodiscard]] bool hold_to(std::size_t k, const std::vector<double>& levels);
  [[nodiscard]] double place(std::size_t k, double uniform) const;
  void round_and_clip(Coordinates& u) const;

  /// The polytope that constraints leave to some variables, and its factors if it is a product of
  /// simplices.
  struct Constrained {
    explicit Constrained(numeric::Polytope leaves)
        : polytope(std::move(leaves)), simplices(numeric::SimplexProduct::of(polytope)) {}
    numeric::Polytope polytope;
    std::optional<numeric::SimplexProduct> simplices;
  };
  [[nodiscard]] const Constrained& constrained(const Coordinates& u,
                                               const std::vector<std::size_t>& variables) const;
  /// Returns the constrained parameters that are not given: the continuous ones, or those with
  /// levels.
  [[nodiscard]] std::vector<std::size_t> named(bool continuous) const;
  [[nodiscard]] std::vector<std::size_t> numbers_and(const std::vector<std::size_t>& levels) const;
  [[nodiscard]] bool draw_constrained(Coordinates& u, const Uniforms& uniforms,
                                      numeric::RandomStream& stream) const;
  [[nodiscard]] bool has_room(const Coordinates& u,
                              const std::vector<std::size_t>& levels = {}) const;
  [[nodiscard]] bool find_levels(std::vector<std::size_t> levels, Coordinates& u, int& steps) const;
  void redraw_levels(Coordinates& u, bool evenly, numeric::RandomStream& stream) const;
  [[nodiscard]] std::optional<Coordinates> changed(const Coordinates& u, std::size_t k,
                                                   double level,
                                                   numeric::RandomStream& stream) const;
  void add_moves(const Coordinates& u, std::size_t k, numeric::RandomStream& stream,
                 std::vector<Coordinates>& moves) const;

  const Domain* domain_;
  std::vector<Side> sides_;                   // by parameter
  std::vector<std::optional<double>> given_;  // values by parameter; empty if none is given
  bool is_restricted_ = false;

  // A cache of polytopes. The key holds everything that a polytope depends on: its variables, and
  // the other coordinates that occur in constraints.
  using PolytopeKey = std::pair<std::vector<std::size_t>, std::vector<double>>;
  mutable std::map<PolytopeKey, std::shared_ptr<const Constrained>> polytopes_;
};

/// refuse_if_empty throws Error (invalid_value) naming the constraints if it finds no point. The
/// check is exact for real numbers. For levels it tries only some combinations.
void refuse_if_empty(const Domain& domain);

}  // namespace oscbo::space
