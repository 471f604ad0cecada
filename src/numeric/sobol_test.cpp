#include "numeric/sobol.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include <boost/random/sobol.hpp>
#include <gtest/gtest.h>

#include "oscbo/error.hpp"

namespace oscbo::numeric {
namespace {

using Points = std::vector<std::vector<double>>;

Points sobol_points(std::size_t dimension, std::size_t count, std::uint64_t seed) {
  ScrambledSobol sobol(dimension, RandomStream(seed, Purpose::raw_samples));
  Points points(count, std::vector<double>(dimension));
  for (std::vector<double>& point : points) {
    sobol.next(point);
  }
  return points;
}

std::size_t cell(double coordinate, std::size_t cells) {
  return static_cast<std::size_t>(coordinate * static_cast<double>(cells));
}

TEST(ScrambledSobol, ValuesArePinned) {
  const Points points = sobol_points(3, 3, 7);
  const Points expected = {{0.30348145910750646, 0.51831934452783657, 0.74393426367083515},
                           {0.71233686257101747, 0.10732008793005943, 0.058259698462287512},
                           {0.84870937717042849, 0.89075084008023142, 0.80453135103481632}};
  EXPECT_EQ(points, expected);
}

TEST(ScrambledSobol, IsAFunctionOfTheStream) {
  EXPECT_EQ(sobol_points(5, 40, 3), sobol_points(5, 40, 3));
  EXPECT_NE(sobol_points(5, 40, 3), sobol_points(5, 40, 4));
}

TEST(ScrambledSobol, CoordinatesDoNotDependOnTheDimension) {
  const Points few = sobol_points(3, 40, 3);
  const Points many = sobol_points(8, 40, 3);
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_TRUE(std::equal(few[i].begin(), few[i].end(), many[i].begin()));
  }
}

TEST(ScrambledSobol, CopyContinuesWithTheSamePoints) {
  ScrambledSobol sobol(4, RandomStream(1, Purpose::raw_samples));
  std::vector<double> point(4);
  for (int i = 0; i < 5; ++i) {
    sobol.next(point);
  }
  ScrambledSobol copy = sobol;
  std::vector<double> other(4);
  for (int i = 0; i < 5; ++i) {
    sobol.next(point);
    copy.next(other);
    EXPECT_EQ(point, other);
  }
}

TEST(ScrambledSobol, SkipOmitsThePointsBetween) {
  const Points points = sobol_points(3, 100, 11);
  for (const std::size_t first : {0U, 1U, 2U, 31U, 50U}) {
    for (const std::size_t skipped : {0U, 1U, 2U, 7U, 32U, 49U}) {
      ScrambledSobol sobol(3, RandomStream(11, Purpose::raw_samples));
      std::vector<double> point(3);
      for (std::size_t i = 0; i < first; ++i) sobol.next(point);
      sobol.skip(skipped);
      sobol.next(point);
      EXPECT_EQ(point, points[first + skipped]) << first << " " << skipped;
    }
  }
}

// Two points share exactly the leading bits that they shared before scrambling. This is the
// defining property of a nested permutation of the intervals.
TEST(ScrambledSobol, KeepsTheCommonPrefixesOfTheSobolPoints) {
  constexpr std::size_t kDimension = 5;
  constexpr std::size_t kPoints = 128;
  const auto leading_bits = [](double x, int bits) { return std::floor(std::ldexp(x, bits)); };
  const Points scrambled = sobol_points(kDimension, kPoints, 2);
  Points plain(kPoints, std::vector<double>(kDimension));
  boost::random::sobol engine(kDimension);
  for (std::size_t i = 1; i < kPoints; ++i) {
    for (double& coordinate : plain[i]) {
      coordinate = std::ldexp(static_cast<double>(engine()), -64);
    }
  }
  for (std::size_t i = 0; i < kPoints; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      for (std::size_t j = 0; j < kDimension; ++j) {
        for (int bits = 1; bits <= 9; ++bits) {
          ASSERT_EQ(leading_bits(plain[i][j], bits) == leading_bits(plain[k][j], bits),
                    leading_bits(scrambled[i][j], bits) == leading_bits(scrambled[k][j], bits));
        }
      }
    }
  }
}

