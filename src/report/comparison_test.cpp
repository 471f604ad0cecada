#include "report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "experiment/statistics.hpp"
#include "experiment/test_support.hpp"
#include "numeric/normal.hpp"
#include "numeric/random_stream.hpp"

namespace oscbo::report {
namespace {

using Numbers = std::vector<double>;
using Groups = std::vector<std::vector<std::size_t>>;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// repeated returns `count` tasks with the same scores.
ScoreTable repeated(const Numbers& scores, std::size_t count) { return ScoreTable(count, scores); }

/// random_scores draws scores 0, 1 or 2, so that there are many ties.
ScoreTable random_scores(std::uint64_t seed, std::size_t tasks, std::size_t methods) {
  numeric::RandomStream stream(seed, numeric::Purpose::simulated_function);
  ScoreTable scores(tasks, Numbers(methods));
  for (Numbers& task : scores) {
    // Scores drift with the number of the method, so mean ranks have all kinds of distances.
    for (std::size_t i = 0; i < methods; ++i) {
      task[i] = static_cast<double>(stream.below(3) + (stream.below(methods) < i ? 1 : 0));
    }
  }
  return scores;
}

Numbers normal_values(std::uint64_t seed, std::size_t count) {
  numeric::RandomStream stream(seed, numeric::Purpose::simulated_function);
  Numbers values(count);
  std::ranges::generate(values, [&] { return stream.normal(); });
  return values;
}

PairedComparison compare_with_zero(const Numbers& differences) {
  return compare_paired(differences, Numbers(differences.size(), 0.0));
}

TEST(SummariseRanks, AveragesTheRanksWithinTasks) {
  const std::vector<RankSummary> methods =
      summarise_ranks({{0.3, 0.1, 0.2}, {5.0, 5.0, 9.0}, {0.0, 2.0, 1.0}});
  ASSERT_EQ(methods.size(), 3U);
  EXPECT_EQ(methods[0].ranks, (Numbers{3.0, 1.5, 1.0}));
  EXPECT_EQ(methods[1].ranks, (Numbers{1.0, 1.5, 3.0}));
  EXPECT_EQ(methods[2].ranks, (Numbers{2.0, 3.0, 2.0}));
  EXPECT_DOUBLE_EQ(methods[0].mean, 5.5 / 3.0);
  EXPECT_DOUBLE_EQ(methods[2].mean, 7.0 / 3.0);
  // The ranks are 2, 3, 2. Their squared deviations from 7/3 sum to 2/3, divided by n - 1 = 2 and n
  // = 3.
  EXPECT_DOUBLE_EQ(methods[2].error, 1.0 / 3.0);
}

TEST(SummariseRanks, TheBestMeanRankComesFirst) {
  const std::vector<RankSummary> methods = summarise_ranks({{3.0, 0.0, 9.0, 0.0}});
  EXPECT_EQ(best_first(methods), (std::vector<std::size_t>{1, 3, 0, 2})) << "ties keep their order";
}

TEST(SummariseRanks, OfOneTaskHasNoError) {
  const std::vector<RankSummary> methods = summarise_ranks({{2.0, 1.0}});
  EXPECT_EQ(methods[0].mean, 2.0);
  EXPECT_TRUE(std::isnan(methods[0].error));
  EXPECT_TRUE(summarise_ranks({}).empty());
}

TEST(SummariseRanks, RefusesTablesWithHoles) {
  EXPECT_EQ(error_of([] {
              static_cast<void>(summarise_ranks({{1.0, 2.0}, {1.0}}));
            }).what(),
            std::string("scores: task 1 has 1 method, the first task 2"));
  EXPECT_EQ(error_of([] {
              static_cast<void>(summarise_ranks({{1.0, kNotANumber}}));
            }).what(),
            std::string("scores: a score of task 0 is not a number"));
}

// The ranks 1 2 3, 1 3 2, 1 2 3, 2 1 3 sum to 5, 8, 11 over N = 4 tasks. The usual form of the
// statistic is 12 / (N k (k + 1)) sum R^2 - 3 N (k + 1) = 210 / 4 - 48. With 2 degrees of freedom,
// P(X > x) = exp(-x / 2).
TEST(CriticalDifference, FriedmansStatisticWithoutTies) {
  const CriticalDifference result =
      critical_difference({{0.1, 0.2, 0.3}, {1.0, 9.0, 3.0}, {-3.0, -2.0, -1.0}, {6.0, 5.0, 7.0}});
  EXPECT_NEAR(result.statistic, 4.5, 1e-13);
  EXPECT_NEAR(result.p_value, std::exp(-2.25), 1e-14);
}

// The ranks 1 2.5 2.5, 1 2 3, 1.5 1.5 3, 1 3 2 sum to 4.5, 9, 10.5. The usual form gives 12 / 48 *
// (4.5^2 + 9^2 + 10.5^2) - 48 = 4.875. It is divided by 1 - sum (t^3 - t) / (N (k^3 - k)) = 1 - 12
// / 96 for the two ties of t = 2.
TEST(CriticalDifference, FriedmansStatisticWithTies) {
  const CriticalDifference result =
      critical_difference({{1.0, 2.0, 2.0}, {1.0, 2.0, 3.0}, {1.0, 1.0, 3.0}, {1.0, 3.0, 2.0}});
  EXPECT_NEAR(result.statistic, 4.875 / 0.875, 1e-13);
  EXPECT_NEAR(result.p_value, std::exp(-0.5 * 4.875 / 0.875), 1e-14);
}

TEST(CriticalDifference, MethodsThatTieEverywhereAreAlike) {
  const CriticalDifference result = critical_difference(repeated({7.0, 7.0, 7.0}, 5));
  EXPECT_EQ(result.statistic, 0.0);
  EXPECT_EQ(result.p_value, 1.0);
  EXPECT_EQ(result.groups, (Groups{{0, 1, 2}}));
}

// The largest value of the statistic is N (k - 1). It occurs if every task orders the methods
// equally.
TEST(CriticalDifference, FriedmansStatisticIsLargestForOneOrder) {
  EXPECT_NEAR(critical_difference(repeated({1.0, 2.0, 3.0, 4.0}, 6)).statistic, 18.0, 1e-12);
}

// A published table has q / sqrt 2 for 2 to 10 methods. It was made from values of q with three
// decimals, so an entry errs by up to 0.0005 / sqrt 2 plus 0.0005 from its own rounding. With N = k
// (k + 1) tasks, the difference is the entry divided by sqrt 6.
TEST(CriticalDifference, NemenyisDifferenceFollowsThePublishedTable) {
  const Numbers table = {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::size_t methods = i + 2;
    const std::size_t tasks = methods * (methods + 1);
    const CriticalDifference result = critical_difference(repeated(Numbers(methods, 1.0), tasks));
    EXPECT_NEAR(result.difference * std::sqrt(6.0), table[i], 8.6e-4) << methods << " methods";
  }
}

// Demsar 2006 compares four classifiers on 14 data sets: 2.569 sqrt(4 * 5 / (6 * 14)) = 1.25.
TEST(CriticalDifference, NemenyisDifferenceOfAPublishedExample) {
  EXPECT_NEAR(critical_difference(repeated({1.0, 2.0, 3.0, 4.0}, 14)).difference, 1.25, 0.005);
}

// Methods 2, 0, 1 have mean ranks 1, 2, 3. The critical difference is 2.343 sqrt(2 / N).
TEST(CriticalDifference, GroupsAreTheLargestSetsOfCloseMethods) {
  const Numbers scores = {5.0, 8.0, 1.0};
  EXPECT_EQ(critical_difference(repeated(scores, 2)).groups, (Groups{{2, 0, 1}})) << "2.34";
  EXPECT_EQ(critical_difference(repeated(scores, 8)).groups, (Groups{{2, 0}, {0, 1}})) << "1.17";
  EXPECT_EQ(critical_difference(repeated(scores, 20)).groups, (Groups{{2}, {0}, {1}})) << "0.74";
}

TEST(CriticalDifference, TwoMethodsShareAGroupJustWhenTheyAreClose) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::size_t methods_count = 2 + seed % 6;
    const ScoreTable scores = random_scores(seed, 20, methods_count);
    const std::vector<RankSummary> methods = summarise_ranks(scores);
    const CriticalDifference result = critical_difference(scores);
    for (std::size_t a = 0; a < methods_count; ++a) {
      for (std::size_t b = 0; b < methods_count; ++b) {
        const bool together = std::ranges::any_of(result.groups, [&](const auto& group) {
          return std::ranges::count(group, a) == 1 && std::ranges::count(group, b) == 1;
        });
        EXPECT_EQ(together, std::abs(methods[a].mean - methods[b].mean) < result.difference)
            << "seed " << seed << ", methods " << a << " and " << b;
      }
    }
    for (const auto& inner : result.groups) {
      EXPECT_TRUE(
          std::ranges::is_sorted(inner, {}, [&](std::size_t i) { return methods[i].mean; }));
      const auto containing = std::ranges::count_if(result.groups, [&](const auto& outer) {
        return std::ranges::all_of(inner,
                                   [&](std::size_t i) { return std::ranges::count(outer, i) > 0; });
      });
      EXPECT_EQ(containing, 1) << "only itself, seed " << seed;
    }
  }
}

