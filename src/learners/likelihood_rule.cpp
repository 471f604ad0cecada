// GP-UCB-MLL: the lengthscales are refitted by maximum marginal likelihood before every query.
#include "learners/fitter.hpp"
#include "learners/rule_factories.hpp"

namespace oscbo::learners {
namespace {

class LikelihoodRule final : public LengthscaleRule {
 public:
  LikelihoodRule(const Config& config, const gp::Layout& layout, std::uint64_t seed)
      : fitter_(config, layout, seed), settings_{.theta = fitter_.first()} {}

  [[nodiscard]] std::unique_ptr<LengthscaleRule> clone() const override {
    return std::make_unique<LikelihoodRule>(*this);
  }

  const ModelSettings& next_settings(const Observations& observations, int round) override {
    settings_.theta =
        fitter_.maximise_likelihood(observations, fitter_.start(settings_.theta), round);
    return settings_;
  }

  [[nodiscard]] int evaluations() const override { return fitter_.evaluations(); }

 private:
  Fitter fitter_;
  ModelSettings settings_;
};

}  // namespace

std::unique_ptr<LengthscaleRule> make_likelihood_rule(const Config& config,
                                                      const gp::Layout& layout,
                                                      std::uint64_t seed) {
  return std::make_unique<LikelihoodRule>(config, layout, seed);
}

}  // namespace oscbo::learners
