#include "space/domain.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "base/refusal.hpp"
#include "numeric/polytope.hpp"

namespace oscbo::space {
namespace {

using base::refuse;
using numeric::Index;

constexpr double kNotActive = std::numeric_limits<double>::quiet_NaN();

/// A point may violate a constraint by this much relative to its largest term, because users round
/// the numbers that they write down.
constexpr double kTolerance = 1e-9;

/// Constraints may contradict each other by this much relative to their largest term. It is smaller
/// than the tolerance for points.
constexpr double kForgiven = 1e-10;

/// Control characters would break tables and lines of text.
bool has_control_character(const std::string& name) {
  return std::any_of(name.begin(), name.end(),
                     [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; });
}

/// Adds coefficient times value in terms of coordinates: c x = c (lower + u (upper - lower)).
void add_term(CoordinateConstraint& constraint, const Axis& axis, std::size_t k,
              double coefficient) {
  const Parameter& parameter = axis.parameter();
  constraint.terms.push_back(
      {.parameter = k, .coefficient = coefficient * (parameter.upper - parameter.lower)});
  constraint.limit -= coefficient * parameter.lower;
}

/// Refuses a constraint whose sum may overflow, because it could not be compared with the limit.
void check_sums(const CoordinateConstraint& constraint, const std::string& field) {
  double largest = std::abs(constraint.limit);
  for (const CoordinateConstraint::Term& term : constraint.terms) {
    largest += std::abs(term.coefficient);
  }
  if (!std::isfinite(largest)) refuse(field, "the ranges of its parameters are too wide");
}

}  // namespace

Domain::Domain(SpaceDeclaration declaration) : declaration_(std::move(declaration)) {
  if (declaration_.parameters.empty()) {
    refuse("parameters", "is empty; at least one parameter is needed");
  }
  std::set<std::string> names;
  axes_.reserve(declaration_.parameters.size());
  for (std::size_t k = 0; k < declaration_.parameters.size(); ++k) {
    const std::string& name = declaration_.parameters[k].name;
    if (name.empty()) refuse(fmt::format("parameters[{}].name", k), "is missing");
    if (has_control_character(name)) {
      refuse(fmt::format("parameters[{}].name", k), "has a control character");
    }
    if (!names.insert(name).second) refuse(field_of(k), "is declared twice");
    axes_.emplace_back(declaration_.parameters[k], field_of(k));
  }
  read_conditions();
  order_by_condition();
  assign_columns();
  read_constraints();
  check_outcomes();
  is_box_ = inequalities_.empty() && equalities_.empty() &&
            std::all_of(axes_.begin(), axes_.end(),
                        [](const Axis& axis) { return axis.is_continuous(); }) &&
            std::none_of(parents_.begin(), parents_.end(),
                         [](const auto& parent) { return parent.has_value(); });
}

std::string Domain::field_of(std::size_t k) const {
  return "parameters." + declaration_.parameters[k].name;
}

std::optional<std::size_t> Domain::find(std::string_view parameter) const {
  const auto found = std::find_if(axes_.begin(), axes_.end(),
                                  [&](const Axis& axis) { return axis.name() == parameter; });
  if (found == axes_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - axes_.begin());
}

// --- conditions ----------------------------------------------------------------------------------

void Domain::read_conditions() {
  parents_.resize(size());
  for (std::size_t k = 0; k < size(); ++k) {
    if (axes_[k].parameter().when) parents_[k] = parent_of(k);
  }
}

Domain::Parent Domain::parent_of(std::size_t k) const {
  const Condition& condition = *axes_[k].parameter().when;
  const std::string field = field_of(k) + ".when";
  const std::optional<std::size_t> parent = find(condition.parameter);
  if (!parent) refuse(field, fmt::format("'{}' is not a parameter", condition.parameter));
  if (axes_[*parent].is_continuous()) {
    refuse(field,
           fmt::format("'{}' is continuous; a condition needs a parameter with discrete values",
                       condition.parameter));
  }
  if (condition.values.empty()) refuse(field, "names no value");
  Parent result{.parameter = *parent, .levels = {}};
  for (const std::string& text : condition.values) {
    const std::optional<double> value = axes_[*parent].value(text);
    if (!value) {
      refuse(field, fmt::format("'{}' is not a value of {}; it must be {}", text,
                                condition.parameter, axes_[*parent].accepted()));
    }
    result.levels.push_back(axes_[*parent].level_at(axes_[*parent].to_coordinate(*value)));
  }
  return result;
}

void Domain::order_by_condition() {
  std::vector<bool> is_placed(size(), false);
  while (order_.size() < size()) {
    const std::size_t before = order_.size();
    for (std::size_t k = 0; k < size(); ++k) {
      if (is_placed[k] || (parents_[k] && !is_placed[parents_[k]->parameter])) continue;
      is_placed[k] = true;
      order_.push_back(k);
    }
    if (order_.size() > before) continue;
    const auto stuck = static_cast<std::size_t>(
        std::find(is_placed.begin(), is_placed.end(), false) - is_placed.begin());
    refuse(field_of(stuck) + ".when", "the condition depends on itself");
  }
}

bool Domain::is_active(const Coordinates& u, std::size_t k) const {
  const std::optional<Parent>& parent = parents_[k];
  if (!parent) return true;
  const double level = axes_[parent->parameter].level_at(u[parent->parameter]);
  return std::find(parent->levels.begin(), parent->levels.end(), level) != parent->levels.end() &&
         is_active(u, parent->parameter);
}

void Domain::settle(Coordinates& u) const {
  for (const std::size_t k : order_) {
    if (parents_[k] && !is_active(u, k)) u[k] = axes_[k].is_categorical() ? axes_[k].levels() : 0.0;
  }
}

std::optional<double> Domain::points() const {
  double product = 1.0;
  for (std::size_t k = 0; k < size(); ++k) {
    if (axes_[k].is_continuous()) return std::nullopt;
    if (!parents_[k]) product *= points_below(k);
  }
  return product;
}

/// Returns the number of ways to choose parameter k and all parameters that depend on it.
double Domain::points_below(std::size_t k) const {
  std::vector<std::size_t> children;
  for (std::size_t c = 0; c < size(); ++c) {
    if (parents_[c] && parents_[c]->parameter == k) children.push_back(c);
  }
  if (children.empty()) return axes_[k].levels();
  std::set<double> named;  // levels with which some child is active
  for (const std::size_t c : children) {
    named.insert(parents_[c]->levels.begin(), parents_[c]->levels.end());
  }
  double sum = axes_[k].levels() - static_cast<double>(named.size());
  for (const double level : named) {
    double product = 1.0;
    for (const std::size_t c : children) {
      const std::vector<double>& levels = parents_[c]->levels;
      if (std::find(levels.begin(), levels.end(), level) != levels.end()) {
        product *= points_below(c);
      }
    }
    sum += product;
  }
  return sum;
}

// --- points --------------------------------------------------------------------------------------

void Domain::check(std::span<const double> x, const std::string& field) const {
  check_values(x, field, [](const Axis& axis, double value) { return axis.accepts(value); });
  check_constraints(x, field);
}

void Domain::check_recorded(std::span<const double> x, const std::string& field) const {
  check_values(x, field, [](const Axis& axis, double value) {
    if (!axis.is_continuous()) return axis.accepts(value);
    const auto [lower, upper] = axis.bounds();
    const double largest = std::max(std::abs(lower), std::abs(upper));
    const bool is_log = axis.parameter().log;
    return value >= lower - kTolerance * (is_log ? lower : largest) &&
           value <= upper + kTolerance * (is_log ? upper : largest);
  });
}

void Domain::check_values(std::span<const double> x, const std::string& field,
                          bool (*accepts)(const Axis& axis, double value)) const {
  if (x.size() != size()) {
    refuse(field, fmt::format("has length {}; must have length {}", x.size(), size()));
  }
  Coordinates u(size());
  for (const std::size_t k : order_) {
    if (!is_active(u, k)) continue;
    if (!accepts(axes_[k], x[k])) {
      refuse(fmt::format("{}[{}]", field, k), fmt::format("{} is not accepted; {} must be {}", x[k],
                                                          axes_[k].name(), axes_[k].accepted()));
    }
    u[k] = axes_[k].to_coordinate(x[k]);
  }
}

Domain::Sum Domain::sum_of(const Mixture& mixture, std::span<const double> x) const {
  Sum sum{.scale = std::max(std::abs(mixture.sum), 1.0)};
  for (const std::string& name : mixture.parameters) add_to(sum, 1.0, *find(name), x);
  sum.scale = std::max(sum.scale, std::abs(sum.value));
  return sum;
}

Domain::Sum Domain::sum_of(const LinearConstraint& constraint, std::span<const double> x) const {
  Sum sum{.scale = std::max(std::abs(constraint.limit), 1.0)};
  for (const auto& [name, coefficient] : constraint.terms) {
    const std::size_t k = *find(name);
    add_to(sum, coefficient, k, x);
    sum.scale = std::max(sum.scale, std::abs(coefficient * x[k]));
  }
  return sum;
}

void Domain::add_to(Sum& sum, double coefficient, std::size_t k, std::span<const double> x) const {
  constexpr double kResolution = 8.0 * std::numeric_limits<double>::epsilon();
  const Bounds bounds = axes_[k].bounds();
  const double largest = std::max(std::abs(bounds.lower), std::abs(bounds.upper));
  sum.value += coefficient * x[k];
  sum.rounding += kResolution * std::abs(coefficient) * largest;
}

void Domain::check_constraints(std::span<const double> x, const std::string& field) const {
  for (const Mixture& mixture : declaration_.mixtures) {
    const Sum sum = sum_of(mixture, x);
    if (std::abs(sum.value - mixture.sum) > kTolerance * sum.scale) {
      refuse(field, fmt::format("{} sum to {}; they must sum to {}",
                                fmt::join(mixture.parameters, ", "), sum.value, mixture.sum));
    }
  }
  for (const LinearConstraint& constraint : declaration_.constraints) {
    const Sum sum = sum_of(constraint, x);
    if (sum.value > constraint.limit + kTolerance * sum.scale) {
      refuse(field, fmt::format("{} does not hold", to_string(constraint)));
    }
  }
}

std::vector<double> Domain::tidy(std::span<const double> x) const {
  const Coordinates u = to_coordinates(x);
  std::vector<double> result(x.begin(), x.end());
  for (std::size_t k = 0; k < size(); ++k) {
    if (!is_active(u, k)) {
      result[k] = kNotActive;
    } else if (!axes_[k].is_continuous()) {
      result[k] = axes_[k].from_coordinate(u[k]);
    }
  }
  return result;
}

Coordinates Domain::to_coordinates(std::span<const double> x) const {
  Coordinates u(size());
  for (const std::size_t k : order_) {
    if (is_active(u, k)) u[k] = axes_[k].to_coordinate(x[k]);
  }
  settle(u);
  return u;
}

std::vector<double> Domain::from_coordinates(const Coordinates& u,
                                             std::span<const std::optional<double>> given) const {
  std::vector<double> x(size());
  for (std::size_t k = 0; k < size(); ++k) {
    x[k] = is_active(u, k) ? axes_[k].from_coordinate(u[k]) : kNotActive;
    if (!given.empty() && given[k]) x[k] = *given[k];
  }
  close_sums(x, given);
  return x;
}

/// Removes the rounding error from the sum of each mixture. The component with the most room takes
/// the difference, and passes on what it has no room for to the next one. If no component has room
/// left, the remaining difference is only rounding error.
void Domain::close_sums(std::vector<double>& x,
                        std::span<const std::optional<double>> given) const {
  for (const CoordinateConstraint& mixture : equalities_) {
    std::vector<std::size_t> open;
    for (const auto& term : mixture.terms) {
      if (given.empty() || !given[term.parameter]) open.push_back(term.parameter);
    }
    while (!open.empty()) {
      double sum = 0.0;
      for (const auto& term : mixture.terms) sum += x[term.parameter];
      const double rest = mixture.sum - sum;
      const auto room = [&](std::size_t k) {
        const Parameter& parameter = axes_[k].parameter();
        return rest > 0.0 ? parameter.upper - x[k] : x[k] - parameter.lower;
      };
      const auto widest = std::max_element(open.begin(), open.end(),
                                           [&](auto a, auto b) { return room(a) < room(b); });
      const bool has_room = room(*widest) >= std::abs(rest);
      const Parameter& parameter = axes_[*widest].parameter();
      x[*widest] = std::clamp(x[*widest] + rest, parameter.lower, parameter.upper);
      if (has_room) break;
      open.erase(widest);
    }
  }
}

// --- columns -------------------------------------------------------------------------------------

void Domain::assign_columns() {
  columns_.resize(size());
  for (std::size_t k = 0; k < size(); ++k) {
    ParameterColumns& columns = columns_[k];
    columns.first = column_count_;
    if (axes_[k].is_fixed()) {
      columns.kind = ParameterColumns::Kind::none;
    } else if (axes_[k].is_categorical()) {
      columns.kind = ParameterColumns::Kind::category;
      columns.codes = static_cast<std::size_t>(axes_[k].levels()) + (parents_[k] ? 1 : 0);
    } else {
      columns.kind = parents_[k] ? ParameterColumns::Kind::arc : ParameterColumns::Kind::number;
    }
    positions_.push_back(free_parameters_);
    if (columns.kind != ParameterColumns::Kind::none) {
      column_count_ += columns.kind == ParameterColumns::Kind::arc ? 2 : 1;
      ++free_parameters_;
    }
  }
  if (free_parameters_ == 0) refuse("parameters", "all are fixed; there is nothing to optimise");
}

Columns Domain::to_columns(const Coordinates& u) const {
  Columns columns(column_count_);
  for (std::size_t k = 0; k < size(); ++k) {
    const ParameterColumns::Kind kind = columns_[k].kind;
    const std::size_t first = columns_[k].first;
    if (kind == ParameterColumns::Kind::none) continue;
    if (kind != ParameterColumns::Kind::arc) {
      columns[first] = u[k];
      continue;
    }
    const bool active = is_active(u, k);
    columns[first] = active ? std::cos(u[k]) : 0.0;
    columns[first + 1] = active ? std::sin(u[k]) : 0.0;
  }
  return columns;
}

Coordinates Domain::from_columns(const Columns& columns) const {
  Coordinates u(size());
  for (std::size_t k = 0; k < size(); ++k) u[k] = std::clamp(columns[k], 0.0, 1.0);
  return u;
}

void Domain::pull_back(const Coordinates& u, std::span<const double> in_columns,
                       std::span<double> in_coordinates) const {
  for (std::size_t k = 0; k < size(); ++k) {
    const ParameterColumns::Kind kind = columns_[k].kind;
    const std::size_t first = columns_[k].first;
    in_coordinates[k] = 0.0;
    if (!axes_[k].is_continuous() || !is_active(u, k)) continue;
    in_coordinates[k] =
        kind == ParameterColumns::Kind::number
            ? in_columns[first]
            : std::cos(u[k]) * in_columns[first + 1] - std::sin(u[k]) * in_columns[first];
  }
}

// --- constraints ---------------------------------------------------------------------------------

void Domain::read_constraints() {
  for (std::size_t i = 0; i < declaration_.mixtures.size(); ++i) {
    add_mixture(declaration_.mixtures[i], fmt::format("mixtures[{}]", i));
  }
  for (std::size_t i = 0; i < declaration_.constraints.size(); ++i) {
    add_constraint(declaration_.constraints[i], fmt::format("constraints[{}]", i));
  }
  std::set<std::size_t> named;
  for (const auto* const list : {&inequalities_, &equalities_}) {
    for (const CoordinateConstraint& constraint : *list) {
      for (const CoordinateConstraint::Term& term : constraint.terms) named.insert(term.parameter);
    }
  }
  constrained_.assign(named.begin(), named.end());
  if (is_constrained()) refuse_conflicts();
}

numeric::LinearConstraints Domain::constraints_on(const std::vector<std::size_t>& variables,
                                                  const Coordinates& u) const {
  numeric::LinearConstraints result =
      numeric::LinearConstraints::unlimited(static_cast<Index>(variables.size()));
  // Rounding can make a limit that levels meet exactly seem violated, by up to this part of its
  // scale.
  constexpr double kRounding = 1e-14;
  const auto fill = [&](const std::vector<CoordinateConstraint>& constraints, double forgiven,
                        auto& rows, auto& limits) {
    rows.setZero(static_cast<Index>(constraints.size()), static_cast<Index>(variables.size()));
    limits.resize(static_cast<Index>(constraints.size()));
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const auto row = static_cast<Index>(i);
      limits[row] = constraints[i].limit;
      for (const auto& [parameter, coefficient] : constraints[i].terms) {
        const auto found = std::find(variables.begin(), variables.end(), parameter);
        if (found == variables.end()) {
          limits[row] -= coefficient * u[parameter];
          limits[row] += forgiven * (std::abs(coefficient) + std::abs(constraints[i].limit));
        } else {
          rows(row, found - variables.begin()) = coefficient;
        }
      }
    }
  };
  fill(inequalities_, kRounding, result.C, result.b);
  fill(equalities_, 0.0, result.E, result.e);
  return result;
}