// If all methods are equal, the p-value is below 5 % in 5 % of all tables. 20 tasks are enough for
// the chi-square law. The binomial error of 2000 tables is 0.5 %.
TEST(CriticalDifference, PValuesAreUniformWhenAllMethodsAreAlike) {
  constexpr int kTables = 2000;
  int below = 0;
  for (std::uint64_t seed = 0; seed < kTables; ++seed) {
    ScoreTable scores;
    for (std::uint64_t task = 0; task < 20; ++task) {
      scores.push_back(normal_values(1000 * seed + task, 4));
    }
    if (critical_difference(scores).p_value < 0.05) ++below;
  }
  EXPECT_NEAR(below / static_cast<double>(kTables), 0.05, 3.0 * 0.005);
}

TEST(CriticalDifference, NeedsTwoMethodsAndTwoTasks) {
  EXPECT_EQ(error_of([] {
              static_cast<void>(critical_difference({{1.0, 2.0}}));
            }).what(),
            std::string("scores: 2 methods on 1 task; at least 2 of each are needed"));
  EXPECT_EQ(error_of([] {
              static_cast<void>(critical_difference({{1.0}, {2.0}}));
            }).code(),
            ErrorCode::invalid_value);
  EXPECT_EQ(error_of([] { static_cast<void>(critical_difference({})); }).code(),
            ErrorCode::invalid_value);
}

