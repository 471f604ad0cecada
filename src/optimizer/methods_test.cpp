#include <gtest/gtest.h>

#include "acquisition/acquisition_options.hpp"
#include "gp/kernel_options.hpp"
#include "learners/learner_options.hpp"
#include "online/game_options.hpp"
#include "online/width_options.hpp"
#include "optimizer/data_options.hpp"
#include "optimizer/optimizer_test_support.hpp"
#include "oscbo/options.hpp"

namespace oscbo {
namespace {

TEST(Methods, AreThoseOfTheDocumentation) {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.push_back(method.name);
  EXPECT_EQ(names, (std::vector<std::string>{"auto", "oscbo", "gp-ucb-mll", "gp-ucb", "vanilla-bo",
                                             "a-gp-ucb", "lb-gp-ucb", "ocbo", "scgp", "pfn",
                                             "tabicl", "oscbo-l1", "random", "sobol"}));
}

TEST(Methods, EachListedOneHasAValidConfigurationOfThatName) {
  for (const MethodInfo& method : methods()) {
    EXPECT_FALSE(method.meaning.empty());
    const Config config = method_config(method.name);
    EXPECT_EQ(config.method, method.name);
    EXPECT_NO_THROW(validate(config));
    EXPECT_EQ(config.get<learners::LearnerOptions>().solver, learners::LearnerOptions::Solver::adam)
        << "the paper's solver";
  }
}

TEST(Methods, DifferInTheirPiecesOnly) {
  EXPECT_EQ(method_config("oscbo").get<online::PrimalOptions>().exponent, 2.0);
  EXPECT_EQ(method_config("oscbo").learner, "game");
  EXPECT_EQ(method_config("oscbo-l1").get<online::PrimalOptions>().exponent, 1.0);
  EXPECT_EQ(method_config("oscbo-l1").learner, "game");
  EXPECT_EQ(method_config("gp-ucb-mll").learner, "mll");
  EXPECT_EQ(method_config("gp-ucb").learner, "fixed");
  EXPECT_EQ(method_config("gp-ucb").get<online::WidthOptions>().kind,
            online::WidthOptions::Kind::theory);
  EXPECT_EQ(method_config("gp-ucb").get<DataOptions>().standardise, DataOptions::Standardise::none);
  EXPECT_EQ(method_config("vanilla-bo").learner, "prior");
  EXPECT_TRUE(method_config("vanilla-bo").get<gp::KernelOptions>().ard);
  EXPECT_EQ(method_config("vanilla-bo").get<learners::LearnerOptions>().theta_min, 0.025);
  EXPECT_EQ(method_config("a-gp-ucb").learner, "schedule");
  EXPECT_EQ(method_config("lb-gp-ucb").learner, "balancing");
  EXPECT_EQ(method_config("ocbo").learner, "recalibrated");
  EXPECT_EQ(method_config("scgp").learner, "sharp-calibrated");
  EXPECT_EQ(method_config("random").get<acquisition::AcquisitionOptions>().kind,
            acquisition::AcquisitionOptions::Kind::random);
  EXPECT_EQ(method_config("sobol").get<acquisition::AcquisitionOptions>().kind,
            acquisition::AcquisitionOptions::Kind::sobol);
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
