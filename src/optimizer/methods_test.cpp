#include <gtest/gtest.h>

#include "optimizer/optimizer_test_support.hpp"
#include "oscbo/config.hpp"

namespace oscbo {
namespace {

TEST(Methods, EachListedOneHasAValidConfigurationOfThatName) {
  EXPECT_EQ(methods().size(), 3U);
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
