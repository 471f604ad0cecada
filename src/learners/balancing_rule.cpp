// LB-GP-UCB: the candidate lengthscales are at most the maximum likelihood lengthscale of the
// initial design. The rule plays them by balancing their suspected regrets, and drops a candidate
// if its rewards fall behind.
#include <cmath>

#include "gp/kernel_options.hpp"
#include "learners/fitter.hpp"
#include "learners/rule_factories.hpp"
#include "online/balancing_options.hpp"
#include "online/lengthscale_balancing.hpp"
#include "online/width_options.hpp"

namespace oscbo::learners {
namespace {

class BalancingRule final : public LengthscaleRule {
 public:
  BalancingRule(const Config& config, const gp::Layout& layout, std::uint64_t seed)
      : fitter_(config, layout, seed), parameters_(layout.parameters()) {}

  [[nodiscard]] std::unique_ptr<LengthscaleRule> clone() const override {
    return std::make_unique<BalancingRule>(*this);
  }

  const ModelSettings& next_settings(const Observations& observations, int round) override {
    if (!balancing_) start(observations, round);
    see_rewards(observations.y);
    for (const online::Play& play : completed_) balancing_->complete_round(play, rewards_);
    completed_.clear();

    settings_.theta = Vector::Constant(1, balancing_->next_lengthscale());
    if (fitter_.config().get<online::BalancingOptions>().width == online::RuleWidth::theory) {
      settings_.multiplier = theory_multiplier(observations);
    }
    return settings_;
  }

  /// A round ends when its observation is told. Its consequences wait for the next query, because
  /// only then are the rewards standardised again.
  void observe_prediction(const PredictionFeedback& feedback) override {
    const bool with_noise = fitter_.config().get<online::BalancingOptions>().sd ==
                            online::BalancingOptions::Sd::with_noise;
    const double sd = std::sqrt(feedback.variance + (with_noise ? feedback.noise_variance : 0.0));
    completed_.push_back({.theta = feedback.theta.front(),
                          .point = feedback.point,
                          .width = feedback.multiplier * sd});
  }

  [[nodiscard]] int evaluations() const override { return fitter_.evaluations(); }

 private:
  void start(const Observations& observations, int round) {
    const Vector theta_0 = fitter_.maximise_likelihood(observations, fitter_.first(), round);
    balancing_.emplace(fitter_.config(), smoothness(), parameters_, theta_0[0]);
  }

  /// smoothness returns the nu of the Matern kernel; the RBF kernel has none.
  [[nodiscard]] std::optional<double> smoothness() const {
    const auto& kernel = fitter_.config().get<gp::KernelOptions>();
    if (kernel.family == gp::KernelOptions::Family::rbf) return std::nullopt;
    return kernel.nu;
  }

  /// Rewards are y under the current standardisation. With `raw`, they keep the standardisation of
  /// the first query after they were told. A reward then never changes, like the width to which it
  /// is compared.
  void see_rewards(const Vector& y) {
    const bool frozen = fitter_.config().get<online::BalancingOptions>().reward_scale ==
                        online::BalancingOptions::RewardScale::raw;
    const Index kept = frozen ? rewards_.size() : 0;
    rewards_.conservativeResize(y.size());
    rewards_.tail(y.size() - kept) = y.tail(y.size() - kept);
  }

  /// beta_t = B(theta) + sigma_N sqrt(2 (gamma_{t-1} + 1 + log(2/delta))). Here gamma is the actual
  /// information gain of the data under theta, log|I + K/s2| / 2, instead of the maximum over all
  /// designs. It is known and never larger.
  double theory_multiplier(const Observations& observations) {
    const Config& config = fitter_.config();
    const double gamma = fitter_.information_gain(observations, settings_.theta);
    return balancing_->norm_bound(settings_.theta[0]) +
           std::sqrt(2.0 * config.noise_variance * (gamma + 1.0 + std::log(2.0 / config.delta)));
  }

  Fitter fitter_;
  Index parameters_;
  std::optional<online::LengthscaleBalancing> balancing_;  // empty before the first round
  std::vector<online::Play> completed_;                    // plays since the last query
  Vector rewards_;                                         // the reward of each point
  ModelSettings settings_;
};

}  // namespace

std::unique_ptr<LengthscaleRule> make_balancing_rule(const Config& config, const gp::Layout& layout,
                                                     std::uint64_t seed) {
  return std::make_unique<BalancingRule>(config, layout, seed);
}

}  // namespace oscbo::learners
