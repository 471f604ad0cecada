#include "paper/evolution.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace oscbo::paper {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using numeric::Purpose;
using numeric::RandomStream;

EvolutionSearch search_at(const VectorXd& start, double value, double step,
                          std::uint64_t seed = 0) {
  return {start, value, step, RandomStream(seed, Purpose::lander_search)};
}

TEST(EvolutionSearch, FoldsTheLineAtTheFaces) {
  EXPECT_DOUBLE_EQ(reflected(0.25), 0.25);
  EXPECT_DOUBLE_EQ(reflected(-0.25), 0.25);
  EXPECT_DOUBLE_EQ(reflected(1.25), 0.75);
  EXPECT_DOUBLE_EQ(reflected(2.25), 0.25);
  EXPECT_DOUBLE_EQ(reflected(-1.5), 0.5);
  EXPECT_DOUBLE_EQ(reflected(1.0), 1.0);
}

// The test applies the published formulas to one failure and one success with n = 2. The damping is
// 2 and c_cov = 2 / 10, so c_a^2 = 0.8. The rate starts at 2/11 with smoothing 1/12.
TEST(EvolutionSearch, LearnsByThePublishedFormulas) {
  const VectorXd start = VectorXd::Constant(2, 0.5);
  EvolutionSearch search = search_at(start, 1.0, 0.01);
  static_cast<void>(search.propose());
  search.learn(0.5);
  const double after_failure = 2.0 / 11.0 * 11.0 / 12.0;
  const double step = 0.01 * std::exp((after_failure - 2.0 / 9.0 * (1.0 - after_failure)) / 2.0);
  EXPECT_NEAR(search.step(), step, 1e-16);
  EXPECT_EQ(search.best(), start);
  EXPECT_EQ(search.shape(), MatrixXd::Identity(2, 2));

  const VectorXd proposal = search.propose();
  const VectorXd z = (proposal - start) / step;
  search.learn(2.0);
  const double after_success = after_failure * 11.0 / 12.0 + 1.0 / 12.0;
  EXPECT_NEAR(search.step(),
              step * std::exp((after_success - 2.0 / 9.0 * (1.0 - after_success)) / 2.0), 1e-16);
  EXPECT_EQ(search.best(), proposal);
  EXPECT_EQ(search.best_value(), 2.0);
  // The update of the factor must give C <- 0.8 C + 0.2 z z' with C = A A'.
  const MatrixXd expected = 0.8 * MatrixXd::Identity(2, 2) + 0.2 * z * z.transpose();
  EXPECT_NEAR((search.shape() * search.shape().transpose() - expected).norm(), 0.0, 1e-13);
}

TEST(EvolutionSearch, WalksOnAPlateau) {
  EvolutionSearch search = search_at(VectorXd::Constant(2, 0.5), 1.0, 0.01);
  const VectorXd proposal = search.propose();
  search.learn(1.0);
  EXPECT_EQ(search.best(), proposal);
}

// The rate after n successes is 1 - (9/11) (11/12)^n, which is 0.423 after four and 0.470 after
// five.
TEST(EvolutionSearch, KeepsItsShapeWhileItSucceedsTooOften) {
  EvolutionSearch search = search_at(VectorXd::Constant(2, 0.5), 0.0, 0.01);
  for (int success = 1; success <= 6; ++success) {
    const MatrixXd before = search.shape();
    static_cast<void>(search.propose());
    search.learn(success);
    EXPECT_EQ(search.shape() == before, success > 4) << success;
  }
}

// The hill is an ellipsoid whose axes differ by a factor of 100, with its top on a face of the
// cube.
TEST(EvolutionSearch, FindsTheTopOfAnIllConditionedHill) {
  const auto height = [](const VectorXd& x) {
    double sum = 0.0;
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      const double top = j == 0 ? 0.0 : 0.3;
      sum -= std::pow(1e4, static_cast<double>(j) / 5.0) * std::pow(x[j] - top, 2.0);
    }
    return sum;
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const VectorXd start = VectorXd::Constant(6, 0.8);
    EvolutionSearch search = search_at(start, height(start), 0.1, seed);
    for (int i = 0; i < 4000; ++i) {
      const VectorXd& x = search.propose();
      ASSERT_GE(x.minCoeff(), 0.0);
      ASSERT_LE(x.maxCoeff(), 1.0);
      const double before = search.best_value();
      search.learn(height(x));
      ASSERT_GE(search.best_value(), before);
    }
    EXPECT_GT(search.best_value(), -1e-9) << "seed " << seed;
    EXPECT_EQ(search.best_value(), height(search.best()));
  }
}

}  // namespace
}  // namespace oscbo::paper
