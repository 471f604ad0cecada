// Reports on finished runs, through the program.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test_process.hpp"

namespace oscbo::cli {
namespace {

class BenchReport : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome outcome =
        oscbo({"bench", "run", "--tasks", "branin,levy2", "--methods", "random,sobol", "--seeds",
               "2", "--steps", "3", "--out", results()});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }

  [[nodiscard]] Outcome report(const Arguments& more = {}) const {
    Arguments arguments = {"bench", "report", results()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return oscbo(arguments);
  }

  [[nodiscard]] std::string results() const { return workspace_ / "results"; }
  [[nodiscard]] bool wrote(const std::string& name) const {
    return std::filesystem::exists(results() + '/' + name);
  }

 private:
  TemporaryFolder workspace_;
};

TEST_F(BenchReport, WritesTheFilesAndNamesThem) {
  const Outcome outcome = report();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err,
            results() + "/report.html\n" + results() + "/report.md\n" + results() + "/figures/\n");
  for (const char* name : {"report.html", "report.md", "figures/simple-regret.svg",
                           "figures/simple-regret.pdf", "figures/time.svg"}) {
    EXPECT_TRUE(wrote(name)) << name;
  }
}

TEST_F(BenchReport, PrintsTheRanks) {
  const Outcome outcome = report({"--no-figures", "--format", "json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto rows = nlohmann::ordered_json::parse(outcome.out);
  ASSERT_EQ(rows.size(), 2U);
  for (const char* regret : {"simple_rank", "cumulative_rank"}) {
    EXPECT_EQ(rows[0].at(regret).get<double>() + rows[1].at(regret).get<double>(), 3.0)
        << "two methods share the ranks 1 and 2 on every task";
  }
  EXPECT_LE(rows[0].at("simple_rank"), rows[1].at("simple_rank"));
  EXPECT_EQ(rows[0].at("tasks"), 2);
  EXPECT_EQ(rows[0].at("simple_letters"), "a") << "two tasks cannot tell the methods apart";
}

TEST_F(BenchReport, NeedsNoGnuplotWithoutFigures) {
  const Outcome outcome = shell("PATH=/nowhere \"$OSCBO\" bench report " + results() +
                                " --no-figures --reference sobol");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_FALSE(wrote("figures"));
  EXPECT_NE(file_text(results() + "/report.md").find("Simple regret against sobol"),
            std::string::npos);
}

TEST_F(BenchReport, SaysThatGnuplotIsMissing) {
  const Outcome outcome = shell("PATH=/nowhere \"$OSCBO\" bench report " + results());
  EXPECT_EQ(outcome.status, 6);
  EXPECT_NE(outcome.err.find("gnuplot"), std::string::npos) << outcome.err;
  EXPECT_FALSE(wrote("report.html"));
  EXPECT_FALSE(wrote("figures"));
}

TEST_F(BenchReport, RefusesAnUnknownReferenceOrAnEmptyDirectory) {
  const Outcome unknown = report({"--reference", "oscbo"});
  EXPECT_EQ(unknown.status, 4);
  EXPECT_EQ(unknown.err,
            "oscbo: reference: 'oscbo' has no finished run; those that have: random, sobol\n");
  EXPECT_EQ(oscbo({"bench", "report", results() + "/missing"}).status, 6);
  EXPECT_EQ(oscbo({"bench", "report", results() + "/parts"}).status, 5);
  EXPECT_EQ(oscbo({"bench", "report"}).status, 2);
  EXPECT_FALSE(wrote("report.html"));
}

}  // namespace
}  // namespace oscbo::cli
