#include "space/region.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/refusal.hpp"
#include "numeric/hit_and_run.hpp"

namespace oscbo::space {

using base::refuse;
using numeric::Index;
using numeric::Vector;

namespace {

Vector read(const Coordinates& u, const std::vector<std::size_t>& parameters) {
  return Vector::NullaryExpr(static_cast<Index>(parameters.size()),
                             [&](Index i) { return u[parameters[static_cast<std::size_t>(i)]]; });
}

void write(const std::vector<std::size_t>& parameters, const Vector& values, Coordinates& u) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    u[parameters[i]] = values[static_cast<Index>(i)];
  }
}

}  // namespace

Region::Region(const Domain& domain) : domain_(&domain), sides_(domain.size()) {
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    sides_[k].last_level = domain.axis(k).levels() - 1.0;
  }
}

void Region::give(std::size_t k, double value) {
  const Axis& axis = domain_->axis(k);
  const double coordinate = axis.to_coordinate(value);
  sides_[k].given = coordinate;
  given_.resize(sides_.size());
  given_[k] = axis.is_continuous() ? value : axis.from_coordinate(coordinate);
  is_restricted_ = true;
}

bool Region::make_active(std::size_t k) {
  const std::optional<Domain::Parent>& parent = domain_->parent(k);
  return !parent || (hold_to(parent->parameter, parent->levels) && make_active(parent->parameter));
}

/// Restricts a parameter to some of its levels. Returns false if none remains.
bool Region::hold_to(std::size_t k, const std::vector<double>& levels) {
  Side& side = sides_[k];
  is_restricted_ = true;
  if (side.given) {
    const double level = domain_->axis(k).level_at(*side.given);
    return std::find(levels.begin(), levels.end(), level) != levels.end();
  }
  std::vector<double> common;
  std::copy_if(levels.begin(), levels.end(), std::back_inserter(common),
               [&](double level) { return side.has_level(level); });
  std::sort(common.begin(), common.end());
  if (common.empty()) return false;
  side.only = std::move(common);
  side.first_level = side.only.front();
  side.last_level = side.only.back();
  return true;
}

void Region::hold(std::size_t k, double lower, double upper) {
  const Axis& axis = domain_->axis(k);
  Side& side = sides_[k];
  side.lower = lower;
  side.upper = upper;
  is_restricted_ = true;
  if (axis.is_continuous() || axis.is_categorical()) return;
  side.first_level = axis.level_at(lower);
  side.last_level = axis.level_at(upper);
  if (side.first_level == side.last_level) return;
  if (axis.coordinate_of_level(side.first_level) < lower) ++side.first_level;
  if (axis.coordinate_of_level(side.last_level) > upper) --side.last_level;
  side.last_level = std::max(side.first_level, side.last_level);
  if (side.only.empty()) return;
  std::vector<double> within;
  std::copy_if(side.only.begin(), side.only.end(), std::back_inserter(within),
               [&](double level) { return side.has_level(level); });
  if (!within.empty()) side.only = std::move(within);
  side.first_level = side.only.front();
  side.last_level = side.only.back();
}

bool Region::is_finite() const {
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    if (domain_->axis(k).is_continuous() && !sides_[k].given) return false;
  }
  return true;
}

// --- points --------------------------------------------------------------------------------------

double Region::place(std::size_t k, double uniform) const {
  const Axis& axis = domain_->axis(k);
  const Side& side = sides_[k];
  if (side.given) return *side.given;
  if (axis.is_continuous()) return side.lower + (side.upper - side.lower) * uniform;
  if (!side.only.empty()) {
    const auto count = static_cast<double>(side.only.size());
    return axis.coordinate_of_level(
        side.only[static_cast<std::size_t>(std::min(std::floor(uniform * count), count - 1.0))]);
  }
  const double count = side.last_level - side.first_level + 1.0;
  if (count == axis.levels()) return axis.from_uniform(uniform);
  return axis.coordinate_of_level(side.first_level +
                                  std::min(std::floor(uniform * count), count - 1.0));
}

std::optional<Coordinates> Region::draw(const Uniforms& uniforms,
                                        numeric::RandomStream& stream) const {
  Coordinates u(domain_->size());
  std::size_t next = 0;
  for (std::size_t k = 0; k < u.size(); ++k) {
    if (!domain_->axis(k).is_fixed()) u[k] = place(k, uniforms[next++]);
  }
  if (domain_->is_constrained() && !draw_constrained(u, uniforms, stream)) return std::nullopt;
  domain_->settle(u);
  return u;
}

std::optional<Coordinates> Region::draw(numeric::RandomStream& stream) const {
  Uniforms uniforms(domain_->free_parameters());
  for (double& uniform : uniforms.entries()) uniform = stream.uniform();
  return draw(uniforms, stream);
}

