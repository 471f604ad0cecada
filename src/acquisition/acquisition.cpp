#include "acquisition/acquisition.hpp"

#include <cmath>

#include "acquisition/acquisition_options.hpp"
#include "numeric/normal.hpp"
#include "oscbo/error.hpp"

namespace oscbo::acquisition {

using numeric::improvement;
using numeric::log_improvement;
using numeric::log_improvement_slope;
using numeric::normal_cdf;
using numeric::normal_density;

AcquisitionValue UpperConfidenceBound::at(const prediction::Moments& moments) const {
  const double sd = std::sqrt(moments.variance + added_variance);
  return {.value = moments.mean + multiplier * sd,
          .mean_slope = 1.0,
          .variance_slope = 0.5 * multiplier / sd};
}

// h'(u) = Phi(u), so d(sd h)/d sd = h - u Phi = phi.
AcquisitionValue ExpectedImprovement::at(const prediction::Moments& moments) const {
  const double sd = std::sqrt(moments.variance);
  const double u = (moments.mean - best) / sd;
  return {.value = sd * improvement(u),
          .mean_slope = normal_cdf(u),
          .variance_slope = 0.5 * normal_density(u) / sd};
}

// With s = (log h)'(u) = Phi / h, the derivative d/d ln sd is 1 - u s = phi / h. For u < 0 the
// first form is a sum of positive terms, while the second can be 0 / 0. For u > 0 the second form
// does not cancel.
AcquisitionValue LogExpectedImprovement::at(const prediction::Moments& moments) const {
  const double sd = std::sqrt(moments.variance);
  const double u = (moments.mean - best) / sd;
  const double slope = log_improvement_slope(u);
  const double log_sd_slope = u < 0.0 ? 1.0 - u * slope : normal_density(u) / normal_cdf(u) * slope;
  return {.value = std::log(sd) + log_improvement(u),
          .mean_slope = slope / sd,
          .variance_slope = 0.5 * log_sd_slope / moments.variance};
}

AcquisitionValue ProbabilityOfImprovement::at(const prediction::Moments& moments) const {
  const double sd = std::sqrt(moments.variance);
  const double u = (moments.mean - best) / sd;
  const double density = normal_density(u);
  return {.value = normal_cdf(u),
          .mean_slope = density / sd,
          .variance_slope = -0.5 * u * density / moments.variance};
}

AcquisitionValue value_at(const Acquisition& acquisition, const prediction::Moments& moments) {
  return std::visit([&](const auto& function) { return function.at(moments); }, acquisition);
}

Acquisition make_acquisition(AcquisitionOptions::Kind kind,
                             const AcquisitionParameters& parameters) {
  const auto& [multiplier, added_variance, best] = parameters;
  switch (kind) {
    case AcquisitionOptions::Kind::ucb:
      return UpperConfidenceBound{.multiplier = multiplier, .added_variance = added_variance};
    case AcquisitionOptions::Kind::logei: return LogExpectedImprovement{.best = best};
    case AcquisitionOptions::Kind::ei: return ExpectedImprovement{.best = best};
    case AcquisitionOptions::Kind::pi: return ProbabilityOfImprovement{.best = best};
    case AcquisitionOptions::Kind::thompson:
    case AcquisitionOptions::Kind::random:
    case AcquisitionOptions::Kind::sobol: break;
  }
  throw Error(ErrorCode::internal, "acquisition", "is not a function of the moments at a point");
}

}  // namespace oscbo::acquisition
