// The controls random and sobol. They have no model, and the other methods are compared with them.
#include <set>

#include <gtest/gtest.h>

#include "acquisition/acquisition_options.hpp"
#include "optimizer/data_options.hpp"
#include "optimizer/initial_design.hpp"
#include "optimizer/optimizer_test_support.hpp"
#include "oscbo/optimizer.hpp"
#include "space/region.hpp"

namespace oscbo {
namespace {

using test::after_rounds;
using test::hill;
using test::kSquare;
using test::short_config;

std::vector<std::vector<double>> points_of(const Optimizer& optimizer) {
  std::vector<std::vector<double>> points;
  for (const Trial& trial : optimizer.trials()) points.push_back(trial.x);
  return points;
}

class Control : public testing::TestWithParam<const char*> {
 protected:
  static Config config() { return short_config(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Both, Control, testing::Values("random", "sobol"));

TEST_P(Control, StartsWithTheDesignOfTheOtherMethods) {
  for (const DataOptions::Design law :
       {DataOptions::Design::sobol, DataOptions::Design::uniform, DataOptions::Design::lhs}) {
    Config control = config();
    Config other = short_config();
    control.edit<DataOptions>().design = other.edit<DataOptions>().design = law;
    EXPECT_EQ(points_of(after_rounds(4, control, 3)), points_of(after_rounds(4, other, 3)));
  }
}

TEST_P(Control, PredictsNothing) {
  const Optimizer optimizer = after_rounds(20, config());
  for (const Trial& trial : optimizer.trials()) {
    EXPECT_FALSE(trial.prediction());
    EXPECT_FALSE(trial.feedback());
    EXPECT_TRUE(trial.y());
  }
  EXPECT_EQ(optimizer.rounds(), 0) << "no point was chosen by a model";
}

TEST_P(Control, GivesDistinctPointsThatBelongToTheSeed) {
  std::set<std::vector<double>> points;
  for (const std::uint64_t seed : {0U, 1U}) {
    const auto run = points_of(after_rounds(40, config(), seed));
    EXPECT_EQ(points_of(after_rounds(40, config(), seed)), run);
    points.insert(run.begin(), run.end());
  }
  EXPECT_EQ(points.size(), 80U);
}

TEST_P(Control, DoesNotLookAtTheObservations) {
  Optimizer other(kSquare, config());
  test::run(other, 20, [](const std::vector<double>& x) { return -1e6 * hill(x); });
  EXPECT_EQ(points_of(other), points_of(after_rounds(20, config())));
  Optimizer untold(kSquare, config());
  for (int i = 0; i < 20; ++i) untold.ask();
  EXPECT_EQ(points_of(untold), points_of(other));
}

TEST_P(Control, RecommendsTheBestObservationAlsoOfNoisyOnes) {
  const Optimizer optimizer = after_rounds(20, config());
  for (const Trial& trial : optimizer.trials()) {
    EXPECT_LE(*trial.y(), *optimizer.recommendation_by_mean().trial.y());
  }
}

TEST(Sobol, ContinuesTheSequenceOfTheInitialDesign) {
  const Space box = Space::of_box(kSquare);
  const space::Region region(box.domain());
  numeric::RandomStream unused(0, numeric::Purpose::design_repair);
  const auto points = points_of(after_rounds(30, short_config("sobol"), 7));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto u = region.draw(initial_point(DataOptions::Design::sobol, 2, 4, i, 7), unused);
    EXPECT_EQ(points[i], region.values(*u));
  }
}

// The mean of a uniform coordinate over 400 points has a standard error of 0.0144.
TEST(Random, IsUniformOnTheUnitCube) {
  for (std::size_t k = 0; k < 2; ++k) {
    double mean = 0.0;
    double below = 0.0;
    for (std::size_t i = 0; i < 400; ++i) {
      const double u = control_point(acquisition::AcquisitionOptions::Kind::random, 2, i, 5)[k];
      ASSERT_GE(u, 0.0);
      ASSERT_LE(u, 1.0);
      mean += u / 400.0;
      below += u < 0.25 ? 1.0 / 400.0 : 0.0;
    }
    EXPECT_NEAR(mean, 0.5, 4.0 * 0.0144);
    EXPECT_NEAR(below, 0.25, 4.0 * 0.0217);
  }
}

}  // namespace
}  // namespace oscbo
