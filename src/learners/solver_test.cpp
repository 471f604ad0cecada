#include "learners/solver.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "learners/learners_test_support.hpp"

namespace oscbo::learners {
namespace {

using numeric::Purpose;
using numeric::RandomStream;
using test::one;
using test::Problem;
using test::varied_problem;

const Vector kLn2 = one(std::numbers::ln2);

RandomStream starts(std::uint64_t seed = 4) {
  return RandomStream(seed, Purpose::lengthscale_starts);
}

LearnerOptions with_solver(LearnerOptions::Solver solver) {
  LearnerOptions config;
  config.solver = solver;
  return config;
}

Vector solve(const LearnerOptions& config, PerturbedObjective objective,
             const Vector& start = kLn2) {
  return LengthscaleSolver(config).minimise(objective, start, starts());
}

/// Returns the next minimum of a solver, which may remember the previous one.
Vector next_minimum(LengthscaleSolver& solver, PerturbedObjective objective) {
  return solver.minimise(objective, kLn2, starts());
}

// --- adam --------------------------------------------------------------------------------------

/// Adam of Kingma and Ba, implemented from their Algorithm 1, in the raw coordinates of softplus.
class ReferenceAdam {
 public:
  explicit ReferenceAdam(const Vector& theta)
      : raw_((theta.array().exp() - 1.0).log()),
        m_(Vector::Zero(theta.size())),
        v_(Vector::Zero(theta.size())) {}

  void step(PerturbedObjective& objective) {
    const Vector sigmoid = 1.0 / (1.0 + (-raw_.array()).exp());
    Vector g(raw_.size());
    objective.value_and_gradient(theta(), g);
    g = g.cwiseProduct(sigmoid);
    ++t_;
    m_ = 0.9 * m_ + 0.1 * g;
    v_ = 0.999 * v_ + 0.001 * g.cwiseAbs2();
    const Vector m_hat = m_ / (1.0 - std::pow(0.9, t_));
    const Vector v_hat = v_ / (1.0 - std::pow(0.999, t_));
    raw_.array() -= 0.01 * m_hat.array() / (v_hat.array().sqrt() + 1e-8);
  }

  [[nodiscard]] Vector theta() const { return (1.0 + raw_.array().exp()).log(); }

