#include "numeric/polytope.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "numeric/hit_and_run.hpp"
#include "numeric/numeric_test_support.hpp"

namespace oscbo::numeric {
namespace {

using test::in_unit_cube;
using test::Matrix;
using test::random_polytope;
using test::unit_simplex;
using test::unit_triangle;

using Numbers = std::vector<Index>;

TEST(Polytope, ContainsItsPointsToATolerance) {
  const Polytope triangle = unit_triangle();
  EXPECT_TRUE(triangle.contains(Vector{{0.5, 0.5}}));
  EXPECT_TRUE(triangle.contains(Vector{{0.0, 0.0}}));
  EXPECT_FALSE(triangle.contains(Vector{{0.5, 0.5 + 1e-9}}));
  EXPECT_TRUE(triangle.contains(Vector{{0.5, 0.5 + 1e-9}}, 1e-9));
  EXPECT_FALSE(triangle.contains(Vector{{-1e-9, 0.5}}));
  EXPECT_FALSE(unit_simplex(3).contains(Vector{{0.2, 0.2, 0.2}}));
  EXPECT_FALSE(triangle.contains(Vector{{0.5, std::numeric_limits<double>::quiet_NaN()}}));
}

TEST(Polytope, ProjectsOntoASideACornerAndItself) {
  const Polytope triangle = unit_triangle();
  EXPECT_TRUE(triangle.project(Vector{{0.5, 1.0}})->isApprox(Vector{{0.25, 0.75}}, 1e-14));
  EXPECT_EQ(*triangle.project(Vector{{3.0, -1.0}}), (Vector{{1.0, 0.0}}));
  EXPECT_EQ(*triangle.project(Vector{{0.25, 0.5}}), (Vector{{0.25, 0.5}}));
}

TEST(Polytope, ProjectsAlongEqualities) {
  const Vector nearest = *unit_simplex(3).project(Vector{{1.5, 0.5, -3.0}});
  EXPECT_TRUE(nearest.isApprox(Vector{{1.0, 0.0, 0.0}}, 1e-14));
}

TEST(Polytope, NamesEachKindOfConflict) {
  const Polytope crossed(Vector{{0.0, 2.0}}, Vector{{1.0, 1.0}}, LinearConstraints::unlimited(2));
  ASSERT_TRUE(crossed.is_empty());
  EXPECT_EQ(crossed.conflict()->lower, Numbers{1});
  EXPECT_EQ(crossed.conflict()->upper, Numbers{1});
  EXPECT_TRUE(crossed.conflict()->inequalities.empty());
  EXPECT_FALSE(crossed.project(Vector::Zero(2)).has_value());

  // x_0 + x_1 + x_2 = 1 contradicts x_0 = 1 + x_2, x_2 >= 0 and x_1 >= 2/3.
  const Polytope mixture =
      in_unit_cube(Matrix{{0.0, 1.0, 0.0}, {0.0, -1.0, 0.0}}, Vector{{0.9, -2.0 / 3.0}},
                   Matrix{{1.0, 1.0, 1.0}, {1.0, 0.0, -1.0}}, Vector{{1.0, 1.0}});
  ASSERT_TRUE(mixture.is_empty());
  EXPECT_EQ(mixture.conflict()->equalities, (Numbers{0, 1}));
  EXPECT_EQ(mixture.conflict()->inequalities, Numbers{1});
  EXPECT_EQ(mixture.conflict()->lower, Numbers{2});
  EXPECT_TRUE(mixture.conflict()->upper.empty());
}

TEST(Polytope, ABoxHasItsCentreAndAllDirections) {
  const Polytope box(Vector{{-1.0, 2.0}}, Vector{{3.0, 2.5}}, LinearConstraints::unlimited(2));
  EXPECT_TRUE(box.interior_point().isApprox(Vector{{1.0, 2.25}}, 1e-5));
  EXPECT_TRUE(box.directions().isApprox(Matrix{{4.0, 0.0}, {0.0, 0.5}}, 1e-5));
}

TEST(Polytope, ASimplexHasItsCentreAndOneDirectionLess) {
  const Polytope simplex = unit_simplex(5);
  EXPECT_LE((simplex.interior_point() - Vector::Constant(5, 0.2)).norm(), 1e-5);
  EXPECT_EQ(simplex.directions().cols(), 4);
  EXPECT_LE((Matrix::Ones(1, 5) * simplex.directions()).norm(), 1e-14);
}

TEST(Polytope, FindsImplicitEqualities) {
  // x + y <= 1 and x + y >= 1 are together an equality. x + z <= 0 forces x = z = 0.
  const Polytope point = in_unit_cube(Matrix{{1.0, 1.0, 0.0}, {-1.0, -1.0, 0.0}, {1.0, 0.0, 1.0}},
                                      Vector{{1.0, -1.0, 0.0}}, Matrix(0, 3), Vector(0));
  EXPECT_LE((point.interior_point() - Vector{{0.0, 1.0, 0.0}}).norm(), 1e-12);
  EXPECT_EQ(point.directions().cols(), 0);

  const Polytope segment =
      in_unit_cube(Matrix{{1.0, 1.0}, {-2.0, -2.0}}, Vector{{1.0, -2.0}}, Matrix(0, 2), Vector(0));
  EXPECT_TRUE(segment.interior_point().isApprox(Vector{{0.5, 0.5}}, 1e-5));
  ASSERT_EQ(segment.directions().cols(), 1);
  EXPECT_NEAR(segment.directions()(0, 0), -segment.directions()(1, 0), 1e-14);
  EXPECT_EQ(segment.true_inequalities(), (Numbers{0, 1, 2, 3}));
}

TEST(Polytope, AVariableMayHaveASingleValue) {
  const Polytope flat(Vector{{0.0, 0.0, 0.25}}, Vector{{1.0, 0.0, 0.25}},
                      LinearConstraints::unlimited(3));
  EXPECT_EQ(flat.directions().cols(), 1);
  EXPECT_EQ(flat.interior_point()[1], 0.0);
  EXPECT_EQ(flat.interior_point()[2], 0.25);
}

TEST(Polytope, AnInequalityWithAnInfiniteBoundHasNoEffect) {
  const Polytope box =
      in_unit_cube(Matrix{{1.0, 2.0}}, Vector::Constant(1, std::numeric_limits<double>::infinity()),
                   Matrix(0, 2), Vector(0));
  EXPECT_TRUE(box.contains(Vector::Ones(2)));
  EXPECT_EQ(box.directions().cols(), 2);
}

TEST(Polytope, DoesNotDependOnTheUnitsOfVariables) {
  // 1e6 x + 1e-6 y <= 1 with x <= 1e-6, y <= 1e6: a triangle in other units.
  const Polytope triangle(
      Vector::Zero(2), Vector{{1e-6, 1e6}},
      {.C = Matrix{{1e6, 1e-6}}, .b = Vector::Ones(1), .E = Matrix(0, 2), .e = Vector(0)});
  EXPECT_EQ(triangle.directions().cols(), 2);
  EXPECT_GT(triangle.interior_point()[0], 1e-7);
  EXPECT_GT(triangle.interior_point()[1], 1e5);
  EXPECT_TRUE(triangle.contains(triangle.interior_point(), 0.0));
}

TEST(Polytope, BestStepStaysInside) {
  const Polytope simplex = unit_simplex(3);
  const Vector x{{0.0, 0.5, 0.5}};
  const Vector step = *simplex.best_step(Matrix::Identity(3, 3), Vector{{1.0, -5.0, 5.0}}, x);
  EXPECT_TRUE((x + step).isApprox(Vector{{0.0, 1.0, 0.0}}, 1e-14));
  EXPECT_FALSE(simplex.best_step(-Matrix::Identity(3, 3), x, x).has_value());
}

// p is the point nearest to x if and only if (x - p)^T (z - p) <= 0 for all z in the polytope.
TEST(Polytope, ProjectsOntoRandomPolytopes) {
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Polytope polytope = random_polytope(seed);
    ASSERT_FALSE(polytope.is_empty());
    RandomStream stream(seed, Purpose::start_choice);
    HitAndRun chain(polytope, RandomStream(seed, Purpose::raw_samples));
    const Index d = polytope.dimension();
    for (int i = 0; i < 10; ++i) {
      const Vector x = Vector::NullaryExpr(d, [&] { return 2.0 * stream.normal(); });
      const Vector p = *polytope.project(x);
      EXPECT_TRUE(polytope.contains(p));
      EXPECT_TRUE((p.array() >= 0.0).all() && (p.array() <= 1.0).all());
      EXPECT_LE((*polytope.project(p) - p).norm(), 1e-12);
      EXPECT_LE((x - p).dot(chain.next() - p), 1e-11 * (x - p).norm());
    }
  }
}

TEST(Polytope, FindsAnInteriorPointOfRandomPolytopes) {
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Polytope polytope = random_polytope(seed);
    const Vector x = polytope.interior_point();
    EXPECT_TRUE(polytope.contains(x));
    const auto& inequalities = polytope.true_inequalities();
    const Vector room = polytope.rows().b - polytope.rows().C * x;
    for (const Index k : inequalities) EXPECT_GT(room[k], 1e-9);
    // A step along a direction stays inside, forwards and backwards.
    const Matrix rates = polytope.rows().C * polytope.directions();
    for (Index j = 0; j < rates.cols(); ++j) {
      const double reach =
          rates.col(j).cwiseAbs()(inequalities).cwiseQuotient(room(inequalities)).maxCoeff();
      EXPECT_TRUE(polytope.contains(x + 0.99 / reach * polytope.directions().col(j)));
      EXPECT_TRUE(polytope.contains(x - 0.99 / reach * polytope.directions().col(j)));
    }
  }
}

}  // namespace
}  // namespace oscbo::numeric
