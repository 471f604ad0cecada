#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiment/calibration_figures.hpp"
#include "experiment/files.hpp"
#include "experiment/part.hpp"
#include "experiment/result_cells.hpp"
#include "experiment/test_support.hpp"
#include "oscbo/experiment.hpp"

namespace oscbo {
namespace {

class RunExperiment : public DirectoryTest {
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

/// The number of runs that an invocation found finished.
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

TEST_F(RunExperiment, SummaryEqualsItsFileAndRanksWithinTasks) {
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

TEST_F(RunExperiment, CalibrationHasOneLinePerRun) {
  run_experiment(plan("a"));
  std::istringstream text(contents(directory() / "a" / "calibration.csv"));
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line + '\n', experiment::kCalibrationHeader);
  for (const char* task : {"branin", "levy2"}) {
    for (const char* method : {"oscbo", "gp-ucb-mll"}) {
      for (const int seed : {0, 1}) {
        std::vector<RunRow> rows;
        run_once(make_problem(task), run_config(method, 3, {}), static_cast<std::uint64_t>(seed),
                 [&](const RunRow& row) {
                   rows.push_back(row);
                   return true;
                 });
        std::getline(text, line);
        EXPECT_EQ(
            line,
            fmt::format("{},{},{},{}", method, task, seed,
                        experiment::calibration_cells(experiment::figures_of(calibration(rows)))));
      }
    }
  }
  EXPECT_FALSE(std::getline(text, line));
}

TEST_F(RunExperiment, PartsInAnEarlierFormatAreRunAgain) {
  run_experiment(plan("a"));
  const std::string whole = contents(directory() / "a" / "calibration.csv");
  std::string old = contents(part("a"));
  old.replace(0, old.find('\n'), "oscbo-part 1");
  overwrite(part("a"), old);
  EXPECT_EQ(resumed_runs(plan("a")), 7U);
  EXPECT_EQ(contents(directory() / "a" / "calibration.csv"), whole);
}

TEST_F(RunExperiment, JobsNeverChangeARow) {
  ExperimentPlan parallel = plan("b");
  parallel.jobs = 3;
  run_experiment(plan("a"));
  run_experiment(parallel);
  EXPECT_EQ(runs_csv("a"), runs_csv("b"));
  EXPECT_EQ(contents(directory() / "a" / "calibration.csv"),
            contents(directory() / "b" / "calibration.csv"));
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

TEST_F(RunExperiment, DamagedRunsAreRepeatedEvenIfNotRequested) {
  run_experiment(plan("a"));
  const std::string whole = runs_csv("a");
  overwrite(part("a"), contents(part("a")).substr(0, 1000));
  ExperimentPlan other = plan("a");
  other.tasks = {"branin"};
  run_experiment(other);
  EXPECT_EQ(runs_csv("a"), whole);
}

TEST_F(RunExperiment, LeftoversOfAKilledProcessAreRemoved) {
  run_experiment(plan("a"));
  const std::filesystem::path leftover = part("a").string() + ".tmp";
  overwrite(leftover, "half");
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
  // A file cannot replace a directory that is not empty.
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

TEST_F(RunExperiment, ForeignFilesAreNotReplaced) {
  std::filesystem::create_directories(directory() / "a");
  for (const char* name : {"runs.csv", "calibration.csv"}) {
    overwrite(directory() / "a" / name, "precious");
    EXPECT_EQ(error_of([&] { run_experiment(plan("a")); }).code(), ErrorCode::conflict);
    EXPECT_EQ(contents(directory() / "a" / name), "precious");
    EXPECT_FALSE(std::filesystem::exists(directory() / "a" / "lock"));
    std::filesystem::remove(directory() / "a" / name);
  }
}

constexpr const char* kTable = "a,b,y\n0,0,1\n1,0,7\n0,1,4\n0.5,0.5,5\n";

TEST_F(RunExperiment, ATableCanBeATaskForAnyNumberOfJobs) {
  overwrite(directory() / "mine.csv", kTable);
  ExperimentPlan tables = plan("a");
  tables.tasks = {"table:" + (directory() / "mine.csv").string()};
  for (const SummaryRow& row : run_experiment(tables)) {
    EXPECT_GE(row.simple_regret, 0.0);
    EXPECT_LT(row.simple_regret, 6.0);
  }
  EXPECT_NE(contents(directory() / "a" / "plan.json").find("4 designs, checksum "),
            std::string::npos);
  tables.jobs = 3;
  tables.out = directory() / "b";
  run_experiment(tables);
  EXPECT_EQ(runs_csv("a"), runs_csv("b"));
  EXPECT_EQ(resumed_runs(tables), 4U);
}

TEST_F(RunExperiment, ADifferentTableWithTheSameNameIsAConflict) {
  overwrite(directory() / "mine.csv", kTable);
  ExperimentPlan tables = plan("a");
  tables.tasks = {"table:" + (directory() / "mine.csv").string(), "branin"};
  run_experiment(tables);
  const std::string rows = runs_csv("a");
  overwrite(directory() / "mine.csv", std::string(kTable) + "1,1,0\n");
  Error error = error_of([&] { run_experiment(tables); });
  EXPECT_EQ(error.code(), ErrorCode::conflict);
  EXPECT_NE(std::string(error.what()).find("the source of " + tables.tasks[0] + " was '4 designs"),
            std::string::npos)
      << error.what();

  // The conflict is also found if a task is run again only because one of its runs was damaged.
  overwrite(directory() / "a" / "parts" / experiment::part_name(tables.tasks[0], "oscbo", 1), "");
  tables.tasks = {"branin"};
  error = error_of([&] { run_experiment(tables); });
  EXPECT_EQ(error.code(), ErrorCode::conflict) << error.what();
  EXPECT_EQ(runs_csv("a"), rows);
}

TEST_F(RunExperiment, LooksForNamedTablesInItsFolder) {
  ExperimentPlan tables = plan("a");
  tables.tasks = {"crossbarrel4"};
  EXPECT_EQ(error_of([&] { run_experiment(tables); }).field(), "--data");
  tables.data = directory();
  EXPECT_EQ(error_of([&] { run_experiment(tables); }).code(), ErrorCode::io);
  EXPECT_FALSE(std::filesystem::exists(directory() / "a"));
  overwrite(directory() / "crossed_barrel.csv",
            "n,theta,r,t,toughness\n6,0,1.5,0.7,1\n12,200,2.5,1.4,3\n");
  EXPECT_EQ(run_experiment(tables).size(), 2U);
}

TEST_F(RunExperiment, ARefusedPlanWritesNothing) {
  ExperimentPlan refused = plan("a");
  refused.methods.emplace_back("nothing");
  EXPECT_EQ(error_of([&] { run_experiment(refused); }).code(), ErrorCode::unknown_name);
  for (const char* setting : {"kernel.nu=-1", "delta=1", "width.B=0", "width=theory"}) {
    refused = plan("a");
    refused.settings = {setting};
    EXPECT_EQ(error_of([&] { run_experiment(refused); }).code(), ErrorCode::invalid_value);
  }
  EXPECT_FALSE(std::filesystem::exists(directory() / "a"));
}

TEST_F(RunExperiment, ControlsHaveRegretAndNoCoverage) {
  ExperimentPlan controls = plan("a");
  controls.methods = {"random", "sobol", "oscbo"};
  for (const SummaryRow& row : run_experiment(controls)) {
    const bool has_model = row.method == "oscbo";
    EXPECT_GT(row.simple_regret, 0.0);
    EXPECT_EQ(std::isnan(row.coverage), !has_model) << row.method;
    EXPECT_EQ(std::isnan(row.mean_width), !has_model) << row.method;
  }
  for (const CalibrationRow& row : read_calibration(directory() / "a")) {
    const bool has_model = row.method == "oscbo";
    EXPECT_EQ(row.mean.predictions, has_model ? 3.0 : 0.0);
    EXPECT_EQ(std::isnan(row.mean.crps), !has_model) << row.method;
  }
  EXPECT_EQ(resumed_runs(controls), 12U);
}

TEST_F(RunExperiment, OneSeedHasNoStandardError) {
  ExperimentPlan single = plan("a");
  single.seeds = 1;
  for (const SummaryRow& row : run_experiment(single)) {
    EXPECT_TRUE(std::isnan(row.simple_regret_se));
    EXPECT_FALSE(std::isnan(row.simple_regret));
  }
}

using ReadCalibration = RunExperiment;

TEST_F(ReadCalibration, AveragesTheFinishedSeeds) {
  run_experiment(plan("a"));
  const std::vector<CalibrationRow> rows = read_calibration(directory() / "a");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].task, "branin");
  EXPECT_EQ(rows[1].method, "gp-ucb-mll");
  EXPECT_EQ(rows[2].task, "levy2");
  EXPECT_EQ(rows[2].method, "oscbo");
  double crps = 0.0;
  double coverage = 0.0;
  for (const std::uint64_t seed : {0U, 1U}) {
    std::vector<RunRow> run;
    run_once(make_problem("levy2"), run_config("oscbo", 3, {}), seed, [&](const RunRow& row) {
      run.push_back(row);
      return true;
    });
    crps += 0.5 * calibration(run).crps;
    coverage += 0.5 * calibration(run).coverage[1].measured;
  }
  EXPECT_EQ(rows[2].seeds, 2);
  EXPECT_EQ(rows[2].mean.predictions, 3.0);
  EXPECT_NEAR(rows[2].mean.crps, crps, 1e-14 * crps);
  EXPECT_NEAR(rows[2].mean.coverage[1], coverage, 1e-14);
}

TEST_F(ReadCalibration, ReadsTheFinishedRunsOfAnExperimentInProgress) {
  run_experiment(plan("a"));
  std::filesystem::remove(part("a"));  // seed 1 of oscbo on levy2
  const experiment::DirectoryLock lock(directory() / "a");
  const std::vector<CalibrationRow> rows = read_calibration(directory() / "a");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[2].seeds, 1);
  EXPECT_EQ(rows[3].seeds, 2);
  std::filesystem::remove_all(directory() / "a" / "parts");
  EXPECT_TRUE(read_calibration(directory() / "a").empty());
}

TEST_F(ReadCalibration, RefusesOtherDirectories) {
  const Error missing =
      error_of([&] { static_cast<void>(read_calibration(directory() / "missing")); });
  EXPECT_EQ(missing.code(), ErrorCode::io);
  EXPECT_EQ(missing.field(), (directory() / "missing").string());
  overwrite(directory() / "file", "");
  for (const std::filesystem::path& path : {directory(), directory() / "file"}) {
    const Error error = error_of([&] { static_cast<void>(read_calibration(path)); });
    EXPECT_EQ(error.code(), ErrorCode::conflict);
    EXPECT_EQ(error.field(), path.string());
  }
  overwrite(directory() / "plan.json", "{}");
  EXPECT_EQ(error_of([&] { static_cast<void>(read_calibration(directory())); }).field(),
            (directory() / "plan.json").string());
}

}  // namespace
}  // namespace oscbo