std::optional<Coordinates> Region::repair(Coordinates u) const {
  round_and_clip(u);
  if (domain_->is_constrained()) {
    if (!has_room(u)) return std::nullopt;
    const std::vector<std::size_t> variables = named(/*continuous=*/true);
    if (!variables.empty()) {
      write(variables, *polytope(u, variables).project(read(u, variables)), u);
    }
  }
  domain_->settle(u);
  return u;
}

void Region::round_and_clip(Coordinates& u) const {
  for (std::size_t k = 0; k < u.size(); ++k) {
    const Axis& axis = domain_->axis(k);
    const Side& side = sides_[k];
    if (side.given) {
      u[k] = *side.given;
    } else if (axis.is_continuous()) {
      u[k] = std::clamp(u[k], side.lower, side.upper);
    } else {
      u[k] = axis.coordinate_of_level(side.nearest(axis.level_at(u[k])));
    }
  }
}

bool Region::contains(const Coordinates& u) const {
  for (std::size_t k = 0; k < u.size(); ++k) {
    if (!domain_->is_active(u, k)) continue;
    const Axis& axis = domain_->axis(k);
    const Side& side = sides_[k];
    if (side.given && u[k] != *side.given) return false;
    if (axis.is_continuous() && !(u[k] >= side.lower && u[k] <= side.upper)) return false;
    if (axis.is_continuous()) continue;
    if (!side.has_level(axis.level_at(u[k]))) return false;
  }
  if (!domain_->is_constrained()) return true;
  const std::vector<std::size_t> variables = named(/*continuous=*/true);
  return has_room(u) && (variables.empty() || polytope(u, variables).contains(read(u, variables)));
}

// --- constraints ---------------------------------------------------------------------------------

std::vector<std::size_t> Region::named(bool continuous) const {
  std::vector<std::size_t> result;
  for (const std::size_t k : domain_->constrained_parameters()) {
    if (!sides_[k].given && domain_->axis(k).is_continuous() == continuous) result.push_back(k);
  }
  return result;
}

const numeric::Polytope& Region::polytope(const Coordinates& u,
                                          const std::vector<std::size_t>& variables) const {
  return constrained(u, variables).polytope;
}

const Region::Constrained& Region::constrained(const Coordinates& u,
                                               const std::vector<std::size_t>& variables) const {
  PolytopeKey key{variables, {}};
  for (const std::size_t k : domain_->constrained_parameters()) {
    if (std::find(variables.begin(), variables.end(), k) == variables.end()) {
      key.second.push_back(u[k]);
    }
  }
  std::shared_ptr<const Constrained>& known = polytopes_[key];
  if (known) return *known;
  Vector lower(static_cast<Index>(variables.size()));
  Vector upper = lower;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    lower[static_cast<Index>(i)] = sides_[variables[i]].lower;
    upper[static_cast<Index>(i)] = sides_[variables[i]].upper;
  }
  known = std::make_shared<const Constrained>(
      numeric::Polytope(lower, upper, domain_->constraints_on(variables, u)));
  return *known;
}

std::vector<std::size_t> Region::numbers_and(const std::vector<std::size_t>& levels) const {
  std::vector<std::size_t> result = named(/*continuous=*/true);
  result.insert(result.end(), levels.begin(), levels.end());
  return result;
}

/// Tells whether the constraints leave a point for the continuous parameters, and for the
/// parameters in `levels` treated as real.
bool Region::has_room(const Coordinates& u, const std::vector<std::size_t>& levels) const {
  const std::vector<std::size_t> variables = numbers_and(levels);
  if (!variables.empty()) return !polytope(u, variables).is_empty();
  const numeric::LinearConstraints rest = domain_->constraints_on(variables, u);
  return (rest.b.array() >= -numeric::Polytope::kTolerance).all() &&
         (rest.e.array().abs() <= numeric::Polytope::kTolerance).all();
}

/// Draws the constrained parameters. Those with levels are redrawn until the constraints leave room
/// for the continuous ones. The continuous ones are then drawn uniformly from that room.
bool Region::draw_constrained(Coordinates& u, const Uniforms& uniforms,
                              numeric::RandomStream& stream) const {
  constexpr int kAttempts = 100;
  for (int attempt = 0; !has_room(u); ++attempt) {
    if (attempt == kAttempts) {
      const std::vector<std::size_t> levels = named(/*continuous=*/false);
      int steps = 0;
      if (!has_room(u, levels) || !find_levels(levels, u, steps)) return false;
      break;
    }
    redraw_levels(u, /*evenly=*/attempt % 2 == 0, stream);
  }
  const std::vector<std::size_t> variables = named(/*continuous=*/true);
  if (variables.empty()) return true;
  const Constrained& room = constrained(u, variables);
  if (room.simplices) {
    std::vector<double> own(room.simplices->uniforms());
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] = uniforms[domain_->position_if_free(variables[i])];
    }
    write(variables, room.simplices->point(own), u);
  } else {
    const numeric::RandomStream chain(stream.bits(), numeric::Purpose::polytope_sample);
    write(variables, numeric::HitAndRun(room.polytope, chain).next(), u);
  }
  return true;
}

