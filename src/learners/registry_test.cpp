#include "learners/registry.hpp"

#include <set>

#include <gtest/gtest.h>

#include "gp/kernel_options.hpp"
#include "learners/learners_test_support.hpp"
#include "learners/recalibration_options.hpp"
#include "learners/sharp_options.hpp"
#include "online/balancing_options.hpp"
#include "online/schedule_options.hpp"
#include "online/width_options.hpp"

namespace oscbo::learners {
namespace {

using test::kSeed;

Config config_of(const RuleInfo& rule) {
  Config config;
  config.learner = rule.name;
  if (rule.compose != nullptr) rule.compose(config);
  return config;
}

/// Tells the rule of points `from` .. `to` - 1, and asks it for the next round.
ModelSettings settings_after(RuleHandle& rule, Index from, Index to, int round) {
  for (Index i = from; i < to; ++i) {
    if (round == 1) rule->observe_initial(i, test::kBeta);
    if (round > 1) rule->observe_unasked(i, test::kBeta);
  }
  return test::next_settings(rule, test::smooth_data(to, 2, 1), round);
}

TEST(Registry, EveryRuleHasANameAndAMethodOfItsOwn) {
  std::set<std::string> names;
  std::set<std::string> methods;
  for (const RuleInfo& rule : rules()) {
    names.insert(rule.name);
    methods.insert(rule.method);
    EXPECT_FALSE(rule.meaning.empty());
    EXPECT_EQ(find_rule(rule.name), &rule);
  }
  EXPECT_EQ(names.size(), rules().size());
  EXPECT_EQ(methods.size(), rules().size());
  EXPECT_EQ(find_rule("oscbo"), nullptr) << "a method is not a rule";
}

TEST(Registry, CopyOfEveryRuleContinuesOnItsOwn) {
  for (const RuleInfo& info : rules()) {
    Config config = config_of(info);
    config.edit<SharpOptions>().condition = SharpOptions::Condition::training;
    RuleHandle rule = make_rule(config, gp::Layout::plain(2), kSeed);
    settings_after(rule, 0, 8, 1);
    RuleHandle copy = rule;
    const ModelSettings expected = settings_after(rule, 8, 9, 2);
    settings_after(rule, 9, 12, 3);
    const ModelSettings settings = settings_after(copy, 8, 9, 2);
    EXPECT_EQ(settings.theta, expected.theta) << info.name;
    EXPECT_EQ(settings.noise_variance, expected.noise_variance) << info.name;
    EXPECT_EQ(settings.multiplier, expected.multiplier) << info.name;
    EXPECT_EQ(settings.points, expected.points) << info.name;
    ASSERT_EQ(settings.spread.has_value(), expected.spread.has_value()) << info.name;
    if (settings.spread) {
      EXPECT_EQ(settings.spread->theta, expected.spread->theta);
    }
  }
}

TEST(Registry, EveryRuleTakesParametersThatAreNotNumeric) {
  const test::Data data = test::mixed_data(30);
  for (const RuleInfo& info : rules()) {
    const Config config = config_of(info);
    RuleHandle rule = make_rule(config, test::mixed_layout(), kSeed);
    const Index count =
        gp::parameter_count(config.get<gp::KernelOptions>(), test::mixed_layout().parameters());
    for (const int round : {1, 2}) {
      const ModelSettings settings = test::next_settings(rule, data, round);
      EXPECT_EQ(settings.theta.size(), count) << info.name;
      EXPECT_TRUE(settings.theta.allFinite()) << info.name;
      EXPECT_GT(settings.theta.minCoeff(), 0.0) << info.name;
    }
  }
}

/// What a new rule says in its second round about data with that noise.
ModelSettings settings_with(const Config& config, const test::Data& data, gp::KnownNoise noise) {
  RuleHandle rule = make_rule(config, gp::Layout::plain(2), kSeed);
  for (Index i = 0; i < data.y.size(); ++i) rule->observe_initial(i, test::kBeta);
  test::next_settings(rule, data, 1, noise);
  return test::next_settings(rule, data, 2, noise);
}

TEST(Registry, EveryRuleHeedsNoiseThatIsKnown) {
  const Index n = 14;
  const test::Data data = test::smooth_data(n, 2, 1);
  for (const RuleInfo& info : rules()) {
    if (info.name == "stubborn") continue;
    for (const bool other_path : {false, true}) {
      Config config = config_of(info);
      config.edit<RecalibrationOptions>().refit_folds = other_path;
      if (other_path)
        config.edit<online::ScheduleOptions>().width =
            config.edit<online::BalancingOptions>().width = online::RuleWidth::theory;
      const ModelSettings none = settings_with(config, data, {});
      const ModelSettings same =
          settings_with(config, data, test::known_noise(n, config.noise_variance));
      EXPECT_LT((same.theta - none.theta).cwiseAbs().maxCoeff(), 1e-4) << info.name;
      ASSERT_EQ(same.multiplier.has_value(), none.multiplier.has_value()) << info.name;
      EXPECT_NEAR(same.multiplier.value_or(0.0), none.multiplier.value_or(0.0), 1e-3) << info.name;
      const ModelSettings other = settings_with(config, data, test::known_noise(n, 0.5, 2));
      if (!info.traits.kernel_is_known) {
        EXPECT_GT((other.theta - none.theta).cwiseAbs().maxCoeff(), 1e-3) << info.name;
      }
    }
  }
}

/// The same lengthscale whatever happens.
class Stubborn final : public LengthscaleRule {
 public:
  [[nodiscard]] std::unique_ptr<LengthscaleRule> clone() const override {
    return std::make_unique<Stubborn>(*this);
  }
  const ModelSettings& next_settings(const Observations& /*observations*/, int /*round*/) override {
    return settings_;
  }
  [[nodiscard]] int evaluations() const override { return 0; }

 private:
  ModelSettings settings_{.theta = test::one(0.123)};
};

TEST(Registry, TakesFurtherRules) {
  register_rule({.name = "stubborn",
                 .method = "stubborn-bo",
                 .meaning = "knows better",
                 .make = [](const Config& /*config*/, const gp::Layout& /*layout*/,
                            std::uint64_t /*seed*/) -> std::unique_ptr<LengthscaleRule> {
                   return std::make_unique<Stubborn>();
                 }});
  ASSERT_NE(find_rule("stubborn"), nullptr);
  const Config config = config_of(*find_rule("stubborn"));
  EXPECT_EQ(test::first_settings(config, test::smooth_data(8, 2, 1), kSeed).theta,
            test::one(0.123));
}

}  // namespace
}  // namespace oscbo::learners