TEST(ComparePaired, CountsWinsAndLosses) {
  const PairedComparison result =
      compare_paired(Numbers{1.0, 2.0, 3.0, 0.5}, Numbers{2.0, 2.0, 1.0, 1.0});
  EXPECT_EQ(result.pairs, 4U);
  EXPECT_DOUBLE_EQ(result.mean, 0.5 / 4.0);
  EXPECT_EQ(result.wins, 2U);
  EXPECT_EQ(result.losses, 1U);
  EXPECT_FALSE(result.decided());
}

TEST(ComparePaired, OneValueOrNoneHasNoInterval) {
  const PairedComparison one = compare_paired(Numbers{1.0}, Numbers{3.0});
  EXPECT_EQ(one.mean, -2.0);
  EXPECT_TRUE(std::isnan(one.lower));
  EXPECT_TRUE(std::isnan(one.upper));
  EXPECT_FALSE(one.decided());
  const PairedComparison none = compare_paired({}, {});
  EXPECT_EQ(none.pairs, 0U);
  EXPECT_TRUE(std::isnan(none.mean));
  EXPECT_FALSE(none.decided());
}

TEST(ComparePaired, EqualDifferencesLeaveNoDoubt) {
  // Ten times 0.1 does not sum to exactly 1.
  const PairedComparison result = compare_with_zero(Numbers(10, 0.1));
  EXPECT_EQ(result.mean, 0.1);
  EXPECT_EQ(result.lower, 0.1);
  EXPECT_EQ(result.upper, 0.1);
  EXPECT_TRUE(result.decided());
  EXPECT_FALSE(compare_with_zero(Numbers(10, 0.0)).decided());
}

