#include "acquisition/climb.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "acquisition/acquisition_test_support.hpp"

namespace oscbo::acquisition {
namespace {

using numeric::Purpose;
using numeric::RandomStream;
using Solver = AcquisitionOptions::Solver;

/// The mean is -|x - top|^2 in sides of the box, and the variance is 1. It counts what is asked of
/// it.
class Hill final : public prediction::Predictor {
 public:
  Hill(Vector top, Vector sides) : top_(std::move(top)), sides_(std::move(sides)) {}

  [[nodiscard]] Index size() const override { return 10; }
  prediction::Moments at(std::span<const double> x) override {
    double squares = 0.0;
    for (Index k = 0; k < top_.size(); ++k) {
      squares += std::pow((x[static_cast<std::size_t>(k)] - top_[k]) / sides_[k], 2);
    }
    return {.mean = -squares, .variance = 1.0};
  }
  void predict(std::span<prediction::LocalPrediction> points) override {
    gradients += static_cast<int>(points.size());
    for (prediction::LocalPrediction& point : points) {
      point.moments = at(test::view(point.x));
      for (Index k = 0; k < top_.size(); ++k) {
        const auto entry = static_cast<std::size_t>(k);
        point.mean_gradient[entry] = -2.0 * (point.x[k] - top_[k]) / (sides_[k] * sides_[k]);
        point.variance_gradient[entry] = 0.0;
      }
    }
  }
  void at_batch(prediction::PredictionBatch& batch) override {
    std::vector<Vector>& points = batches.emplace_back();
    for (Index i = 0; i < batch.points.rows(); ++i) {
      points.push_back(point_of(batch.points, i));
      const prediction::Moments moments = at(test::view(point_of(batch.points, i)));
      batch.means[i] = is_broken ? std::numeric_limits<double>::quiet_NaN() : moments.mean;
      batch.variances[i] = moments.variance;
    }
  }
  void joint_covariance(prediction::PredictionBatch& batch, numeric::PaddedMatrix&) override {
    at_batch(batch);
  }
  void condition_on_pending(std::span<const double>) override {}

  int gradients = 0;
  std::vector<std::vector<Vector>> batches;
  bool is_broken = false;

 private:
  Vector top_;
  Vector sides_;
};

const SearchArea& area() {
  static const SearchArea area{.box = {.lower = (Vector(2) << -2.0, 10.0).finished(),
                                       .upper = (Vector(2) << 2.0, 20.0).finished()}};
  return area;
}

Hill hill(double x, double y) {
  return {(Vector(2) << x, y).finished(), area().box.upper - area().box.lower};
}

std::vector<Vector> starts() {
  return {(Vector(2) << -1.5, 11.0).finished(), (Vector(2) << 1.9, 19.5).finished(),
          (Vector(2) << 0.0, 12.0).finished()};
}

std::vector<Climb> climb_with(Solver solver, prediction::Predictor& model, std::uint64_t step = 0) {
  const AcquisitionOptions options{.solver = solver, .max_iterations = 50, .adam_rate = 0.05};
  return climb(model, UpperConfidenceBound{.multiplier = 1.0}, area(), starts(), options,
               RandomStream(3, Purpose::start_choice, step));
}

class EverySolver : public testing::TestWithParam<Solver> {};
INSTANTIATE_TEST_SUITE_P(All, EverySolver,
                         testing::Values(Solver::lbfgsb, Solver::bfgs, Solver::adam,
                                         Solver::candidates));

TEST_P(EverySolver, StaysInTheBoxAndIsNeverWorseThanTheStart) {
  Hill outside = hill(3.0, 21.0);  // the best point of the box is a corner
  const UpperConfidenceBound ucb{.multiplier = 1.0};
  const std::vector<Climb> climbs = climb_with(GetParam(), outside);
  ASSERT_EQ(climbs.size(), starts().size());
  for (std::size_t i = 0; i < climbs.size(); ++i) {
    EXPECT_TRUE((climbs[i].x.array() >= area().box.lower.array()).all());
    EXPECT_TRUE((climbs[i].x.array() <= area().box.upper.array()).all());
    EXPECT_EQ(climbs[i].value, ucb.at(outside.at(test::view(climbs[i].x))).value);
    EXPECT_GT(climbs[i].value, ucb.at(outside.at(test::view(starts()[i]))).value);
    EXPECT_FALSE(climbs[i].failed);
  }
}

TEST_P(EverySolver, ReturnsTheSameAgain) {
  Hill inside = hill(0.4, 16.0);
  const std::vector<Climb> once = climb_with(GetParam(), inside);
  const std::vector<Climb> again = climb_with(GetParam(), inside);
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].x, again[i].x);
}

TEST_P(EverySolver, StaysAtAStartThatIsTheTop) {
  const Vector top = starts().back();
  Hill inside = hill(top[0], top[1]);
  EXPECT_EQ(climb_with(GetParam(), inside).back().x, top);
}

TEST(ClimbByAdam, TakesTheGivenStepsFromEachStart) {
  Hill inside = hill(0.4, 16.0);
  const std::vector<Climb> climbs = climb_with(Solver::adam, inside);
  EXPECT_EQ(inside.gradients, 3 * 51) << "the start, and the points after 50 steps";
  EXPECT_TRUE(inside.batches.empty());
  for (const Climb& climb : climbs) {
    EXPECT_NEAR(climb.x[0], 0.4, 0.02 * 4.0);
    EXPECT_NEAR(climb.x[1], 16.0, 0.02 * 10.0);
  }
}

TEST(ClimbByClouds, NeedsNoGradients) {
  Hill inside = hill(-1.0, 12.0);
  const std::vector<Climb> climbs = climb_with(Solver::candidates, inside);
  EXPECT_EQ(inside.gradients, 0);
  EXPECT_GT(climbs.front().value, 1.0 - 0.005) << "the start is 0.16 away";
}

TEST(ClimbByClouds, PlacesEachCloudAroundTheBestPointOfTheLast) {
  Hill inside = hill(-1.0, 12.0);
  static_cast<void>(climb_with(Solver::candidates, inside));
  ASSERT_EQ(inside.batches.size(), 3U);
  const auto mean = [&](const Vector& x) { return inside.at(test::view(x)).mean; };
  for (std::size_t start = 0; start < 3; ++start) {
    const auto cloud = [&](std::size_t batch) {
      return std::span(inside.batches[batch]).subspan(9 * start, 9);
    };
    EXPECT_EQ(cloud(0).front(), starts()[start]);
    for (const std::size_t batch : {1U, 2U}) {
      const auto best = std::ranges::max_element(cloud(batch - 1), {}, mean);
      EXPECT_EQ(cloud(batch).front(), *best);
    }
  }
  EXPECT_EQ(inside.batches.front().size(), 27U);
}

TEST(ClimbByClouds, AreDrawnByTheStream) {
  Hill inside = hill(0.4, 16.0);
  EXPECT_NE(climb_with(Solver::candidates, inside, 0).front().x,
            climb_with(Solver::candidates, inside, 1).front().x);
}

TEST(ClimbByClouds, StaysAtTheStartWithoutAnyValue) {
  Hill broken = hill(0.4, 16.0);
  broken.is_broken = true;
  const std::vector<Climb> climbs = climb_with(Solver::candidates, broken);
  for (std::size_t i = 0; i < climbs.size(); ++i) {
    EXPECT_EQ(climbs[i].x, starts()[i]);
    EXPECT_EQ(climbs[i].value, -std::numeric_limits<double>::infinity());
  }
}

}  // namespace
}  // namespace oscbo::acquisition
