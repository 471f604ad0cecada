#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "experiment/csv.hpp"
#include "experiment/files.hpp"
#include "experiment/part.hpp"
#include "experiment/test_support.hpp"
#include "oscbo/experiment.hpp"

namespace oscbo {
namespace {

using experiment::contents;
using experiment::error_of;

class RunExperiment : public experiment::DirectoryTest {
 protected:
  [[nodiscard]] ExperimentPlan plan(const std::string& name) const {
    return {.tasks = {"branin", "levy2"},
            .methods = {"oscbo", "gp-ucb-mll"},
            .seeds = 2,
            .steps = 3,
            .out = directory() / name};
  }

  [[nodiscard]] std::string runs_csv(const std::string& name) const {
    return contents(directory() / name / "runs.csv");
  }

  [[nodiscard]] std::filesystem::path part(const std::string& name) const {
    return directory() / name / "parts" / experiment::part_name("levy2", "oscbo", 1);
  }
};

/// How many runs an invocation found finished.
std::size_t resumed_runs(const ExperimentPlan& plan) {
  std::size_t resumed = 0;
  run_experiment(plan, [&](const ExperimentProgress& progress) { resumed = progress.resumed; });
  return resumed;
}

TEST_F(RunExperiment, WritesEveryEvaluationInTheOrderOfThePlan) {
  run_experiment(plan("a"));
  const std::string text = runs_csv("a");
  EXPECT_TRUE(text.starts_with(experiment::kRunsHeader));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 8 * 13);
  const std::vector<std::string> starts = {
      "oscbo,branin,0,-9,",      "oscbo,branin,1,-9,",     "gp-ucb-mll,branin,0,-9,",
      "gp-ucb-mll,branin,1,-9,", "oscbo,levy2,0,-9,",      "oscbo,levy2,1,-9,",
      "gp-ucb-mll,levy2,0,-9,",  "gp-ucb-mll,levy2,1,-9,",
  };
  std::size_t before = 0;
  for (const std::string& start : starts) {
    const std::size_t at = text.find('\n' + start);
    ASSERT_NE(at, std::string::npos) << start;
    EXPECT_GT(at, before) << start;
    before = at;
  }
  for (const char* name : {"timings.csv", "queries.csv"}) {
    const std::string other = contents(directory() / "a" / name);
    EXPECT_EQ(std::count(other.begin(), other.end(), '\n'), 1 + 8 * 13) << name;
  }
}

TEST_F(RunExperiment, SummaryIsTheFileAndRanksWithinTasks) {
  const std::vector<SummaryRow> rows = run_experiment(plan("a"));
  std::string expected(experiment::kSummaryHeader);
  for (const SummaryRow& row : rows) expected += experiment::summary_line(row);
  EXPECT_EQ(contents(directory() / "a" / "summary.csv"), expected);
  ASSERT_EQ(rows.size(), 4U);
  for (std::size_t task = 0; task < 2; ++task) {
    const SummaryRow& first = rows[2 * task];
    const SummaryRow& second = rows[2 * task + 1];
    EXPECT_EQ(first.task, second.task);
    EXPECT_EQ(first.seeds, 2);
    EXPECT_EQ(first.simple_rank + second.simple_rank, 3.0);
    EXPECT_EQ(first.cumulative_rank + second.cumulative_rank, 3.0);
    EXPECT_EQ(first.simple_regret < second.simple_regret, first.simple_rank < second.simple_rank);
    EXPECT_GE(first.coverage, 0.0);
    EXPECT_LE(first.coverage, 1.0);
    EXPECT_GT(first.mean_width, 0.0);
  }
}

TEST_F(RunExperiment, JobsNeverChangeARow) {
  ExperimentPlan parallel = plan("b");
  parallel.jobs = 3;
  run_experiment(plan("a"));
  run_experiment(parallel);
  EXPECT_EQ(runs_csv("a"), runs_csv("b"));
}

TEST_F(RunExperiment, FinishedRunsAreNotRepeated) {
  EXPECT_EQ(resumed_runs(plan("a")), 0U);
  const auto written = std::filesystem::last_write_time(part("a"));
  EXPECT_EQ(resumed_runs(plan("a")), 8U);
  EXPECT_EQ(std::filesystem::last_write_time(part("a")), written);
}

TEST_F(RunExperiment, GrowingStepByStepGivesTheSameFile) {
  run_experiment(plan("a"));
  ExperimentPlan growing = plan("b");
  growing.tasks = {"branin"};
  growing.seeds = 1;
  EXPECT_EQ(run_experiment(growing).size(), 2U);
  growing.tasks = {"levy2"};
  EXPECT_EQ(run_experiment(growing).size(), 4U) << "earlier tasks stay in the results";
  EXPECT_EQ(resumed_runs(plan("b")), 4U);
  EXPECT_EQ(runs_csv("a"), runs_csv("b"));
}

TEST_F(RunExperiment, DamagedRunsAreRepeatedEvenWhenNotAskedFor) {
  run_experiment(plan("a"));
  const std::string whole = runs_csv("a");
  experiment::overwrite(part("a"), contents(part("a")).substr(0, 1000));
  ExperimentPlan other = plan("a");
  other.tasks = {"branin"};
  run_experiment(other);
  EXPECT_EQ(runs_csv("a"), whole);
}

TEST_F(RunExperiment, LeftoversOfAKilledProcessAreCleared) {
  run_experiment(plan("a"));
  const std::filesystem::path leftover = part("a").string() + ".tmp";
  experiment::overwrite(leftover, "half");
  run_experiment(plan("a"));
  EXPECT_FALSE(std::filesystem::exists(leftover));
}

TEST_F(RunExperiment, AStoppedExperimentContinues) {
  run_experiment(plan("a"));
  std::atomic<bool> stop = false;
  const Error error = error_of([&] {
    run_experiment(
        plan("b"), [&](const ExperimentProgress& progress) { stop = progress.done == 3; }, &stop);
  });
  EXPECT_EQ(error.code(), ErrorCode::interrupted);
  EXPECT_NE(std::string(error.what()).find("3 of 8"), std::string::npos) << error.what();
  EXPECT_FALSE(std::filesystem::exists(directory() / "b" / "runs.csv"));
  EXPECT_EQ(resumed_runs(plan("b")), 3U);
  EXPECT_EQ(runs_csv("a"), runs_csv("b"));
}

TEST_F(RunExperiment, FailuresInWorkersAreReported) {
  run_experiment(plan("a"));
  // A directory with contents cannot be replaced by a file.
  std::filesystem::remove(part("a"));
  std::filesystem::create_directories(part("a") / "in the way");
  ExperimentPlan failing = plan("a");
  failing.jobs = 2;
  const Error error = error_of([&] { run_experiment(failing); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_EQ(error.field(), part("a").string());
}

TEST_F(RunExperiment, ASecondProcessIsKeptOut) {
  std::filesystem::create_directories(directory() / "a");
  const experiment::DirectoryLock lock(directory() / "a");
  EXPECT_EQ(error_of([&] { run_experiment(plan("a")); }).code(), ErrorCode::conflict);
}

TEST_F(RunExperiment, FilesOfOthersAreNotReplaced) {
  std::filesystem::create_directories(directory() / "a");
  experiment::overwrite(directory() / "a" / "runs.csv", "precious");
  EXPECT_EQ(error_of([&] { run_experiment(plan("a")); }).code(), ErrorCode::conflict);
  EXPECT_EQ(runs_csv("a"), "precious");
  EXPECT_FALSE(std::filesystem::exists(directory() / "a" / "lock"));
}

TEST_F(RunExperiment, ARefusedPlanWritesNothing) {
  ExperimentPlan refused = plan("a");
  refused.methods.emplace_back("nothing");
  EXPECT_EQ(error_of([&] { run_experiment(refused); }).code(), ErrorCode::unknown_name);
  EXPECT_FALSE(std::filesystem::exists(directory() / "a"));
}

TEST_F(RunExperiment, OneSeedHasNoStandardError) {
  ExperimentPlan single = plan("a");
  single.seeds = 1;
  for (const SummaryRow& row : run_experiment(single)) {
    EXPECT_TRUE(std::isnan(row.simple_regret_se));
    EXPECT_FALSE(std::isnan(row.simple_regret));
  }
}

}  // namespace
}  // namespace oscbo
