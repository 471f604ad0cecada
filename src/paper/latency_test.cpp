#include "oscbo/latency.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "experiment/test_support.hpp"
#include "learners/learner_options.hpp"
#include "paper/latency_statistics.hpp"

namespace oscbo::paper {
namespace {

constexpr learners::RefitOptions kEveryAsk{.growth = 0.0};
constexpr learners::RefitOptions kByTenth{.growth = 0.1, .after = 200};

TEST(LatencyWindows, KeepTheNumberOfPointsAboutWhatItIs) {
  for (const int points : {1, 10, 30, 100, 300, 1000}) {
    for (const int asks : {1, 7, 30, 1000}) {
      const LatencyWindows windows = latency_windows(kEveryAsk, points, asks);
      EXPECT_LE(windows.rounds, std::max(10, points / 10)) << points;
      EXPECT_GE(windows.runs * windows.rounds, asks);
      EXPECT_LT(windows.runs * windows.rounds, asks + windows.runs) << "none without need";
      EXPECT_EQ(windows.refit_share, 1.0);
    }
  }
  EXPECT_EQ(latency_windows(kEveryAsk, 10, 30).runs, 3);
  EXPECT_EQ(latency_windows(kEveryAsk, 300, 30).runs, 1);
}

TEST(LatencyWindows, EndBeforeTheNextRefit) {
  // The model is learned at 300 points, and the next refit is due at 330.
  const LatencyWindows windows = latency_windows(kByTenth, 300, 30);
  EXPECT_EQ(windows.runs, 2);
  EXPECT_EQ(windows.rounds, 15);
  EXPECT_DOUBLE_EQ(windows.refit_share, 1.0 / 30.0);
  EXPECT_EQ(latency_windows(kByTenth, 300, 29).runs, 1);
  EXPECT_EQ(latency_windows({.growth = 0.0055, .after = 200}, 1000, 10).rounds, 5);
}

TEST(LatencyWindows, EndBeforeRefitsBecomeRare) {
  const LatencyWindows windows = latency_windows(kByTenth, 197, 6);
  EXPECT_EQ(windows.runs, 2);
  EXPECT_EQ(windows.rounds, 3) << "the last asks with 200 points";
  EXPECT_EQ(windows.refit_share, 1.0);
  // The next ask learns nothing.
  EXPECT_DOUBLE_EQ(latency_windows(kByTenth, 200, 6).refit_share, 1.0 / 20.0);
}

TEST(LatencyWindows, OfAGrowthBelowOnePointLearnAtEveryAsk) {
  const LatencyWindows windows = latency_windows({.growth = 0.001, .after = 200}, 1000, 30);
  EXPECT_EQ(windows.refit_share, 1.0);
  EXPECT_EQ(windows.rounds, 30);
}

TEST(LatencyQuantiles, AreThoseOfTheSample) {
  std::vector<double> seconds(101);
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[(37 * i) % 101] = static_cast<double>(i);
  const LatencyQuantiles quantiles = latency_quantiles(seconds);
  EXPECT_DOUBLE_EQ(quantiles.median, 50.0);
  EXPECT_DOUBLE_EQ(quantiles.p90, 90.0);
  EXPECT_DOUBLE_EQ(quantiles.p99, 99.0);
  const LatencyQuantiles single = latency_quantiles(std::array{0.25});
  EXPECT_EQ(single.median, 0.25);
  EXPECT_EQ(single.p99, 0.25);
}

TEST(AmortisedAsk, WeighsRefitsByTheirShare) {
  const std::array asks = {1.0, 3.0};
  EXPECT_DOUBLE_EQ(amortised_ask(asks, 42.0, 0.25), 0.75 * 2.0 + 0.25 * 42.0);
  EXPECT_DOUBLE_EQ(amortised_ask(asks, 42.0, 1.0), 2.0) << "every ask learns, none from scratch";
}

LatencyRow row_at(int dimension, int points, double amortised) {
  return {.dimension = dimension,
          .points = points,
          .asks = 30,
          .ask = {.median = 0.5 * amortised, .p90 = amortised, .p99 = 2.0 * amortised},
          .refit = 10.0 * amortised,
          .refit_share = points > 200 ? 10.0 / points : 1.0,
          .amortised = amortised,
          .tell = {.median = 1e-6, .p90 = 2e-6, .p99 = 3e-6}};
}

LatencyReport power_laws() {
  LatencyReport report{.method = "auto", .threads = 2, .rows = {}, .growth = {}};
  for (const int dimension : {2, 20}) {
    for (const int points : {10, 100, 300, 1000, 3000, 10000}) {
      const double power = 1e-6 * std::pow(points, dimension == 2 ? 1.5 : 2.0);
      // Values outside the range do not count.
      const bool counts = points >= 300 && points <= 3000;
      report.rows.push_back(row_at(dimension, points, counts ? power : 1.0));
    }
  }
  report.growth = latency_growth(report.rows);
  return report;
}

TEST(LatencyGrowth, FindsTheExponentOfEachDimension) {
  const LatencyReport report = power_laws();
  ASSERT_EQ(report.growth.size(), 2U);
  EXPECT_EQ(report.growth[0].dimension, 2);
  EXPECT_NEAR(report.growth[0].exponent, 1.5, 1e-12);
  EXPECT_EQ(report.growth[1].dimension, 20);
  EXPECT_NEAR(report.growth[1].exponent, 2.0, 1e-12);
}

TEST(LatencyGrowth, NeedsTwoNumbersOfPoints) {
  const std::array rows = {row_at(2, 100, 0.1), row_at(2, 300, 1.0), row_at(2, 10000, 9.0)};
  const std::vector<LatencyGrowth> growth = latency_growth(rows);
  ASSERT_EQ(growth.size(), 1U);
  EXPECT_TRUE(std::isnan(growth[0].exponent));
  EXPECT_TRUE(latency_growth({}).empty());
}

TEST(ReadableTime, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(readable_time(1.23456e-5), "12.3 us");
  EXPECT_EQ(readable_time(0.00099949), "999 us");
  EXPECT_EQ(readable_time(0.00099951), "1 ms");
  EXPECT_EQ(readable_time(0.0015), "1.5 ms");
  EXPECT_EQ(readable_time(0.99951), "1 s");
  EXPECT_EQ(readable_time(207.2), "207 s");
  EXPECT_EQ(readable_time(12345.6), "12346 s");
  EXPECT_EQ(readable_time(0.0), "0 us");
}

LatencyPlan small_latency_plan() {
  return {.method = "oscbo+learner.solver=exact",
          .settings = {"threads=1"},
          .points = {12, 10, 12},
          .dimensions = {2, 1},
          .asks = 11,
          .seed = 0};
}

TEST(MeasureLatency, HasARowPerDimensionAndNumberOfPoints) {
  std::vector<int> rows_begun;
  const LatencyReport report =
      measure_latency(small_latency_plan(), [&](const LatencyProgress& at) {
        EXPECT_EQ(at.rows, 4);
        rows_begun.push_back(at.row);
      });
  EXPECT_EQ(report.method, "oscbo+learner.solver=exact");
  EXPECT_EQ(report.threads, 1);
  ASSERT_EQ(report.rows.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const LatencyRow& row = report.rows[i];
    EXPECT_EQ(row.dimension, i < 2 ? 1 : 2);
    EXPECT_EQ(row.points, i % 2 == 0 ? 10 : 12);
    EXPECT_EQ(row.asks, 12) << "in two windows of six";
    EXPECT_GT(row.ask.median, 0.0);
    EXPECT_LE(row.ask.median, row.ask.p90);
    EXPECT_LE(row.ask.p90, row.ask.p99);
    EXPECT_LE(row.tell.median, row.tell.p99);
    EXPECT_GT(row.refit, 0.0);
    EXPECT_GT(row.amortised, 0.0);
    EXPECT_EQ(row.refit_share, 1.0);
  }
  ASSERT_EQ(report.growth.size(), 2U);
  EXPECT_TRUE(std::isnan(report.growth[0].exponent));
  EXPECT_TRUE(std::ranges::is_sorted(rows_begun));
  EXPECT_EQ(rows_begun.size(), 4U * 2U * 7U) << "first asks included";
}

TEST(MeasureLatency, EndsWhenItsProgressThrows) {
  const auto stop = [](const LatencyProgress&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(static_cast<void>(measure_latency(small_latency_plan(), stop)), std::runtime_error);
}

TEST(MeasureLatency, RefusesPlansThatMakeNoSense) {
  const auto field = [](const LatencyPlan& plan) {
    return error_of([&] { static_cast<void>(measure_latency(plan)); }).field();
  };
  EXPECT_EQ(field({.points = {}}), "--points");
  EXPECT_EQ(field({.points = {9, 100}}), "--points") << "fewer than the initial design";
  EXPECT_EQ(field({.dimensions = {}}), "--dimensions");
  EXPECT_EQ(field({.dimensions = {2, 0}}), "--dimensions");
  EXPECT_EQ(field({.asks = 0}), "--asks");
  EXPECT_EQ(field({.settings = {"kernel.nu=-1"}}), "kernel.nu");
  EXPECT_EQ(field({.method = "oscbo+beta=1+beta=2"}), "beta");
  EXPECT_THROW(static_cast<void>(measure_latency({.method = "nothing"})), Error);
}

TEST(LatencySvg, DrawsEveryRowAndNamesTheGrowth) {
  const std::string text = latency_svg(power_laws());
  EXPECT_TRUE(text.starts_with("<svg "));
  EXPECT_TRUE(text.ends_with("</svg>\n"));
  EXPECT_EQ(occurrences(text, ">d = 2: n^1.50</text>"), 1U);
  EXPECT_EQ(occurrences(text, ">d = 20: n^2.00</text>"), 1U);
  // All twelve rows have an ask and a tell. The eight rows with a schedule also have a refit.
  EXPECT_EQ(occurrences(text, "<circle"), 12U + 12U + 8U);
  EXPECT_EQ(occurrences(text, ">refit</text>"), 1U);
  EXPECT_EQ(occurrences(text, ">3000</text>"), 2U) << "a label on both axes";
  EXPECT_EQ(occurrences(text, "nan"), 0U);
  EXPECT_EQ(occurrences(text, "inf"), 0U);
}

TEST(LatencySvg, DrawsASingleRowAndNone) {
  LatencyReport report{.method = "a<b", .threads = 1, .rows = {row_at(3, 10, 0.0)}, .growth = {}};
  report.growth = latency_growth(report.rows);
  const std::string text = latency_svg(report);
  EXPECT_EQ(occurrences(text, "<circle"), 2U);
  EXPECT_EQ(occurrences(text, ">d = 3</text>"), 2U) << "no growth can be told";
  EXPECT_EQ(occurrences(text, ">refit</text>"), 0U);
  EXPECT_EQ(occurrences(text, "nan"), 0U);
  EXPECT_EQ(occurrences(text, "inf"), 0U);
  EXPECT_EQ(occurrences(text, "a&lt;b"), 2U);
  EXPECT_TRUE(latency_svg({.method = "auto", .threads = 1, .rows = {}, .growth = {}})
                  .ends_with("</svg>\n"));
}

}  // namespace
}  // namespace oscbo::paper
