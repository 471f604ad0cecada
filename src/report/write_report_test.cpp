#include <map>

#include <gtest/gtest.h>

#include "experiment/test_support.hpp"
#include "oscbo/experiment.hpp"
#include "oscbo/report.hpp"

namespace oscbo::report {
namespace {

/// Reports on the runs of three cheap methods on two tasks.
class WriteReport : public DirectoryTest {
 protected:
  WriteReport() = default;

  void SetUp() override {
    DirectoryTest::SetUp();
    run_experiment({.tasks = {"branin", "levy2"},
                    .methods = {"random", "sobol", "gp-ucb"},
                    .seeds = 2,
                    .steps = 3,
                    .out = directory()});
  }

  void expect_error(const std::function<void()>& action, ErrorCode code,
                    const std::string& message) const {
    const Error error = error_of(action);
    EXPECT_EQ(error.code(), code);
    EXPECT_EQ(std::string(error.what()), message);
    EXPECT_FALSE(std::filesystem::exists(directory() / "report.html"));
    EXPECT_FALSE(std::filesystem::exists(directory() / "report.md"));
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(WriteReport, WritesThePageAndTheMarkdown) {
  const ReportFiles files = write_report(directory(), {.figures = false});
  EXPECT_EQ(files.page, directory() / "report.html");
  EXPECT_TRUE(files.figures.empty());
  EXPECT_FALSE(std::filesystem::exists(directory() / "figures"));
  const std::string page = contents(files.page);
  const std::string markdown = contents(files.markdown);
  for (const char* section : {"Summary", "Simple regret", "Cumulative regret", "Paired comparisons",
                              "Calibration and diagnostics", "Computation time"}) {
    EXPECT_TRUE(has(page, section)) << section;
    EXPECT_TRUE(has(markdown, std::string("\n## ") + section + '\n')) << section;
  }
  EXPECT_TRUE(has(markdown, "2 tasks, 3 methods, 2 seeds, 3 evaluations after the initial design"));
  EXPECT_TRUE(has(markdown, "Simple regret against random")) << "the first method";
  EXPECT_FALSE(has(markdown, "![")) << "a link to a figure that was not drawn";
  EXPECT_FALSE(has(markdown, "not complete"));
}

TEST_F(WriteReport, DrawsEveryFigureThatIsLinked) {
  std::vector<std::size_t> drawn;
  const ReportFiles files = write_report(directory(), {}, [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 4U);
    drawn.push_back(done);
  });
  EXPECT_EQ(files.figures, directory() / "figures");
  ASSERT_FALSE(drawn.empty());
  EXPECT_EQ(drawn.back(), 4U);
  const std::string markdown = contents(files.markdown);
  for (const std::string name : {"simple-regret", "cumulative-regret", "diagnostics", "time"}) {
    EXPECT_TRUE(has(contents(files.figures / (name + ".svg")), "<svg")) << name;
    EXPECT_TRUE(contents(files.figures / (name + ".pdf")).starts_with("%PDF")) << name;
    EXPECT_TRUE(has(markdown, "](figures/" + name + ".svg)")) << name;
  }
}

TEST_F(WriteReport, ReturnsTheRanksOfTheSummary) {
  const std::vector<SummaryRow> summary = run_experiment({.tasks = {"branin", "levy2"},
                                                          .methods = {"random", "sobol", "gp-ucb"},
                                                          .seeds = 2,
                                                          .steps = 3,
                                                          .out = directory()});
  const ReportFiles files = write_report(directory(), {.figures = false});
  ASSERT_EQ(files.ranks.size(), 3U);
  for (std::size_t i = 0; i < files.ranks.size(); ++i) {
    const MethodRanks& ranks = files.ranks[i];
    double simple = 0.0;
    double cumulative = 0.0;
    for (const SummaryRow& row : summary) {
      if (row.method != ranks.method) continue;
      simple += row.simple_rank / 2.0;
      cumulative += row.cumulative_rank / 2.0;
    }
    EXPECT_EQ(ranks.tasks, 2U);
    EXPECT_DOUBLE_EQ(ranks.simple_regret.mean, simple) << ranks.method;
    EXPECT_DOUBLE_EQ(ranks.cumulative_regret.mean, cumulative) << ranks.method;
    const MethodRanks& before = files.ranks[i == 0 ? 0 : i - 1];
    EXPECT_LE(before.simple_regret.mean, ranks.simple_regret.mean) << "best first";
  }
}

TEST_F(WriteReport, ReportsOnAnExperimentInProgress) {
  std::filesystem::remove(directory() / "parts" / "levy2~gp-ucb~0.part");
  std::filesystem::remove(directory() / "parts" / "levy2~gp-ucb~1.part");
  const ReportFiles files = write_report(directory(), {.reference = "sobol", .figures = false});
  ASSERT_EQ(files.ranks.size(), 3U);
  EXPECT_EQ(files.ranks[0].tasks, 1U) << "only branin has runs of all methods";
  EXPECT_TRUE(files.ranks[0].simple_regret.letters.empty());
  EXPECT_TRUE(has(contents(files.markdown), "10 of 12 runs are finished"));
  EXPECT_TRUE(has(contents(files.markdown), "Simple regret against sobol"));
}

TEST_F(WriteReport, ReportsWithoutRanksWhenNoTaskHasAllMethods) {
  for (const char* part : {"branin~gp-ucb~0", "branin~gp-ucb~1", "levy2~random~0", "levy2~random~1",
                           "levy2~sobol~0", "levy2~sobol~1"}) {
    std::filesystem::remove(directory() / "parts" / (std::string(part) + ".part"));
  }
  const ReportFiles files = write_report(directory(), {.figures = false});
  EXPECT_TRUE(files.ranks.empty());
  EXPECT_FALSE(has(contents(files.markdown), "Ranks by"));
}

TEST_F(WriteReport, IsTheSameEveryTime) {
  const ReportFiles files = write_report(directory(), {});
  std::map<std::filesystem::path, std::string> first = {{files.page, contents(files.page)},
                                                        {files.markdown, contents(files.markdown)}};
  for (const auto& entry : std::filesystem::directory_iterator(files.figures)) {
    first[entry.path()] = contents(entry.path());
  }
  EXPECT_EQ(first.size(), 10U) << "page, Markdown, and four figures twice";
  write_report(directory(), {});
  for (const auto& [path, text] : first) EXPECT_TRUE(contents(path) == text) << path;
}

TEST_F(WriteReport, RefusesAnUnknownReference) {
  expect_error([&] { write_report(directory(), {.reference = "oscbo", .figures = false}); },
               ErrorCode::unknown_name,
               "reference: 'oscbo' has no finished run; those that have: random, sobol, gp-ucb");
}

TEST_F(WriteReport, RefusesADirectoryWithoutRuns) {
  std::filesystem::remove_all(directory() / "parts");
  expect_error([&] { write_report(directory(), {.figures = false}); }, ErrorCode::conflict,
               directory().string() + ": has no finished run yet; 'oscbo bench run' makes them");
}

TEST_F(WriteReport, SaysWhatCannotBeWritten) {
  std::filesystem::create_directory(directory() / "report.md");
  const Error error = error_of([&] { write_report(directory(), {.figures = false}); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_TRUE(has(error.what(), "report.md")) << error.what();
}

}  // namespace
}  // namespace oscbo::report