 private:
  Vector raw_;
  Vector m_;
  Vector v_;
  int t_ = 0;
};

LearnerOptions adam_of(int steps) {
  LearnerOptions config;
  config.adam_steps = steps;
  return config;
}

TEST(Adam, FollowsTheReferenceStepByStep) {
  for (const Index lengthscales : {1, 3}) {
    Problem problem(test::smooth_data(10, 3, 2), gp::KernelShape::matern52,
                    test::game_terms(10, 2.0, 1.0, 0.4));
    const Vector start = Vector::LinSpaced(lengthscales, 0.5, 0.9);
    PerturbedObjective objective = problem.perturbed(Vector::Constant(lengthscales, 0.1));
    ReferenceAdam reference(start);
    for (int steps = 1; steps <= 50; ++steps) {
      reference.step(objective);
      if (steps > 3 && steps < 50) continue;
      const Vector theta = solve(adam_of(steps), objective, start);
      EXPECT_LT((theta - reference.theta()).cwiseAbs().maxCoeff(), 1e-10) << steps << " steps";
    }
  }
}

TEST(Adam, FirstStepMovesTheRawCoordinateByTheRate) {
  Problem problem = varied_problem(0);
  const Transform softplus(LearnerOptions::Transform::softplus);
  for (const double eta : {-100.0, 100.0}) {
    const double raw = softplus.raw(solve(adam_of(1), problem.perturbed(one(eta)))[0]);
    EXPECT_NEAR(raw, std::copysign(0.01, eta), 1e-9);
  }
}

TEST(Adam, ForgetsItsMomentsBetweenFitsByDefault) {
  Problem problem = varied_problem(1);
  PerturbedObjective objective = problem.perturbed();
  LearnerOptions config = adam_of(3);

  LengthscaleSolver forgetful(config);
  const Vector halfway = forgetful.minimise(objective, kLn2, starts());
  EXPECT_EQ(forgetful.minimise(objective, halfway, starts()), solve(config, objective, halfway));

  config.reset_moments = false;
  LengthscaleSolver keeping(config);
  const Vector kept =
      keeping.minimise(objective, keeping.minimise(objective, kLn2, starts()), starts());
  EXPECT_NEAR(kept[0], solve(adam_of(6), objective)[0], 1e-12);
  EXPECT_NE(kept, forgetful.minimise(objective, halfway, starts()));
}

// Starting at raw = 0, fifty steps of 0.01 with a constant slope reach softplus(-0.5) or
// softplus(0.5).
TEST(Adam, ColdStartReachesOnlyTheStatedRange) {
  Problem problem = varied_problem(2);
  const auto end = [&](double eta) {
    return solve(adam_of(50),
                 problem.perturbed(one(eta), online::PrimalOptions::PerturbedSpace::raw))[0];
  };
  EXPECT_NEAR(end(-1e6), 0.474, 5e-4);
  EXPECT_NEAR(end(1e6), 0.974, 5e-4);
}

TEST(Adam, CountsOneFactorizationPerStep) {
  Problem problem = varied_problem(3);
  solve(adam_of(17), problem.perturbed());
  EXPECT_EQ(problem.J().evaluations(), 17);
}

TEST(Adam, MoreRestartsNeverWorsenTheMinimum) {
  int better = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Problem problem = varied_problem(seed);
    PerturbedObjective objective = problem.perturbed();
    LearnerOptions config;
    const double single = objective.value(solve(config, objective));
    config.restarts = 4;
    const double best =
        objective.value(LengthscaleSolver(config).minimise(objective, kLn2, starts(seed)));
    EXPECT_LE(best, single);
    if (best < single) ++better;
  }
  EXPECT_GT(better, 6) << "the additional starts were not used";
}

// --- the bounds, for both solvers --------------------------------------------------------------

class InsideBounds : public testing::TestWithParam<
                         std::tuple<LearnerOptions::Solver, LearnerOptions::Transform, Index>> {};
INSTANTIATE_TEST_SUITE_P(All, InsideBounds,
                         testing::Combine(testing::Values(LearnerOptions::Solver::adam,
                                                          LearnerOptions::Solver::exact),
                                          testing::Values(LearnerOptions::Transform::softplus,
                                                          LearnerOptions::Transform::log,
                                                          LearnerOptions::Transform::clamp),
                                          testing::Values(1, 2)));

TEST_P(InsideBounds, AStrongPerturbationEndsExactlyAtTheBound) {
  const auto [solver, transform, lengthscales] = GetParam();
  LearnerOptions config = with_solver(solver);
  config.transform = transform;
  config.adam_rate = 10.0;
  config.theta_min = 0.2;
  config.theta_max = 3.0;
  Problem problem(test::smooth_data(8, 2, 3), gp::KernelShape::matern52,
                  test::game_terms(8, 2.0, 1.0, 0.4));
  const auto end = [&](double eta, double start) {
    return solve(config, problem.perturbed(Vector::Constant(lengthscales, eta)),
                 Vector::Constant(lengthscales, start));
  };
  for (const double start : {0.01, 0.7, 50.0}) {
    EXPECT_EQ(end(-1e6, start), Vector::Constant(lengthscales, 0.2));
    EXPECT_EQ(end(1e6, start), Vector::Constant(lengthscales, 3.0));
  }
}

// The first start is hopeless, so one of the others must find that there is no noise.
TEST(Adam, EveryStartMayTakeALearnedNoiseToItsOwnBound) {
  const test::Data data = test::smooth_data(40, 1, 4);
  const gp::Inputs inputs = data.inputs();
  const gp::ObjectiveTerms terms = gp::likelihood_terms(40);
  gp::LengthscaleObjective J(gp::stationary_kernel(gp::KernelShape::matern52), 1.0);
  J.learn_noise();
  J.set_data(inputs, data.y);
  J.set_terms(terms);
  PerturbedObjective objective(J, Vector(), online::PrimalOptions::PerturbedSpace::theta,
                               Transform(LearnerOptions::Transform::softplus));
  LearnerOptions config;
  config.adam_steps = 20;
  config.restarts = 200;
  LengthscaleSolver solver(config);
  solver.learn_noise();
  const Vector theta = solver.minimise(objective, Vector{{10.0, 10.0}}, starts());
  EXPECT_LT(theta[1], config.theta_min);
  EXPECT_GE(theta[1], 1e-4);
}

// --- exact -------------------------------------------------------------------------------------

double least_of_grid(PerturbedObjective& objective, int points) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < points; ++i) {
    least = std::min(least, objective.value(one(1e-2 * std::pow(1e3, i / (points - 1.0)))));
  }
  return least;
}

