#include "study/point_json.hpp"

#include <cmath>
#include <cstdint>
#include <string>

namespace oscbo::study {

using text::Json;

namespace {

Json value_as_json(const Parameter& parameter, double value, const std::string& text) {
  // A fixed parameter keeps a truth value as text.
  const bool is_truth =
      parameter.kind == ParameterKind::boolean ||
      (parameter.kind == ParameterKind::fixed && (text == "true" || text == "false"));
  if (is_truth) return text == "true";
  if (!parameter.values.empty()) return text;
  if (parameter.kind == ParameterKind::real || value != std::floor(value)) return value;
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  if (std::abs(value) > kLargestExact) return value;
  return static_cast<std::int64_t>(value);
}

}  // namespace

Json point_json(const Space& space, std::span<const double> x) {
  Json values = Json::object();
  for (std::size_t k = 0; k < space.dimension(); ++k) {
    if (!space.is_active(x, k)) continue;
    const Parameter& parameter = space.declaration().parameters[k];
    values[parameter.name] = value_as_json(parameter, x[k], space.text(k, x[k]));
  }
  return values;
}

}  // namespace oscbo::study
