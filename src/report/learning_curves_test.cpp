#include "report/learning_curves.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "experiment/recorded_runs_test_support.hpp"
#include "experiment/statistics.hpp"
#include "experiment/test_support.hpp"
#include "oscbo/experiment.hpp"

namespace oscbo::report {
namespace {

/// Compares the curves of a directory with the same quantities computed from the rows of the runs.
class LearningCurves : public DirectoryTest {
 protected:
  LearningCurves() = default;

  void run(std::vector<std::string> methods, int seeds) {
    run_experiment({.tasks = {"branin"},
                    .methods = std::move(methods),
                    .seeds = seeds,
                    .steps = 4,
                    .out = directory()});
  }

  /// values returns the value of `quantity` at `step` for each seed.
  static std::vector<double> values(
      const std::string& method, int seeds, int step,
      const std::function<double(std::span<const RunRow>)>& quantity) {
    std::vector<double> result;
    for (int seed = 0; seed < seeds; ++seed) {
      std::vector<RunRow> rows;
      run_once(make_problem("branin"), run_config(method, 4, {}), static_cast<std::uint64_t>(seed),
               [&](const RunRow& row) {
                 if (row.step <= step) rows.push_back(row);
                 return true;
               });
      result.push_back(quantity(rows));
    }
    return result;
  }