class ExactSolver : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(VariedProblems, ExactSolver, testing::Range(0, 48));

TEST_P(ExactSolver, FindsTheGlobalMinimumOfOneLengthscale) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  Problem problem = varied_problem(seed);
  PerturbedObjective objective =
      problem.perturbed(one(0.1 * RandomStream(seed, Purpose::perturbation).normal()));
  const Vector theta = solve(with_solver(LearnerOptions::Solver::exact), objective);
  EXPECT_LE(objective.value(theta), least_of_grid(objective, 20000) + 1e-9);
}

// In these problems, the best point of a coarse scan is not in the best basin.
TEST(Exact, RefinesEveryPromisingBasinOfItsScan) {
  for (const std::uint64_t seed : {527U, 1754U, 2583U, 2729U, 3699U, 3702U, 3886U}) {
    Problem problem = varied_problem(seed);
    PerturbedObjective objective =
        problem.perturbed(one(0.1 * RandomStream(seed, Purpose::perturbation).normal()));
    const double value =
        objective.value(solve(with_solver(LearnerOptions::Solver::exact), objective));
    EXPECT_LE(value, least_of_grid(objective, 3000) + 1e-9) << "problem " << seed;
  }
}

// With p = 1 a minimum may be at a kink and takes up to 40 evaluations. A smooth minimum usually
// takes about four.
TEST(Exact, NeedsFarFewerFactorizationsThanAdam) {
  std::vector<int> evaluations;
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    Problem problem = varied_problem(seed);
    solve(with_solver(LearnerOptions::Solver::exact), problem.perturbed());
    evaluations.push_back(problem.J().evaluations());
  }
  std::sort(evaluations.begin(), evaluations.end());
  EXPECT_LE(evaluations[24], 5);
  EXPECT_LT(std::accumulate(evaluations.begin(), evaluations.end(), 0), 48 * 13);
}

TEST(Exact, DoesNotDependOnTheStart) {
  Problem problem = varied_problem(5);
  const LearnerOptions config = with_solver(LearnerOptions::Solver::exact);
  EXPECT_EQ(solve(config, problem.perturbed(), one(0.02)),
            solve(config, problem.perturbed(), one(9.0)));
}

// Beyond 256 points, the scan does not keep its factors, and each value costs a factorization.
Problem problem_of_many_points(Index n, Index d = 3) {
  return {test::smooth_data(n, d, 1), gp::KernelShape::matern52,
          test::game_terms(n, 2.0, 1.0, 0.4)};
}

TEST(Exact, SearchesNearThePreviousMinimumUntilPointsHaveDoubled) {
  Problem problem = problem_of_many_points(300);
  PerturbedObjective objective = problem.perturbed();
  LengthscaleSolver solver(with_solver(LearnerOptions::Solver::exact));
  const Vector first = next_minimum(solver, objective);
  const int scanned = problem.J().evaluations();
  EXPECT_GE(scanned, 16);
  const Vector second = next_minimum(solver, objective);
  EXPECT_LE(problem.J().evaluations() - scanned, 12);
  EXPECT_NEAR(second[0], first[0], 2e-6 * first[0]);

  Problem twice = problem_of_many_points(600);
  const Vector theta = next_minimum(solver, twice.perturbed());
  EXPECT_GE(twice.J().evaluations(), 16);
  EXPECT_EQ(theta, solve(with_solver(LearnerOptions::Solver::exact), twice.perturbed()));
}

