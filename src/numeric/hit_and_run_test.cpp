#include "numeric/hit_and_run.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "numeric/numeric_test_support.hpp"

namespace oscbo::numeric {
namespace {

using test::in_unit_cube;
using test::kolmogorov_smirnov;
using test::Matrix;
using test::random_polytope;
using test::unit_simplex;
using test::unit_triangle;

RandomStream stream_of(std::uint64_t seed) { return RandomStream(seed, Purpose::raw_samples); }

/// sqrt(n m / (n + m)) sup |F_n - G_m|. It is below 1.95 for 999 in 1000 pairs of samples from the
/// same distribution.
double two_sample_distance(const std::vector<double>& sample, std::vector<double> other) {
  std::sort(other.begin(), other.end());
  const auto n = static_cast<double>(sample.size());
  const auto m = static_cast<double>(other.size());
  const auto cdf = [&](double x) {
    const auto end = std::upper_bound(other.begin(), other.end(), x);
    return static_cast<double>(end - other.begin()) / m;
  };
  return kolmogorov_smirnov(sample, cdf) * std::sqrt(m / (n + m));
}

TEST(HitAndRun, HasTheDistributionOfRejectionSamplingOnATriangle) {
  const Polytope triangle = unit_triangle();
  HitAndRun chain(triangle, stream_of(1));
  RandomStream uniforms(2, Purpose::raw_samples);
  std::vector<std::vector<double>> walked(3);
  std::vector<std::vector<double>> rejected(3);
  for (int i = 0; i < 5000; ++i) {
    const Vector& x = chain.next();
    Vector u(2);
    do {
      u = Vector::NullaryExpr(2, [&] { return uniforms.uniform(); });
    } while (!triangle.contains(u));
    for (std::size_t k = 0; k < 2; ++k) {
      walked[k].push_back(x[static_cast<Index>(k)]);
      rejected[k].push_back(u[static_cast<Index>(k)]);
    }
    walked[2].push_back(x[0] - 2.0 * x[1]);
    rejected[2].push_back(u[0] - 2.0 * u[1]);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_LT(two_sample_distance(walked[k], rejected[k]), 1.95);
  }
}

// A coordinate of a uniform point of the simplex is Beta(1, d - 1) distributed.
TEST(HitAndRun, HasTheUniformDistributionOnASimplex) {
  const Index d = 6;
  const Polytope simplex = unit_simplex(d);
  HitAndRun chain(simplex, stream_of(3));
  std::vector<double> last;
  for (int i = 0; i < 5000; ++i) last.push_back(chain.next()[d - 1]);
  EXPECT_LT(kolmogorov_smirnov(last, [](double x) { return 1.0 - std::pow(1.0 - x, d - 1); }),
            1.95);
}

// x <= 1/1000, and y has all of [0, 1]. The samples must cover both evenly.
TEST(HitAndRun, DoesNotGetStuckInAThinBox) {
  const Polytope thin = in_unit_cube(Matrix{{1.0, 0.0, 0.0}}, Vector{{1e-3}},
                                     Matrix{{1.0, 1.0, 1.0}}, Vector::Ones(1));
  HitAndRun chain(thin, stream_of(4));
  std::vector<double> first;
  std::vector<double> share;
  for (int i = 0; i < 5000; ++i) {
    const Vector& x = chain.next();
    first.push_back(x[0]);
    share.push_back(x[1] / (1.0 - x[0]));
  }
  // The density of x_0 is proportional to the length 1 - x_0 of the rest.
  const auto rest = [](double x) { return x - 0.5 * x * x; };
  EXPECT_LT(kolmogorov_smirnov(first, [&](double x) { return rest(x) / rest(1e-3); }), 1.95);
  EXPECT_LT(kolmogorov_smirnov(share, [](double u) { return u; }), 1.95);
}

TEST(HitAndRun, SamplesAreInsideRandomPolytopes) {
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Polytope polytope = random_polytope(seed);
    HitAndRun chain(polytope, stream_of(seed));
    for (int i = 0; i < 50; ++i) {
      const Vector& x = chain.next();
      EXPECT_TRUE(polytope.contains(x));
      EXPECT_TRUE((x.array() >= 0.0).all() && (x.array() <= 1.0).all());
    }
  }
}

TEST(HitAndRun, StaysAtASinglePoint) {
  const Polytope corner =
      in_unit_cube(Matrix::Ones(1, 3), Vector::Zero(1), Matrix(0, 3), Vector(0));
  HitAndRun chain(corner, stream_of(5));
  EXPECT_LE(chain.next().norm(), 1e-15);
}

TEST(HitAndRun, IsAFunctionOfTheStream) {
  const Polytope triangle = unit_triangle();
  HitAndRun chain(triangle, stream_of(6));
  HitAndRun again(triangle, stream_of(6));
  HitAndRun other(triangle, stream_of(7));
  const Vector x = chain.next();
  EXPECT_EQ(x, again.next());
  EXPECT_NE(x, other.next());
}

}  // namespace
}  // namespace oscbo::numeric
