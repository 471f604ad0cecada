// Every proposal keeps the linear constraints of its space.
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "optimizer/optimizer_test_support.hpp"
#include "oscbo/optimizer.hpp"
#include "space/space_test_support.hpp"

namespace oscbo {
namespace {

/// What was proposed, by design and by the model, in all random problems.
struct Proposals {
  int points = 0;
  int exhausted = 0;  // problems whose whole numbers leave no further point
};

Proposals check_random_problems(int problems) {
  Config config = method_config("auto");
  config.data.initial_points = 2;
  numeric::RandomStream stream(11, numeric::Purpose::simulated_function);
  Proposals proposals;
  for (int problem = 0; problem < problems; ++problem) {
    const SpaceDeclaration declaration = space::test::random_problem(stream);
    Optimizer optimizer(Space(declaration), config, static_cast<std::uint64_t>(problem));
    try {
      for (int i = 0; i < 3; ++i) {
        const Suggestion next = optimizer.ask();
        EXPECT_LE(space::test::violation(declaration, next.x), 1e-11) << problem;
        EXPECT_NO_THROW(optimizer.space().check(next.x)) << problem;
        optimizer.tell(next.trial, std::sin(next.x[0]) + next.x[1]);
        ++proposals.points;
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::exhausted) << error.what();
      ++proposals.exhausted;
    }
  }
  return proposals;
}

TEST(Constraints, HoldForEveryProposalInRandomProblems) {
  const Proposals proposals = check_random_problems(40);
  EXPECT_GT(proposals.points, 108);
}

TEST(ConstraintsSlow, HoldForEveryProposalInTenThousandRandomProblems) {
  const Proposals proposals = check_random_problems(10'000);
  EXPECT_GT(proposals.points, 27'000);
  RecordProperty("points", proposals.points);
  RecordProperty("exhausted", proposals.exhausted);
}

}  // namespace
}  // namespace oscbo