TEST(ComparePaired, RefusesListsOfDifferentLength) {
  const Error error = error_of([] {
    static_cast<void>(compare_paired(Numbers{1.0, 2.0}, Numbers{1.0}));
  });
  EXPECT_EQ(error.what(), std::string("reference: 1 value for 2 of the method"));
}

// A quarter of all resamples take the lower value twice. With t = 12.7, the level is far below a
// quarter.
TEST(ComparePaired, TheIntervalOfTwoDifferencesIsTheirRange) {
  const PairedComparison result = compare_with_zero({-1.0, 3.0});
  EXPECT_DOUBLE_EQ(result.lower, -1.0);
  EXPECT_DOUBLE_EQ(result.upper, 3.0);
}

// For 100 normal scores, the mean is normal without skew, so the interval is Student's. An end is a
// quantile of 10,000 resamples, with an error of 0.027 se. The error 0.0125 of z_0 moves its level
// by another 0.025 se. Together this is 0.037 se, and the test allows four times that.
TEST(ComparePaired, IsStudentsIntervalForManyNormalDifferences) {
  constexpr double kStudentQuantile = 1.984216951508683;  // 97.5 %, 99 degrees of freedom
  Numbers scores(100);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = 0.7 + numeric::normal_quantile((static_cast<double>(i) + 0.5) / 100.0);
  }
  const PairedComparison result = compare_with_zero(scores);
  const double error = experiment::standard_error(scores);
  EXPECT_NEAR((result.upper - result.mean) / error, kStudentQuantile, 4.0 * 0.037);
  EXPECT_NEAR((result.lower - result.mean) / error, -kStudentQuantile, 4.0 * 0.037);
  EXPECT_TRUE(result.decided());
}

// The test enumerates all 7^7 resamples of seven skewed differences, so the formula has no sampling
// error. It takes z_0 and the levels from them, and the ends must lie at these levels.
TEST(ComparePaired, AgreesWithTheExactBootstrapLaw) {
  const Numbers differences = {-1.30, -1.17, -1.02, -0.95, -0.83, -0.73, 6.0};  // mean 0
  constexpr std::size_t kAll = 823543;
  Numbers means(kAll, 0.0);
  for (std::size_t resample = 0; resample < kAll; ++resample) {
    std::size_t digits = resample;
    for (std::size_t i = 0; i < 7; ++i, digits /= 7) {
      means[resample] += differences[digits % 7] / 7.0;
    }
  }
  const auto fraction_below = [&](double end) {
    const auto below = std::ranges::count_if(means, [&](double m) { return m < end - 1e-9; });
    const auto above = std::ranges::count_if(means, [&](double m) { return m > end + 1e-9; });
    return 0.5 + 0.5 * static_cast<double>(below - above) / static_cast<double>(kAll);
  };
  const double bias = numeric::normal_quantile(fraction_below(0.0));
  // The squares sum to 42.2236 and the cubes to 209.322.
  const double acceleration = 209.322 / (6.0 * std::pow(42.2236, 1.5));
  const PairedComparison result = compare_with_zero(differences);
  for (const auto& [sign, end] : {std::pair{-1.0, result.lower}, std::pair{1.0, result.upper}}) {
    // 2.4469 is Student's 97.5 % quantile with 6 degrees of freedom.
    const double z = bias + sign * 2.446911851144969 * std::sqrt(7.0 / 6.0);
    const double level = numeric::normal_cdf(bias + z / (1.0 - acceleration * z));
    // As above, there are two errors: that of a fraction of 10,000, which has no finer resolution,
    // and that of z_0, which moves the level by twice the density phi.
    const double drawing = std::sqrt(level * (1.0 - level) / 10000.0) + 1.0 / 10000.0;
    const double of_bias = 2.0 * 0.0125 * numeric::normal_density(numeric::normal_quantile(level));
    EXPECT_NEAR(fraction_below(end), level, 3.0 * std::hypot(drawing, of_bias)) << "end " << end;
  }
}

