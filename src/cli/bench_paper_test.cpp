// `oscbo bench paper`, through the program.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test_process.hpp"

namespace oscbo::cli {
namespace {

/// count_of returns how many of these claims have a verdict.
long count_of(const std::string& verdict, const nlohmann::json& claims) {
  return std::ranges::count_if(
      claims, [&](const nlohmann::json& claim) { return claim["verdict"] == verdict; });
}

TEST(BenchPaper, SlowPrintsAVerdictOnEveryClaim) {
  ::unsetenv("OSCBO_TABICL_WEIGHTS");
  const TemporaryFolder workspace;
  const std::filesystem::path out = workspace / "paper";
  const Arguments arguments = {"bench",   "paper",     "--out",   out.string(), "--no-tables",
                               "--tasks", "hartmann3", "--seeds", "1",          "--steps",
                               "1",       "--format",  "json"};
  const Outcome outcome = oscbo(arguments);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json claims = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(claims.size(), 12U);
  EXPECT_EQ(count_of("unchecked", claims), 2) << "tabicl was not run";
  for (const nlohmann::json& claim : claims) {
    EXPECT_FALSE(claim["rule"].get<std::string>().empty());
    EXPECT_FALSE(claim["verdict"].get<std::string>().empty());
  }
  EXPECT_TRUE(std::filesystem::exists(out / "report.html"));
  EXPECT_NE(outcome.err.find("report.html"), std::string::npos);

  EXPECT_EQ(outcome.err.find("runs finished"), std::string::npos) << outcome.err;

  const Arguments report = {"bench",    "paper", "--out",         out.string(),
                            "--format", "json",  "--report-only", "--no-figures"};
  EXPECT_EQ(oscbo(report).out, outcome.out) << "the report reads the recorded plan";
  for (const char* grid : {"main", "sweep"}) {
    const std::filesystem::path parts = out / grid / "parts";
    std::filesystem::remove(std::filesystem::directory_iterator(parts)->path());
  }
  // main has 8 methods, the ablations 24 variants, the sweep 15. Two runs were removed.
  EXPECT_NE(oscbo(report).err.find("45 of 47 runs finished"), std::string::npos);

  Arguments with_weights = arguments;
  with_weights.insert(with_weights.end(), {"--set", "tabicl.weights=" OSCBO_TRAINED_WEIGHTS});
  const Outcome more = oscbo(with_weights);
  ASSERT_EQ(more.status, 0) << more.err;
  EXPECT_EQ(count_of("unchecked", nlohmann::json::parse(more.out)), 0);
  EXPECT_EQ(oscbo(report).out, more.out) << "the report knows that tabicl was run";
}

TEST(BenchPaper, NamesTheMissingFileOfWeightsBeforeRunningAnything) {
  const TemporaryFolder workspace;
  const std::string out = workspace / "paper";
  for (const std::string command :
       {"\"$OSCBO\" bench paper --no-tables --set tabicl.weights=missing --out '",
        "OSCBO_TABICL_WEIGHTS=missing \"$OSCBO\" bench paper --no-tables --out '"}) {
    const Outcome outcome = shell("unset OSCBO_TABICL_WEIGHTS; " + command + out + "'");
    EXPECT_EQ(outcome.status, 6) << outcome.err;
    EXPECT_NE(outcome.err.find("missing"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

TEST(BenchPaper, SetsNothingButTheWeights) {
  const TemporaryFolder workspace;
  const std::string out = workspace / "paper";
  for (const std::string setting : {"kernel.nu=0.5", "tabicl.weights="}) {
    const Outcome outcome = oscbo({"bench", "paper", "--out", out, "--set", setting});
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_NE(outcome.err.find("use tabicl.weights=FILE"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

TEST(BenchPaper, ReportOnlyRefusesOptionsOfThePlan) {
  const TemporaryFolder workspace;
  const std::string out = workspace / "paper";
  for (const Arguments& flag :
       {Arguments{"--tasks", "levy5"}, Arguments{"--seeds", "2"}, Arguments{"--steps", "2"},
        Arguments{"--quick"}, Arguments{"--no-tables"},
        Arguments{"--set", "tabicl.weights=file"}}) {
    Arguments arguments = {"bench", "paper", "--out", out, "--report-only"};
    arguments.insert(arguments.end(), flag.begin(), flag.end());
    const Outcome outcome = oscbo(arguments);
    EXPECT_EQ(outcome.status, 2) << flag.front();
    EXPECT_NE(outcome.err.find("--report-only"), std::string::npos) << outcome.err;
  }
}

TEST(BenchPaper, ChecksForGnuplotBeforeRunningAnything) {
  const TemporaryFolder workspace;
  const std::string out = workspace / "paper";
  const Outcome outcome =
      shell("PATH=/nowhere \"$OSCBO\" bench paper --no-tables --out '" + out + "'");
  EXPECT_EQ(outcome.status, 6) << outcome.err;
  EXPECT_NE(outcome.err.find("gnuplot"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(BenchPaper, NamesTheMissingTablesAndTheOptionToSkipThem) {
  const TemporaryFolder workspace;
  const std::string out = workspace / "paper";
  const Outcome outcome = shell("unset OSCBO_DATA; \"$OSCBO\" bench paper --out '" + out + "'");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.err.find("--no-tables"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace oscbo::cli
