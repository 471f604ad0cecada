#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "experiment/test_support.hpp"
#include "numeric/random_stream.hpp"
#include "optimizer/data_options.hpp"
#include "oscbo/experiment.hpp"
#include "weights/random_file_test_support.hpp"

namespace oscbo {
namespace {

Problem hill() {
  return {.name = "hill",
          .space = Space::of_box(std::vector<Bounds>{{-1.0, 3.0}, {0.0, 2.0}}),
          .value =
              [](std::span<const double> x) {
                return 5.0 - (x[0] - 1.0) * (x[0] - 1.0) - std::pow(x[1] - 0.5, 2);
              },
          .maximum = 5.0,
          .maximiser = {1.0, 0.5}};
}

RunConfig short_config() {
  RunConfig config{.optimizer = method_config("oscbo")};
  config.optimizer.budget = 6;
  config.optimizer.initial_points = 4;
  return config;
}

std::vector<RunRow> run(const Problem& problem, const RunConfig& config, std::uint64_t seed) {
  std::vector<RunRow> rows;
  EXPECT_TRUE(run_once(problem, config, seed, [&](const RunRow& row) {
    rows.push_back(row);
    return true;
  }));
  return rows;
}

std::vector<RunRow> run(const RunConfig& config, std::uint64_t seed) {
  return run(hill(), config, seed);
}

TEST(RunOnce, NumbersInitialPointsUpToZeroAndRoundsFromOne) {
  const std::vector<RunRow> rows = run(short_config(), 1);
  ASSERT_EQ(rows.size(), 10U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].step, static_cast<int>(i) - 3);
    EXPECT_EQ(rows[i].prediction.has_value(), rows[i].step > 0);
    EXPECT_EQ(rows[i].feedback.has_value(), rows[i].step > 0);
  }
}

TEST(RunOnce, RunsEveryMethodAndPredictsWhereThereIsAModel) {
  const test::RandomWeightsFile weights;
  for (const MethodInfo& method : methods()) {
    const RunConfig config = run_config(method.name, 3, {"init.points=4"});
    const bool has_model = method.name != "random" && method.name != "sobol";
    const std::vector<RunRow> rows = run(config, 1);
    ASSERT_EQ(rows.size(), 7U) << method.name;
    for (const RunRow& row : rows) {
      EXPECT_EQ(row.prediction.has_value(), has_model && row.step > 0) << method.name;
      EXPECT_EQ(row.feedback.has_value(), has_model && row.step > 0) << method.name;
      EXPECT_GE(row.simple_regret, 0.0);
    }
    EXPECT_GT(rows.back().cumulative_regret, 0.0);
    EXPECT_EQ(measure_coverage(rows).predicted, has_model ? 3 : 0);
  }
}

TEST(RunConfig, RefusesSettingsThatContradictEachOther) {
  for (const auto& [method, setting, field] :
       {std::array{"random", "kernel.ard=true", "kernel.ard"},
        std::array{"vanilla-bo", "kernel=ibnn", "kernel"},
        std::array{"gp-ucb", "y.standardise=each_round", "width"}}) {
    const Error error = error_of([&, m = method, s = setting] { (void)run_config(m, 3, {s}); });
    EXPECT_EQ(error.code(), ErrorCode::invalid_value);
    EXPECT_EQ(error.field(), field);
  }
}

TEST(RunOnce, AccountsForRegret) {
  const Problem problem = hill();
  double best = -1e300;
  double cumulative = 0.0;
  for (const RunRow& row : run(short_config(), 2)) {
    EXPECT_EQ(row.y, problem.value(row.x));
    best = std::max(best, row.y);
    if (row.step > 0) cumulative += problem.maximum - row.y;
    EXPECT_EQ(row.best, best);
    EXPECT_EQ(row.simple_regret, problem.maximum - best);
    EXPECT_EQ(row.cumulative_regret, cumulative);
  }
}

TEST(RunOnce, WithNoiseReportsTheNoiselessValueOfTheRecommendedPoint) {
  const Problem problem = hill();
  RunConfig config = short_config();
  config.observation_noise_sd = 0.5;
  const std::vector<RunRow> rows = run(config, 3);
  double cumulative = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RunRow& row = rows[i];
    numeric::RandomStream noise(3, numeric::Purpose::observation_noise, i);
    EXPECT_EQ(row.y, problem.value(row.x) + 0.5 * noise.normal());
    if (row.step > 0) cumulative += problem.maximum - problem.value(row.x);
    EXPECT_EQ(row.cumulative_regret, cumulative);

    ASSERT_LE(row.best_step, row.step);
    const RunRow& recommended = rows.at(static_cast<std::size_t>(row.best_step) + 3);
    EXPECT_EQ(row.best, problem.value(recommended.x));
    EXPECT_EQ(row.simple_regret, problem.maximum - row.best);
  }
}

/// The hill with x1 <= 0.5. Its best acceptable value is 4.75 and its lowest value is -1.25.
Problem limited_hill() {
  Problem problem = hill();
  SpaceDeclaration declaration = problem.space.declaration();
  declaration.outcomes = {{.name = "load", .upper = 0.5}};
  problem.space = Space(declaration);
  problem.outcomes = [](std::span<const double> x) { return std::vector{x[0]}; };
  problem.maximum = 4.75;
  problem.maximiser = {0.5, 0.5};
  problem.worst = -1.25;
  return problem;
}

