#include "acquisition/maximiser.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "acquisition/acquisition_test_support.hpp"
#include "gp/basin.hpp"

namespace oscbo::acquisition {
namespace {

using numeric::Purpose;
using numeric::RandomStream;

using test::random_posterior;
using test::unit_area;
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

TEST(ChooseStarts, AreUniformIfAllValuesAreEqual) {
  std::map<Index, int> counts;
  for (std::uint64_t step = 0; step < 4000; ++step) {
    for (const Index i :
         choose_starts(Vector::Ones(10), 2, RandomStream(2, Purpose::start_choice, step))) {
      ++counts[i];
    }
  }
  for (Index i = 0; i < 10; ++i) EXPECT_NEAR(counts[i], 800, 130);
}

TEST(ChooseStarts, AreAtMostAsManyAsTheValues) {
  EXPECT_EQ(choose_starts(Vector::Ones(1), 5, RandomStream(0, Purpose::start_choice)).size(), 1U);
}

class MaximiserProperty : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(RandomPosteriors, MaximiserProperty, testing::Range(0, 20));

TEST_P(MaximiserProperty, EndsAtALocalMaximumInsideTheBox) {
  const Index d = 1 + GetParam() % 5;
  const auto solver =
      GetParam() % 2 == 0 ? AcquisitionOptions::Solver::lbfgsb : AcquisitionOptions::Solver::bfgs;
  gp::Surrogate posterior = random_posterior(25, d, static_cast<std::uint64_t>(GetParam()));
  const UpperConfidenceBound ucb{.multiplier = std::sqrt(2.0)};
  Maximiser maximiser{AcquisitionOptions{.solver = solver}};
  const SearchResult found = maximiser.maximise(posterior, ucb, unit_area(d), 7, 1);

  ASSERT_EQ(found.x.size(), d);
  EXPECT_GE(found.x.minCoeff(), 0.0);
  EXPECT_LE(found.x.maxCoeff(), 1.0);
  EXPECT_NEAR(ucb.at(posterior.at(view(found.x))).value, found.value, 1e-12);
  // No small step inside the box improves the value noticeably.
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
  const auto solver =
      GetParam() % 2 == 0 ? AcquisitionOptions::Solver::lbfgsb : AcquisitionOptions::Solver::bfgs;
  Maximiser maximiser{AcquisitionOptions{.solver = solver, .raw_samples = 64, .restarts = 10}};
  const SearchResult found = maximiser.maximise(posterior, ucb, unit_area(1), 7, 1);
  double best = -1e300;
  for (int i = 0; i <= 10000; ++i) {
    const Vector x = Vector::Constant(1, i / 10000.0);
    best = std::max(best, ucb.at(posterior.at(view(x))).value);
  }
  EXPECT_GE(found.value, best - 1e-6);
}

// With bfgs the starts are the best points, so more starts include all earlier ones.
TEST_P(MaximiserProperty, MoreRestartsNeverWorsenTheResult) {
  gp::Surrogate posterior = random_posterior(30, 3, static_cast<std::uint64_t>(GetParam()));
  const UpperConfidenceBound ucb{.multiplier = std::sqrt(2.0)};
  double value = -1e300;
  for (const int restarts : {1, 2, 5, 9}) {
    Maximiser maximiser{AcquisitionOptions{
        .solver = AcquisitionOptions::Solver::bfgs, .raw_samples = 64, .restarts = restarts}};
    const double found = maximiser.maximise(posterior, ucb, unit_area(3), 7, 1).value;
    EXPECT_GE(found, value) << restarts;
    value = found;
  }
}

// With many points, hopeless searches stop early. The result must still be a local maximum.
TEST_P(MaximiserProperty, EndsAtALocalMaximumWithManyPointsToo) {
  gp::Surrogate posterior = random_posterior(210, 3, static_cast<std::uint64_t>(GetParam()));
  const UpperConfidenceBound ucb{.multiplier = std::sqrt(2.0)};
  Maximiser maximiser{
      AcquisitionOptions{.solver = AcquisitionOptions::Solver::bfgs, .raw_samples = 64}};
  const SearchResult found = maximiser.maximise(posterior, ucb, unit_area(3), 7, 1);
  for (Index k = 0; k < 3; ++k) {
    for (const double step : {-1e-3, 1e-3}) {
      Vector x = found.x;
      x[k] = std::clamp(x[k] + step, 0.0, 1.0);
      EXPECT_LE(ucb.at(posterior.at(view(x))).value, found.value + 1e-6);
    }
  }
}

TEST(Maximiser, SameStreamsGiveTheSameResultAfterAnySearch) {
  gp::Surrogate posterior = random_posterior(30, 4, 3);
  const UpperConfidenceBound ucb{.multiplier = std::sqrt(2.0)};
  Maximiser fresh{AcquisitionOptions{}};
  Maximiser used{AcquisitionOptions{}};
  (void)used.maximise(posterior, ucb, unit_area(4), 1, 99);
  const SearchResult a = fresh.maximise(posterior, ucb, unit_area(4), 1, 5);
  const SearchResult b = used.maximise(posterior, ucb, unit_area(4), 1, 5);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.value, b.value);
  EXPECT_NE(a.x, fresh.maximise(posterior, ucb, unit_area(4), 2, 5).x);
}

// With an extreme best value, no acquisition value is representable.
TEST(Maximiser, FindsAPointForEveryAcquisitionAndBestValue) {
  gp::Surrogate posterior = random_posterior(10, 2, 4);
  Maximiser maximiser{AcquisitionOptions{}};
  for (const AcquisitionOptions::Kind kind :
       {AcquisitionOptions::Kind::ucb, AcquisitionOptions::Kind::logei,
        AcquisitionOptions::Kind::ei, AcquisitionOptions::Kind::pi}) {
    for (const double best : {-1e150, -1.0, 1.0, 30.0, 1e6, 1e150}) {
      const Acquisition acquisition = make_acquisition(kind, {.multiplier = 1.0, .best = best});
      const SearchResult found = maximiser.maximise(posterior, acquisition, unit_area(2), 1, 1);
      ASSERT_EQ(found.x.size(), 2);
      EXPECT_GE(found.x.minCoeff(), 0.0);
      EXPECT_LE(found.x.maxCoeff(), 1.0);
    }
  }
}

// Far below the best value the improvement underflows to 0. Its logarithm is largest where (best -
// mean) / sd is smallest.
TEST(Maximiser, FollowsTheLogarithmOfAnImprovementThatUnderflows) {
  gp::Surrogate posterior = random_posterior(8, 1, 5);
  constexpr double kBest = 100.0;
  double smallest = 1e300;
  for (int i = 0; i <= 10000; ++i) {
    const Vector x = Vector::Constant(1, i / 10000.0);
    const prediction::Moments moments = posterior.at(view(x));
    smallest = std::min(smallest, (kBest - moments.mean) / std::sqrt(moments.variance));
  }
  ASSERT_GT(smallest, 40.0);
  Maximiser maximiser{AcquisitionOptions{.raw_samples = 64, .restarts = 10}};
  const SearchResult found =
      maximiser.maximise(posterior, LogExpectedImprovement{.best = kBest}, unit_area(1), 7, 1);
  const prediction::Moments moments = posterior.at(view(found.x));
  EXPECT_NEAR((kBest - moments.mean) / std::sqrt(moments.variance), smallest, 1e-2);
}

TEST(Maximiser, StaysInTheGivenBox) {
  gp::Surrogate posterior = random_posterior(10, 2, 4);
  const UpperConfidenceBound ucb{.multiplier = std::sqrt(2.0)};
  Maximiser maximiser{AcquisitionOptions{}};
  const SearchArea area{
      .box = {.lower = Vector::Constant(2, 0.25), .upper = Vector::Constant(2, 0.5)}};
  const SearchResult found = maximiser.maximise(posterior, ucb, area, 1, 1);
  EXPECT_GE(found.x.minCoeff(), 0.25);
  EXPECT_LE(found.x.maxCoeff(), 0.5);
}

// --- looking close to a point, and away from hills ---------------------------------------------

/// A posterior on a line with a peak at 0.2 and a higher one at 0.8, and a basin for each.
class TwoPeaks : public testing::Test {
 protected:
  TwoPeaks() {
    gp::Inputs inputs(1);
    Vector y(21);
    for (Index i = 0; i <= 20; ++i) {
      const double x = static_cast<double>(i) / 20.0;
      inputs.append(std::vector{x});
      y[i] =
          std::exp(-100.0 * (x - 0.2) * (x - 0.2)) + 1.2 * std::exp(-100.0 * (x - 0.8) * (x - 0.8));
    }
    const gp::KernelHandle kernel = gp::stationary_kernel(gp::KernelShape::matern52);
    const Vector theta = Vector::Constant(1, 0.2);
    EXPECT_TRUE(model_.fit(inputs, y, theta).ok);
    const Vector reach = Vector::Constant(1, 0.08);  // 0.16 to either side
    gp::Posterior posterior(kernel, 1e-4);
    EXPECT_TRUE(posterior.fit(inputs, y, theta).ok);
    higher_ = std::make_shared<gp::Basin>(posterior.mean_function(), std::vector{0.8}, reach);
    lower_ = std::make_shared<gp::Basin>(posterior.mean_function(), std::vector{0.2}, reach);
  }

