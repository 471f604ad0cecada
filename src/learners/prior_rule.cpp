// VanillaBO: maximum a posteriori lengthscales under a log-normal prior, log l_j ~ N(sqrt(2) +
// log(d)/2, 3). Its location grows with the dimension d, like the distances between points.
#include "gp/kernel_options.hpp"
#include "learners/fitter.hpp"
#include "learners/learner_options.hpp"
#include "learners/prior_options.hpp"
#include "learners/rule_factories.hpp"

namespace oscbo::learners {
namespace {

/// BoTorch's prior on the noise variance, used if the noise is learned too.
constexpr LogNormal kNoisePrior{.location = -4.0, .scale = 1.0};

ThetaPrior prior_of(const Config& config, Index parameters) {
  const auto& options = config.get<PriorOptions>();
  const auto count = static_cast<double>(parameters);
  const LogNormal lengthscale{.location = options.location + 0.5 * std::log(count),
                              .scale = options.scale};
  ThetaPrior prior(
      static_cast<std::size_t>(gp::parameter_count(config.get<gp::KernelOptions>(), parameters)),
      lengthscale);
  if (options.noise == PriorOptions::Noise::learned) prior.push_back(kNoisePrior);
  return prior;
}

/// Returns the mode of the prior, with lengthscales clamped to their bounds.
Vector first_theta(const Config& config, const ThetaPrior& prior, Index parameters) {
  Vector theta(static_cast<Index>(prior.size()));
  for (std::size_t k = 0; k < prior.size(); ++k) theta[static_cast<Index>(k)] = prior[k].mode();
  const auto& learner = config.get<LearnerOptions>();
  auto lengthscales = theta.head(gp::parameter_count(config.get<gp::KernelOptions>(), parameters));
  lengthscales = lengthscales.cwiseMax(learner.theta_min).cwiseMin(learner.theta_max).eval();
  return theta;
}

class PriorRule final : public LengthscaleRule {
 public:
  PriorRule(const Config& config, const gp::Layout& layout, std::uint64_t seed)
      : fitter_(config, layout, seed),
        prior_(prior_of(config, layout.parameters())),
        theta_(first_theta(config, prior_, layout.parameters())) {
    fitter_.start_at(theta_);
    if (learns_noise()) fitter_.learn_noise();
  }

  [[nodiscard]] std::unique_ptr<LengthscaleRule> clone() const override {
    return std::make_unique<PriorRule>(*this);
  }

  const ModelSettings& next_settings(const Observations& observations, int round) override {
    theta_ = fitter_.maximise_likelihood(observations, fitter_.start(theta_), round, prior_);
    settings_.theta = theta_.head(theta_.size() - (learns_noise() ? 1 : 0));
    if (learns_noise()) settings_.noise_variance = theta_[theta_.size() - 1];
    return settings_;
  }

  [[nodiscard]] int evaluations() const override { return fitter_.evaluations(); }

 private:
  [[nodiscard]] bool learns_noise() const {
    return fitter_.config().get<PriorOptions>().noise == PriorOptions::Noise::learned;
  }

  Fitter fitter_;
  ThetaPrior prior_;
  Vector theta_;  // lengthscales, followed by the noise variance if it is learned
  ModelSettings settings_;
};

}  // namespace

std::unique_ptr<LengthscaleRule> make_prior_rule(const Config& config, const gp::Layout& layout,
                                                 std::uint64_t seed) {
  return std::make_unique<PriorRule>(config, layout, seed);
}

}  // namespace oscbo::learners