/// Refuses constraints that contradict each other even if all parameters are treated as real.
void Domain::refuse_conflicts() const {
  const auto count = static_cast<Index>(constrained_.size());
  const numeric::Polytope polytope(numeric::Vector::Zero(count), numeric::Vector::Ones(count),
                                   constraints_on(constrained_, Coordinates(size())));
  if (!polytope.conflict()) return refuse_small_conflicts(polytope.interior_point());
  std::vector<std::string> names;
  const auto bound = [&](Index i, const char* relation, double Parameter::*value) {
    const Parameter& parameter = axes_[constrained_[static_cast<std::size_t>(i)]].parameter();
    names.push_back(fmt::format("{} {} {}", parameter.name, relation, parameter.*value));
  };
  for (const Index i : polytope.conflict()->equalities) {
    names.push_back(equalities_[static_cast<std::size_t>(i)].name);
  }
  for (const Index i : polytope.conflict()->inequalities) {
    names.push_back(inequalities_[static_cast<std::size_t>(i)].name);
  }
  for (const Index i : polytope.conflict()->lower) bound(i, ">=", &Parameter::lower);
  for (const Index i : polytope.conflict()->upper) bound(i, "<=", &Parameter::upper);
  refuse(polytope.conflict()->inequalities.empty() ? "mixtures" : "constraints",
         fmt::format("no point satisfies all of: {}", fmt::join(names, "; ")));
}

