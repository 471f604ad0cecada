// `oscbo bench paper`, from outside.
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test_process.hpp"

namespace oscbo::cli {
namespace {

TEST(BenchPaper, SlowPrintsAVerdictOnEveryClaim) {
  const Workspace workspace;
  const std::filesystem::path out = workspace / "paper";
  const Arguments arguments = {"bench",   "paper",     "--out",   out.string(), "--no-tables",
                               "--tasks", "hartmann3", "--seeds", "1",          "--steps",
                               "1",       "--format",  "json"};
  const Outcome outcome = oscbo(arguments);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json claims = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(claims.size(), 10U);
  for (const nlohmann::json& claim : claims) {
    EXPECT_FALSE(claim["rule"].get<std::string>().empty());
    EXPECT_FALSE(claim["verdict"].get<std::string>().empty());
  }
  EXPECT_TRUE(std::filesystem::exists(out / "report.html"));
  EXPECT_NE(outcome.err.find("report.html"), std::string::npos);

  Arguments again = arguments;
  again.emplace_back("--report-only");
  EXPECT_EQ(oscbo(again).out, outcome.out);
}

TEST(BenchPaper, SaysWhichTablesAreMissingAndHowToDoWithout) {
  const Workspace workspace;
  const std::string out = workspace / "paper";
  const Outcome outcome = shell("unset OSCBO_DATA; \"$OSCBO\" bench paper --out '" + out + "'");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.err.find("--no-tables"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace oscbo::cli