  static void expect_point(const Curve& curve, int step, std::span<const double> values) {
    const auto at = std::ranges::find(curve.steps, step);
    ASSERT_NE(at, curve.steps.end());
    const auto index = static_cast<std::size_t>(at - curve.steps.begin());
    EXPECT_NEAR(curve.mean[index], experiment::mean(values),
                1e-12 * std::abs(experiment::mean(values)));
    EXPECT_NEAR(curve.error[index], experiment::standard_error(values),
                1e-9 * std::abs(experiment::mean(values)));
  }
};

double model_sum(std::span<const RunRow> rows, const std::function<double(const RunRow&)>& term) {
  double sum = 0.0;
  for (const RunRow& row : rows) sum += row.feedback ? term(row) : 0.0;
  return sum;
}

TEST_F(LearningCurves, AreMeansOverSeedsByStep) {
  run({"oscbo"}, 3);
  const RunGroups all = read_learning_curves(directory());
  const RunGroup* group = all.find("branin", "oscbo");
  ASSERT_NE(group, nullptr);
  const auto expect = [&](Quantity quantity, int step, const auto& of_rows) {
    expect_point((*group)[quantity], step, values("oscbo", 3, step, of_rows));
  };
  using Rows = std::span<const RunRow>;
  for (const int step : {-9, 0, 1, 4}) {
    expect(Quantity::simple_regret, step, [](Rows rows) { return rows.back().simple_regret; });
    expect(Quantity::cumulative_regret, step,
           [](Rows rows) { return rows.back().cumulative_regret; });
  }
  for (const int step : {1, 3, 4}) {
    expect(Quantity::coverage, step, [=](Rows rows) {
      return model_sum(rows, [](const RunRow& r) { return r.feedback->covered ? 1.0 : 0.0; }) /
             step;
    });
    expect(Quantity::width, step, [](Rows rows) { return rows.back().prediction->width; });
    expect(Quantity::mean_width, step, [=](Rows rows) {
      return model_sum(rows, [](const RunRow& r) { return r.prediction->width; }) / step;
    });
    expect(Quantity::positive_violation, step, [](Rows rows) {
      return model_sum(rows,
                       [](const RunRow& r) { return std::max(r.feedback->calibration_loss, 0.0); });
    });
    expect(Quantity::lengthscale, step,
           [](Rows rows) { return rows.back().prediction->lengthscales.front(); });
    expect(Quantity::lengthscale_path, step, [](Rows rows) {
      double path = 0.0;
      for (std::size_t i = 11; i < rows.size();
           ++i) {  // after the 10 points of the design, and one
        path += std::abs(std::log(rows[i].prediction->lengthscales.front()) -
                         std::log(rows[i - 1].prediction->lengthscales.front()));
      }
      return path;
    });
  }
  EXPECT_EQ((*group)[Quantity::coverage].steps, (std::vector{1, 2, 3, 4}));
  EXPECT_EQ((*group)[Quantity::seconds].steps.size(), 14U);
  EXPECT_GT((*group)[Quantity::seconds].mean.back(), 0.0);
}

TEST_F(LearningCurves, CanBeThoseOfTheFirstSeedsOnly) {
  run({"oscbo"}, 3);
  const RunGroups first = read_learning_curves(directory(), 2);
  ASSERT_EQ(first.groups.size(), 1U);
  EXPECT_EQ(first.groups.front().runs.size(), 2U);
  expect_point(first.groups.front()[Quantity::simple_regret], 4,
               values("oscbo", 2, 4,
                      [](std::span<const RunRow> rows) { return rows.back().simple_regret; }));
}

TEST_F(LearningCurves, KeepTheOutcomeOfEveryRun) {
  run({"oscbo+kernel.ard=true"}, 2);
  const RunGroups all = read_learning_curves(directory());
  ASSERT_EQ(all.groups.size(), 1U);
  const std::vector<RunOutcome>& runs = all.groups.front().runs;
  ASSERT_EQ(runs.size(), 2U);
  std::vector<RunRow> rows;
  run_once(make_problem("branin"), run_config("oscbo+kernel.ard=true", 4, {}), 1,
           [&](const RunRow& row) {
             rows.push_back(row);
             return true;
           });
  const experiment::RunTotals& totals = runs[1].totals;
  EXPECT_EQ(runs[1].seed, 1);
  EXPECT_EQ(totals.simple_regret, rows.back().simple_regret);
  EXPECT_EQ(totals.cumulative_regret, rows.back().cumulative_regret);
  EXPECT_EQ(totals.initial_regret, rows[9].simple_regret);
  EXPECT_EQ(totals.coverage(), measure_coverage(rows).covered / 4.0);
  const std::vector<double>& theta = rows.back().prediction->lengthscales;
  EXPECT_DOUBLE_EQ(totals.lengthscale, std::sqrt(theta[0] * theta[1]));
}

TEST_F(LearningCurves, OfAMethodWithoutAModelHaveNoPredictions) {
  run({"random"}, 1);
  const RunGroups all = read_learning_curves(directory());
  const RunGroup* group = all.find("branin", "random");
  ASSERT_NE(group, nullptr);
  EXPECT_TRUE((*group)[Quantity::coverage].steps.empty());
  EXPECT_TRUE(std::isnan((*group)[Quantity::simple_regret].error.back())) << "of one seed";
  EXPECT_TRUE(std::isnan(group->runs.front().totals.lengthscale));
  EXPECT_EQ(all.find("branin", "oscbo"), nullptr);
}

TEST_F(LearningCurves, KnowTheCoverageThatAllMethodsClaim) {
  const auto claimed = [&](std::vector<std::string> methods) {
    std::filesystem::remove_all(directory());
    run(std::move(methods), 1);
    return read_learning_curves(directory()).nominal_coverage;
  };
  EXPECT_NEAR(claimed({"random", "sobol"}), 0.8427007929497149, 1e-12) << "P(|Z| <= sqrt(2))";
  EXPECT_NEAR(claimed({"random+beta=4"}), 0.9544997361036416, 1e-12) << "P(|Z| <= 2)";
  EXPECT_TRUE(std::isnan(claimed({"random", "random+beta=4"}))) << "there is no common level";
  EXPECT_NEAR(claimed({"a-gp-ucb+agp.beta=theory"}), 0.8427007929497149, 1e-12)
      << "only its acquisition uses another beta";
  EXPECT_TRUE(std::isnan(claimed({"gp-ucb"}))) << "the width of the theory grows";
}

TEST_F(LearningCurves, KnowTheCoverageThatSomeMethodsClaim) {
  const experiment::PlanRecord record =
      experiment::make_record({.tasks = {"branin"}, .methods = {"oscbo", "pfn"}});
  EXPECT_NEAR(common_nominal_coverage(record, std::array{std::string("oscbo")}), 0.8427007929497149,
              1e-12);
  EXPECT_NEAR(common_nominal_coverage(record, std::array{std::string("pfn")}), 0.9, 1e-12);
  EXPECT_TRUE(std::isnan(common_nominal_coverage(record, record.methods)));
  EXPECT_TRUE(std::isnan(common_nominal_coverage(record, std::array{std::string("ocbo")})))
      << "it is not in the record";
}

TEST_F(LearningCurves, SumTheSecondsOfFitAndSearchAndAverageLogLengthscales) {
  experiment::record_plan({.tasks = {"branin"},
                           .methods = {"oscbo+kernel.ard=true", "random"},
                           .seeds = 1,
                           .steps = 2,
                           .out = directory()});
  std::vector<RunRow> rows(2);
  rows[0] = {.step = 1, .x = {0.5, 0.5}, .fit_seconds = 1.0, .acquisition_seconds = 0.5};
  rows[1] = {.step = 2, .x = {0.5, 0.5}, .fit_seconds = 2.0, .acquisition_seconds = 0.25};
  for (RunRow& row : rows) {
    row.prediction = prediction(1.0, 0.1, 0.5);
    row.prediction->observation_sd = 0.3;
    row.prediction->lengthscales = {0.25, 1.0};
    row.feedback = Feedback{.covered = true};
  }
  experiment::record_run(directory(), {.task = "branin", .method = "oscbo+kernel.ard=true"}, rows);
  const RunGroups all = read_learning_curves(directory());
  ASSERT_EQ(all.groups.size(), 1U) << "random has no run";
  const RunGroup& group = all.groups.front();
  EXPECT_EQ(group[Quantity::seconds].mean, (std::vector{1.5, 3.75}));
  EXPECT_EQ(group[Quantity::lengthscale].mean, (std::vector{0.5, 0.5}));
}

TEST_F(LearningCurves, LeaveFailedEvaluationsOutOfTheCoverage) {
  experiment::record_plan(
      {.tasks = {"branin"}, .methods = {"oscbo"}, .seeds = 1, .steps = 3, .out = directory()});
  std::vector<RunRow> rows(3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].step = static_cast<int>(i) + 1;
    rows[i].prediction = prediction(1.0, 0.1, 0.5);
    rows[i].prediction->lengthscales = {0.5};
    rows[i].feedback = Feedback{.covered = i == 0};
  }
  rows[1].y = kNaN;
  rows[1].feedback.reset();
  experiment::record_run(directory(), {.task = "branin", .method = "oscbo"}, rows);
  const RunGroups all = read_learning_curves(directory());
  const Curve& coverage = (*all.find("branin", "oscbo"))[Quantity::coverage];
  EXPECT_EQ(coverage.steps, (std::vector<int>{1, 3}));
  EXPECT_EQ(coverage.mean, (std::vector<double>{1.0, 0.5}));
}

TEST_F(LearningCurves, LeaveOutWhatIsNotFinished) {
  run({"oscbo", "random"}, 2);
  std::filesystem::remove(directory() / "parts" / "branin~oscbo~0.part");
  std::filesystem::resize_file(directory() / "parts" / "branin~random~0.part", 200);
  const RunGroups all = read_learning_curves(directory());
  ASSERT_EQ(all.groups.size(), 2U);
  for (const RunGroup& group : all.groups) {
    ASSERT_EQ(group.runs.size(), 1U) << group.method;
    EXPECT_EQ(group.runs.front().seed, 1);
  }
}

}  // namespace
}  // namespace oscbo::report