/// Refuses contradictions that a polytope forgives, but that exceed the tolerance for points.
/// `point` holds coordinates of a point of the polytope. Integers need not be integral there.
void Domain::refuse_small_conflicts(const numeric::Vector& point) const {
  std::vector<double> x(size());
  for (std::size_t i = 0; i < constrained_.size(); ++i) {
    const Parameter& parameter = axes_[constrained_[i]].parameter();
    const double u = point[static_cast<Index>(i)];
    x[constrained_[i]] = parameter.lower * (1.0 - u) + parameter.upper * u;
  }
  close_sums(x, {});
  std::vector<std::string> missed;
  const auto judge = [&](const Sum& sum, double miss, const std::string& name) {
    if (miss > kForgiven * sum.scale + sum.rounding) missed.push_back(name);
  };
  for (std::size_t i = 0; i < declaration_.mixtures.size(); ++i) {
    const Sum sum = sum_of(declaration_.mixtures[i], x);
    judge(sum, std::abs(sum.value - equalities_[i].sum), equalities_[i].name);
  }
  for (std::size_t i = 0; i < declaration_.constraints.size(); ++i) {
    const Sum sum = sum_of(declaration_.constraints[i], x);
    judge(sum, sum.value - inequalities_[i].sum, inequalities_[i].name);
  }
  if (missed.empty()) return;
  refuse(declaration_.constraints.empty() ? "mixtures" : "constraints",
         fmt::format("these slightly contradict each other or the bounds: {}",
                     fmt::join(missed, "; ")));
}

