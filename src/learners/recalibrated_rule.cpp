// OCBO: maximum marginal likelihood lengthscales, and a confidence multiplier that is recalibrated
// on leave-one-out predictions.
#include <cmath>

#include "gp/kernel_options.hpp"
#include "gp/posterior.hpp"
#include "learners/fitter.hpp"
#include "learners/point_subset.hpp"
#include "learners/recalibration.hpp"
#include "learners/recalibration_options.hpp"
#include "learners/rule_factories.hpp"

namespace oscbo::learners {
namespace {

class RecalibratedRule final : public LengthscaleRule {
 public:
  RecalibratedRule(const Config& config, const gp::Layout& layout, std::uint64_t seed)
      : fitter_(config, layout, seed),
        posterior_(gp::make_kernel(config.get<gp::KernelOptions>(), layout), config.noise_variance),
        settings_{.theta = fitter_.first()} {}

  [[nodiscard]] std::unique_ptr<LengthscaleRule> clone() const override {
    return std::make_unique<RecalibratedRule>(*this);
  }

  const ModelSettings& next_settings(const Observations& observations, int round) override {
    const Config& config = fitter_.config();
    settings_.theta =
        fitter_.maximise_likelihood(observations, fitter_.start(settings_.theta), round);
    settings_.multiplier = recalibrated_multiplier(transforms_of(observations, round), config.delta,
                                                   config.get<RecalibrationOptions>());
    return settings_;
  }

  [[nodiscard]] int evaluations() const override {
    return fitter_.evaluations() + further_evaluations_;
  }

 private:
  std::vector<double> transforms_of(const Observations& observations, int round) {
    if (observations.inputs.size() < kFewestTransforms) return {};
    return fitter_.config().get<RecalibrationOptions>().refit_folds
               ? refitted_transforms(observations, round)
               : leave_one_out_transforms(observations);
  }

  /// Returns u_i of the predictions from all other points, with the lengthscales fitted to all
  /// data. Returns nothing if the posterior cannot be fitted.
  std::vector<double> leave_one_out_transforms(const Observations& observations) {
    std::vector<double> transforms;
    ++further_evaluations_;
    if (!fit_posterior(observations, settings_.theta)) return transforms;
    for (const gp::Moments& left_out : posterior_.leave_one_out()) {
      const double y = observations.y[static_cast<Index>(transforms.size())];
      transforms.push_back(probability_transform(y, left_out.mean, std::sqrt(left_out.variance)));
    }
    return transforms;
  }

  /// The same, but the lengthscales are fitted without the left-out point too.
  std::vector<double> refitted_transforms(const Observations& observations, int round) {
    std::vector<double> transforms;
    for (Index i = 0; i < observations.inputs.size(); ++i) {
      if (!fit_without(i, observations, round)) return {};
      const gp::Moments left_out = posterior_.at(observations.inputs.point(i));
      const double variance = left_out.variance + gp::noise_of(observations.known_noise, i,
                                                               posterior_.noise_variance());
      transforms.push_back(
          probability_transform(observations.y[i], left_out.mean, std::sqrt(variance)));
    }
    return transforms;
  }

  bool fit_without(Index left_out, const Observations& observations, int round) {
    std::vector<Index> others;
    for (Index i = 0; i < observations.inputs.size(); ++i) {
      if (i != left_out) others.push_back(i);
    }
    const ObservationSubset subset(observations, others);
    Fitter fold = fitter_;  // a copy, so that Adam's moments of this fold are discarded
    const Vector theta = fold.maximise_likelihood(subset.get(), settings_.theta, round);
    further_evaluations_ += fold.evaluations() - fitter_.evaluations() + 1;
    return fit_posterior(subset.get(), theta);
  }

  bool fit_posterior(const Observations& observations, const Vector& theta) {
    return posterior_.fit(observations.inputs, observations.y, theta, observations.known_noise).ok;
  }

  Fitter fitter_;
  gp::Posterior posterior_;  // predicts the left-out points
  int further_evaluations_ = 0;
  ModelSettings settings_;
};

}  // namespace

std::unique_ptr<LengthscaleRule> make_recalibrated_rule(const Config& config,
                                                        const gp::Layout& layout,
                                                        std::uint64_t seed) {
  return std::make_unique<RecalibratedRule>(config, layout, seed);
}

}  // namespace oscbo::learners
