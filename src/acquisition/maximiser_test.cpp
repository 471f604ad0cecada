#include "acquisition/maximiser.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "acquisition/acquisition_test_support.hpp"

namespace oscbo::acquisition {
namespace {

using numeric::Purpose;
using numeric::RandomStream;

using test::random_posterior;
using test::unit_box;
using test::view;

TEST(ChooseStarts, AreDistinctAndIncludeTheBest) {
  const Vector values = Vector::LinSpaced(20, -1.0, 1.0);
  for (std::uint64_t step = 0; step < 200; ++step) {
    std::vector<Index> starts =
        choose_starts(values, 5, RandomStream(0, Purpose::start_choice, step));
    EXPECT_EQ(starts.size(), 5U);
    EXPECT_NE(std::find(starts.begin(), starts.end(), 19), starts.end());
    std::sort(starts.begin(), starts.end());
    EXPECT_EQ(std::adjacent_find(starts.begin(), starts.end()), starts.end());
  }
}

// The first choice follows the Boltzmann weights exp((value - mean) / sd).
TEST(ChooseStarts, FollowTheBoltzmannWeights) {
  const Vector values = (Vector(4) << 0.0, 1.0, 2.0, 4.0).finished();
  const double mean = values.mean();
  const double sd = std::sqrt((values.array() - mean).square().sum() / 3.0);
  const Eigen::ArrayXd weights = ((values.array() - mean) / sd).exp();
  std::map<Index, int> counts;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    ++counts[choose_starts(values, 3,
                           RandomStream(1, Purpose::start_choice, static_cast<std::uint64_t>(i)))
                 .front()];
  }
  for (Index i = 0; i < 4; ++i) {
    const double expected = weights[i] / weights.sum();
    const double tolerance = 5.0 * std::sqrt(expected * (1.0 - expected) / kDraws);
    EXPECT_NEAR(counts[i] / static_cast<double>(kDraws), expected, tolerance);
  }
}

TEST(ChooseStarts, AreUniformWhenAllValuesAreEqual) {
  std::map<Index, int> counts;
  for (std::uint64_t step = 0; step < 4000; ++step) {
    for (const Index i :
         choose_starts(Vector::Ones(10), 2, RandomStream(2, Purpose::start_choice, step))) {
      ++counts[i];
    }
  }
  for (Index i = 0; i < 10; ++i) EXPECT_NEAR(counts[i], 800, 130);
}

TEST(ChooseStarts, CannotReturnMoreThanThereAre) {
  EXPECT_EQ(choose_starts(Vector::Ones(1), 5, RandomStream(0, Purpose::start_choice)).size(), 1U);
}

class MaximiserProperty : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(RandomPosteriors, MaximiserProperty, testing::Range(0, 20));

TEST_P(MaximiserProperty, EndsAtALocalMaximumInsideTheBox) {
  const Index d = 1 + GetParam() % 5;
  gp::Surrogate posterior = random_posterior(25, d, static_cast<std::uint64_t>(GetParam()));
  const UpperConfidenceBound ucb{.multiplier = std::sqrt(2.0)};
  Maximiser maximiser{AcquisitionConfig{}};
  const SearchResult found = maximiser.maximise(posterior, ucb, unit_box(d), 7, 1);

  ASSERT_EQ(found.x.size(), d);
  EXPECT_GE(found.x.minCoeff(), 0.0);
  EXPECT_LE(found.x.maxCoeff(), 1.0);
  EXPECT_NEAR(ucb.at(posterior.at(view(found.x))).value, found.value, 1e-12);
  // No small step inside the box improves it noticeably.
  for (Index k = 0; k < d; ++k) {
    for (const double step : {-1e-3, 1e-3}) {
      Vector x = found.x;
      x[k] = std::clamp(x[k] + step, 0.0, 1.0);
      EXPECT_LE(ucb.at(posterior.at(view(x))).value, found.value + 1e-6);
    }
  }
}

TEST_P(MaximiserProperty, FindsTheGlobalMaximumInOneDimension) {
  gp::Surrogate posterior = random_posterior(6, 1, static_cast<std::uint64_t>(GetParam()) + 100);
  const UpperConfidenceBound ucb{.multiplier = std::sqrt(2.0)};
  Maximiser maximiser{AcquisitionConfig{.raw_samples = 64, .restarts = 10}};
  const SearchResult found = maximiser.maximise(posterior, ucb, unit_box(1), 7, 1);
  double best = -1e300;
  for (int i = 0; i <= 10000; ++i) {
    const Vector x = Vector::Constant(1, i / 10000.0);
    best = std::max(best, ucb.at(posterior.at(view(x))).value);
  }
  EXPECT_GE(found.value, best - 1e-6);
}

TEST(Maximiser, SameStreamsSameAnswerWhateverWasSearchedBefore) {
  gp::Surrogate posterior = random_posterior(30, 4, 3);
  const UpperConfidenceBound ucb{.multiplier = std::sqrt(2.0)};
  Maximiser fresh{AcquisitionConfig{}};
  Maximiser used{AcquisitionConfig{}};
  (void)used.maximise(posterior, ucb, unit_box(4), 1, 99);
  const SearchResult a = fresh.maximise(posterior, ucb, unit_box(4), 1, 5);
  const SearchResult b = used.maximise(posterior, ucb, unit_box(4), 1, 5);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.value, b.value);
  EXPECT_NE(a.x, fresh.maximise(posterior, ucb, unit_box(4), 2, 5).x);
}

