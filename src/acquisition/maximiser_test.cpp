#include "acquisition/maximiser.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace oscbo::acquisition {
namespace {

using numeric::Purpose;
using numeric::RandomStream;

std::span<const double> view(const Vector& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// A posterior over a random data set in d dimensions.
gp::Posterior random_posterior(Index n, Index d, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::initial_design);
  gp::Inputs inputs(d);
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    const Vector x = Vector::NullaryExpr(d, [&] { return stream.uniform(); });
    inputs.append(view(x));
    y[i] = stream.normal();
  }
  gp::Posterior posterior(gp::stationary_kernel(gp::KernelShape::matern52), 0.01);
  EXPECT_TRUE(posterior.fit(inputs, y, Vector::Constant(1, 0.4)).ok);
  return posterior;
}

SearchBox unit_box(Index d) { return {.lower = Vector::Zero(d), .upper = Vector::Ones(d)}; }

TEST(UpperConfidenceBound, HasBetaUnderTheRootAndTheRightSlopes) {
  const UpperConfidenceBound ucb(2.0);
  const gp::Moments moments{.mean = 0.3, .variance = 0.25};
  const AcquisitionValue a = ucb.at(moments);
  EXPECT_DOUBLE_EQ(a.value, 0.3 + std::sqrt(2.0) * 0.5);
  EXPECT_EQ(a.mean_slope, 1.0);
  constexpr double kStep = 1e-6;
  const double difference = (ucb.at({.mean = 0.3, .variance = 0.25 + kStep}).value -
                             ucb.at({.mean = 0.3, .variance = 0.25 - kStep}).value) /
                            (2.0 * kStep);
  EXPECT_NEAR(a.variance_slope, difference, 1e-8);
}

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
  gp::Posterior posterior = random_posterior(25, d, static_cast<std::uint64_t>(GetParam()));
  const UpperConfidenceBound ucb(2.0);
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
  gp::Posterior posterior = random_posterior(6, 1, static_cast<std::uint64_t>(GetParam()) + 100);
  const UpperConfidenceBound ucb(2.0);
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
  gp::Posterior posterior = random_posterior(30, 4, 3);
  const UpperConfidenceBound ucb(2.0);
  Maximiser fresh{AcquisitionConfig{}};
  Maximiser used{AcquisitionConfig{}};
  (void)used.maximise(posterior, ucb, unit_box(4), 1, 99);
  const SearchResult a = fresh.maximise(posterior, ucb, unit_box(4), 1, 5);
  const SearchResult b = used.maximise(posterior, ucb, unit_box(4), 1, 5);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.value, b.value);
  EXPECT_NE(a.x, fresh.maximise(posterior, ucb, unit_box(4), 2, 5).x);
}

TEST(Maximiser, FollowsTheBoxItIsGiven) {
  gp::Posterior posterior = random_posterior(10, 2, 4);
  const UpperConfidenceBound ucb(2.0);
  Maximiser maximiser{AcquisitionConfig{}};
  const SearchBox box{.lower = Vector::Constant(2, 0.25), .upper = Vector::Constant(2, 0.5)};
  const SearchResult found = maximiser.maximise(posterior, ucb, box, 1, 1);
  EXPECT_GE(found.x.minCoeff(), 0.25);
  EXPECT_LE(found.x.maxCoeff(), 0.5);
}

}  // namespace
}  // namespace oscbo::acquisition