  double best(SearchArea area) {
    Maximiser maximiser{AcquisitionOptions{.solver = AcquisitionOptions::Solver::bfgs,
                                           .raw_samples = 50,
                                           .restarts = 4,
                                           .max_iterations = 40}};
    return maximiser.maximise(model_, UpperConfidenceBound{}, area, 3, 1).x[0];
  }

  using Hill = std::shared_ptr<const gp::Basin>;
  static std::function<bool(const Vector&)> on_any_of(std::vector<Hill> hills) {
    return [hills = std::move(hills)](const Vector& x) {
      return std::any_of(hills.begin(), hills.end(),
                         [&](const Hill& hill) { return hill->contains(view(x)); });
    };
  }

  gp::Surrogate model_{gp::stationary_kernel(gp::KernelShape::matern52), 1e-4};
  std::shared_ptr<const gp::Basin> higher_;
  std::shared_ptr<const gp::Basin> lower_;
};

TEST_F(TwoPeaks, TheSearchAvoidsExcludedHills) {
  SearchArea area = unit_area(1);
  EXPECT_NEAR(best(area), 0.8, 1e-2);
  area.is_excluded = on_any_of({higher_});
  EXPECT_NEAR(best(area), 0.2, 1e-2);
  area.is_excluded = on_any_of({lower_});
  EXPECT_NEAR(best(area), 0.8, 1e-2);
}

// Only a plateau is left, so the search returns its point with the largest variance.
TEST_F(TwoPeaks, TheSearchFindsAPointIfAllHillsAreExcluded) {
  SearchArea area = unit_area(1);
  area.is_excluded = on_any_of({lower_, higher_});
  const double x = best(area);
  EXPECT_GE(x, 0.0);
  EXPECT_LE(x, 1.0);
  EXPECT_FALSE(area.excludes(Vector::Constant(1, x)));
}

TEST_F(TwoPeaks, ChooseBestStartsReturnsTheBestDistantAndAllowedPoints) {
  numeric::PaddedMatrix points(6, 1);
  const std::vector<double> x = {0.80, 0.81, 0.2, 0.25, 0.36, 0.5};
  for (Index i = 0; i < 6; ++i) points(i, 0) = x[static_cast<std::size_t>(i)];
  const Vector values{{5.0, 6.0, 3.0, 4.0, 2.0, 1.0}};
  SearchArea area = unit_area(1);
  EXPECT_EQ(choose_best_starts(values, points, area, 3), (std::vector<Index>{1, 3, 4}));
  EXPECT_EQ(choose_best_starts(values, points, area, 10).size(), 4U);
  area.is_excluded = on_any_of({higher_});
  EXPECT_EQ(choose_best_starts(values, points, area, 1), (std::vector<Index>{3}));
}

TEST(PlaceSteps, StayCloseToTheCentreAndInTheBox) {
  const SearchBox box{.lower = Vector{{0.0, 10.0}}, .upper = Vector{{1.0, 30.0}}};
  const Vector centre{{0.999, 20.0}};
  numeric::PaddedMatrix points(400, 2);
  RandomStream stream(1, Purpose::local_samples);
  place_steps(box, centre, 0, 400, stream, points);
  int close = 0;
  for (Index i = 0; i < 400; ++i) {
    EXPECT_GE(points(i, 0), 0.0);
    EXPECT_LE(points(i, 0), 1.0);
    close += std::abs(points(i, 1) - 20.0) < 0.4 ? 1 : 0;  // 2 % of the side
  }
  EXPECT_GT(close, 200);
  EXPECT_LT(close, 400);
}

TEST(PlaceChanges, DifferFromTheCentreInOneOrTwoCoordinates) {
  const Index d = 5;
  const Vector centre = Vector::Constant(d, 0.5);
  numeric::PaddedMatrix points(300, d);
  RandomStream stream(1, Purpose::local_samples);
  place_changes(test::unit_box(d), centre, 0, 300, stream, points);
  std::vector<int> counts(static_cast<std::size_t>(d) + 1);
  for (Index i = 0; i < 300; ++i) {
    std::size_t changed = 0;
    for (Index k = 0; k < d; ++k) changed += points(i, k) == 0.5 ? 0 : 1;
    ++counts[changed];
  }
  EXPECT_EQ(counts[0], 0);
  EXPECT_NEAR(counts[1], 180, 50);  // half change once; a fifth of the rest redraw one twice
  EXPECT_EQ(counts[1] + counts[2], 300);
}

// The peak is so narrow that no Sobol point falls on it.
TEST(Maximiser, FindsAPeakCloseToTheIncumbent) {
  gp::Inputs inputs(3);
  inputs.append(std::vector{0.3, 0.4, 0.5});
  gp::Surrogate model(gp::stationary_kernel(gp::KernelShape::rbf), 1e-4);
  ASSERT_TRUE(model.fit(inputs, Vector::Ones(1), Vector::Constant(1, 0.01)).ok);
  SearchArea area{.box = test::unit_box(3), .incumbent = Vector{{0.31, 0.4, 0.49}}};
  const auto best = [&](int local_samples) {
    Maximiser maximiser{AcquisitionOptions{.solver = AcquisitionOptions::Solver::bfgs,
                                           .raw_samples = 50,
                                           .local_samples = local_samples,
                                           .max_iterations = 40}};
    return maximiser.maximise(model, UpperConfidenceBound{}, area, 1, 1).value;
  };
  EXPECT_LT(best(0), 0.01);
  EXPECT_GT(best(50), 0.99);
}

}  // namespace
}  // namespace oscbo::acquisition
