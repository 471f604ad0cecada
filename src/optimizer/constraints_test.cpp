// Every proposal satisfies the linear constraints of its space.
#include <gtest/gtest.h>

#include "optimizer/constrained_proposals_test_support.hpp"

namespace oscbo {
namespace {

void expect_constraints_hold(std::uint64_t problems) {
  test::ConstrainedProposals all;
  for (std::uint64_t problem = 0; problem < problems; ++problem) {
    const test::ConstrainedProposals proposals = test::proposals_in_random_problem(problem);
    EXPECT_EQ(proposals.refused, 0) << problem;
    EXPECT_LE(proposals.violation, 1e-11) << problem;
    all.add(proposals);
  }
  EXPECT_GT(all.points, static_cast<int>(2.7 * static_cast<double>(problems)));
}

TEST(Constraints, HoldForEveryProposalInRandomProblems) { expect_constraints_hold(40); }

// `make study` checks ten thousand problems.
TEST(ConstraintsSlow, HoldForEveryProposalInTwoThousandRandomProblems) {
  expect_constraints_hold(2000);
}

}  // namespace
}  // namespace oscbo
