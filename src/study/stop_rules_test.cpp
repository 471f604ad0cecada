#include "study/stop_rules.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

namespace oscbo::study {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// told returns a trial with the value y.
StudyTrial told(double y) {
  return {.number = 1,
          .state = TrialState::complete,
          .x = {},
          .objectives = {{.value = y}},
          .worker = "w"};
}

/// predicted returns a failed trial for which a model had made a prediction.
StudyTrial predicted(double mean, double sd) {
  StudyTrial trial{.number = 1, .state = TrialState::failed, .x = {}};
  trial.objectives.front().prediction = Prediction{.mean = mean, .sd = sd};
  return trial;
}

std::vector<StudyTrial> told_all(const std::vector<double>& values) {
  std::vector<StudyTrial> trials;
  for (const double y : values) trials.push_back(told(y));
  return trials;
}

/// stop_reason returns the text of the reason to stop, if there is one.
std::optional<std::string> stop_reason(const StopRules& rules, Goal goal,
                                       const std::vector<StudyTrial>& trials) {
  const std::optional<StopReason> reason = stop_by_trials(rules, goal, trials);
  return reason ? std::optional(reason->text) : std::nullopt;
}

/// integrated_gain returns E max(+-(Y - best), 0) for a normal variable Y. It uses the trapezoidal
/// rule, whose error is negligible because the integrand is negligible at both ends.
double integrated_gain(double mean, double sd, double best, Goal goal) {
  constexpr int kSteps = 40000;
  constexpr double kReach = 12.0;  // standard deviations
  const double step = 2.0 * kReach / kSteps;
  double sum = 0.0;
  for (int i = 0; i <= kSteps; ++i) {
    const double z = -kReach + i * step;
    const double beyond = mean + sd * z - best;
    const double gain = std::max(goal == Goal::maximize ? beyond : -beyond, 0.0);
    sum += gain * std::exp(-0.5 * z * z);
  }
  return sum * step / std::sqrt(2.0 * std::numbers::pi);
}

TEST(ExpectedGain, IsTheMeanOfWhatIsBetterThanTheBest) {
  for (const Goal goal : {Goal::maximize, Goal::minimize}) {
    for (const double mean : {-3.0, 0.9, 1.0, 2.5}) {
      for (const double sd : {0.1, 1.0, 4.0}) {
        const double expected = integrated_gain(mean, sd, 1.0, goal);
        EXPECT_NEAR(expected_gain({.mean = mean, .sd = sd, .lengthscales = {}}, 1.0, goal),
                    expected, 1e-6 * sd)
            << mean << " +- " << sd;
      }
    }
  }
}

TEST(ExpectedGain, OfACertainValueIsWhatItIsBetter) {
  const Prediction certain{.mean = 3.0, .sd = 0.0, .lengthscales = {}};
  EXPECT_EQ(expected_gain(certain, 1.0, Goal::maximize), 2.0);
  EXPECT_EQ(expected_gain(certain, 1.0, Goal::minimize), 0.0);
  EXPECT_EQ(expected_gain(certain, 5.0, Goal::minimize), 2.0);
}

TEST(ExpectedGain, IsWithoutBoundWhereThereIsNoBestYet) {
  const Prediction prediction{.mean = 3.0, .sd = 1.0, .lengthscales = {}};
  EXPECT_EQ(expected_gain(prediction, -kInfinity, Goal::maximize), kInfinity);
  EXPECT_EQ(expected_gain(prediction, kInfinity, Goal::minimize), kInfinity);
}

TEST(StopRules, WithoutARuleNothingIsEnough) {
  std::vector<StudyTrial> trials = told_all({1e300, 0.0, 0.0, 0.0});
  for (int i = 0; i < 2 * kHopelessInARow; ++i) trials.push_back(predicted(-1e300, 1e-9));
  EXPECT_FALSE(stop_reason({}, Goal::maximize, trials));
  EXPECT_FALSE(stop_reason({.target = 1.0, .without_improvement = 1, .expected_gain = 1.0},
                           Goal::maximize, {}));
}

TEST(StopRules, ATargetIsReachedByAValueThatIsAsGood) {
  const StopRules rules{.target = 2.0};
  EXPECT_FALSE(stop_reason(rules, Goal::maximize, told_all({1.0, 1.999})));
  EXPECT_EQ(stop_reason(rules, Goal::maximize, told_all({1.0, 2.0, 0.0})),
            "the target 2 has been reached: 2");
  EXPECT_EQ(stop_reason(rules, Goal::maximize, told_all({3.5})),
            "the target 2 has been reached: 3.5");
}

TEST(StopRules, ATargetIsBelowWhereSmallValuesAreGood) {
  const StopRules rules{.target = -2.0};
  EXPECT_FALSE(stop_reason(rules, Goal::minimize, told_all({5.0, -1.5})));
  EXPECT_EQ(stop_reason(rules, Goal::minimize, told_all({5.0, -2.5})),
            "the target -2 has been reached: -2.5");
}

TEST(StopRules, CountsEvaluationsSinceTheLastImprovement) {
  const StopRules rules{.without_improvement = 3};
  EXPECT_FALSE(stop_reason(rules, Goal::maximize, told_all({1.0, 0.0, 0.0})));
  EXPECT_EQ(stop_reason(rules, Goal::maximize, told_all({1.0, 0.0, 0.0, 1.0})),
            "3 evaluations in a row have brought nothing better")
      << "as good is not better";
  EXPECT_FALSE(stop_reason(rules, Goal::maximize, told_all({1.0, 0.0, 0.0, 1.5, 0.0, 0.0})));
  EXPECT_FALSE(stop_reason(rules, Goal::minimize, told_all({3.0, 2.0, 1.0, 0.0})));
  EXPECT_TRUE(stop_reason(rules, Goal::minimize, told_all({0.0, 1.0, 2.0, 3.0})));
}

TEST(StopRules, FailedEvaluationsBringNothingButAbandonedOnesWereNone) {
  const StopRules rules{.without_improvement = 2};
  std::vector<StudyTrial> trials = told_all({1.0, 0.0});
  trials.push_back({.number = 3, .state = TrialState::abandoned, .x = {}});
  EXPECT_FALSE(stop_reason(rules, Goal::maximize, trials));
  trials.push_back({.number = 4, .state = TrialState::failed, .x = {}, .worker = "w"});
  EXPECT_TRUE(stop_reason(rules, Goal::maximize, trials));
}

TEST(StopRules, EndsAfterFiveSuggestionsInARowThatPromiseTooLittle) {
  const StopRules rules{.expected_gain = 0.1};
  for (const double sign : {1.0, -1.0}) {
    const Goal goal = sign > 0.0 ? Goal::maximize : Goal::minimize;
    std::vector<StudyTrial> trials = {told(sign * 1.0)};
    for (int i = 0; i < kHopelessInARow - 1; ++i) trials.push_back(predicted(sign * 0.5, 0.1));
    EXPECT_FALSE(stop_reason(rules, goal, trials));
    trials.push_back(told(sign * 0.0));  // a point of the design, without a prediction
    EXPECT_FALSE(stop_reason(rules, goal, trials));
    std::vector<StudyTrial> hopeful = trials;
    trials.push_back(predicted(sign * 0.5, 0.1));
    EXPECT_EQ(stop_reason(rules, goal, trials), "the last 5 suggestions promised less than 0.1");
    hopeful.push_back(predicted(sign * 1.2, 0.1));
    hopeful.push_back(predicted(sign * 0.5, 0.1));
    EXPECT_FALSE(stop_reason(rules, goal, hopeful)) << "the count starts again";
  }
}

TEST(StopRules, APromiseIsComparedWithTheBestOfItsTime) {
  const StopRules rules{.expected_gain = 0.1};
  std::vector<StudyTrial> trials = {told(1.0)};
  for (int i = 0; i < kHopelessInARow; ++i) {
    trials.push_back(predicted(1.5 + i, 0.01));
    trials.back().state = TrialState::complete;
    trials.back().objectives.front().value = 1.5 + i;
  }
  EXPECT_FALSE(stop_reason(rules, Goal::maximize, trials)) << "each promised a step, and kept it";
}

TEST(StopRules, TheFirstThatHoldsIsNamed) {
  const StopRules rules{.target = 1.0, .without_improvement = 1};
  EXPECT_EQ(stop_reason(rules, Goal::maximize, told_all({1.0, 0.0})),
            "the target 1 has been reached: 1");
}

TEST(StopRules, NameTheRuleThatHolds) {
  const std::vector<StudyTrial> trials = told_all({1.0, 0.0});
  EXPECT_EQ(stop_by_trials({.target = 1.0}, Goal::maximize, trials)->rule, StopRule::target);
  EXPECT_EQ(stop_by_trials({.without_improvement = 1}, Goal::maximize, trials)->rule,
            StopRule::without_improvement);
  std::vector<StudyTrial> hopeless = {told(1.0)};
  for (int i = 0; i < kHopelessInARow; ++i) hopeless.push_back(predicted(0.5, 0.1));
  EXPECT_EQ(stop_by_trials({.expected_gain = 0.1}, Goal::maximize, hopeless)->rule,
            StopRule::expected_gain);
  EXPECT_EQ(to_string(StopRule::seconds), "seconds");
  EXPECT_EQ(to_string(StopRule::target), "target");
  EXPECT_EQ(to_string(StopRule::without_improvement), "without_improvement");
  EXPECT_EQ(to_string(StopRule::expected_gain), "expected_gain");
  EXPECT_EQ(to_string(StopRule::budget), "budget");
}

TEST(StopRules, LookAtTrialsWhereOneNeedsThem) {
  EXPECT_FALSE(looks_at_trials({}));
  EXPECT_FALSE(looks_at_trials({.seconds = 1.0}));
  EXPECT_TRUE(looks_at_trials({.target = 1.0}));
  EXPECT_TRUE(looks_at_trials({.without_improvement = 1}));
  EXPECT_TRUE(looks_at_trials({.expected_gain = 1.0}));
}

TEST(StopRules, LimitTheTimeOfARun) {
  EXPECT_FALSE(stop_by_time({}, 1e9));
  const StopRules rules{.seconds = 2.5};
  EXPECT_FALSE(stop_by_time(rules, 2.4));
  ASSERT_TRUE(stop_by_time(rules, 2.5));
  EXPECT_EQ(stop_by_time(rules, 3.0)->rule, StopRule::seconds);
  EXPECT_EQ(stop_by_time(rules, 3.0)->text, "2.5 s have passed");
}

TEST(StopRules, TheBudgetIsUsedUpByWhatWasAskedFor) {
  EXPECT_FALSE(stop_by_budget(3, {.asked = 2, .complete = 9})) << "some nobody asked for";
  EXPECT_EQ(stop_by_budget(3, {.asked = 3, .complete = 3})->rule, StopRule::budget);
  EXPECT_EQ(stop_by_budget(3, {.asked = 3, .complete = 3})->text,
            "the budget of 3 evaluations is used up");
  EXPECT_EQ(stop_by_budget(3, {.pending = 2, .asked = 3, .complete = 1})->text,
            "the budget of 3 evaluations is used up, 2 by points that were asked for and never "
            "told");
}

TEST(StopRules, HaveTextsForASingleEvaluation) {
  const StopRules rules{.seconds = 1.0, .without_improvement = 1};
  EXPECT_EQ(stop_by_time(rules, 1.0)->text, "1 s has passed");
  EXPECT_EQ(stop_reason(rules, Goal::maximize, told_all({1.0, 0.0})),
            "the last evaluation has brought nothing better");
  EXPECT_EQ(budget_used_up(1, {.asked = 1, .complete = 1}),
            "the budget of 1 evaluation is used up");
}

TEST(StopRules, TheBudgetIsNotUsedUpWhileLeasedTrialsMayComeBack) {
  const StudyCounts counts{.pending = 2, .leased = 1, .asked = 3, .complete = 1};
  EXPECT_FALSE(stop_by_budget(3, counts));
  EXPECT_EQ(budget_used_up(3, counts),
            "the budget of 3 evaluations is used up, 1 by a point that was asked for and never "
            "told");
}

TEST(StopRules, TenFailuresAndNoValueEndARun) {
  EXPECT_FALSE(failing({.failed = 9}, "burned"));
  EXPECT_EQ(failing({.failed = 10}, "burned"),
            "10 trials have failed, and none has a value; the last: burned");
  EXPECT_FALSE(failing({.complete = 1, .failed = 12}, "burned"));
}

TEST(StopReason, CountsAcceptableValuesOnly) {
  std::vector<StudyTrial> trials(3);
  for (StudyTrial& trial : trials) {
    trial.state = TrialState::complete;
    trial.worker = "w";
  }
  trials[0].objectives = {{.value = 9.0}};
  trials[0].is_acceptable = false;
  trials[1].objectives = {{.value = 1.0}};
  trials[2].objectives = {{.value = 2.0}};
  EXPECT_FALSE(stop_reason({.target = 5.0}, Goal::maximize, trials));
  EXPECT_FALSE(stop_reason({.without_improvement = 2}, Goal::maximize, trials));
  trials[0].is_acceptable = true;
  EXPECT_TRUE(stop_reason({.target = 5.0}, Goal::maximize, trials));
  EXPECT_TRUE(stop_reason({.without_improvement = 2}, Goal::maximize, trials));
}

}  // namespace
}  // namespace oscbo::study
