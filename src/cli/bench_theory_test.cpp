// `oscbo bench trace` and `oscbo bench theory`, through the program.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test_process.hpp"

namespace oscbo::cli {
namespace {

TEST(BenchTrace, HasARowPerRoundWithABoundAboveTheRegretOfAKnownKernel) {
  const Outcome outcome =
      oscbo({"bench", "trace", "branin", "--method", "gp-ucb", "--steps", "6", "--set",
             "width.B=400", "--set", "kernel.lengthscale=0.3", "--format", "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json rows = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(rows.size(), 6U);
  for (const nlohmann::json& row : rows) {
    EXPECT_EQ(row["status"], "certified");
    EXPECT_GE(row["bound"].get<double>(), row["sum_of_widths"].get<double>());
    EXPECT_GE(row["sum_of_widths"].get<double>(), row["regret"].get<double>());
    EXPECT_EQ(row["coverage"].get<double>(), 1.0);
  }
}

TEST(BenchTrace, RefusesMethodsAndReferencesWithoutTheory) {
  EXPECT_EQ(oscbo({"bench", "trace", "branin", "--method", "random", "--steps", "3"}).status, 5);
  for (const char* reference : {"0", "-1", "nan", "1e-300", "1e300"}) {
    EXPECT_EQ(oscbo({"bench", "trace", "branin", "--steps", "2", "--reference", reference}).status,
              3)
        << reference;
  }
  EXPECT_EQ(oscbo({"bench", "trace", "branin", "--steps", "2", "--set", "kernel=ibnn",
                   "--reference", "0.5"})
                .status,
            3);
}

TEST(BenchTrace, ReferenceMovesTheGap) {
  const auto gap = [](const char* reference) {
    const Outcome outcome = oscbo(
        {"bench", "trace", "branin", "--steps", "4", "--reference", reference, "--format", "json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out).back()["gap"].get<double>();
  };
  EXPECT_LT(gap("0.05"), gap("2.0"));
}

TEST(BenchTheory, CountsEveryGuarantee) {
  const Outcome outcome = oscbo({"bench", "theory", "--runs", "1", "--format", "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json rows = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(rows.size(), 6U);
  for (const nlohmann::json& row : rows) EXPECT_EQ(row["runs"], 1);
}

TEST(BenchTheory, RefusesZeroRuns) {
  EXPECT_EQ(oscbo({"bench", "theory", "--runs", "0"}).status, 2);
}

}  // namespace
}  // namespace oscbo::cli
