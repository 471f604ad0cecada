#include "study/pruning.hpp"

#include <gtest/gtest.h>

namespace oscbo::study {
namespace {

using Reports = std::vector<IntermediateValue>;

/// numbers_of returns the reports of trials 1, 2, ..., each of which reports its number at steps 1
/// to `steps`.
ReportedByOthers numbers_of(int trials, int steps) {
  return [=](std::int64_t first, std::int64_t /*last*/) {
    std::vector<double> values;
    for (int trial = 1; trial <= trials && first <= steps; ++trial) values.push_back(trial);
    return values;
  };
}

bool gives_up(const PruningRules& rules, const ReportedByOthers& others, const Reports& own,
              Goal goal = Goal::maximize) {
  const bool has_been_judged = own.size() > 1;
  return should_give_up(rules, goal, own,
                        has_been_judged ? std::optional(own[own.size() - 2].step) : std::nullopt,
                        others);
}

IntermediateValue own(std::int64_t step, double value) { return {.step = step, .value = value}; }

TEST(Pruning, ByTheMedianGivesUpTheWorseHalf) {
  const PruningRules rules{.kind = PruningKind::median};
  const auto others = numbers_of(5, 9);  // the median is 3
  EXPECT_TRUE(gives_up(rules, others, {own(4, 2.9)}));
  EXPECT_FALSE(gives_up(rules, others, {own(4, 3.1)}));
  EXPECT_FALSE(gives_up(rules, others, {own(4, 2.9)}, Goal::minimize));
  EXPECT_TRUE(gives_up(rules, others, {own(4, 3.1)}, Goal::minimize));
  EXPECT_FALSE(gives_up(rules, others, {own(3, 3.5), own(4, 0.0)})) << "it has been good before";
}

TEST(Pruning, NeedsOthersToCompareWith) {
  const PruningRules rules{.kind = PruningKind::median, .first_step = 3};
  EXPECT_FALSE(gives_up(rules, numbers_of(4, 9), {own(4, -9.0)})) << "four are too few";
  EXPECT_FALSE(gives_up(rules, numbers_of(9, 3), {own(4, -9.0)})) << "nobody has come that far";
  EXPECT_FALSE(gives_up(rules, numbers_of(9, 9), {own(2, -9.0)})) << "before the first step";
  EXPECT_TRUE(gives_up(rules, numbers_of(9, 9), {own(3, -9.0)}));
  EXPECT_FALSE(gives_up(rules, numbers_of(9, 9), {}));
  EXPECT_FALSE(gives_up({}, numbers_of(9, 9), {own(3, -9.0)})) << "nothing was declared";
}

TEST(Pruning, ByHalvingKeepsTheBestThirdOfARung) {
  const PruningRules rules{.kind = PruningKind::halving};
  const auto others = numbers_of(8, 9);  // nine with this one, of which three continue
  EXPECT_TRUE(gives_up(rules, others, {own(1, 5.5)}));
  EXPECT_FALSE(gives_up(rules, others, {own(1, 6.5)}));
  EXPECT_TRUE(gives_up(rules, others, {own(1, 6.5)}, Goal::minimize));
}

TEST(Pruning, ByHalvingJudgesOncePerRung) {
  const PruningRules rules{.kind = PruningKind::halving};  // judges at steps 1, 3, 9
  const auto others = numbers_of(8, 9);
  EXPECT_FALSE(gives_up(rules, others, {own(1, 9.0), own(2, -9.0)}));
  EXPECT_TRUE(gives_up(rules, others, {own(1, 9.0), own(3, -9.0)}));
  EXPECT_FALSE(gives_up(rules, others, {own(3, 9.0), own(5, -9.0)}));
  EXPECT_TRUE(gives_up(rules, others, {own(2, 9.0), own(4, -9.0)})) << "it passed step 3";
}

TEST(Pruning, ByHalvingJudgesSeveralReportsByTheFirstOfARung) {
  const PruningRules rules{.kind = PruningKind::halving};  // judges at steps 1, 3, 9
  const auto others = numbers_of(8, 9);
  const auto at_once = [&](const Reports& own, std::optional<std::int64_t> judged) {
    return should_give_up(rules, Goal::maximize, own, judged, others);
  };
  EXPECT_FALSE(at_once({own(3, 9.0), own(4, -9.0)}, {}));
  EXPECT_TRUE(at_once({own(1, 9.0), own(3, -9.0), own(4, 9.0)}, 1));
  EXPECT_FALSE(at_once({own(1, 9.0), own(3, -9.0), own(4, 9.0)}, 3));
}

}  // namespace
}  // namespace oscbo::study