TEST(ScrambledSobol, EveryBlockOfAPowerOfTwoIsStratifiedInEachCoordinate) {
  constexpr std::size_t kDimension = 50;
  const Points points = sobol_points(kDimension, 4096, 11);
  for (std::size_t size = 1; size <= 1024; size *= 2) {
    for (std::size_t begin = 0; begin < points.size(); begin += size) {
      for (std::size_t j = 0; j < kDimension; ++j) {
        std::vector<int> hits(size);
        for (std::size_t i = begin; i < begin + size; ++i) {
          ++hits[cell(points[i][j], size)];
        }
        ASSERT_TRUE(std::all_of(hits.begin(), hits.end(), [](int n) { return n == 1; }))
            << "size " << size << ", begin " << begin << ", coordinate " << j;
      }
    }
  }
}

TEST(ScrambledSobol, FirstTwoCoordinatesAreANet) {
  constexpr std::size_t kPoints = 1024;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Points points = sobol_points(2, kPoints, seed);
    for (std::size_t columns = 1; columns <= kPoints; columns *= 2) {
      const std::size_t rows = kPoints / columns;
      std::set<std::size_t> hit;
      for (const std::vector<double>& point : points) {
        hit.insert(cell(point[0], columns) * rows + cell(point[1], rows));
      }
      EXPECT_EQ(hit.size(), kPoints) << columns << " x " << rows << " intervals, seed " << seed;
    }
  }
}

TEST(ScrambledSobol, CoordinatesAreStrictlyInsideAndUseTheLowBits) {
  std::set<double> values;
  bool low_bits = false;
  for (const std::vector<double>& point : sobol_points(20, 500, 5)) {
    for (const double x : point) {
      EXPECT_GT(x, 0.0);
      EXPECT_LT(x, 1.0);
      values.insert(x);
      const double scaled = std::ldexp(x, 50);
      low_bits = low_bits || scaled != std::floor(scaled);
    }
  }
  EXPECT_EQ(values.size(), 20U * 500U);
  EXPECT_TRUE(low_bits);
}

// Over random keys, each point is uniform on the cube. The test checks the first point, whose bits
// are all zero before scrambling, and the correlation of every pair of its coordinates.
TEST(ScrambledSobol, EachPointIsUniformOverKeys) {
  constexpr std::size_t kDimension = 6;
  constexpr std::size_t kKeys = 20000;
  constexpr std::size_t kCells = 16;
  std::vector<std::vector<double>> counts(kDimension, std::vector<double>(kCells));
  std::vector<std::vector<double>> products(kDimension, std::vector<double>(kDimension));
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    const std::vector<double> point = sobol_points(kDimension, 1, key).front();
    for (std::size_t j = 0; j < kDimension; ++j) {
      ++counts[j][cell(point[j], kCells)];
      for (std::size_t k = 0; k < j; ++k) {
        products[j][k] += (point[j] - 0.5) * (point[k] - 0.5);
      }
    }
  }
  constexpr double kExpected = static_cast<double>(kKeys) / kCells;
  for (std::size_t j = 0; j < kDimension; ++j) {
    double chi_square = 0.0;
    for (const double count : counts[j]) {
      chi_square += (count - kExpected) * (count - kExpected) / kExpected;
    }
    EXPECT_LT(chi_square, 44.3) << "coordinate " << j;  // p = 1e-4 with 15 degrees of freedom
    for (std::size_t k = 0; k < j; ++k) {
      EXPECT_NEAR(products[j][k] / kKeys, 0.0, 4.0 / (12.0 * std::sqrt(kKeys)));
    }
  }
}

