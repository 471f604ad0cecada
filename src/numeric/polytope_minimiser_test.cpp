#include "numeric/polytope_minimiser.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "numeric/numeric_test_support.hpp"

namespace oscbo::numeric {
namespace {

using test::in_unit_cube;
using test::Matrix;
using test::random_matrix;
using test::random_polytope;
using test::rosenbrock;
using test::unit_simplex;
using test::unit_triangle;

constexpr PolytopeMinimiserSettings kThorough{
    .max_iterations = 500, .step_tolerance = 1e-10, .value_tolerance = 0.0};

struct Found {
  Vector x;
  double value = 0.0;
  int evaluations = 0;
};

/// Minimises, and expects every evaluated point to be inside.
template <class Function>
Found minimum_in(const Polytope& polytope, Function&& function, const Vector& start,
                 const PolytopeMinimiserSettings& settings = kThorough) {
  Found found{.x = start};
  const auto inside_only = [&](const Vector& x, Vector& gradient) {
    ++found.evaluations;
    EXPECT_TRUE(polytope.contains(x));
    EXPECT_TRUE((x.array() >= polytope.lower().array()).all());
    EXPECT_TRUE((x.array() <= polytope.upper().array()).all());
    return function(x, gradient);
  };
  found.value = PolytopeMinimiser(settings).minimise(inside_only, polytope, found.x);
  return found;
}

/// sum_i w_i (x_i - target_i)^2 with weights 1, 2, ...
auto bowl_at(const Vector& target) {
  return [target](const Vector& x, Vector& gradient) {
    const Vector weights = Vector::LinSpaced(x.size(), 1.0, static_cast<double>(x.size()));
    gradient = 2.0 * weights.cwiseProduct(x - target);
    return 0.5 * gradient.dot(x - target);
  };
}

TEST(PolytopeMinimiser, FindsTheMinimumInside) {
  const Vector target{{0.2, 0.3, 0.5}};
  const Found found = minimum_in(unit_simplex(3), bowl_at(target), Vector{{1.0, 0.0, 0.0}});
  EXPECT_LE((found.x - target).norm(), 1e-7);
  EXPECT_LT(found.evaluations, 30);
}

// (x - 1)^2 + 2 (y - 1)^2 on x + y = 1: the slopes 2 (x - 1) and 4 (y - 1) are equal at (1/3, 2/3).
TEST(PolytopeMinimiser, FindsTheMinimumOnASide) {
  const Found found = minimum_in(unit_triangle(), bowl_at(Vector::Ones(2)), Vector{{0.1, 0.1}});
  EXPECT_NEAR(found.x[0], 1.0 / 3.0, 1e-8);
  EXPECT_NEAR(found.x[1], 2.0 / 3.0, 1e-8);
}

TEST(PolytopeMinimiser, FindsTheMinimumOnAnEdgeOfASimplex) {
  const Found found = minimum_in(unit_simplex(3), bowl_at(Vector{{1.0, 1.0, -1.0}}),
                                 Vector::Constant(3, 1.0 / 3.0));
  EXPECT_LE((found.x - Vector{{1.0 / 3.0, 2.0 / 3.0, 0.0}}).norm(), 1e-8);
  EXPECT_EQ(found.x[2], 0.0);
}

TEST(PolytopeMinimiser, FindsTheMinimumAtACorner) {
  const Found found = minimum_in(unit_simplex(4), bowl_at(Vector{{-1.0, -1.0, 3.0, -1.0}}),
                                 Vector::Constant(4, 0.25));
  EXPECT_LE((found.x - Vector{{0.0, 0.0, 1.0, 0.0}}).norm(), 1e-14);
}

TEST(PolytopeMinimiser, FindsTheCornerOfAConcaveFunction) {
  const auto dome = [](const Vector& x, Vector& gradient) {
    gradient = -2.0 * x;
    return -x.squaredNorm();
  };
  const Found found = minimum_in(unit_simplex(4), dome, Vector{{0.26, 0.25, 0.25, 0.24}});
  EXPECT_NEAR(found.value, -1.0, 1e-14);
}

TEST(PolytopeMinimiser, FollowsACurvedValleyToTheWall) {
  const Vector lower = Vector::Constant(2, -5.0);
  const Vector upper = Vector::Constant(2, 5.0);
  const Found free = minimum_in(Polytope(lower, upper, LinearConstraints::unlimited(2)), rosenbrock,
                                Vector{{-1.2, 1.0}});
  EXPECT_LE((free.x - Vector::Ones(2)).norm(), 1e-6);
  EXPECT_LT(free.evaluations, 100);

  // On x + y = 1 the derivative of f(x, 1 - x) vanishes at x = 0.61879562.
  const Polytope below(
      lower, upper,
      {.C = Matrix::Ones(1, 2), .b = Vector::Ones(1), .E = Matrix(0, 2), .e = Vector(0)});
  const Found held = minimum_in(below, rosenbrock, Vector{{-1.2, 1.0}});
  EXPECT_NEAR(held.x[0], 0.61879562, 1e-7);
  EXPECT_NEAR(held.x.sum(), 1.0, 1e-12);
}

TEST(PolytopeMinimiser, BeginsAtTheNearestPoint) {
  const Polytope triangle = unit_triangle();
  PolytopeSearch search(kThorough);
  search.begin(triangle, Vector{{0.5, 1.0}});
  EXPECT_TRUE(search.next().isApprox(Vector{{0.25, 0.75}}, 1e-14));
  search.begin(triangle, Vector{{0.75, 2.0}});
  EXPECT_EQ(search.next(), (Vector{{0.0, 1.0}}));
}

TEST(PolytopeMinimiser, StaysAtASinglePoint) {
  const Polytope point =
      in_unit_cube(Matrix(0, 2), Vector(0), Matrix{{1.0, 1.0}, {1.0, -1.0}}, Vector{{1.0, 0.5}});
  const Found found = minimum_in(point, bowl_at(Vector{{0.0, 9.0}}), Vector::Zero(2));
  EXPECT_TRUE(found.x.isApprox(Vector{{0.75, 0.25}}, 1e-14));
  EXPECT_EQ(found.evaluations, 1);
}

// x + y <= 1 and x + y >= 1 leave a segment. Its minimum is that of FindsTheMinimumOnASide.
TEST(PolytopeMinimiser, MovesAlongASegment) {
  const Polytope segment =
      in_unit_cube(Matrix{{1.0, 1.0}, {-1.0, -1.0}}, Vector{{1.0, -1.0}}, Matrix(0, 2), Vector(0));
  const Found found = minimum_in(segment, bowl_at(Vector::Zero(2)), Vector{{0.0, 1.0}});
  EXPECT_NEAR(found.x[0], 2.0 / 3.0, 1e-8);
}

TEST(PolytopeMinimiser, TurnsBackWhereTheFunctionIsNotANumber) {
  const auto half_defined = [](const Vector& x, Vector& gradient) {
    const double undefined = std::numeric_limits<double>::quiet_NaN();
    gradient = Vector{{0.0, x[1] > 0.3 ? 2.0 * (x[1] - 0.4) : undefined}};
    return x[1] > 0.3 ? (x[1] - 0.4) * (x[1] - 0.4) : undefined;
  };
  const Found found = minimum_in(unit_simplex(2), half_defined, Vector{{0.1, 0.9}});
  EXPECT_NEAR(found.x[1], 0.4, 1e-7);
  EXPECT_EQ(minimum_in(unit_simplex(2), half_defined, Vector{{0.9, 0.1}}).evaluations, 1);
}

TEST(PolytopeMinimiser, EndsAtOnceWithoutASlope) {
  const auto flat = [](const Vector& /*x*/, Vector& gradient) {
    gradient.setZero();
    return 3.0;
  };
  const Found found = minimum_in(unit_simplex(3), flat, Vector::Zero(3));
  EXPECT_EQ(found.value, 3.0);
  EXPECT_EQ(found.evaluations, 1);
}

TEST(PolytopeMinimiser, TakesNoStepLongerThanAllowed) {
  Vector previous{{0.5, 0.5}};
  double longest = 0.0;
  const auto watched = [&](const Vector& x, Vector& gradient) {
    longest = std::max(longest, (x - previous).cwiseAbs().maxCoeff());
    previous = x;
    return bowl_at(Vector{{5.0, -5.0}})(x, gradient);
  };
  minimum_in(unit_simplex(2), watched, previous,
             {.max_iterations = 3, .value_tolerance = 0.0, .largest_step = 0.05});
  EXPECT_GT(longest, 0.001);
  EXPECT_LE(longest, 0.05 + 1e-15);
}

// For a convex quadratic function, the quadratic program gives the answer directly.
TEST(PolytopeMinimiser, AgreesWithTheQuadraticProgramOnRandomPolytopes) {
  for (std::uint64_t seed = 0; seed < 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Polytope polytope = random_polytope(seed);
    const Index d = polytope.dimension();
    const Matrix root = random_matrix(d, d, seed);
    const Matrix B = root * root.transpose() + Matrix::Identity(d, d);
    const Vector g = 5.0 * random_matrix(d, 1, seed + 1000);
    const auto quadratic = [&](const Vector& x, Vector& gradient) {
      gradient = B * x + g;
      return 0.5 * x.dot(gradient + g);
    };
    const Vector origin = polytope.interior_point();
    const Vector best = origin + *polytope.best_step(B, B * origin + g, origin);
    const Found found = minimum_in(polytope, quadratic, origin);
    EXPECT_LE((found.x - best).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace oscbo::numeric
