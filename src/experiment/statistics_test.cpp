#include "experiment/statistics.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace oscbo::experiment {
namespace {

using Numbers = std::vector<double>;

TEST(Statistics, MeanAndStandardErrorOfASmallSample) {
  const Numbers values = {1.0, 2.0, 3.0, 6.0};
  EXPECT_DOUBLE_EQ(mean(values), 3.0);
  // The sum of squares is 14, so the variance is 14 / 3 and the standard error is sqrt(14 / 3 / 4).
  EXPECT_DOUBLE_EQ(standard_error(values), std::sqrt(14.0 / 12.0));
}

TEST(Statistics, UndefinedValuesAreNan) {
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(standard_error(Numbers{1.0})));
  EXPECT_DOUBLE_EQ(mean(Numbers{5.0}), 5.0);
}

TEST(Statistics, RanksShareTheirMeanInTies) {
  EXPECT_EQ(ranks(Numbers{3.0, 1.0, 2.0}), (Numbers{3.0, 1.0, 2.0}));
  EXPECT_EQ(ranks(Numbers{1.0, 2.0, 1.0, 0.5}), (Numbers{2.5, 4.0, 2.5, 1.0}));
  EXPECT_EQ(ranks(Numbers{7.0, 7.0, 7.0}), (Numbers{2.0, 2.0, 2.0}));
  EXPECT_TRUE(ranks({}).empty());
}

TEST(Statistics, NominalCoverageOfTheNormalDistribution) {
  EXPECT_NEAR(nominal_coverage(1.0), 0.682689492137086, 1e-12);
  EXPECT_NEAR(nominal_coverage(2.0), 0.842700792949715, 1e-12);
  EXPECT_NEAR(nominal_coverage(4.0), 0.954499736103642, 1e-12);
}

TEST(Statistics, GeometricMean) {
  EXPECT_DOUBLE_EQ(geometric_mean(std::vector{0.5, 2.0, 8.0}), 2.0);
  EXPECT_TRUE(std::isnan(geometric_mean({})));
}

}  // namespace
}  // namespace oscbo::experiment