// Each order of the values meets different draws. The mean level of the ends over 100 orders
// therefore has a tenth of the error 0.0007 of one order. The test allows four of these, plus the
// 0.0001 to which 10,000 resamples resolve a level. The level is 0.0041 with n - 1 degrees of
// freedom, and would be 0.0053 with n.
TEST(ComparePaired, TheLevelsOfItsEndsHaveTheRightDegreesOfFreedom) {
  Numbers differences = {-3.0, -1.9, -1.2, 0.1, 0.9, 2.1, 3.0};  // mean 0, hardly any skew
  Numbers means;
  for (std::size_t resample = 0; resample < 823543; ++resample) {
    double sum = 0.0;
    std::size_t digits = resample;
    for (std::size_t i = 0; i < 7; ++i, digits /= 7) sum += differences[digits % 7];
    means.push_back(sum / 7.0);
  }
  std::ranges::sort(means);
  const auto level_of = [&](double end) {
    const auto below = std::ranges::lower_bound(means, end - 1e-9) - means.begin();
    const auto not_above = std::ranges::upper_bound(means, end + 1e-9) - means.begin();
    return 0.5 * static_cast<double>(below + not_above) / static_cast<double>(means.size());
  };
  const double reach = 2.446911851144969 * std::sqrt(7.0 / 6.0);  // Student's 97.5 %, 6 degrees
  double squares = 0.0;
  double cubes = 0.0;
  for (const double value : differences) {
    squares += value * value;
    cubes += value * value * value;
  }
  const double acceleration = cubes / (6.0 * std::pow(squares, 1.5));
  const double bias = numeric::normal_quantile(level_of(0.0));
  const auto expected = [&](double z) {
    return numeric::normal_cdf(bias + (bias + z) / (1.0 - acceleration * (bias + z)));
  };
  constexpr int kOrders = 100;
  double lower = 0.0;
  double upper = 0.0;
  for (int order = 0; order < kOrders; ++order) {
    for (int i = 0; i < 37; ++i) std::ranges::next_permutation(differences);
    const PairedComparison result = compare_with_zero(differences);
    lower += level_of(result.lower) / kOrders;
    upper += level_of(result.upper) / kOrders;
  }
  EXPECT_NEAR(lower, expected(-reach), 4e-4);
  EXPECT_NEAR(upper, expected(reach), 4e-4);
}

TEST(ComparePaired, TheIntervalReachesFurtherIntoTheLongTail) {
  Numbers differences;
  for (int i = 0; i < 20; ++i) differences.push_back(-std::log((i + 0.5) / 20.0));
  const PairedComparison result = compare_with_zero(differences);
  EXPECT_GT(result.upper - result.mean, 1.15 * (result.mean - result.lower));
}

TEST(ComparePaired, SwappingTheMethodsTurnsTheIntervalRound) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Numbers a = normal_values(2 * seed, 3 + seed);
    const Numbers b = normal_values(2 * seed + 1, 3 + seed);
    const PairedComparison forth = compare_paired(a, b);
    const PairedComparison back = compare_paired(b, a);
    EXPECT_DOUBLE_EQ(forth.mean, -back.mean);
    EXPECT_NEAR(forth.lower, -back.upper, 1e-12);
    EXPECT_NEAR(forth.upper, -back.lower, 1e-12);
    EXPECT_EQ(forth.wins, back.losses);
    EXPECT_EQ(forth.losses, back.wins);
    EXPECT_EQ(forth.decided(), back.decided());
    EXPECT_LT(forth.lower, forth.mean);
    EXPECT_GT(forth.upper, forth.mean);
  }
}