// A best value out of all proportion leaves no value that could be represented.
TEST(Maximiser, FindsAPointUnderEveryFunctionWhateverTheBestValue) {
  gp::Surrogate posterior = random_posterior(10, 2, 4);
  Maximiser maximiser{AcquisitionConfig{}};
  for (const AcquisitionKind kind :
       {AcquisitionKind::ucb, AcquisitionKind::logei, AcquisitionKind::ei, AcquisitionKind::pi}) {
    for (const double best : {-1e150, -1.0, 1.0, 30.0, 1e6, 1e150}) {
      const Acquisition acquisition = make_acquisition(kind, {.multiplier = 1.0, .best = best});
      const SearchResult found = maximiser.maximise(posterior, acquisition, unit_box(2), 1, 1);
      ASSERT_EQ(found.x.size(), 2);
      EXPECT_GE(found.x.minCoeff(), 0.0);
      EXPECT_LE(found.x.maxCoeff(), 1.0);
    }
  }
}

// Far below the best value the improvement is 0 as far as a double can tell, and its logarithm is
// largest where (best - mean) / sd is smallest.
TEST(Maximiser, FollowsTheLogarithmOfAnImprovementTooSmallToBeSeen) {
  gp::Surrogate posterior = random_posterior(8, 1, 5);
  constexpr double kBest = 100.0;
  double smallest = 1e300;
  for (int i = 0; i <= 10000; ++i) {
    const Vector x = Vector::Constant(1, i / 10000.0);
    const gp::Moments moments = posterior.at(view(x));
    smallest = std::min(smallest, (kBest - moments.mean) / std::sqrt(moments.variance));
  }
  ASSERT_GT(smallest, 40.0);
  Maximiser maximiser{AcquisitionConfig{.raw_samples = 64, .restarts = 10}};
  const SearchResult found =
      maximiser.maximise(posterior, LogExpectedImprovement{.best = kBest}, unit_box(1), 7, 1);
  const gp::Moments moments = posterior.at(view(found.x));
  EXPECT_NEAR((kBest - moments.mean) / std::sqrt(moments.variance), smallest, 1e-2);
}

TEST(Maximiser, FollowsTheBoxItIsGiven) {
  gp::Surrogate posterior = random_posterior(10, 2, 4);
  const UpperConfidenceBound ucb{.multiplier = std::sqrt(2.0)};
  Maximiser maximiser{AcquisitionConfig{}};
  const SearchBox box{.lower = Vector::Constant(2, 0.25), .upper = Vector::Constant(2, 0.5)};
  const SearchResult found = maximiser.maximise(posterior, ucb, box, 1, 1);
  EXPECT_GE(found.x.minCoeff(), 0.25);
  EXPECT_LE(found.x.maxCoeff(), 0.5);
}

}  // namespace
}  // namespace oscbo::acquisition
