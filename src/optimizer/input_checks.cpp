#include "optimizer/input_checks.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.hpp"
#include "gp/kernel_options.hpp"
#include "numeric/sobol.hpp"
#include "online/width_options.hpp"
#include "optimizer/space_layout.hpp"

namespace oscbo {
namespace {

[[noreturn]] void refuse_input(const std::string& field, const std::string& message) {
  throw Error(ErrorCode::invalid_value, field, message);
}

void check_finite(double value, const std::string& field) {
  if (std::isfinite(value)) return;
  refuse_input(field, fmt::format("{} is not accepted; an observation must be finite. If there is "
                                  "none, tell that the trial failed",
                                  value));
}

void check_count(std::size_t told, std::size_t objectives, std::string_view noun,
                 const std::string& field) {
  if (told == objectives) return;
  refuse_input(field,
               fmt::format("{} {} told; the number of objectives is {}", base::counted(told, noun),
                           base::by_count(told, "was", "were"), objectives));
}

}  // namespace

void check_space(const Space& space, const Config& config) {
  const space::Domain& domain = space.domain();
  if (domain.free_parameters() > numeric::ScrambledSobol::kMaxDimension) {
    refuse_input("parameters", fmt::format("has {}; at most {} are accepted",
                                           base::counted(domain.free_parameters(), "parameter"),
                                           numeric::ScrambledSobol::kMaxDimension));
  }
  if (config.get<gp::KernelOptions>().family == gp::KernelOptions::Family::network &&
      !layout_of(domain).is_plain()) {
    refuse_input("kernel", "ibnn is not accepted with categorical or conditional parameters");
  }
  if (config.get<online::WidthOptions>().kind == online::WidthOptions::Kind::theory &&
      !domain.is_box()) {
    refuse_input("width", "theory is about boxes of real parameters only; use constant");
  }
}

void check_measurement(const Measurement& measurement, std::span<const Objective> objectives,
                       const Space& space) {
  const std::vector<Outcome>& outcomes = space.declaration().outcomes;
  check_count(measurement.y.size(), objectives.size(), "value", "y");
  check_count(measurement.variance.size(), objectives.size(), "variance", "variance");
  for (const double y : measurement.y) check_finite(y, "y");
  for (const std::optional<double>& variance : measurement.variance) {
    if (!variance || (*variance >= 0.0 && std::isfinite(*variance))) continue;
    refuse_input(
        "variance",
        fmt::format("{} is not accepted; use a finite number that is not negative", *variance));
  }
  if (measurement.outcomes.size() != outcomes.size()) {
    std::vector<std::string> names;
    names.reserve(outcomes.size());
    for (const Outcome& outcome : outcomes) names.push_back(outcome.name);
    refuse_input(
        "outcomes",
        fmt::format("{} {} told; the space has {}{}{}", measurement.outcomes.size(),
                    base::by_count(measurement.outcomes.size(), "was", "were"), outcomes.size(),
                    names.empty() ? "" : ", in this order: ", fmt::join(names, ", ")));
  }
  for (std::size_t c = 0; c < outcomes.size(); ++c) {
    check_finite(measurement.outcomes[c], "outcomes." + outcomes[c].name);
  }
}

void check_reference(double lengthscale, const Config& config) {
  if (config.get<gp::KernelOptions>().family == gp::KernelOptions::Family::network) {
    refuse_input("reference", "is not accepted with kernel=ibnn, which has no lengthscales");
  }
  if (!(lengthscale >= 1e-6 && lengthscale <= 1e6)) {
    refuse_input("reference",
                 fmt::format("{} is not accepted; use a number in [1e-06, 1000000]", lengthscale));
  }
}

}  // namespace oscbo