/// Draws levels uniformly, or rounds a random point that satisfies the constraints with real
/// numbers.
void Region::redraw_levels(Coordinates& u, bool evenly, numeric::RandomStream& stream) const {
  const std::vector<std::size_t> levels = named(/*continuous=*/false);
  if (evenly) {
    for (const std::size_t k : levels) u[k] = place(k, stream.uniform());
    return;
  }
  const std::vector<std::size_t> all = numbers_and(levels);
  const numeric::Polytope& relaxed = polytope(u, all);
  if (relaxed.is_empty()) return;
  const numeric::RandomStream chain(stream.bits(), numeric::Purpose::polytope_sample);
  write(all, numeric::HitAndRun(relaxed, chain).next(), u);
  round_and_clip(u);
}

/// A depth-first search for levels. It assigns levels to one parameter after the other, starting
/// next to the value that the parameter would have as a real number. A level qualifies if it leaves
/// room for the remaining parameters as real numbers. The qualifying levels are contiguous, so each
/// direction ends at the first level that does not qualify. The search gives up after kMostSteps.
/// Requires room for all parameters.
bool Region::find_levels(std::vector<std::size_t> levels, Coordinates& u, int& steps) const {
  constexpr int kMostSteps = 2000;
  if (levels.empty()) return true;
  const std::vector<std::size_t> relaxed = numbers_and(levels);
  const double wish = polytope(u, relaxed).project(read(u, relaxed))->tail<1>()[0];
  const std::size_t k = levels.back();
  levels.pop_back();
  const Axis& axis = domain_->axis(k);
  const Side& side = sides_[k];
  const double middle = std::clamp(axis.level_at(wish), side.first_level, side.last_level);
  for (const double direction : {1.0, -1.0}) {
    double level = direction > 0.0 ? middle : middle - 1.0;
    for (; level >= side.first_level && level <= side.last_level; level += direction) {
      if (++steps > kMostSteps) return false;
      u[k] = axis.coordinate_of_level(level);
      if (has_room(u, levels)) {
        if (side.has_level(level) && find_levels(levels, u, steps)) return true;
      } else if (level != middle) {  // the middle may lie on the other side of `wish`
        break;
      }
    }
  }
  return false;
}

void refuse_if_empty(const Domain& domain) {
  numeric::RandomStream stream(0, numeric::Purpose::polytope_sample);
  const Uniforms centre(domain.free_parameters(), 0.5);
  if (Region(domain).draw(centre, stream)) return;
  std::vector<std::string> names;
  for (const LinearConstraint& constraint : domain.declaration().constraints) {
    names.push_back(to_string(constraint));
  }
  refuse("constraints",
         fmt::format("no levels were found that satisfy all of: {}", fmt::join(names, "; ")));
}

// --- moves ---------------------------------------------------------------------------------------

std::vector<std::size_t> Region::variables(const Coordinates& u) const {
  std::vector<std::size_t> result;
  for (std::size_t k = 0; k < u.size(); ++k) {
    if (domain_->axis(k).is_continuous() && !sides_[k].given && domain_->is_active(u, k)) {
      result.push_back(k);
    }
  }
  return result;
}

/// Returns u with parameter k at another level. Parameters that become active are drawn at random.
std::optional<Coordinates> Region::changed(const Coordinates& u, std::size_t k, double level,
                                           numeric::RandomStream& stream) const {
  Coordinates moved = u;
  moved[k] = domain_->axis(k).coordinate_of_level(level);
  for (std::size_t other = 0; other < u.size(); ++other) {
    if (other == k || domain_->axis(other).is_fixed()) continue;
    if (!domain_->is_active(u, other)) moved[other] = place(other, stream.uniform());
  }
  domain_->settle(moved);
  return repair(std::move(moved));
}