std::size_t Domain::constrained_parameter(const std::string& name, bool accepts_levels,
                                          const std::string& field) const {
  const std::optional<std::size_t> k = find(name);
  if (!k) refuse(field, fmt::format("'{}' is not a parameter", name));
  const Axis& axis = axes_[*k];
  if (!axis.has_linear_scale() || !(axis.is_continuous() || accepts_levels)) {
    refuse(field, fmt::format("'{}' is not accepted; {} on a linear scale", name,
                              accepts_levels ? "use floats or ints" : "use floats without a step"));
  }
  if (parents_[*k]) refuse(field, fmt::format("'{}' is not always active", name));
  return *k;
}

void Domain::add_mixture(const Mixture& mixture, const std::string& field) {
  if (mixture.parameters.size() < 2) refuse(field, "at least two parameters are needed");
  if (!std::isfinite(mixture.sum)) refuse(field + ".sum", "must be finite");
  CoordinateConstraint constraint{
      .terms = {}, .limit = mixture.sum, .sum = mixture.sum, .name = {}};
  std::set<std::size_t> named;
  for (const std::string& name : mixture.parameters) {
    const std::size_t k = constrained_parameter(name, /*accepts_levels=*/false, field);
    if (!named.insert(k).second) refuse(field, fmt::format("'{}' is named twice", name));
    add_term(constraint, axes_[k], k, 1.0);
  }
  constraint.name = fmt::format("{} = {}", fmt::join(mixture.parameters, " + "), mixture.sum);
  check_sums(constraint, field);
  equalities_.push_back(std::move(constraint));
}