// The flips of different nodes are independent. Two flip bits are equal half of the time, on the
// same level and across levels.
TEST(ScrambledSobol, FlipsOfDifferentNodesAreUncorrelated) {
  constexpr int kKeys = 4000;
  constexpr int kBits = 40;
  std::vector<std::vector<int>> agreements(kBits, std::vector<int>(kBits));
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    const Points points = sobol_points(1, 2, key);
    for (int a = 0; a < kBits; ++a) {
      for (int b = 0; b < kBits; ++b) {
        const auto bit = [](double x, int k) {
          return static_cast<std::uint64_t>(std::ldexp(x, k + 1)) % 2;
        };
        agreements[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] +=
            bit(points[0][0], a) == bit(points[1][0], b) ? 1 : 0;
      }
    }
  }
  // The first bits of the two points share one flip and differ before it, so they never agree.
  EXPECT_EQ(agreements[0][0], 0);
  agreements[0][0] = kKeys / 2;
  for (const std::vector<int>& row : agreements) {
    for (const int agreement : row) {
      EXPECT_NEAR(agreement, kKeys / 2.0, 5.0 * std::sqrt(kKeys / 4.0));
    }
  }
}

// In one dimension, 2^m scrambled points are independent and uniform in their 2^m strata. So the
// mean of f(x) = x over n points has variance exactly 1 / (12 n^3).
TEST(ScrambledSobol, PointsAreIndependentWithinTheirStrata) {
  constexpr std::size_t kPoints = 64;
  constexpr int kKeys = 4000;
  double square_sum = 0.0;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    double sum = 0.0;
    for (const std::vector<double>& point : sobol_points(1, kPoints, key)) {
      sum += point[0] - 0.5;
    }
    square_sum += sum * sum;
  }
  // The sum has variance 1 / (12 n). The sd of the estimated ratio is sqrt(2 / keys).
  EXPECT_NEAR(square_sum / kKeys * 12.0 * kPoints, 1.0, 4.0 * std::sqrt(2.0 / kKeys));
}

// f(x) = prod_j (pi/2) sin(pi x_j) has integral 1, and variance (pi^2 / 8)^d - 1 for one random
// point.
TEST(ScrambledSobol, IntegratesASmoothFunctionWithoutBiasAndFarBetterThanMonteCarlo) {
  constexpr std::size_t kDimension = 4;
  constexpr std::size_t kPoints = 1024;
  constexpr int kKeys = 200;
  double error_sum = 0.0;
  double square_sum = 0.0;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    double estimate = 0.0;
    for (const std::vector<double>& point : sobol_points(kDimension, kPoints, key)) {
      double product = 1.0;
      for (const double x : point) {
        product *= 0.5 * std::numbers::pi * std::sin(std::numbers::pi * x);
      }
      estimate += product / kPoints;
    }
    error_sum += estimate - 1.0;
    square_sum += (estimate - 1.0) * (estimate - 1.0);
  }
  const double mean_square = square_sum / kKeys;
  const double monte_carlo =
      (std::pow(std::numbers::pi * std::numbers::pi / 8.0, kDimension) - 1.0) / kPoints;
  EXPECT_LT(mean_square, monte_carlo / 100.0);
  EXPECT_NEAR(error_sum / kKeys, 0.0, 4.0 * std::sqrt(mean_square / kKeys));
}

TEST(ScrambledSobol, AcceptsDimensionsUpToTheLimitOnly) {
  EXPECT_EQ(sobol_points(ScrambledSobol::kMaxDimension, 2, 0).back().size(),
            ScrambledSobol::kMaxDimension);
  for (const std::size_t dimension : {std::size_t{0}, ScrambledSobol::kMaxDimension + 1}) {
    try {
      const ScrambledSobol sobol(dimension, RandomStream(0, Purpose::raw_samples));
      FAIL() << "accepted dimension " << sobol.dimension();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_value);
      EXPECT_EQ(error.field(), "dimension");
    }
  }
}

}  // namespace
}  // namespace oscbo::numeric
