#include <algorithm>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "experiment/test_support.hpp"
#include "oscbo/experiment.hpp"
#include "oscbo/paper.hpp"
#include "paper/claims.hpp"
#include "paper/paper_results.hpp"

namespace oscbo {
namespace {

class RunPaper : public DirectoryTest {
 protected:
  [[nodiscard]] PaperPlan smallest() const {
    return {.out = directory() / "paper",
            .tables = false,
            .tasks = {"hartmann3", "levy5"},
            .seeds = 1,
            .steps = 2};
  }
};

TEST_F(RunPaper, SlowLeavesThreeGridsAndAReportAndNeverRunsTwice) {
  std::set<std::string> stages;
  std::size_t most = 0;
  const PaperResult result = run_paper(smallest(), [&](const PaperProgress& progress) {
    stages.emplace(progress.stage);
    EXPECT_LE(progress.done, progress.total);
    if (progress.stage != "figures") most = std::max(most, progress.done);
  });
  EXPECT_EQ(most, 2U * (8 + 24 + 15)) << "every run is counted once";
  EXPECT_EQ(stages,
            (std::set<std::string>{"main", "ablations", "sweep", "illustration", "figures"}));
  EXPECT_EQ(result.claims.size(), 12U);
  for (const std::filesystem::path& file : result.files) {
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
  }
  for (const char* figure : {"illustration", "simple-regret", "ablation-ranks", "ablation-curves",
                             "open-choices", "diagnostics-levy5"}) {
    EXPECT_TRUE(
        std::filesystem::exists(directory() / "paper" / "figures" / (std::string(figure) + ".svg")))
        << figure;
  }

  const std::string report = contents(directory() / "paper" / "report.md");
  EXPECT_EQ(result.runs_finished, most);
  EXPECT_EQ(result.runs_planned, most);
  PaperPlan other{.out = directory() / "paper", .quick = true, .tasks = {"hartmann6"}, .seeds = 9};
  report_paper(other);
  EXPECT_EQ(contents(directory() / "paper" / "report.md"), report)
      << "a report repeats, and describes what is there";
  std::filesystem::remove_all(directory() / "paper" / "figures");
  other.figures = false;
  const PaperResult plain = report_paper(other);
  EXPECT_EQ(plain.files.size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(directory() / "paper" / "figures"));
  EXPECT_EQ(contents(directory() / "paper" / "report.md").find("figures/"), std::string::npos);

  bool knows_more = false;
  PaperPlan again = smallest();
  again.figures = false;
  run_paper(again, [&](const PaperProgress& progress) {
    if (progress.stage == "main") knows_more = knows_more || !progress.more_to_come;
  });
  EXPECT_FALSE(knows_more) << "runs that were found say nothing about the time of others";

  const paper::PaperResults results = paper::read_paper_results(directory() / "paper");
  EXPECT_EQ(results.regimes.size(), 5U);
  for (const paper::RegimeResults& regime : results.regimes) {
    for (const std::string& method : regime.regime.methods) {
      EXPECT_NE(regime.groups.find("levy5", method), nullptr) << regime.regime.name << method;
    }
  }
  EXPECT_EQ(results.sweep.groups.size(), 2U * (2 * 8 + 2));
}

TEST_F(RunPaper, StopsWhenToldAndKeepsNothingUnfinished) {
  const std::atomic<bool> stop = true;
  EXPECT_EQ(error_of([&] { run_paper(smallest(), {}, &stop); }).code(), ErrorCode::interrupted);
  EXPECT_EQ(error_of([&] { report_paper(smallest()); }).code(), ErrorCode::conflict);
}

TEST_F(RunPaper, RunsNothingWhenTablesAreMissing) {
  EXPECT_EQ(error_of([&] { run_paper({.out = directory() / "paper"}); }).code(),
            ErrorCode::invalid_value);
  EXPECT_FALSE(std::filesystem::exists(directory() / "paper"));
}

TEST_F(RunPaper, KeepsOutOfTheDirectoryOfAnotherExperiment) {
  const PaperPlan plan = smallest();
  std::filesystem::create_directories(plan.out / "main");
  std::ofstream(plan.out / "plan.json") << "{}";
  const Error paper = error_of([&] { run_paper(plan); });
  EXPECT_EQ(paper.code(), ErrorCode::conflict);
  EXPECT_EQ(paper.field(), plan.out.string());
  EXPECT_EQ(contents(plan.out / "plan.json"), "{}");

  std::filesystem::rename(plan.out / "plan.json", plan.out / "main" / "plan.json");
  const Error experiment = error_of([&] {
    run_experiment({.tasks = {"levy5"}, .methods = {"random"}, .seeds = 1, .out = plan.out});
  });
  EXPECT_EQ(experiment.code(), ErrorCode::conflict);
  EXPECT_FALSE(std::filesystem::exists(plan.out / "plan.json"));
}

}  // namespace
}  // namespace oscbo