TEST(Exact, WalksDownhillFromThePreviousMinimum) {
  Problem problem = problem_of_many_points(300);
  const Vector expected = solve(with_solver(LearnerOptions::Solver::exact), problem.perturbed());
  for (const double pull : {-3000.0, 3000.0}) {  // towards short and towards long lengthscales
    LengthscaleSolver solver(with_solver(LearnerOptions::Solver::exact));
    const Vector pulled = next_minimum(solver, problem.perturbed(one(pull)));
    EXPECT_GT(std::abs(std::log(pulled[0] / expected[0])), 0.5) << pull;
    const Vector released = next_minimum(solver, problem.perturbed());
    EXPECT_NEAR(released[0], expected[0], 2e-6 * expected[0]) << pull;
  }
}

// In 20 dimensions, all points are independent for lengthscales up to a few hundredths of the box.
TEST(Exact, ScansEverywhereAgainFromAPlateau) {
  Problem problem = problem_of_many_points(300, 20);
  PerturbedObjective objective = problem.perturbed();
  ASSERT_EQ(objective.value(one(0.01)), objective.value(one(0.02)));
  LengthscaleSolver solver(with_solver(LearnerOptions::Solver::exact));
  const Vector pulled = next_minimum(solver, problem.perturbed(one(-1e6)));
  ASSERT_LT(pulled[0], 0.011);
  EXPECT_EQ(next_minimum(solver, objective),
            solve(with_solver(LearnerOptions::Solver::exact), objective));
}

TEST(Exact, PerturbationEqualsTheSlopeAtTheMinimum) {
  Problem problem(test::smooth_data(15, 2, 4), gp::KernelShape::matern52,
                  test::game_terms(15, 2.0, 1.0, 0.433358));
  const LearnerOptions config = with_solver(LearnerOptions::Solver::exact);
  const double unperturbed = solve(config, problem.perturbed())[0];
  for (const online::PrimalOptions::PerturbedSpace space :
       {online::PrimalOptions::PerturbedSpace::theta, online::PrimalOptions::PerturbedSpace::raw}) {
    for (const double eta : {-0.5, 0.5}) {
      const Vector theta = solve(config, problem.perturbed(one(eta), space));
      EXPECT_GT((theta[0] - unperturbed) * eta, 0.0);
      Vector slope(1);
      problem.J().value_and_gradient(theta, slope);
      const double expected =
          space == online::PrimalOptions::PerturbedSpace::theta
              ? eta
              : eta / Transform(LearnerOptions::Transform::softplus).slope(theta[0]);
      EXPECT_NEAR(slope[0], expected, 1e-4);  // the error of theta, 1e-6, times the curvature
    }
  }
}

TEST(Exact, WithArdIsAtLeastAsGoodAsAdamAndAsOneLengthscale) {
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    Problem problem(test::smooth_data(12, 1 + static_cast<Index>(seed % 4), seed),
                    static_cast<gp::KernelShape>(seed / 4 % 4),
                    test::game_terms(12, seed / 16 % 2 == 0 ? 2.0 : 1.0, 1.0, 0.433358));
    PerturbedObjective objective = problem.perturbed();
    const auto d = static_cast<Index>(1 + seed % 4);
    const Vector start = Vector::Constant(d, std::numbers::ln2);
    const LearnerOptions exact = with_solver(LearnerOptions::Solver::exact);
    const double value = objective.value(solve(exact, objective, start));
    EXPECT_LE(value, objective.value(solve({}, objective, start)) + 1e-9) << "seed " << seed;
    EXPECT_LE(value, objective.value(solve(exact, objective, kLn2)) + 1e-9) << "seed " << seed;
  }
}

TEST(Exact, WithArdMoreRestartsNeverWorsenTheMinimum) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Problem problem(test::smooth_data(12, 3, seed), gp::KernelShape::matern52,
                    test::game_terms(12, 2.0, 1.0, 0.433358));
    PerturbedObjective objective = problem.perturbed();
    const Vector start = Vector::Constant(3, std::numbers::ln2);
    LearnerOptions config = with_solver(LearnerOptions::Solver::exact);
    const double few = objective.value(solve(config, objective, start));
    config.restarts = 4;
    EXPECT_LE(objective.value(solve(config, objective, start)), few);
  }
}

}  // namespace
}  // namespace oscbo::learners
