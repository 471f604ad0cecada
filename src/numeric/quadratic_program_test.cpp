#include "numeric/quadratic_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "numeric/numeric_test_support.hpp"
#include "numeric/random_stream.hpp"

namespace oscbo::numeric {
namespace {

using test::Matrix;
using test::random_matrix;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

LinearConstraints constraints_of(Matrix C, Vector b, Matrix E, Vector e) {
  return {.C = std::move(C), .b = std::move(b), .E = std::move(E), .e = std::move(e)};
}

LinearConstraints inequalities_of(const Matrix& C, const Vector& b) {
  return constraints_of(C, b, Matrix(0, C.cols()), Vector(0));
}

LinearConstraints equalities_of(const Matrix& E, const Vector& e) {
  return constraints_of(Matrix(0, E.cols()), Vector(0), E, e);
}

/// The point of the set nearest to `target`.
QuadraticMinimum nearest_point(const LinearConstraints& constraints, const Vector& target) {
  const Index n = target.size();
  return minimise_quadratic(Matrix::Identity(n, n), -target, constraints, Vector::Ones(n));
}

using Rows = std::vector<Index>;

TEST(QuadraticProgram, IsNewtonsStepWithoutConstraints) {
  const Matrix B{{4.0, 1.0}, {1.0, 3.0}};
  const QuadraticMinimum minimum =
      minimise_quadratic(B, Vector{{1.0, 2.0}}, LinearConstraints::unlimited(2), Vector::Ones(2));
  EXPECT_EQ(minimum.outcome, QuadraticOutcome::solved);
  EXPECT_NEAR(minimum.x[0], -1.0 / 11.0, 1e-15);
  EXPECT_NEAR(minimum.x[1], -7.0 / 11.0, 1e-15);
  EXPECT_TRUE(minimum.active.empty());
}

TEST(QuadraticProgram, FindsTheSideOfATriangle) {
  const LinearConstraints triangle =
      inequalities_of(Matrix{{-1.0, 0.0}, {0.0, -1.0}, {1.0, 1.0}}, Vector{{0.0, 0.0, 1.0}});
  const QuadraticMinimum minimum = nearest_point(triangle, Vector{{1.0, 0.5}});
  EXPECT_EQ(minimum.outcome, QuadraticOutcome::solved);
  EXPECT_NEAR(minimum.x[0], 0.75, 1e-15);
  EXPECT_NEAR(minimum.x[1], 0.25, 1e-15);
  EXPECT_EQ(minimum.active, Rows{2});
  EXPECT_NEAR(minimum.multipliers[2], 0.25, 1e-15);
}

// Towards (3, 0), the side x + y <= 1 and then y >= 0 become active, and both stay active. Towards
// (1, -3), the side becomes active and inactive again.
TEST(QuadraticProgram, AddsAndRemovesConstraints) {
  const LinearConstraints triangle =
      inequalities_of(Matrix{{-1.0, 0.0}, {0.0, -1.0}, {1.0, 1.0}}, Vector{{0.0, 0.0, 1.0}});
  EXPECT_EQ(nearest_point(triangle, Vector{{3.0, 0.0}}).active, (Rows{1, 2}));
  const LinearConstraints steep =
      inequalities_of(Matrix{{1.0, 0.1}, {0.0, 1.0}}, Vector{{0.0, -30.0}});
  const QuadraticMinimum minimum = nearest_point(steep, Vector{{2.0, -28.0}});
  EXPECT_EQ(minimum.active, Rows{1});
  EXPECT_NEAR(minimum.x[0], 2.0, 1e-14);
}

TEST(QuadraticProgram, AcceptsRepeatedAndDependentEqualities) {
  const Matrix E{{1.0, 1.0, 1.0}, {2.0, 2.0, 2.0}, {1.0, -1.0, 0.0}, {2.0, 0.0, 1.0}};
  const QuadraticMinimum minimum =
      nearest_point(equalities_of(E, Vector{{1.0, 2.0, 0.0, 1.0}}), Vector{{3.0, -1.0, 0.5}});
  ASSERT_EQ(minimum.outcome, QuadraticOutcome::solved);
  EXPECT_LE((E * minimum.x - Vector{{1.0, 2.0, 0.0, 1.0}}).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(minimum.active.size(), 2U);
}

TEST(QuadraticProgram, NamesTheEqualitiesThatContradictEachOther) {
  const Matrix E{{0.0, 0.0, 1.0}, {1.0, 1.0, 1.0}, {1.0, -1.0, 0.0}, {2.0, 0.0, 1.0}};
  const QuadraticMinimum minimum =
      nearest_point(equalities_of(E, Vector{{5.0, 1.0, 0.0, 1.5}}), Vector::Zero(3));
  EXPECT_EQ(minimum.outcome, QuadraticOutcome::infeasible);
  EXPECT_EQ(minimum.conflict, (Rows{1, 2, 3}));
}

TEST(QuadraticProgram, NamesBoundsThatLeaveNoPoint) {
  const LinearConstraints constraints = inequalities_of(
      Matrix{{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}}, Vector{{1.0, -2.0, 1.0, 0.0}});
  EXPECT_EQ(nearest_point(constraints, Vector::Zero(2)).conflict, (Rows{0, 1}));
}

TEST(QuadraticProgram, ARowOfZerosHoldsOrIsAConflictByItself) {
  const Matrix C{{0.0, 0.0}, {1.0, 0.0}};
  EXPECT_EQ(nearest_point(inequalities_of(C, Vector{{0.0, 1.0}}), Vector::Zero(2)).outcome,
            QuadraticOutcome::solved);
  EXPECT_EQ(nearest_point(inequalities_of(C, Vector{{-1.0, 1.0}}), Vector::Zero(2)).conflict,
            Rows{0});
  EXPECT_EQ(nearest_point(equalities_of(C, Vector{{1e-3, 1.0}}), Vector::Zero(2)).conflict,
            Rows{0});
}

// Sixteen lines meet in one corner. The minimum needs two of them.
TEST(QuadraticProgram, EndsAtADegenerateCorner) {
  Matrix C(16, 2);
  for (Index k = 0; k < 16; ++k) {
    const double angle = 0.05 * static_cast<double>(k);
    C.row(k) << std::cos(angle), std::sin(angle);
  }
  const Vector corner{{0.3, -0.7}};
  const QuadraticMinimum minimum =
      nearest_point(inequalities_of(C, C * corner), corner + 5.0 * C.row(7).transpose());
  ASSERT_EQ(minimum.outcome, QuadraticOutcome::solved);
  EXPECT_LE((minimum.x - corner).norm(), 1e-14);
}

TEST(QuadraticProgram, DoesNotDependOnTheNormsOfRows) {
  const Matrix C{{1e-200, 1e-200}, {-1e200, 0.0}, {0.0, -1e-9}};
  const QuadraticMinimum minimum =
      nearest_point(inequalities_of(C, Vector{{1e-200, 0.0, 0.0}}), Vector{{2.0, 2.0}});
  ASSERT_EQ(minimum.outcome, QuadraticOutcome::solved);
  EXPECT_NEAR(minimum.x[0], 0.5, 1e-15);
  EXPECT_NEAR(minimum.x[1], 0.5, 1e-15);
}

TEST(QuadraticProgram, AnInfiniteBoundHasNoEffect) {
  const QuadraticMinimum minimum = nearest_point(
      inequalities_of(Matrix{{1.0, 1.0}, {1.0, 0.0}}, Vector{{kNoLimit, 1.0}}), Vector{{3.0, 4.0}});
  ASSERT_EQ(minimum.outcome, QuadraticOutcome::solved);
  EXPECT_EQ(minimum.x, (Vector{{1.0, 4.0}}));
}

// x = y = z = 1/3, written with nine digits: their sum is 1e-9 below 1.
TEST(QuadraticProgram, ForgivesRoundingToNineDigits) {
  const Matrix E{{1.0, 1.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  Vector e{{1.0, 0.333333333, 0.333333333, 0.333333333}};
  const QuadraticMinimum minimum = nearest_point(equalities_of(E, e), Vector::Zero(3));
  ASSERT_EQ(minimum.outcome, QuadraticOutcome::solved);
  EXPECT_LE((E * minimum.x - e).cwiseAbs().maxCoeff(), 2e-9);
  e[3] = 0.3333;
  EXPECT_EQ(nearest_point(equalities_of(E, e), Vector::Zero(3)).conflict, (Rows{0, 1, 2, 3}));
}

TEST(QuadraticProgram, ReportsWhatItCannotMinimise) {
  const LinearConstraints free = LinearConstraints::unlimited(2);
  const Matrix saddle{{1.0, 0.0}, {0.0, -1.0}};
  EXPECT_EQ(minimise_quadratic(saddle, Vector::Ones(2), free, Vector::Ones(2)).outcome,
            QuadraticOutcome::failed);
  const Vector undefined = Vector::Constant(2, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(nearest_point(free, undefined).outcome, QuadraticOutcome::failed);
}

Matrix normals_of(const LinearConstraints& constraints) {
  Matrix A(constraints.size(), constraints.dimension());
  A << constraints.C, constraints.E;
  return A;
}

Vector bounds_of(const LinearConstraints& constraints) {
  Vector a(constraints.size());
  a << constraints.b, constraints.e;
  return a;
}

/// A problem with repeated, dependent and badly scaled rows.
struct RandomProblem {
  Matrix B;
  Vector g;
  LinearConstraints constraints;

  RandomProblem(std::uint64_t seed, bool has_point) {
    RandomStream stream(seed, Purpose::raw_samples);
    const auto normal = [&] { return stream.normal(); };
    const auto n = static_cast<Index>(1 + stream.below(seed % 20 == 0 ? 40 : 8));
    const auto m = static_cast<Index>(stream.below(static_cast<std::size_t>(3 * n)));
    const auto p = static_cast<Index>(stream.below(static_cast<std::size_t>((n + 3) / 2)));
    const Matrix root = Matrix::NullaryExpr(n, n, normal);
    B = root * root.transpose() + 0.01 * Matrix::Identity(n, n);
    g = 3.0 * Vector::NullaryExpr(n, normal);
    Matrix A = Matrix::NullaryExpr(m + p, n, normal);
    for (Index k = 1; k < m + p; ++k) {
      if (stream.below(4) == 0) A.row(k) = A.row(k - 1);  // repeated
      if (stream.below(4) == 0) A.row(k) = A.row(k - 1) - A.row(0);
      if (stream.below(4) == 0) A.row(k) = A.row(k).cwiseMax(0.0).cwiseMin(1e-300) * 1e300;
    }
    const Vector inside = Vector::NullaryExpr(n, normal);
    Vector a = A * inside;
    for (Index k = 0; k < m + p; ++k) {
      const bool is_loose = k < m && stream.below(3) > 0;
      if (is_loose) a[k] += stream.exponential();
      if (!has_point && stream.below(4) == 0) a[k] -= 3.0 * stream.exponential();
      const double norm = std::exp(5.0 * stream.normal());
      A.row(k) *= norm;
      a[k] *= norm;
    }
    constraints = constraints_of(A.topRows(m), a.head(m), A.bottomRows(p), a.tail(p));
  }

  [[nodiscard]] QuadraticMinimum minimum() const {
    return minimise_quadratic(B, g, constraints, Vector::Ones(g.size()));
  }
};

/// Stationarity, feasibility, signs and complementarity: sufficient for the minimum, since B is
/// positive definite.
void expect_optimal(const RandomProblem& problem, const QuadraticMinimum& minimum) {
  const Matrix A = normals_of(problem.constraints);
  const Vector excess = A * minimum.x - bounds_of(problem.constraints);
  const Vector norms = A.rowwise().norm().cwiseMax(1e-300);
  const double size = 1.0 + minimum.x.norm();
  const Vector forces = norms.cwiseProduct(minimum.multipliers.cwiseAbs());
  const Vector slope = problem.B * minimum.x + problem.g + A.transpose() * minimum.multipliers;
  EXPECT_LE(slope.norm(), 1e-9 * (problem.g.norm() + problem.B.norm() * size + forces.sum()));
  for (Index k = 0; k < excess.size(); ++k) {
    const bool is_equality = k >= problem.constraints.b.size();
    const double violation = is_equality ? std::abs(excess[k]) : excess[k];
    EXPECT_LE(violation, 1e-11 * size * norms[k]) << "row " << k;
    if (is_equality) continue;
    EXPECT_GE(minimum.multipliers[k], 0.0);
    const bool has_force = minimum.multipliers[k] > 0.0;
    EXPECT_GE(excess[k], has_force ? -1e-11 * size * norms[k] : -kNoLimit) << "row " << k;
  }
}

// By Farkas's lemma, rows have no common point if and only if some combination of them, with
// weights >= 0 for inequalities, reads 0 <= (a negative number). If all of its weights are nonzero
// and no other combination of the normals vanishes, then no row can be left out.
void expect_irreducible_conflict(const LinearConstraints& constraints, const Rows& conflict) {
  Matrix A = normals_of(constraints)(conflict, Eigen::all);
  Vector a = bounds_of(constraints)(conflict);
  const Vector norms = A.rowwise().norm().cwiseMax(1e-300);
  A = norms.cwiseInverse().asDiagonal() * A;
  a = norms.cwiseInverse().asDiagonal() * a;
  const Eigen::JacobiSVD<Matrix> svd(A, Eigen::ComputeFullU);
  const Index rows = A.rows();
  Index rank = 0;
  while (rank < svd.singularValues().size() && svd.singularValues()[rank] > 1e-9) ++rank;
  ASSERT_EQ(rank, rows - 1);
  Vector weights = svd.matrixU().col(rows - 1);
  if (weights.dot(a) > 0.0) weights = -weights;
  EXPECT_LT(weights.dot(a), -1e-9);
  Index place = 0;
  for (const Index row : conflict) {
    const bool is_equality = row >= constraints.b.size();
    const double weight = weights[place++];
    EXPECT_GT(is_equality ? std::abs(weight) : weight, 1e-9);
  }
}

// Rows at angles down to 1e-14 to each other, with bounds that contradict each other by up to 1e-8.
TEST(QuadraticProgram, EndsAmongNearlyParallelRows) {
  for (std::uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream stream(seed, Purpose::start_choice);
    const auto power = [&](double most) { return std::pow(10.0, -most * stream.uniform()); };
    const auto n = static_cast<Index>(1 + stream.below(8));
    Matrix A = random_matrix(4 * n, n, seed);
    for (Index k = 1; k < 4 * n; ++k) {
      if (stream.below(3) == 0) A.row(k) = power(14.0) * A.row(k) - A.row(k - 1);
    }
    const Index equalities = n / 2;
    Vector a = A * Vector::Constant(n, 0.5);
    for (double& bound : a) bound += 1e-8 * power(8.0) * stream.normal();
    const LinearConstraints constraints =
        constraints_of(A.topRows(4 * n - equalities), a.head(4 * n - equalities),
                       A.bottomRows(equalities), a.tail(equalities));
    const QuadraticMinimum minimum = nearest_point(constraints, 1e4 * random_matrix(n, 1, seed));
    ASSERT_NE(minimum.outcome, QuadraticOutcome::failed);
    if (minimum.outcome == QuadraticOutcome::infeasible) continue;
    const Vector excess = A * minimum.x - a;
    const Vector scales = a.cwiseAbs() + A.cwiseAbs() * minimum.x.cwiseAbs();
    EXPECT_LE((excess.array() / (scales.array() + 1.0)).maxCoeff(), 1e-6);
    EXPECT_LE((excess.tail(equalities).cwiseAbs().array() / (scales.tail(equalities).array() + 1.0))
                  .sum(),
              1e-6);
  }
}

// Rounding gives nearly parallel rows, at angles down to 1e-6, shares in combinations that do not
// need them.
TEST(QuadraticProgram, OmitsRowsFromAConflictThatOnlyRoundingPutThere) {
  for (std::uint64_t seed = 0; seed < 800 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream stream(seed, Purpose::start_choice);
    const Index n = 8;
    Matrix A = random_matrix(3 * n, n, seed);
    for (Index k = 2; k < 3 * n; ++k) {
      const std::size_t kind = stream.below(4);
      if (kind == 0) A.row(k) = std::pow(10.0, -6.0 * stream.uniform()) * A.row(k) - A.row(k - 1);
      if (kind == 1) A.row(k) = A.row(k - 1) + A.row(k - 2);
    }
    const Vector a = A * Vector::Constant(n, 0.5) + 0.3 * random_matrix(3 * n, 1, seed + 1);
    const LinearConstraints constraints = inequalities_of(A, a);
    const QuadraticMinimum minimum = nearest_point(constraints, 10.0 * random_matrix(n, 1, seed));
    ASSERT_NE(minimum.outcome, QuadraticOutcome::failed);
    if (minimum.outcome == QuadraticOutcome::infeasible) {
      expect_irreducible_conflict(constraints, minimum.conflict);
    }
  }
}

TEST(QuadraticProgram, SolvesRandomProblemsThatHaveASolution) {
  for (std::uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RandomProblem problem(seed, true);
    const QuadraticMinimum minimum = problem.minimum();
    ASSERT_EQ(minimum.outcome, QuadraticOutcome::solved);
    expect_optimal(problem, minimum);
  }
}

TEST(QuadraticProgram, ProvesItsAnswerToRandomProblems) {
  int infeasible = 0;
  for (std::uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RandomProblem problem(seed, false);
    const QuadraticMinimum minimum = problem.minimum();
    ASSERT_NE(minimum.outcome, QuadraticOutcome::failed);
    if (minimum.outcome == QuadraticOutcome::solved) {
      expect_optimal(problem, minimum);
    } else {
      ++infeasible;
      expect_irreducible_conflict(problem.constraints, minimum.conflict);
    }
  }
  EXPECT_GT(infeasible, 500);
  EXPECT_LT(infeasible, 1500);
}

}  // namespace
}  // namespace oscbo::numeric