/// The regret of one evaluation and the regret of the best point so far.
void expect_regrets(const Problem& problem, const std::vector<RunRow>& rows,
                    const std::function<double(const RunRow&)>& worth) {
  double best = problem.worst;
  double cumulative = 0.0;
  for (const RunRow& row : rows) {
    best = std::max(best, worth(row));
    if (row.step > 0) cumulative += problem.maximum - worth(row);
    EXPECT_EQ(row.best, best);
    EXPECT_EQ(row.simple_regret, problem.maximum - best);
    EXPECT_EQ(row.cumulative_regret, cumulative);
  }
}

TEST(RunOnce, CountsUnacceptablePointsAsTheWorst) {
  const Problem problem = limited_hill();
  const std::vector<RunRow> rows = run(problem, run_config("auto", 6, {"init.points=4"}), 1);
  const auto is_acceptable = [](const RunRow& row) { return row.x[0] <= 0.5; };
  EXPECT_TRUE(std::ranges::any_of(rows, is_acceptable));
  EXPECT_FALSE(std::ranges::all_of(rows, is_acceptable));
  for (const RunRow& row : rows) EXPECT_EQ(row.y, problem.value(row.x));
  expect_regrets(problem, rows,
                 [&](const RunRow& row) { return is_acceptable(row) ? row.y : problem.worst; });
}

TEST(RunOnce, FailedEvaluationsCountAndHaveNoValue) {
  Problem problem = hill();
  problem.worst = -1.25;
  problem.fails = [](std::span<const double>, std::uint64_t seed, std::uint64_t evaluation) {
    return (seed + evaluation) % 3 == 0;
  };
  const std::vector<RunRow> rows = run(problem, run_config("auto", 6, {"init.points=4"}), 1);
  ASSERT_EQ(rows.size(), 10U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(std::isnan(rows[i].y), i % 3 == 2) << i;
    EXPECT_EQ(rows[i].feedback.has_value(), i >= 4 && i % 3 != 2) << i;
  }
  expect_regrets(problem, rows,
                 [&](const RunRow& row) { return std::isnan(row.y) ? problem.worst : row.y; });
  EXPECT_EQ(measure_coverage(rows).predicted, 4);
  EXPECT_EQ(calibration(rows).predictions, 4);
}

TEST(RunOnce, EndsEvenIfEveryEvaluationFails) {
  Problem problem = hill();
  problem.worst = -1.25;
  problem.fails = [](auto...) { return true; };
  for (const RunRow& row : run(problem, run_config("auto", 3, {"init.points=4"}), 1)) {
    EXPECT_EQ(row.best, -1.25);
    EXPECT_EQ(row.simple_regret, 6.25);
  }
}

TEST(RunOnce, NamesTheValuesThatHaveNames) {
  const Problem problem = make_problem("two-models");
  for (const RunRow& row : run(problem, run_config("random", 3, {"init.points=4"}), 1)) {
    ASSERT_EQ(row.names.size(), 6U);
    EXPECT_EQ(row.names[0], row.x[0] == 0.0 ? "a" : "b");
    EXPECT_EQ(row.names[1], "");
    EXPECT_EQ(std::isnan(row.x[1]), row.names[0] == "b");
    EXPECT_EQ(std::isnan(row.x[5]), row.names[0] == "a");
  }
  EXPECT_TRUE(run(short_config(), 1).front().names.empty());
}

TEST(RunOnce, EndsWhenToldTo) {
  int seen = 0;
  EXPECT_FALSE(run_once(hill(), short_config(), 1, [&](const RunRow&) { return ++seen < 3; }));
  EXPECT_EQ(seen, 3);
}

TEST(MeasureCoverage, CountsModelBasedRowsOnly) {
  std::vector<RunRow> rows(5);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    rows[i].prediction = prediction(0.0, 0.0, static_cast<double>(i));
    rows[i].feedback = Feedback{.covered = i != 2};
  }
  const Coverage coverage = measure_coverage(rows);
  EXPECT_EQ(coverage.covered, 3);
  EXPECT_EQ(coverage.predicted, 4);
  EXPECT_DOUBLE_EQ(coverage.mean_width, 2.5);
  EXPECT_NEAR(coverage.nominal, 0.8427, 1e-4);
  EXPECT_LT(coverage.lower, 0.75);
  EXPECT_GT(coverage.upper, 0.75);
}

TEST(MeasureCoverage, IsUndefinedWithoutPredictions) {
  const Coverage coverage = measure_coverage(std::vector<RunRow>(3));
  EXPECT_EQ(coverage.predicted, 0);
  EXPECT_TRUE(std::isnan(coverage.mean_width));
}

TEST(CalibrationOfRows, EqualsTheCalibrationOfTheTrials) {
  // Repeats the run by hand. Without noise, its rows hold the values told to the optimizer.
  const RunConfig config = short_config();
  Optimizer optimizer(hill().space, config.optimizer, 5);
  for (int i = 0; i < 10; ++i) {
    const Suggestion next = optimizer.ask();
    optimizer.tell(next.trial, hill().value(next.x));
  }
  const CalibrationReport of_rows = calibration(run(config, 5));
  const CalibrationReport of_trials = calibration(optimizer.trials());
  EXPECT_EQ(of_rows.predictions, 6);
  EXPECT_EQ(of_rows.pit, of_trials.pit);
  EXPECT_EQ(of_rows.mean_width, of_trials.mean_width);
}

}  // namespace
}  // namespace oscbo