void Domain::add_constraint(const LinearConstraint& linear, const std::string& field) {
  if (linear.terms.empty()) refuse(field, "has no terms");
  if (!std::isfinite(linear.limit)) refuse(field, "the limit must be finite");
  CoordinateConstraint constraint{
      .terms = {}, .limit = linear.limit, .sum = linear.limit, .name = to_string(linear)};
  std::set<std::size_t> named;
  for (const LinearConstraint::Term& term : linear.terms) {
    const std::size_t k = constrained_parameter(term.parameter, /*accepts_levels=*/true, field);
    if (!std::isfinite(term.coefficient)) refuse(field, "coefficients must be finite");
    if (!named.insert(k).second) refuse(field, fmt::format("'{}' is named twice", term.parameter));
    add_term(constraint, axes_[k], k, term.coefficient);
  }
  check_sums(constraint, field);
  inequalities_.push_back(std::move(constraint));
}

void Domain::check_outcomes() const {
  std::set<std::string> names;
  for (const Outcome& outcome : declaration_.outcomes) {
    const std::string field = "outcomes." + outcome.name;
    if (outcome.name.empty()) refuse("outcomes", "an outcome has no name");
    if (!names.insert(outcome.name).second) refuse(field, "is declared twice");
    if (!(outcome.lower < outcome.upper)) {
      refuse(field, fmt::format("lower {} must be below upper {}", outcome.lower, outcome.upper));
    }
    if (!std::isfinite(outcome.lower) && !std::isfinite(outcome.upper)) {
      refuse(field, "has no limit; give lower, upper or both");
    }
  }
}

}  // namespace oscbo::space