// This also holds if resamples repeat the sample in another order: rounding must not distinguish
// them.
TEST(ComparePaired, FollowsShiftsAndScales) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Numbers values = normal_values(seed, 3 + seed);
    const PairedComparison plain = compare_with_zero(values);
    for (const double scale : {1e-150, 1e-9, 3.0, 1e150}) {
      Numbers scaled = values;
      for (double& value : scaled) value *= scale;
      const PairedComparison result = compare_with_zero(scaled);
      EXPECT_NEAR(result.lower / scale, plain.lower, 1e-12);
      EXPECT_NEAR(result.upper / scale, plain.upper, 1e-12);
    }
    Numbers shifted = values;
    for (double& value : shifted) value += 17.0;
    const PairedComparison result = compare_with_zero(shifted);
    EXPECT_NEAR(result.lower, plain.lower + 17.0, 1e-12);
    EXPECT_NEAR(result.upper, plain.upper + 17.0, 1e-12);
  }
}

/// measured_coverage returns the fraction of `samples` samples of 20 differences whose interval
/// holds the true mean.
double measured_coverage(int samples, double true_mean,
                         const std::function<double(numeric::RandomStream&)>& draw) {
  int covered = 0;
  for (int sample = 0; sample < samples; ++sample) {
    numeric::RandomStream stream(static_cast<std::uint64_t>(sample),
                                 numeric::Purpose::simulated_function, /*step=*/1);
    Numbers differences(20);
    std::ranges::generate(differences, [&] { return draw(stream); });
    const PairedComparison result = compare_with_zero(differences);
    if (result.lower <= true_mean && true_mean <= result.upper) ++covered;
  }
  return covered / static_cast<double>(samples);
}

// The expected values are the stated level and, for skewed differences, the coverage that an
// independent program with another generator measured in 20,000 samples. No interval from 20 values
// does much better.
TEST(ComparePairedSlow, CoversTheTrueMeanAsOftenAsStated) {
  constexpr int kSamples = 2000;
  const auto three_errors = [](double p) { return 3.0 * std::sqrt(p * (1.0 - p) / kSamples); };
  EXPECT_NEAR(measured_coverage(kSamples, 0.0, [](auto& stream) { return stream.normal(); }), 0.95,
              three_errors(0.95));
  EXPECT_NEAR(measured_coverage(kSamples, 1.0, [](auto& stream) { return stream.exponential(); }),
              0.934, three_errors(0.934));
}

TEST(NormalisedRegret, IsOneWithoutProgress) {
  EXPECT_DOUBLE_EQ(normalised_regret(0.6, 0.6), 1.0);
  EXPECT_DOUBLE_EQ(normalised_regret(0.3, 1.2), 0.25);
  EXPECT_EQ(normalised_regret(0.0, 1.2), 0.0);
  EXPECT_DOUBLE_EQ(normalised_cumulative_regret(30.0, 100, 0.6), 0.5);
}

TEST(NormalisedRegret, HasNoValueWithoutAUnit) {
  for (const double nothing : {0.0, -1.0, kNotANumber}) {
    EXPECT_TRUE(std::isnan(normalised_regret(0.5, nothing)));
    EXPECT_TRUE(std::isnan(normalised_cumulative_regret(0.5, 10, nothing)));
  }
  EXPECT_TRUE(std::isnan(normalised_cumulative_regret(0.5, 0, 1.0)));
  EXPECT_TRUE(std::isnan(normalised_cumulative_regret(0.5, -1, -1.0)));
}

TEST(CompareStratified, OfOneTaskIsThePairedComparison) {
  const std::vector<double> method = {1.0, 4.0, 2.5, 7.0, 3.0, 3.5, 9.0};
  const std::vector<double> reference = {2.0, 3.0, 2.0, 9.0, 1.0, 1.5, 4.0};
  const PairedComparison paired = compare_paired(method, reference);
  const PairedComparison stratified = compare_stratified({{-1.0, 1.0, 0.5, -2.0, 2.0, 2.0, 5.0}});
  EXPECT_EQ(stratified.mean, paired.mean);
  EXPECT_EQ(stratified.lower, paired.lower);
  EXPECT_EQ(stratified.upper, paired.upper);
  EXPECT_EQ(stratified.pairs, 7U);
  EXPECT_EQ(stratified.wins, 2U);
  EXPECT_EQ(stratified.losses, 5U);
}

