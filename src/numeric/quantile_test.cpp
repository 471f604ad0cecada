#include "numeric/quantile.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/random_stream.hpp"

namespace oscbo::numeric {
namespace {

const std::vector<double> kSample{4.0, -1.0, 3.0, 10.0, 2.0};  // sorted: -1 2 3 4 10

TEST(LinearQuantile, InterpolatesBetweenOrderStatistics) {
  const auto at = [](double p) { return linear_quantile(kSample, p).of(kSample); };
  EXPECT_EQ(at(0.0), -1.0);
  EXPECT_EQ(at(0.25), 2.0);
  EXPECT_EQ(at(0.5), 3.0);
  EXPECT_EQ(at(1.0), 10.0);
  EXPECT_DOUBLE_EQ(at(0.125), 0.5);  // position 0.5
  EXPECT_DOUBLE_EQ(at(0.9), 7.6);    // position 3.6
}

TEST(LinearQuantile, NamesTheEntriesAndTheirWeights) {
  const QuantileEntries entries = linear_quantile(kSample, 0.9);
  EXPECT_EQ(entries.lower, 0U);
  EXPECT_EQ(entries.upper, 3U);
  EXPECT_NEAR(entries.upper_weight, 0.6, 1e-15);
}

TEST(LinearQuantile, AcceptsOneOrTwoValues) {
  const std::vector<double> one{7.0};
  const std::vector<double> two{5.0, 1.0};
  for (const double p : {0.0, 0.3, 1.0}) {
    EXPECT_EQ(linear_quantile(one, p).of(one), 7.0);
    EXPECT_DOUBLE_EQ(linear_quantile(two, p).of(two), 1.0 + 4.0 * p);
  }
}

TEST(LinearQuantile, DoesNotDependOnTheOrderOfTheSample) {
  RandomStream stream(2, Purpose::initial_design);
  for (std::size_t n = 1; n < 30; ++n) {
    std::vector<double> sample(n);
    for (double& value : sample) value = static_cast<double>(stream.below(10));  // with ties
    const double p = stream.uniform();
    std::vector<double> sorted = sample;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(linear_quantile(sample, p).of(sample), linear_quantile(sorted, p).of(sorted));
    EXPECT_EQ(conformal_quantile(sample, p).of(sample), conformal_quantile(sorted, p).of(sorted));
  }
}

TEST(ConformalQuantile, IsTheOrderStatisticOfTheSampleAndOneFurtherValue) {
  const auto at = [](double p) { return conformal_quantile(kSample, p).of(kSample); };
  EXPECT_EQ(at(0.0), -1.0) << "there is no order statistic 0";
  EXPECT_EQ(at(0.3), 2.0);   // ceil(1.8) = 2
  EXPECT_EQ(at(0.5), 3.0);   // ceil(3.0) = 3
  EXPECT_EQ(at(0.51), 4.0);  // ceil(3.06) = 4
  EXPECT_EQ(at(0.8), 10.0);  // ceil(4.8) = 5
  EXPECT_EQ(at(0.9), 10.0) << "ceil(5.4) = 6 is capped at the largest";
}

TEST(ConformalQuantile, IsNotRaisedByRounding) {
  std::vector<double> sample(99);
  for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = static_cast<double>(i + 1);
  ASSERT_GT(0.55 * 100.0, 55.0);
  for (int hundredths = 1; hundredths < 100; ++hundredths) {
    EXPECT_EQ(conformal_quantile(sample, hundredths / 100.0).of(sample), hundredths);
  }
}

}  // namespace
}  // namespace oscbo::numeric
