#include "space/widening.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/refusal.hpp"

namespace oscbo::space {
namespace {

using base::refuse;

bool same_condition(const Parameter& a, const Parameter& b) {
  if (a.when.has_value() != b.when.has_value()) return false;
  return !a.when || (a.when->parameter == b.when->parameter && a.when->values == b.when->values);
}

bool begins_with(const std::vector<std::string>& longer, const std::vector<std::string>& shorter) {
  return longer.size() >= shorter.size() &&
         std::equal(shorter.begin(), shorter.end(), longer.begin());
}

void check_axis_holds(const Axis& wider, const Axis& old, const std::string& field) {
  const Parameter& a = wider.parameter();
  const Parameter& b = old.parameter();
  if (a.name != b.name) {
    refuse(field, fmt::format("'{}' is in the place of '{}'; the order of parameters cannot change",
                              a.name, b.name));
  }
  if (a.kind != b.kind || a.log != b.log || a.step != b.step) {
    refuse(field, "type, scale and step cannot change");
  }
  if (!same_condition(a, b)) refuse(field + ".when", "the condition cannot change");
  if (!begins_with(a.values, b.values)) {
    refuse(field + ".values", "must start with the existing values");
  }
  // If levels are evenly spaced, checking the first and the last is enough.
  const auto holds = [&](double level) {
    return wider.accepts(old.from_coordinate(old.coordinate_of_level(level)));
  };
  bool holds_all = a.lower <= b.lower && a.upper >= b.upper;
  if (!b.levels.empty()) {
    holds_all = std::all_of(b.levels.begin(), b.levels.end(),
                            [&](double level) { return wider.accepts(level); });
  } else if (!old.is_continuous() && b.values.empty()) {
    holds_all = holds_all && holds(0.0) && holds(old.levels() - 1.0);
  }
  if (!holds_all)
    refuse(field, fmt::format("must include every previous value ({})", old.accepted()));
}

}  // namespace

void check_holds(const Domain& wider, const Domain& old) {
  if (wider.size() != old.size()) {
    refuse("parameters", fmt::format("the number of parameters cannot change from {} to {}",
                                     old.size(), wider.size()));
  }
  for (std::size_t k = 0; k < old.size(); ++k) {
    check_axis_holds(wider.axis(k), old.axis(k), "parameters." + old.axis(k).name());
  }
  const SpaceDeclaration& a = wider.declaration();
  const SpaceDeclaration& b = old.declaration();
  const auto same = [](const auto& one, const auto& other, const auto& equal) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), equal);
  };
  if (!same(a.mixtures, b.mixtures, [](const Mixture& one, const Mixture& other) {
        return one.parameters == other.parameters && one.sum == other.sum;
      })) {
    refuse("mixtures", "cannot change");
  }
  if (!same(a.constraints, b.constraints,
            [](const LinearConstraint& one, const LinearConstraint& other) {
              return to_string(one) == to_string(other);
            })) {
    refuse("constraints", "cannot change");
  }
  if (!same(a.outcomes, b.outcomes, [](const Outcome& one, const Outcome& other) {
        return one.name == other.name && one.lower == other.lower && one.upper == other.upper;
      })) {
    refuse("outcomes", "cannot change");
  }
}

}  // namespace oscbo::space
