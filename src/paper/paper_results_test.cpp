#include "paper/paper_results.hpp"

#include <gtest/gtest.h>

#include "experiment/recorded_runs_test_support.hpp"
#include "experiment/test_support.hpp"
#include "experiment/variant.hpp"
#include "report/paired_runs.hpp"

namespace oscbo::paper {
namespace {

using Numbers = std::vector<double>;

/// base_regret returns a regret that identifies the grid of a run. Seed s ends with this regret
/// plus s.
double base_regret(const std::string& grid) {
  if (grid == "main") return 1.0;
  return grid == "ablations" ? 101.0 : 201.0;
}

/// Six seeds of oscbo and vanilla-bo on two tasks. The lander has five seeds in the sweep.
class ReadPaperResults : public DirectoryTest {
 protected:
  void SetUp() override {
    DirectoryTest::SetUp();
    const PaperPlan plan{.out = directory(),
                         .tables = false,
                         .tasks = {"hartmann3", "lunar12"},
                         .seeds = 6,
                         .steps = 1};
    for (const PaperStage& stage : paper_stages(plan)) {
      ExperimentPlan grid = stage.plan;
      grid.tasks = plan.tasks;
      grid.seeds = plan.seeds;
      experiment::record_plan(grid);
      for (const std::string& method : stage.plan.methods) add_runs(stage, method);
    }
  }

  static void add_runs(const PaperStage& stage, const std::string& method) {
    const std::string plain = experiment::parse_variant(method).method;
    if (plain != "oscbo" && plain != "vanilla-bo") return;
    for (int seed = 0; seed < stage.plan.seeds; ++seed) {
      experiment::record_run(
          stage.plan.out, {.task = stage.plan.tasks.front(), .method = method, .seed = seed},
          {{.step = 0, .x = {0.5}, .simple_regret = 1000.0},
           {.step = 1, .x = {0.5}, .simple_regret = base_regret(stage.grid) + seed}});
    }
  }

  static Numbers regrets(const report::RunGroups& groups, const std::string& task,
                         const std::string& method) {
    const report::RunGroup* group = groups.find(task, method);
    return group == nullptr ? Numbers{}
                            : report::run_values(*group, &experiment::RunTotals::simple_regret);
  }
};

TEST_F(ReadPaperResults, ARegimeHasItsOwnRunsUnderPlainNames) {
  const PaperResults results = read_paper_results(directory());
  ASSERT_EQ(results.regimes.size(), 5U);
  for (const RegimeResults& regime : results.regimes) {
    const double base = regime.regime.name == "nu-2.5" ? 1.0 : 101.0;
    EXPECT_EQ(regrets(regime.groups, "hartmann3", "oscbo"),
              (Numbers{base, base + 1, base + 2, base + 3, base + 4, base + 5}))
        << regime.regime.name;
  }
  const report::RunGroups& ard = find_regime(results, "ard").groups;
  EXPECT_EQ(regrets(ard, "lunar12", "vanilla-bo"), (Numbers{101, 102, 103, 104, 105, 106}));
  EXPECT_EQ(ard.groups.size(), 2U * 2U) << "two methods on two tasks";
}

TEST_F(ReadPaperResults, TheSweepHasItsDefaultsFromTheMainExperimentOverCommonSeeds) {
  const PaperResults results = read_paper_results(directory());
  EXPECT_EQ(results.sweep.methods, swept_variants());
  EXPECT_EQ(results.sweep.groups.size(), 2U * 8U) << "all combinations of oscbo";
  EXPECT_EQ(regrets(results.sweep, "hartmann3", "oscbo"), (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(regrets(results.sweep, "lunar12", "oscbo"), (Numbers{1, 2, 3, 4, 5}))
      << "as many as the sweep has";
  EXPECT_EQ(regrets(results.sweep, "lunar12", "oscbo+fit.start=cold"),
            (Numbers{201, 202, 203, 204, 205}));
  EXPECT_EQ(regrets(results.main, "lunar12", "oscbo"), (Numbers{1, 2, 3, 4, 5, 6}));
}

TEST_F(ReadPaperResults, TheNominalCoverageIsThatOfThePapersMethods) {
  const PaperResults results = read_paper_results(directory());
  EXPECT_NEAR(results.main.nominal_coverage, 0.8427007929497149, 1e-12) << "P(|Z| <= sqrt(2))";
  EXPECT_NEAR(results.pfn_coverage, 0.9, 1e-12);
}

TEST_F(ReadPaperResults, TabiclIsLeftOutOfLogEiIfItWasNotRun) {
  EXPECT_FALSE(
      contains(find_regime(read_paper_results(directory()), "logei").regime.methods, "tabicl"));
  EXPECT_EQ(read_paper_results(directory()).tabicl_sha256, "");
}

TEST_F(ReadPaperResults, TabiclBringsItsRunsWithLogEiAndItsChecksum) {
  const PaperPlan plan{.out = directory(),
                       .tabicl_weights = OSCBO_TRAINED_WEIGHTS,
                       .tables = false,
                       .tasks = {"hartmann3"},
                       .seeds = 6,
                       .steps = 1};
  for (const PaperStage& stage : paper_stages(plan)) experiment::record_plan(stage.plan);
  experiment::record_run(directory() / "ablations",
                         {.task = "hartmann3", .method = "tabicl+acquisition=logei", .seed = 0},
                         {{.step = 1, .x = {0.5}, .simple_regret = 7.0}});
  const PaperResults results = read_paper_results(directory());
  EXPECT_EQ(regrets(find_regime(results, "logei").groups, "hartmann3", "tabicl"), Numbers{7.0});
  EXPECT_EQ(results.tabicl_sha256.size(), 64U);
}

TEST_F(ReadPaperResults, GridsThatHaveNotBegunAreEmpty) {
  std::filesystem::remove_all(directory() / "ablations");
  std::filesystem::remove_all(directory() / "sweep");
  const PaperResults results = read_paper_results(directory());
  EXPECT_TRUE(results.ablations.groups.empty());
  EXPECT_TRUE(find_regime(results, "logei").groups.groups.empty());
  EXPECT_EQ(regrets(results.sweep, "lunar12", "oscbo"), (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(error_of([&] { (void)find_regime(results, "nu-9"); }).code(), ErrorCode::unknown_name);
}

}  // namespace
}  // namespace oscbo::paper
