#include "model/surrogates.hpp"

#include "gp/kernel_options.hpp"
#include "learners/fitter.hpp"
#include "learners/point_subset.hpp"
#include "oscbo/error.hpp"

namespace oscbo::model {

Surrogates::Surrogates(const Config& config, const gp::Layout& layout)
    : kernel_(config.get<gp::KernelOptions>()),
      parameters_(layout.parameters()),
      whole_(gp::make_kernel(config.get<gp::KernelOptions>(), layout), config.noise_variance),
      partial_(whole_) {
  whole_.reserve(learners::expected_points(config), layout.columns());
}

ModelDescription Surrogates::condition(const Observations& observations, const GpRound& round) {
  const learners::ModelSettings& settings = round.settings;
  const learners::ChosenObservations data(observations, settings.points);
  const gp::Affine& affine = settings.affine;
  const Vector z = (data.y().array() - affine.location) / affine.scale;
  const std::vector<double> noise = gp::noise_in_units(data.known_noise(), affine.scale);
  gp::Surrogate& surrogate = settings.points.empty() ? whole_ : partial_;
  bool ok =
      surrogate.fit(data.inputs(), z, settings.theta, settings.noise_variance, settings.base, noise)
          .ok;
  if (settings.spread) {
    ok = ok &&
         surrogate.fit_spread(data.inputs(), z, settings.spread->theta, settings.base, noise).ok;
  }
  if (!ok) {
    throw Error(ErrorCode::internal, "lengthscales", "the kernel matrix cannot be factorized");
  }
  // An additive kernel has hyperparameters after its lengthscales.
  const Index shown =
      kernel_.additive ? gp::lengthscale_count(kernel_, parameters_) : settings.theta.size();
  return {.lengthscales = {settings.theta.begin(), settings.theta.begin() + shown},
          .noise_variance = surrogate.noise_variance(),
          .affine = affine,
          .inflation = round.inflation,
          .multiplier = settings.multiplier,
          .bound_includes_noise = settings.spread && settings.spread->includes_noise,
          .points = settings.points,
          .fitted_means = surrogate.fitted_means(),
          .information_gain = surrogate.information_gain(),
          .jitter = surrogate.jitter(),
          .plan = round.plan,
          .notes = round.notes};
}

}  // namespace oscbo::model
