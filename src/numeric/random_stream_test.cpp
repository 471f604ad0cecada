#include "numeric/random_stream.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/numeric_test_support.hpp"

namespace oscbo::numeric {
namespace {

using test::kolmogorov_smirnov;

constexpr std::size_t kSamples = 20000;

std::vector<double> draw(std::size_t count, const std::function<double()>& next) {
  std::vector<double> values(count);
  std::generate(values.begin(), values.end(), next);
  return values;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(const std::vector<double>& values) {
  const double center = mean(values);
  double sum = 0.0;
  for (const double value : values) {
    sum += (value - center) * (value - center);
  }
  return sum / static_cast<double>(values.size() - 1);
}

TEST(Philox, AgreesWithTheKnownAnswersOfItsAuthors) {
  EXPECT_EQ(philox({0, 0}, {0, 0, 0, 0}), (PhiloxBlock{0x16554d9eca36314c, 0xdb20fe9d672d0fdc,
                                                       0xd7e772cee186176b, 0x7e68b68aec7ba23b}));
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  EXPECT_EQ(philox({kOnes, kOnes}, {kOnes, kOnes, kOnes, kOnes}),
            (PhiloxBlock{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6,
                         0xa09caebf594f0ba0}));
}

TEST(OpenUnit, StaysInsideTheIntervalAndIsSymmetric) {
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  EXPECT_EQ(open_unit(0), 0x1p-53);
  EXPECT_EQ(open_unit(kOnes), 1.0 - 0x1p-53);
  EXPECT_EQ(open_unit(std::uint64_t{1} << 63), 0.5 + 0x1p-53);
  EXPECT_EQ(open_unit(0x123456789abcdef0), 1.0 - open_unit(~std::uint64_t{0x123456789abcdef0}));
}

// These constants define the scheme. Changing any of them breaks the replay of stored runs.
TEST(RandomStream, ValuesArePinned) {
  RandomStream first(0, Purpose::initial_design);
  EXPECT_EQ(first.bits(), 11271145412132647185U);

  RandomStream words(7, Purpose::raw_samples, 3);
  for (const std::uint64_t expected :
       {10815033816705409593U, 4945785857150686474U, 16629218678579813287U, 13555376132746948465U,
        15506010823609540361U}) {
    EXPECT_EQ(words.bits(), expected);
  }
  RandomStream values(42, Purpose::perturbation, 5);
  EXPECT_EQ(values.uniform(), 0.78423679119829115);
  EXPECT_NEAR(values.normal(), -0.37350661684128422, 1e-14);
  EXPECT_NEAR(values.exponential(), 1.7606780918618576, 1e-14);
  EXPECT_NEAR(values.gumbel(), 0.55133462706509773, 1e-14);
  EXPECT_EQ(values.below(1000), 999U);
}

TEST(RandomStream, WordsAreTheBlocksOfTheDocumentedScheme) {
  RandomStream stream(11, Purpose::start_choice, 9);
  for (std::uint64_t block = 0; block < 3; ++block) {
    for (const std::uint64_t word : philox({11, 4}, {9, block, 0, 0})) {
      EXPECT_EQ(stream.bits(), word);
    }
  }
}

TEST(RandomStream, CopyContinuesWithTheSameValues) {
  RandomStream stream(5, Purpose::perturbation);
  EXPECT_NE(stream.bits(), stream.bits());
  RandomStream copy = stream;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(stream.bits(), copy.bits());
  }
}

TEST(RandomStream, DistinctNamesGiveDistinctStreams) {
  std::set<std::uint64_t> words;
  std::size_t drawn = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::uint64_t purpose = 1; purpose <= 14; ++purpose) {
      for (std::uint64_t step = 0; step < 20; ++step) {
        RandomStream stream(seed, static_cast<Purpose>(purpose), step);
        for (int i = 0; i < 8; ++i, ++drawn) {
          words.insert(stream.bits());
        }
      }
    }
  }
  EXPECT_EQ(words.size(), drawn);
}

TEST(RandomStream, FirstValuesOfNeighbouringStreamsAreIndependentUniforms) {
  std::vector<double> by_seed;
  std::vector<double> by_step;
  double product = 0.0;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    by_seed.push_back(RandomStream(i, Purpose::perturbation, 1).uniform());
    by_step.push_back(RandomStream(1, Purpose::perturbation, i).uniform());
    if (i > 0) {
      product += (by_step[i] - 0.5) * (by_step[i - 1] - 0.5);
    }
  }
  const auto identity = [](double u) { return u; };
  EXPECT_LT(kolmogorov_smirnov(by_seed, identity), 1.95);
  EXPECT_LT(kolmogorov_smirnov(by_step, identity), 1.95);
  EXPECT_NEAR(product / kSamples, 0.0, 4.0 / (12.0 * std::sqrt(kSamples)));
}

