#include "paper/paper_plan.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "experiment/plan.hpp"
#include "experiment/recorded_runs_test_support.hpp"
#include "experiment/test_support.hpp"

namespace oscbo::paper {
namespace {

/// Weights that tabicl accepts; those of pfn have the same format.
const std::filesystem::path kTrainedWeights = OSCBO_TRAINED_WEIGHTS;

PaperPlan without_tables() { return {.out = "unused", .tables = false}; }

std::map<std::string, std::size_t> runs_by_grid(const PaperPlan& plan) {
  std::map<std::string, std::size_t> runs;
  for (const PaperStage& stage : paper_stages(plan)) runs[stage.grid] += stage.runs();
  return runs;
}

TEST(PaperPlan, HasTheGridsOfThePaper) {
  // There are three tasks of 20 seeds, and the lander. The main grid has 7 methods and pfn. The
  // ablations have 2 x 7 values of nu, 4 methods with LogEI and 6 with ARD. The sweep has 2 x 7
  // combinations and one cold gp-ucb-mll.
  const std::map<std::string, std::size_t> runs = runs_by_grid(without_tables());
  EXPECT_EQ(runs.at("main"), 8U * (3 * 20 + 20));
  EXPECT_EQ(runs.at("ablations"), (14U + 4 + 6) * (3 * 20 + 20));
  EXPECT_EQ(runs.at("sweep"), 15U * (3 * 20 + 5));
  for (const PaperStage& stage : paper_stages(without_tables())) {
    EXPECT_EQ(stage.plan.steps, 100);
    EXPECT_EQ(stage.plan.out, std::filesystem::path("unused") / stage.grid);
  }
}

TEST(PaperPlan, HasTabiclInTwoGridsIfItsWeightsAreNamed) {
  PaperPlan plan = without_tables();
  plan.tabicl_weights = kTrainedWeights;
  const std::vector<PaperStage> stages = paper_stages(plan);
  const auto methods = [&](std::size_t stage) { return stages.at(stage).plan.methods; };
  EXPECT_TRUE(contains(methods(0), "tabicl"));
  EXPECT_TRUE(contains(methods(1), "tabicl+acquisition=logei"));
  EXPECT_EQ(methods(0).size() + methods(1).size() + methods(2).size(), 9U + 25 + 15);
  const std::vector<PaperStage> without = paper_stages(without_tables());
  for (const PaperStage& stage : without) {
    for (const std::string& method : stage.plan.methods) {
      EXPECT_FALSE(method.starts_with("tabicl")) << stage.grid;
    }
  }
}

TEST(PaperPlan, RecordsTheChecksumOfTheWeightsAndNotTheirPath) {
  PaperPlan plan = without_tables();
  plan.tabicl_weights = kTrainedWeights;
  const experiment::PlanRecord record = experiment::make_record(paper_stages(plan).front().plan);
  EXPECT_EQ(record.options.at("tabicl").at("tabicl.sha256").size(), 64U);
  EXPECT_EQ(experiment::to_json(record).find("model.safetensors"), std::string::npos);
}

TEST(PaperPlan, RefusesWeightsThatAreNotThere) {
  PaperPlan plan = without_tables();
  plan.tabicl_weights = "no such file";
  EXPECT_EQ(error_of([&] { (void)paper_stages(plan); }).code(), ErrorCode::io);
}

TEST(PaperPlan, KernelsAreChangedForMethodsThatHaveOne) {
  const std::vector<std::string> main = main_methods({.tabicl_weights = "named"});
  for (const PaperRegime& regime : paper_regimes()) {
    const std::vector<std::string> methods = regime.methods_beside(main);
    EXPECT_FALSE(contains(methods, "pfn")) << regime.name;
    EXPECT_EQ(contains(methods, "tabicl"), regime.name == "logei") << regime.name;
  }
}

TEST(PaperPlan, QuickIsSmallerAndFliesShort) {
  PaperPlan plan = without_tables();
  plan.quick = true;
  const std::map<std::string, std::size_t> runs = runs_by_grid(plan);
  EXPECT_EQ(runs.at("main"), 8U * 4 * 3);
  EXPECT_EQ(runs.at("ablations"), 24U * 4 * 3);
  EXPECT_EQ(runs.at("sweep"), 15U * 4 * 3);
  EXPECT_EQ(paper_tasks(plan).back(), "lunar12-quick");
  EXPECT_EQ(paper_stages(plan).front().plan.steps, 30);
}

TEST(PaperPlan, RunsNothingTwice) {
  // The options of a method determine its runs, whatever its name is.
  std::set<std::pair<std::string, std::map<std::string, std::string>>> seen;
  for (const PaperStage& stage : paper_stages(without_tables())) {
    for (const auto& [method, options] : experiment::make_record(stage.plan).options) {
      for (const std::string& task : stage.plan.tasks) {
        EXPECT_TRUE(seen.emplace(task, options).second) << task << ' ' << method;
      }
    }
  }
  EXPECT_EQ(seen.size(), 4U * (8 + 24 + 15));
}

TEST(PaperPlan, FliesLast) {
  for (const bool quick : {false, true}) {
    PaperPlan plan = without_tables();
    plan.quick = quick;
    const std::vector<PaperStage> stages = paper_stages(plan);
    ASSERT_EQ(stages.size(), 6U);
    for (std::size_t i = 0; i < stages.size(); ++i) {
      EXPECT_EQ(stages[i].lander, i >= 3);
      for (const std::string& task : stages[i].plan.tasks) EXPECT_EQ(is_lander(task), i >= 3);
    }
  }
}

TEST(PaperPlan, DefaultChoicesAreThePlainMethods) {
  const auto plain = [](const std::string& method) {
    return std::ranges::count_if(
        sweep_points(), [&](const SweepPoint& point) { return point.variant(method) == method; });
  };
  EXPECT_EQ(sweep_points().size(), 8U);
  EXPECT_EQ(plain("oscbo"), 1);
  const SweepPoint point{.multiplier = "one", .start = "cold"};
  EXPECT_EQ(point.variant("oscbo"), "oscbo+dual.lambda0=one+fit.start=cold");
}

TEST(PaperPlan, VanillaBoHasItsLengthscalesUnderItsPlainName) {
  const PaperRegime& ard = paper_regimes().back();
  ASSERT_EQ(ard.name, "ard");
  EXPECT_EQ(ard.variant("vanilla-bo"), "vanilla-bo");
  EXPECT_EQ(ard.variant("ocbo"), "ocbo+kernel.ard=true");
}

TEST(PaperPlan, RefusesSizesThatCannotBeRun) {
  PaperPlan plan = without_tables();
  plan.seeds = -1;
  EXPECT_EQ(error_of([&] { (void)paper_stages(plan); }).code(), ErrorCode::invalid_value);
  plan.seeds = 1;
  plan.jobs = 0;
  EXPECT_EQ(error_of([&] { (void)paper_stages(plan); }).code(), ErrorCode::invalid_value);
}

TEST(PaperPlan, AsksForTablesBeforeAnythingIsRun) {
  const Error error = error_of([] { (void)paper_stages({.out = "unused"}); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_value);
  const std::string message = error.what();
  for (const char* said : {"--data", "material5", "concrete7", "crossbarrel4", "--no-tables"}) {
    EXPECT_NE(message.find(said), std::string::npos) << said;
  }
}

TEST(PaperPlan, TakesSomeOfItsTasksInItsOrder) {
  PaperPlan plan = without_tables();
  plan.tasks = {"lunar12", "hartmann3"};
  plan.seeds = 2;
  plan.steps = 4;
  EXPECT_EQ(paper_tasks(plan), (std::vector<std::string>{"hartmann3", "lunar12"}));
  EXPECT_EQ(runs_by_grid(plan).at("main"), 8U * 2 * 2);
  plan.tasks = {"branin"};
  EXPECT_EQ(error_of([&] { (void)paper_tasks(plan); }).code(), ErrorCode::unknown_name);
}

class RecordedStages : public DirectoryTest {
 protected:
  [[nodiscard]] PaperPlan small_plan() const {
    return {.out = directory(), .tables = false, .seeds = 7, .steps = 3};
  }
};

TEST_F(RecordedStages, AreThoseThatWereAskedFor) {
  PaperPlan plan = small_plan();
  plan.tabicl_weights = kTrainedWeights;
  const std::vector<PaperStage> asked = paper_stages(plan);
  ExperimentPlan main = asked.front().plan;
  main.tasks = paper_tasks(plan);
  experiment::record_plan(main);

  const std::vector<PaperStage> recorded = recorded_stages(directory());
  ASSERT_EQ(recorded.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(recorded[i].grid, asked[i].grid);
    EXPECT_EQ(recorded[i].plan.tasks, asked[i].plan.tasks);
    EXPECT_EQ(recorded[i].plan.methods, asked[i].plan.methods);
    EXPECT_EQ(recorded[i].plan.seeds, asked[i].plan.seeds);
    EXPECT_EQ(recorded[i].plan.steps, 3);
  }
  EXPECT_EQ(recorded.back().plan.seeds, 5) << "the lander in the sweep";
}

TEST_F(RecordedStages, HaveNoInContextMethodsThatWereNotAskedFor) {
  ExperimentPlan main = paper_stages(small_plan()).front().plan;
  main.methods = kernel_methods();
  experiment::record_plan(main);
  const std::vector<PaperStage> recorded = recorded_stages(directory());
  EXPECT_EQ(recorded.at(0).plan.methods, kernel_methods());
  EXPECT_FALSE(contains(recorded.at(1).plan.methods, "tabicl+acquisition=logei"));
}

TEST_F(RecordedStages, NeedAMainExperiment) {
  EXPECT_EQ(error_of([&] { (void)recorded_stages(directory()); }).code(), ErrorCode::io);
}

}  // namespace
}  // namespace oscbo::paper