TEST(CompareStratified, CountsTasksAndNotSeeds) {
  // The means are 1 and 4. Pooled over seeds, they would give 1.6.
  const PairedComparison comparison = compare_stratified({{0.0, 1.0, 2.0, 1.0}, {4.0}});
  EXPECT_DOUBLE_EQ(comparison.mean, 2.5);
  EXPECT_EQ(comparison.pairs, 5U);
  EXPECT_TRUE(std::isnan(comparison.lower)) << "one seed says nothing about its scatter";
  EXPECT_TRUE(std::isnan(compare_stratified({}).mean));
  EXPECT_EQ(compare_stratified({}).pairs, 0U);
}

TEST(CompareStratified, DoesNotTakeTheSpreadOfTasksForThatOfSeeds) {
  // The tasks differ by 100 and their seeds by at most 2. The interval must reflect only the seeds.
  const PairedComparison comparison =
      compare_stratified({{-1.0, 1.0, -1.0, 1.0, -1.0, 1.0}, {99, 101, 99, 101, 99, 101}});
  EXPECT_DOUBLE_EQ(comparison.mean, 50.0);
  // The standard error is sqrt(1.2 / 6 + 1.2 / 6) / 2 = 0.316 with 10 degrees of freedom, so t =
  // 2.228.
  EXPECT_NEAR(comparison.lower, 50.0 - 0.705, 0.1);
  EXPECT_NEAR(comparison.upper, 50.0 + 0.705, 0.1);
}

/// normal_scores returns the middle quantiles of a normal law with mean 0.
Numbers normal_scores(std::size_t count, double sd) {
  Numbers scores;
  for (std::size_t i = 0; i < count; ++i) {
    const double level = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    scores.push_back(sd * numeric::normal_quantile(level));
  }
  return scores;
}

TEST(CompareStratified, ATaskCountsAlikeHoweverManySeedsItHas) {
  // The standard error 0.1 / sqrt(40) of one task is negligible. The interval is therefore half
  // that of the other task, with 9 degrees of freedom: t = 2.262.
  const Numbers few = normal_scores(10, 1.0);
  const PairedComparison comparison = compare_stratified({normal_scores(40, 0.1), few});
  const double error = 0.5 * experiment::standard_error(few);
  // The tolerance is that of one task of normal scores: four times 0.037.
  EXPECT_NEAR((comparison.upper - comparison.mean) / error, 2.262, 4.0 * 0.037);
  EXPECT_NEAR((comparison.lower - comparison.mean) / error, -2.262, 4.0 * 0.037);
}

TEST(CompareStratified, SkewOfATaskThatHardlyMattersDoesNotTiltTheInterval) {
  // The variances of the means are 1 for the skewed task and 20 for the other task.
  Numbers skewed(200, -1.0);
  skewed.back() = 199.0;
  Numbers others = normal_scores(8, 1.0);
  const double scale = std::sqrt(20.0) / experiment::standard_error(others);
  for (double& value : others) value *= scale;
  const PairedComparison comparison = compare_stratified({skewed, others});
  const double above = comparison.upper - comparison.mean;
  const double below = comparison.mean - comparison.lower;
  EXPECT_NEAR(above / below, 1.0, 0.15);
}

TEST(CompareStratified, SlowHoldsTheMeanAsOftenAsItSays) {
  // The tasks have different numbers of seeds and different scatter, like the lander among the
  // others.
  numeric::RandomStream stream(7, numeric::Purpose::bootstrap);
  constexpr int kSamples = 400;
  int held = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    std::vector<std::vector<double>> differences = {
        std::vector<double>(20), std::vector<double>(20), std::vector<double>(5)};
    double scatter = 0.5;
    for (std::vector<double>& task : differences) {
      for (double& value : task) value = scatter * stream.normal();
      scatter *= 2.0;
    }
    const PairedComparison comparison = compare_stratified(differences);
    if (comparison.lower <= 0.0 && comparison.upper >= 0.0) ++held;
  }
  // The tolerance is 3 standard errors of 1.1 % around 95 %.
  EXPECT_NEAR(static_cast<double>(held) / kSamples, 0.95, 0.033);
}

}  // namespace
}  // namespace oscbo::report
