#include "numeric/simplex.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "numeric/numeric_test_support.hpp"
#include "numeric/sobol.hpp"

namespace oscbo::numeric {
namespace {

using test::in_unit_cube;
using test::kolmogorov_smirnov;
using test::Matrix;
using test::unit_simplex;
using test::unit_triangle;

constexpr std::size_t kParts = 4;
using Mixture = std::array<double, kParts>;

std::vector<Mixture> mixtures(std::size_t count) {
  RandomStream stream(1, Purpose::raw_samples);
  std::vector<Mixture> points(count);
  for (Mixture& point : points) {
    std::array<double, kParts - 1> uniforms{};
    std::generate(uniforms.begin(), uniforms.end(), [&] { return stream.uniform(); });
    simplex_point(uniforms, 1.0, point);
  }
  return points;
}

TEST(SimplexPoint, IsPositiveAndHasTheSum) {
  for (const Mixture& point : mixtures(1000)) {
    double sum = 0.0;
    for (const double part : point) {
      EXPECT_GE(part, 0.0);
      sum += part;
    }
    EXPECT_NEAR(sum, 1.0, 1e-15);
  }
}

TEST(SimplexPoint, EveryPartIsBetaDistributed) {
  const std::vector<Mixture> points = mixtures(20000);
  for (std::size_t k = 0; k < kParts; ++k) {
    std::vector<double> parts;
    for (const Mixture& point : points) parts.push_back(point[k]);
    EXPECT_LT(
        kolmogorov_smirnov(parts, [](double x) { return 1.0 - std::pow(1.0 - x, kParts - 1); }),
        1.95);
  }
}

// The corner x_k > 1 - r is a simplex scaled by r, so its share of the volume is r^(d - 1).
TEST(SimplexPoint, VisitsEveryCornerEquallyOften) {
  constexpr double kShare = 0.15 * 0.15 * 0.15;
  const std::vector<Mixture> points = mixtures(100000);
  for (std::size_t k = 0; k < kParts; ++k) {
    const auto visits = static_cast<double>(std::count_if(
        points.begin(), points.end(), [&](const Mixture& point) { return point[k] > 0.85; }));
    EXPECT_NEAR(visits, 1e5 * kShare, 4.0 * std::sqrt(1e5 * kShare));
  }
}

TEST(SimplexPoint, IsTheSumIfThereIsOnePart) {
  double only = 0.0;
  simplex_point({}, 2.5, {&only, 1});
  EXPECT_EQ(only, 2.5);
}

// A Sobol sequence covers the simplex more evenly than random points, whose distance is near 1.
TEST(SimplexProduct, IsDrivenBySobolPoints) {
  const SimplexProduct simplex = *SimplexProduct::of(unit_simplex(3));
  ASSERT_EQ(simplex.uniforms(), 2U);
  ScrambledSobol sobol(2, RandomStream(1, Purpose::raw_samples));
  std::vector<double> last;
  for (int i = 0; i < 4096; ++i) {
    std::array<double, 2> uniforms{};
    sobol.next(uniforms);
    last.push_back(simplex.point(uniforms)[2]);
  }
  EXPECT_LT(kolmogorov_smirnov(last, [](double x) { return 1.0 - (1.0 - x) * (1.0 - x); }), 0.2);
}

// 2 x_0 + 4 x_2 = 3 with x_0 >= 1/2, x_1 in [-1, 1], and x_3 + x_4 = 1 with negated coefficients.
TEST(SimplexProduct, CombinesMixturesAndFreeVariables) {
  const Polytope polytope(Vector{{0.5, -1.0, 0.0, 0.0, 0.0}}, Vector{{1.5, 1.0, 0.5, 1.0, 2.0}},
                          {.C = Matrix(0, 5),
                           .b = Vector(0),
                           .E = Matrix{{2.0, 0.0, 4.0, 0.0, 0.0}, {0.0, 0.0, 0.0, -1.0, -1.0}},
                           .e = Vector{{3.0, -1.0}}});
  const auto product = SimplexProduct::of(polytope);
  ASSERT_TRUE(product.has_value());
  ASSERT_EQ(product->uniforms(), 3U);
  RandomStream stream(2, Purpose::raw_samples);
  std::vector<double> free;
  std::vector<double> mixed;
  for (int i = 0; i < 5000; ++i) {
    const std::array<double, 3> uniforms{stream.uniform(), stream.uniform(), stream.uniform()};
    const Vector x = product->point(uniforms);
    ASSERT_TRUE(polytope.contains(x));
    free.push_back(x[1]);
    mixed.push_back(x[2]);
  }
  EXPECT_LT(kolmogorov_smirnov(free, [](double x) { return 0.5 * (x + 1.0); }), 1.95);
  EXPECT_LT(kolmogorov_smirnov(mixed, [](double x) { return 2.0 * x; }), 1.95);
}

TEST(SimplexProduct, RejectsOtherPolytopes) {
  const auto with_equality = [](const Matrix& E, double e) {
    return SimplexProduct::of(
        in_unit_cube(Matrix(0, E.cols()), Vector(0), E, Vector::Constant(E.rows(), e)));
  };
  EXPECT_TRUE(with_equality(Matrix{{1.0, 1.0, 0.0}}, 1.0).has_value());
  EXPECT_FALSE(with_equality(Matrix{{1.0, 1.0, 1.0}}, 1.5).has_value());   // upper bounds bind
  EXPECT_FALSE(with_equality(Matrix{{1.0, -1.0, 0.0}}, 0.0).has_value());  // signs differ
  EXPECT_FALSE(with_equality(Matrix{{1.0, 1.0, 0.0}, {0.0, 1.0, 1.0}}, 1.0).has_value());
  EXPECT_FALSE(with_equality(Matrix{{1.0, 1.0}}, 3.0).has_value());  // empty
  EXPECT_FALSE(SimplexProduct::of(unit_triangle()).has_value());
}

}  // namespace
}  // namespace oscbo::numeric
