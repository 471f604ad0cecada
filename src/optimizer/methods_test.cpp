#include <gtest/gtest.h>

#include "optimizer/optimizer_test_support.hpp"
#include "oscbo/config.hpp"

namespace oscbo {
namespace {

TEST(Methods, AreThoseOfTheDocumentation) {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.push_back(method.name);
  EXPECT_EQ(names, (std::vector<std::string>{"auto", "oscbo", "gp-ucb-mll", "gp-ucb", "vanilla-bo",
                                             "a-gp-ucb", "lb-gp-ucb", "ocbo", "scgp", "oscbo-l1",
                                             "random", "sobol"}));
}

TEST(Methods, EachListedOneHasAValidConfigurationOfThatName) {
  for (const MethodInfo& method : methods()) {
    EXPECT_FALSE(method.meaning.empty());
    const Config config = method_config(method.name);
    EXPECT_EQ(config.method, method.name);
    EXPECT_NO_THROW(validate(config));
    EXPECT_EQ(config.learner.solver, SolverKind::adam) << "the paper's solver";
  }
}

TEST(Methods, DifferInTheirPiecesOnly) {
  EXPECT_EQ(method_config("oscbo").primal.exponent, 2.0);
  EXPECT_EQ(method_config("oscbo").learner.rule, "game");
  EXPECT_EQ(method_config("oscbo-l1").primal.exponent, 1.0);
  EXPECT_EQ(method_config("oscbo-l1").learner.rule, "game");
  EXPECT_EQ(method_config("gp-ucb-mll").learner.rule, "mll");
  EXPECT_EQ(method_config("gp-ucb").learner.rule, "fixed");
  EXPECT_EQ(method_config("gp-ucb").width.kind, WidthKind::theory);
  EXPECT_EQ(method_config("gp-ucb").data.standardise, StandardiseRule::none);
  EXPECT_EQ(method_config("vanilla-bo").learner.rule, "prior");
  EXPECT_TRUE(method_config("vanilla-bo").kernel.ard);
  EXPECT_EQ(method_config("vanilla-bo").learner.theta_min, 0.025);
  EXPECT_EQ(method_config("a-gp-ucb").learner.rule, "schedule");
  EXPECT_EQ(method_config("lb-gp-ucb").learner.rule, "balancing");
  EXPECT_EQ(method_config("ocbo").learner.rule, "recalibrated");
  EXPECT_EQ(method_config("scgp").learner.rule, "sharp-calibrated");
  EXPECT_EQ(method_config("random").acquisition.kind, AcquisitionKind::random);
  EXPECT_EQ(method_config("sobol").acquisition.kind, AcquisitionKind::sobol);
}

TEST(Methods, UnknownNameIsRefusedWithTheKnownOnes) {
  try {
    static_cast<void>(method_config("oscb"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unknown_name);
    EXPECT_EQ(error.field(), "method");
    const std::string message = error.what();
    EXPECT_NE(message.find("'oscb'"), std::string::npos);
    for (const MethodInfo& method : methods()) {
      EXPECT_NE(message.find(method.name), std::string::npos);
    }
  }
}

TEST(Phase, HasTheNamesOfTheResultFiles) {
  EXPECT_EQ(to_string(Phase::play), "play");
  EXPECT_EQ(to_string(Phase::recovery), "recovery");
}

}  // namespace
}  // namespace oscbo
