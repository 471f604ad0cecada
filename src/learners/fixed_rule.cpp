// GP-UCB with a known kernel: the user gives its hyperparameters.
#include "gp/kernel_options.hpp"
#include "learners/rule_factories.hpp"

namespace oscbo::learners {
namespace {

class FixedRule final : public LengthscaleRule {
 public:
  FixedRule(const Config& config, const gp::Layout& layout)
      : settings_{.theta = gp::given_theta(config.get<gp::KernelOptions>(), layout.parameters())} {}

  [[nodiscard]] std::unique_ptr<LengthscaleRule> clone() const override {
    return std::make_unique<FixedRule>(*this);
  }

  const ModelSettings& next_settings(const Observations& /*observations*/, int /*round*/) override {
    return settings_;
  }

  [[nodiscard]] int evaluations() const override { return 0; }

 private:
  ModelSettings settings_;
};

}  // namespace

std::unique_ptr<LengthscaleRule> make_fixed_rule(const Config& config, const gp::Layout& layout,
                                                 std::uint64_t /*seed*/) {
  return std::make_unique<FixedRule>(config, layout);
}

}  // namespace oscbo::learners