TEST(RandomStream, UniformHasItsDistribution) {
  RandomStream stream(1, Purpose::raw_samples);
  const std::vector<double> values = draw(kSamples, [&] { return stream.uniform(); });
  EXPECT_NEAR(mean(values), 0.5, 4.0 / std::sqrt(12.0 * kSamples));
  EXPECT_NEAR(variance(values), 1.0 / 12.0, 0.002);
  EXPECT_LT(kolmogorov_smirnov(values, [](double u) { return u; }), 1.95);
}

TEST(RandomStream, NormalHasItsDistribution) {
  RandomStream stream(2, Purpose::perturbation);
  const std::vector<double> values = draw(kSamples, [&] { return stream.normal(); });
  EXPECT_NEAR(mean(values), 0.0, 4.0 / std::sqrt(kSamples));
  EXPECT_NEAR(variance(values), 1.0, 4.0 * std::sqrt(2.0 / kSamples));
  const auto cdf = [](double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); };
  EXPECT_LT(kolmogorov_smirnov(values, cdf), 1.95);
}

TEST(RandomStream, NormalInvertsTheDistributionFunction) {
  RandomStream uniforms(3, Purpose::observation_noise);
  RandomStream normals = uniforms;
  for (int i = 0; i < 1000; ++i) {
    const double u = uniforms.uniform();
    EXPECT_NEAR(0.5 * std::erfc(-normals.normal() / std::numbers::sqrt2), u, 1e-14 * u + 1e-16);
  }
}

TEST(RandomStream, ExponentialHasItsDistribution) {
  RandomStream stream(4, Purpose::perturbation);
  const std::vector<double> values = draw(kSamples, [&] { return stream.exponential(); });
  EXPECT_NEAR(mean(values), 1.0, 4.0 / std::sqrt(kSamples));
  EXPECT_NEAR(variance(values), 1.0, 4.0 * std::sqrt(8.0 / kSamples));
  EXPECT_LT(kolmogorov_smirnov(values, [](double e) { return -std::expm1(-e); }), 1.95);
}

TEST(RandomStream, GumbelHasItsDistribution) {
  RandomStream stream(5, Purpose::start_choice);
  const std::vector<double> values = draw(kSamples, [&] { return stream.gumbel(); });
  const double variance_of_gumbel = std::numbers::pi * std::numbers::pi / 6.0;
  EXPECT_NEAR(mean(values), std::numbers::egamma, 4.0 * std::sqrt(variance_of_gumbel / kSamples));
  EXPECT_NEAR(variance(values), variance_of_gumbel, 0.1);
  EXPECT_LT(kolmogorov_smirnov(values, [](double g) { return std::exp(-std::exp(-g)); }), 1.95);
}

TEST(RandomStream, LargestGumbelChoosesByWeight) {
  RandomStream stream(6, Purpose::start_choice);
  const std::vector<double> weights = {1.0, 2.0, 5.0};
  std::vector<int> chosen(weights.size());
  for (std::size_t i = 0; i < kSamples; ++i) {
    std::vector<double> scores(weights.size());
    std::transform(weights.begin(), weights.end(), scores.begin(),
                   [&](double weight) { return std::log(weight) + stream.gumbel(); });
    ++chosen[static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) -
                                      scores.begin())];
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(chosen[i]) / kSamples, weights[i] / 8.0, 0.015);
  }
}

TEST(RandomStream, BelowIsUniform) {
  for (const std::size_t n : {1U, 2U, 7U, 20U, 64U}) {
    RandomStream stream(n, Purpose::start_choice);
    std::vector<int> counts(n);
    for (std::size_t i = 0; i < kSamples; ++i) {
      ++counts.at(stream.below(n));
    }
    const double expected = static_cast<double>(kSamples) / static_cast<double>(n);
    double chi_square = 0.0;
    for (const int count : counts) {
      chi_square += (count - expected) * (count - expected) / expected;
    }
    // Mean n-1 and variance 2(n-1).
    const auto freedom = static_cast<double>(n - 1);
    EXPECT_LE(chi_square, freedom + 4.0 * std::sqrt(2.0 * freedom)) << "n = " << n;
  }
}

// For n = 3 * 2^62, a plain remainder would return 0 .. 2^62-1 twice as often as other values.
TEST(RandomStream, BelowIsUnbiasedForHugeRanges) {
  constexpr std::size_t kThird = std::size_t{1} << 62;
  RandomStream stream(8, Purpose::start_choice);
  int low = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    const std::size_t value = stream.below(3 * kThird);
    ASSERT_LT(value, 3 * kThird);
    low += value < kThird ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(low) / kSamples, 1.0 / 3.0, 0.015);
}

}  // namespace
}  // namespace oscbo::numeric
