// The part of a space in which a point is looked for: some parameters may be given, and numbers
// may be held to a part of their range.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "numeric/polytope.hpp"
#include "numeric/random_stream.hpp"
#include "numeric/simplex.hpp"
#include "space/domain.hpp"

namespace oscbo::space {

class Region {
 public:
  /// The whole space.
  explicit Region(const Domain& domain);

  /// give fixes a parameter to a value, and hold keeps a number within a part of [0, 1]; of
  /// levels those remain that lie there, or the nearest one.
  void give(std::size_t k, double value);
  void hold(std::size_t k, double lower, double upper);

  /// make_active holds the parameters that k depends on to the levels with which it is active.
  /// Returns whether there are any.
  [[nodiscard]] bool make_active(std::size_t k);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] double lower(std::size_t k) const { return sides_[k].lower; }
  [[nodiscard]] double upper(std::size_t k) const { return sides_[k].upper; }

  /// is_restricted returns whether anything is given or held.
  [[nodiscard]] bool is_restricted() const { return is_restricted_; }

  /// is_finite returns whether every parameter has levels, or is given.
  [[nodiscard]] bool is_finite() const;

  // --- points ------------------------------------------------------------------------------------

  /// draw returns the point that uniforms, one for each free parameter of the domain, stand for; or
  /// nothing where constraints leave none and further draws from `stream` find none either.
  [[nodiscard]] std::optional<Coordinates> draw(std::span<const double> uniforms,
                                                numeric::RandomStream& stream) const;

  /// repair returns a point of the region near `u`: levels rounded, numbers clipped, given ones as
  /// given, constraints kept; or nothing where there is none.
  [[nodiscard]] std::optional<Coordinates> repair(Coordinates u) const;

  /// contains returns whether u is a point of the region.
  [[nodiscard]] bool contains(std::span<const double> u) const;

  /// values returns the point that coordinates of the region stand for; given ones as given.
  [[nodiscard]] std::vector<double> values(const Coordinates& u) const {
    return domain_->from_coordinates(u, given_);
  }

  // --- moves -------------------------------------------------------------------------------------

  /// polytope returns where these variables may be, the other coordinates being those of u.
  [[nodiscard]] const numeric::Polytope& polytope(std::span<const double> u,
                                                  const std::vector<std::size_t>& variables) const;

  /// variables returns the parameters that a search with gradients may move at u.
  [[nodiscard]] std::vector<std::size_t> variables(std::span<const double> u) const;

  /// neighbours returns the points that differ from u in one parameter with levels: any other
  /// category (some of very many), and numbers 1, 2, 4, ... levels away. Parameters that become
  /// active are drawn.
  [[nodiscard]] std::vector<Coordinates> neighbours(const Coordinates& u,
                                                    numeric::RandomStream& stream) const;

  /// combinations returns all ways to choose the parameters with levels, or nothing where there are
  /// more than `most`. Numbers that may be any are drawn.
  [[nodiscard]] std::optional<std::vector<Coordinates>> combinations(
      std::size_t most, numeric::RandomStream& stream) const;

  /// constrained_combinations does so along what constraints leave: it takes long for each, but
  /// finds the few of very many that keep them. `most` holds for the choices on the way, too.
  [[nodiscard]] std::optional<std::vector<Coordinates>> constrained_combinations(
      std::size_t most, numeric::RandomStream& stream) const;

 private:
  struct Side {
    double lower = 0.0;
    double upper = 1.0;
    std::optional<double> given = std::nullopt;
    // Of an axis with levels, those within; where `only` names any, no others.
    double first_level = 0.0;
    double last_level = 0.0;
    std::vector<double> only = {};

    [[nodiscard]] bool has_level(double level) const {
      return level >= first_level && level <= last_level &&
             (only.empty() || std::find(only.begin(), only.end(), level) != only.end());
    }

    /// The level nearest to one that may be any.
    [[nodiscard]] double nearest(double level) const {
      if (only.empty()) return std::clamp(level, first_level, last_level);
      return *std::min_element(only.begin(), only.end(), [&](double a, double b) {
        return std::abs(a - level) < std::abs(b - level);
      });
    }
  };

  /// From one level to another.
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

  /// What constraints leave for some variables, and its parts where it is a product of simplices.
  struct Constrained {
    explicit Constrained(numeric::Polytope leaves)
        : polytope(std::move(leaves)), simplices(numeric::SimplexProduct::of(polytope)) {}
    numeric::Polytope polytope;
    std::optional<numeric::SimplexProduct> simplices;
  };
  [[nodiscard]] const Constrained& constrained(std::span<const double> u,
                                               const std::vector<std::size_t>& variables) const;
  /// The parameters that constraints name and that are not given, continuous or with levels.
  [[nodiscard]] std::vector<std::size_t> named(bool continuous) const;
  [[nodiscard]] std::vector<std::size_t> numbers_and(const std::vector<std::size_t>& levels) const;
  [[nodiscard]] bool draw_constrained(Coordinates& u, std::span<const double> uniforms,
                                      numeric::RandomStream& stream) const;
  [[nodiscard]] bool has_room(std::span<const double> u,
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
  std::vector<std::optional<double>> given_;  // values, by parameter; empty where there are none
  bool is_restricted_ = false;

  // Polytopes are made once for what they depend on: the variables and the other coordinates that
  // constraints name.
  using PolytopeKey = std::pair<std::vector<std::size_t>, std::vector<double>>;
  mutable std::map<PolytopeKey, std::shared_ptr<const Constrained>> polytopes_;
};

/// refuse_if_empty refuses a space in which no point is found: Error (invalid_value) that names the
/// constraints. It is thorough where real numbers are concerned; of levels some are tried.
void refuse_if_empty(const Domain& domain);

}  // namespace oscbo::space