void Region::add_moves(const Coordinates& u, std::size_t k, numeric::RandomStream& stream,
                       std::vector<Coordinates>& moves) const {
  constexpr double kMostCategories = 32.0;
  const auto [first, last] = std::pair(sides_[k].first_level, sides_[k].last_level);
  const double level = domain_->axis(k).level_at(u[k]);
  const auto move_to = [&](double other) {
    if (!sides_[k].has_level(other) || other == level) return;
    if (std::optional<Coordinates> moved = changed(u, k, other, stream)) {
      moves.push_back(std::move(*moved));
    }
  };
  if (!domain_->axis(k).is_categorical()) {
    for (double stride = 1.0; stride <= last - first; stride *= 2.0) {
      move_to(level - stride);
      move_to(level + stride);
    }
    return;
  }
  const double count = last - first + 1.0;
  if (count <= kMostCategories) {
    for (double other = first; other <= last; ++other) move_to(other);
    return;
  }
  for (double i = 0.0; i < kMostCategories; ++i) {
    move_to(first + std::floor(stream.uniform() * count));
  }
}

std::vector<Coordinates> Region::neighbours(const Coordinates& u,
                                            numeric::RandomStream& stream) const {
  std::vector<Coordinates> moves;
  for (std::size_t k = 0; k < u.size(); ++k) {
    if (is_choice(k) && domain_->is_active(u, k)) add_moves(u, k, stream, moves);
  }
  return moves;
}

std::optional<std::vector<Coordinates>> Region::combinations(std::size_t most,
                                                             numeric::RandomStream& stream) const {
  return combinations_of(most, stream, /*along_constraints=*/false);
}

std::optional<std::vector<Coordinates>> Region::constrained_combinations(
    std::size_t most, numeric::RandomStream& stream) const {
  return combinations_of(most, stream, /*along_constraints=*/true);
}

/// Returns the constrained parameters with levels that come after k in the order of the domain.
std::vector<std::size_t> Region::named_after(std::size_t k) const {
  const std::vector<std::size_t>& order = domain_->order();
  const auto place = [&](std::size_t other) {
    return std::find(order.begin(), order.end(), other);
  };
  std::vector<std::size_t> levels = named(/*continuous=*/false);
  std::erase_if(levels, [&](std::size_t other) { return place(other) <= place(k); });
  return levels;
}

/// Returns the levels of k that the constraints leave if the parameters before k are those of u and
/// the parameters after k are real numbers. The range may include one level too many at either end.
Region::Levels Region::levels_with_room(const Coordinates& u, std::size_t k) const {
  const Side& side = sides_[k];
  const std::vector<std::size_t> all = named(/*continuous=*/false);
  if (std::find(all.begin(), all.end(), k) == all.end()) {
    return {.first = side.first_level, .last = side.last_level};
  }
  std::vector<std::size_t> levels = named_after(k);
  levels.push_back(k);
  const numeric::Polytope& room = polytope(u, numbers_and(levels));
  if (room.is_empty()) return {.first = 0.0, .last = -1.0};
  const Axis& axis = domain_->axis(k);
  const Index last = room.dimension() - 1;
  return {.first = std::max(axis.level_at(room.lowest()[last]) - 1.0, side.first_level),
          .last = std::min(axis.level_at(room.highest()[last]) + 1.0, side.last_level)};
}

// Parameter by parameter, extends every partial combination by every level of the next parameter,
// if that is active. Each parameter comes after its parent.
std::optional<std::vector<Coordinates>> Region::combinations_of(std::size_t most,
                                                                numeric::RandomStream& stream,
                                                                bool along_constraints) const {
  Coordinates first(domain_->size());
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (!domain_->axis(k).is_fixed() && !is_choice(k)) first[k] = place(k, stream.uniform());
  }
  std::vector<Coordinates> found = {first};
  for (const std::size_t k : domain_->order()) {
    if (!is_choice(k)) continue;
    std::vector<Coordinates> longer;
    for (const Coordinates& u : found) {
      Levels levels{.first = sides_[k].first_level, .last = sides_[k].last_level};
      if (along_constraints) levels = levels_with_room(u, k);
      if (!domain_->is_active(u, k)) levels.last = levels.first;
      if (static_cast<double>(longer.size()) + levels.last - levels.first >=
          static_cast<double>(most)) {
        return std::nullopt;
      }
      for (double level = levels.first; level <= levels.last; ++level) {
        if (!sides_[k].has_level(level)) continue;
        longer.push_back(u);
        longer.back()[k] = domain_->axis(k).coordinate_of_level(level);
        if (along_constraints && !has_room(longer.back(), named_after(k))) longer.pop_back();
      }
    }
    found = std::move(longer);
  }
  std::vector<Coordinates> result;
  result.reserve(found.size());
  for (Coordinates& u : found) {
    domain_->settle(u);
    if (std::optional<Coordinates> repaired = repair(std::move(u))) {
      result.push_back(std::move(*repaired));
    }
  }
  return result;
}

}  // namespace oscbo::space
