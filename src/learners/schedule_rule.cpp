// A-GP-UCB: the maximum likelihood lengthscales of the initial design, shortened by a schedule,
// theta_t = max(theta_0 / g(t), floor). They are never refitted.
#include <cmath>

#include "learners/fitter.hpp"
#include "learners/rule_factories.hpp"
#include "online/growth.hpp"
#include "online/schedule_options.hpp"
#include "online/width_options.hpp"

namespace oscbo::learners {
namespace {

class ScheduleRule final : public LengthscaleRule {
 public:
  ScheduleRule(const Config& config, const gp::Layout& layout, std::uint64_t seed)
      : fitter_(config, layout, seed), parameters_(layout.parameters()) {}

  [[nodiscard]] std::unique_ptr<LengthscaleRule> clone() const override {
    return std::make_unique<ScheduleRule>(*this);
  }

  const ModelSettings& next_settings(const Observations& observations, int round) override {
    const auto& schedule = fitter_.config().get<online::ScheduleOptions>();
    if (!theta_0_) {
      theta_0_ = fitter_.maximise_likelihood(observations, fitter_.first(), round);
    }
    const Index t = schedule.clock == online::ScheduleOptions::Clock::rounds
                        ? round
                        : observations.initial_points + round;
    const double growth = online::schedule_growth(schedule, static_cast<double>(t));
    settings_.theta = (*theta_0_ / growth).cwiseMax(schedule.floor);
    if (schedule.width == online::RuleWidth::theory) {
      settings_.multiplier = theory_multiplier(observations, growth);
    }
    return settings_;
  }

  [[nodiscard]] int evaluations() const override { return fitter_.evaluations(); }

 private:
  /// beta_t^(1/2) = B_t + 4 sigma sqrt(I + 1 + log(1/delta)) with B_t = g(t)^d B_0, where I is the
  /// mutual information of all observations so far and the function under theta_t.
  double theory_multiplier(const Observations& observations, double growth) {
    const Config& config = fitter_.config();
    const double norm = online::inflated_norm(config.get<online::WidthOptions>().norm_bound, growth,
                                              static_cast<double>(parameters_));
    const double information = fitter_.information_gain(observations, settings_.theta);
    return norm +
           4.0 * std::sqrt(config.noise_variance * (information + 1.0 - std::log(config.delta)));
  }

  Fitter fitter_;
  Index parameters_;
  std::optional<Vector> theta_0_;  // lengthscales of the initial design
  ModelSettings settings_;
};

}  // namespace

std::unique_ptr<LengthscaleRule> make_schedule_rule(const Config& config, const gp::Layout& layout,
                                                    std::uint64_t seed) {
  return std::make_unique<ScheduleRule>(config, layout, seed);
}

}  // namespace oscbo::learners
