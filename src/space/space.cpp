#include "oscbo/space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "oscbo/error.hpp"
#include "space/declaration_json.hpp"
#include "space/region.hpp"

namespace oscbo {

std::string_view to_string(ParameterKind kind) noexcept {
  switch (kind) {
    case ParameterKind::real: return "float";
    case ParameterKind::integer: return "int";
    case ParameterKind::ordinal: return "ordinal";
    case ParameterKind::categorical: return "categorical";
    case ParameterKind::boolean: return "bool";
    case ParameterKind::fixed: return "fixed";
  }
  return "unknown";
}

Space::Space(SpaceDeclaration declaration)
    : domain_(std::make_shared<const space::Domain>(std::move(declaration))) {
  if (domain_->is_constrained()) space::refuse_if_empty(*domain_);
}

Space Space::of_box(std::span<const Bounds> bounds) {
  if (bounds.empty()) {
    throw Error(ErrorCode::invalid_value, "bounds", "is empty; at least one parameter is needed");
  }
  SpaceDeclaration declaration;
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    Parameter parameter{
        .name = fmt::format("x{}", k + 1), .lower = bounds[k].lower, .upper = bounds[k].upper};
    const space::Axis refuses_bad_bounds(parameter, fmt::format("bounds[{}]", k));
    declaration.parameters.push_back(std::move(parameter));
  }
  return Space(std::move(declaration));
}

Space Space::from_json(std::string_view text) { return Space(space::read_declaration(text)); }
std::string Space::to_json() const { return space::declaration_to_json(declaration()).dump(2); }

const SpaceDeclaration& Space::declaration() const { return domain_->declaration(); }
std::size_t Space::dimension() const { return domain_->size(); }
std::optional<double> Space::points() const { return domain_->points(); }
bool Space::is_box() const { return domain_->is_box(); }

std::vector<Bounds> Space::bounds() const {
  std::vector<Bounds> bounds;
  bounds.reserve(dimension());
  for (std::size_t k = 0; k < dimension(); ++k) bounds.push_back(domain_->axis(k).bounds());
  return bounds;
}

std::size_t Space::index(std::string_view parameter) const {
  const std::optional<std::size_t> k = domain_->find(parameter);
  if (!k) {
    std::vector<std::string> names;
    for (const Parameter& each : declaration().parameters) names.push_back(each.name);
    throw Error(
        ErrorCode::unknown_name, "parameter",
        fmt::format("'{}' is not declared; use one of {}", parameter, fmt::join(names, ", ")));
  }
  return *k;
}

void Space::check(std::span<const double> x, const std::string& field) const {
  domain_->check(x, field);
}

bool Space::is_active(std::span<const double> x, std::size_t k) const {
  return domain_->is_active(domain_->to_coordinates(x), k);
}

std::string Space::text(std::size_t k, double value) const { return domain_->axis(k).text(value); }

double Space::value(std::size_t k, std::string_view text) const {
  const space::Axis& axis = domain_->axis(k);
  const std::optional<double> value = axis.value(text);
  if (!value) {
    throw Error(ErrorCode::invalid_value, axis.name(),
                fmt::format("'{}' is not accepted; it must be {}", text, axis.accepted()));
  }
  return *value;
}

std::string Space::describe(std::span<const double> x) const {
  std::string text;
  for (std::size_t k = 0; k < dimension(); ++k) {
    if (!is_active(x, k)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", domain_->axis(k).name(),
                        domain_->axis(k).text(x[k]));
  }
  return text;
}

}  // namespace oscbo
