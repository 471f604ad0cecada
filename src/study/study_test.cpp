#include "oscbo/study.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "study/study_test_support.hpp"

namespace oscbo::study {
namespace {

using test::declaration;
using test::expect_error;
using test::hill;
using test::run_to_the_end;

using Studies = test::StudyTest;

StudySuggestion asked(Study& study, const AskRequest& request = {.worker = "w"}) {
  return study.ask(request).value();
}

TEST_F(Studies, AreCreatedOnceAndFoundAgain) {
  Study study = create(declaration());
  expect_error([&] { static_cast<void>(create(declaration())); }, ErrorCode::conflict,
               "'s' already");
  EXPECT_EQ(to_json(another().declaration()), to_json(study.declaration()));
  expect_error([&] { static_cast<void>(another("t")); }, ErrorCode::unknown_name, "there are s");
  store().remove("s");
  expect_error([&] { static_cast<void>(another()); }, ErrorCode::unknown_name, "no studies yet");
  EXPECT_TRUE(store().names().empty());
}

TEST_F(Studies, TakeNoNoiseOfBenchmarks) {
  StudyDeclaration noisy = declaration();
  noisy.options = {"obs.noise_sd=2"};
  expect_error([&] { static_cast<void>(create(noisy)); }, ErrorCode::invalid_value,
               "options.obs.noise_sd: is for `oscbo bench`");
  EXPECT_TRUE(store().names().empty());
}

TEST_F(Studies, HandOutNumberedTrialsUntilTheBudgetIsUsedUp) {
  Study study = create(declaration("sobol", 7));
  for (TrialNumber number = 1; number <= 7; ++number) {
    const StudySuggestion next = asked(study, {.worker = "w", .within_budget = true});
    EXPECT_EQ(next.number, number);
    EXPECT_EQ(study.tell(number, next.token, {.y = hill(next.x)}), Told::accepted);
  }
  EXPECT_FALSE(study.ask({.worker = "w", .within_budget = true}));
  EXPECT_EQ(asked(study).number, 8) << "who insists gets more";
  EXPECT_EQ(study.counts().complete, 7);
  EXPECT_EQ(study.counts().pending, 1);
}

TEST_F(Studies, AnswerARequestOnce) {
  Study study = create(declaration());
  const AskRequest request{.worker = "w", .request = "1"};
  const StudySuggestion first = asked(study, request);
  Study other = another();
  const StudySuggestion again = asked(other, request);
  EXPECT_EQ(again.number, first.number);
  EXPECT_EQ(again.token, first.token);
  EXPECT_NE(asked(study, {.worker = "w", .request = "2"}).number, first.number);
  EXPECT_NE(asked(study, {.worker = "v", .request = "1"}).number, first.number);
}

TEST_F(Studies, AnswerARequestByTheSameTrialWhateverBecomesOfIt) {
  Study study = create(declaration());
  const AskRequest request{.worker = "w", .request = "1", .lease_seconds = 0.0};
  const StudySuggestion first = asked(study, request);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  AskRequest patient = request;
  patient.lease_seconds = 1000.0;
  EXPECT_EQ(asked(study, patient).token, first.token);
  EXPECT_NE(asked(study, {.worker = "v"}).number, first.number) << "its lease has started again";

  const AskRequest second{.worker = "w", .request = "2", .lease_seconds = 0.0};
  const StudySuggestion lost = asked(study, second);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const StudySuggestion taken = asked(study, {.worker = "v", .lease_seconds = 1000.0});
  ASSERT_EQ(taken.number, lost.number);
  const StudySuggestion late = asked(study, second);
  EXPECT_EQ(late.number, lost.number);
  EXPECT_EQ(late.token, lost.token);
  EXPECT_TRUE(study.renew(taken.number, taken.token, 10.0)) << "it is still v's";
  study.tell(taken.number, taken.token, {.y = 1.0});
  EXPECT_EQ(asked(study, second).number, lost.number);
  EXPECT_EQ(study.tell(late.number, late.token, {.y = 2.0}), Told::extra);
}

TEST_F(Studies, SuggestTheSameToWhoeverAsks) {
  StudyDeclaration study = declaration("auto", 16);
  Study alone = create(study);
  run_to_the_end(alone);
  study.name = "t";
  static_cast<void>(create(study));
  for (int i = 0; i < 16; ++i) {
    Study fresh = another("t");  // like a process that was started for one trial
    const StudySuggestion next = asked(fresh);
    Study teller = another("t");
    teller.tell(next.number, next.token, {.y = hill(next.x)});
  }
  const std::vector<StudyTrial> expected = alone.trials();
  const std::vector<StudyTrial> trials = another("t").trials();
  ASSERT_EQ(trials.size(), expected.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    EXPECT_EQ(trials[i].x, expected[i].x) << i;
    ASSERT_EQ(trials[i].prediction().has_value(), expected[i].prediction().has_value());
    if (trials[i].prediction()) {
      EXPECT_EQ(trials[i].prediction()->mean, expected[i].prediction()->mean);
      EXPECT_EQ(trials[i].prediction()->lengthscales, expected[i].prediction()->lengthscales);
    }
  }
  EXPECT_TRUE(another("t").verify().empty());
}

TEST_F(Studies, HandOutAgainWhatAWorkerHasLost) {
  Study study = create(declaration());
  const StudySuggestion kept = asked(study, {.worker = "a", .lease_seconds = 1000.0});
  const StudySuggestion lost = asked(study, {.worker = "a", .lease_seconds = 0.0});
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const StudySuggestion again = asked(study, {.worker = "b", .lease_seconds = 1000.0});
  EXPECT_EQ(again.number, lost.number);
  EXPECT_EQ(again.x, lost.x);
  EXPECT_NE(again.token, lost.token);
  EXPECT_EQ(again.attempt, 2);
  EXPECT_NE(asked(study, {.worker = "b"}).number, kept.number);
  EXPECT_FALSE(study.renew(lost.number, lost.token, 10.0)) << "it is not a's any more";
  EXPECT_TRUE(study.renew(again.number, again.token, 10.0));
}

TEST_F(Studies, AcceptALateValueOnceAndKeepASecondAsAnother) {
  Study study = create(declaration());
  const StudySuggestion lost = asked(study, {.worker = "a", .lease_seconds = 0.0});
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const StudySuggestion again = asked(study, {.worker = "b", .lease_seconds = 1000.0});
  ASSERT_EQ(again.number, lost.number);
  EXPECT_EQ(study.tell(lost.number, lost.token, {.y = 1.0}), Told::accepted);
  EXPECT_EQ(study.tell(lost.number, lost.token, {.y = 1.0}), Told::again);
  EXPECT_EQ(study.tell(again.number, again.token, {.y = 2.0}), Told::extra);
  EXPECT_EQ(study.tell(again.number, again.token, {.y = 2.0}), Told::again)
      << "the answer was lost";
  const std::vector<StudyTrial> trials = study.trials();
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].y(), 1.0);
  EXPECT_EQ(trials[1].y(), 2.0);
  EXPECT_EQ(trials[1].x, trials[0].x);
  EXPECT_EQ(asked(study).number, 3);
  EXPECT_TRUE(study.verify().empty());
}

TEST_F(Studies, GiveUpATrialThatLosesItsWorkers) {
  Study study = create(declaration());
  const StudySuggestion first = asked(study, {.worker = "a", .lease_seconds = 0.0});
  int losses = 1;
  while (losses < 20) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (asked(study, {.worker = "a", .lease_seconds = 0.0}).number != first.number) break;
    ++losses;
  }
  EXPECT_EQ(losses, 4);
  EXPECT_EQ(study.trial(first.number).state, TrialState::failed);
  EXPECT_NE(study.trial(first.number).reason.find("lost"), std::string::npos);
}

TEST_F(Studies, KeepLateAttributesWithTheLateValue) {
  Study study = create(declaration());
  const StudySuggestion lost = asked(study, {.worker = "a", .lease_seconds = 0.0});
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const StudySuggestion again = asked(study, {.worker = "b", .lease_seconds = 1000.0});
  study.tell(again.number, again.token, {.y = 2.0}, {{"cost", "2"}});
  EXPECT_EQ(study.tell(lost.number, lost.token, {.y = 1.0}, {{"cost", "1"}}), Told::extra);
  const std::vector<Study::Attribute> attributes = study.attributes();
  ASSERT_EQ(attributes.size(), 2U);
  EXPECT_EQ(attributes[0].value, "2");
  EXPECT_EQ(attributes[1].value, "1");
  EXPECT_EQ(study.trial(attributes[1].number).y(), 1.0);
}

TEST_F(Studies, TakeReportsOfPendingTrialsOnly) {
  Study study = create(declaration());
  const StudySuggestion next = asked(study);
  study.tell(next.number, next.token, {.y = 2.0});
  const std::vector<IntermediateValue> late = {{1, 0.5}};
  EXPECT_FALSE(study.report(next.number, next.token, late));
  EXPECT_TRUE(study.reports().empty());
  expect_error([&] { study.report(next.number, "", late); }, ErrorCode::conflict, "complete");
}

TEST_F(Studies, AreMadeWithAllOfTheirObservationsOrNotAtAll) {
  const std::vector<Study::Observation> bad = {{.x = {0.5, 1.0}, .measurement = {.y = 1.0}},
                                               {.x = {0.5, 9.0}, .measurement = {.y = 1.0}}};
  expect_error([&] { static_cast<void>(Study::create(store(), declaration(), bad)); },
               ErrorCode::invalid_value, "kind");
  EXPECT_TRUE(store().names().empty());
  const Study study = Study::create(store(), declaration(), std::span(bad).first(1));
  EXPECT_EQ(study.trials().size(), 1U);
}

TEST_F(Studies, CountAgainstTheBudgetWhatWasAskedFor) {
  Study study = create(declaration("sobol", 2));
  const std::vector<double> x = {0.5, 1.0};
  for (int i = 0; i < 5; ++i) study.add(x, {.y = 1.0});
  for (int i = 0; i < 2; ++i) {
    const auto next = study.ask({.worker = "w", .within_budget = true});
    ASSERT_TRUE(next);
    study.tell(next->number, next->token, {.y = 0.0});
  }
  EXPECT_FALSE(study.ask({.worker = "w", .within_budget = true}));
  EXPECT_EQ(study.counts().asked, 2);
  EXPECT_EQ(study.counts().complete, 7);
}

TEST_F(Studies, ForgetTheReportsOfAnEarlierAttempt) {
  Study study = create(declaration());
  const StudySuggestion first = asked(study, {.worker = "a", .lease_seconds = 1000.0});
  study.report(first.number, first.token, std::vector<IntermediateValue>{{1, 0.5}});
  EXPECT_EQ(study.reports().size(), 1U);
  study.release(first.number, first.token);
  const StudySuggestion again = asked(study, {.worker = "a", .lease_seconds = 1000.0});
  ASSERT_EQ(again.number, first.number);
  EXPECT_EQ(again.attempt, 1) << "a release is not a failure";
  EXPECT_TRUE(study.reports().empty());
}

TEST_F(Studies, DoNotTakeALossForAFailure) {
  StudyDeclaration patient = declaration();
  patient.program.retries = 1;
  Study study = create(patient);
  static_cast<void>(asked(study, {.worker = "a", .lease_seconds = 0.0}));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const AskRequest request{.worker = "b", .lease_seconds = 1000.0};
  const StudySuggestion second = asked(study, request);
  EXPECT_TRUE(study.tell_failed(second.number, second.token, "status 1")) << "the retry is left";
  const StudySuggestion third = asked(study, request);
  EXPECT_EQ(third.number, second.number);
  EXPECT_FALSE(study.tell_failed(third.number, third.token, "status 2"));
}

TEST_F(Studies, TryAgainWhatFailedAsOftenAsDeclared) {
  StudyDeclaration patient = declaration();
  patient.program.command = {"true"};
  patient.program.retries = 1;
  Study study = create(patient);
  const AskRequest request{.worker = "a", .lease_seconds = 1000.0};
  const StudySuggestion first = asked(study, request);
  EXPECT_TRUE(study.tell_failed(first.number, first.token, "status 1"));
  const StudySuggestion second = asked(study, request);
  EXPECT_EQ(second.number, first.number);
  EXPECT_FALSE(study.tell_failed(second.number, second.token, "status 2"));
  const StudyTrial trial = study.trial(first.number);
  EXPECT_EQ(trial.state, TrialState::failed);
  EXPECT_EQ(trial.reason, "status 2");
  EXPECT_EQ(asked(study, request).number, 2);
}

/// reopen_last_ask leaves the database as a process would that was killed, or is slow, while it
/// computes the last trial.
void reopen_last_ask(const std::filesystem::path& file, TrialNumber number,
                     const std::string& given = "") {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  database.exec("PRAGMA foreign_keys = ON");
  database.exec(fmt::format("DELETE FROM suggestions WHERE trial = {}", number));
  database.exec(fmt::format(
      "UPDATE trials SET x = NULL, created = created - 60000 WHERE number = {}", number));
  database.exec(fmt::format("UPDATE events SET text = '{}' WHERE trial = {}", given, number));
}

TEST_F(Studies, FinishAnAskWhoseProcessDied) {
  Study study = create(declaration("auto", 20));
  for (int i = 0; i < 12; ++i) {
    const StudySuggestion next = asked(study);
    study.tell(next.number, next.token, {.y = hill(next.x)});
  }
  const StudySuggestion expected = asked(study);
  reopen_last_ask(file(), 13);
  Study other = another();
  other.add(other.trial(12).x, {.y = 0.0});  // comes after the open ask in the log
  const StudySuggestion next = asked(other, {.worker = "v"});
  EXPECT_EQ(next.number, 15);
  const StudyTrial finished = other.trial(13);
  EXPECT_EQ(finished.x, expected.x);
  EXPECT_EQ(finished.prediction()->mean, expected.prediction->mean);
  EXPECT_TRUE(other.verify().empty());
}

TEST_F(Studies, LookPastAnAskThatIsOpen) {
  Study study = create(declaration("auto", 20));
  for (int i = 0; i < 12; ++i) {
    const StudySuggestion next = asked(study);
    study.tell(next.number, next.token, {.y = hill(next.x)});
  }
  reopen_last_ask(file(), asked(study).number);
  Study other = another();
  other.add(std::vector{0.5, 0.0}, {.y = 50.0});
  EXPECT_EQ(other.best().trial.y(), 50.0);
  EXPECT_EQ(asked(other).number, 15) << "what was looked at is not what is suggested from";
  EXPECT_TRUE(other.verify().empty());
}

TEST_F(Studies, DoNotBlameOneForTheAskOfAnother) {
  Study study = create(declaration("auto", 20));
  reopen_last_ask(file(), asked(study).number, R"({"x": 7.0})");
  Study other = another();
  EXPECT_EQ(asked(other, {.worker = "v"}).number, 1) << "the ask that made no sense is gone";
}

TEST_F(Studies, AreNotTakenForAnotherOfTheSameName) {
  Study old = create(declaration());
  const StudySuggestion next = asked(old);
  store().remove("s");
  Study fresh = create(declaration());
  static_cast<void>(asked(fresh));
  expect_error([&] { old.tell(next.number, next.token, {.y = 9.0}); }, ErrorCode::unknown_name,
               "was deleted");
  expect_error([&] { asked(old); }, ErrorCode::unknown_name, "was deleted");
  EXPECT_EQ(fresh.counts().complete, 0);
}

TEST_F(Studies, EndALostTrialAlsoWhereNothingIsLeftToAsk) {
  StudyDeclaration finite = declaration("auto", 30);
  finite.space.parameters.erase(finite.space.parameters.begin());
  Study study = create(finite);
  for (int i = 0; i < 3; ++i) asked(study, {.worker = "w", .lease_seconds = 1000.0});
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE trials SET attempts = 9, deadline = 0 WHERE number = 2");
  expect_error([&] { asked(study); }, ErrorCode::exhausted, "all 3");
  EXPECT_EQ(study.trial(2).state, TrialState::failed);
}

TEST_F(Studies, RefuseLeasesThatMakeNoSense) {
  Study study = create(declaration());
  for (const double seconds : {-1.0, 1e300, std::nan("")}) {
    expect_error([&] { asked(study, {.worker = "w", .lease_seconds = seconds}); },
                 ErrorCode::invalid_value, "lease");
  }
  EXPECT_TRUE(study.trials().empty());
}

TEST_F(Studies, MinimizeInTheUnitsOfTheUser) {
  StudyDeclaration small = declaration("auto", 20);
  small.goal = Goal::minimize;
  Study study = create(small);
  run_to_the_end(study, -1.0);
  StudyDeclaration large = declaration("auto", 20);
  large.name = "t";
  Study mirrored = create(large);
  run_to_the_end(mirrored);
  const std::vector<StudyTrial> expected = mirrored.trials();
  const std::vector<StudyTrial> trials = study.trials();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    EXPECT_EQ(trials[i].x, expected[i].x);
    EXPECT_EQ(*trials[i].y(), -*expected[i].y());
    if (trials[i].prediction()) {
      EXPECT_EQ(trials[i].prediction()->mean, -expected[i].prediction()->mean);
    }
  }
  EXPECT_LT(*study.best().trial.y(), 0.01);
  EXPECT_EQ(study.best().trial.number, mirrored.best().trial.number);
  const std::vector<std::vector<double>> points = {{0.9, 1.0}};
  EXPECT_EQ(study.predict(points)[0].mean, -mirrored.predict(points)[0].mean);
  EXPECT_EQ(study.calibration().predictions, mirrored.calibration().predictions);
  EXPECT_GT(study.calibration().predictions, 0U);
}

TEST_F(Studies, RefuseWhatContradictsThem) {
  Study study = create(declaration());
  const StudySuggestion next = asked(study);
  expect_error([&] { study.tell(9, "", {.y = 1.0}); }, ErrorCode::unknown_name, "no trial 9");
  expect_error([&] { study.tell(1, "", {.y = std::nan("")}); }, ErrorCode::invalid_value, "failed");
  study.tell(next.number, "", {.y = 1.0});
  expect_error([&] { study.tell(1, "", {.y = 2.0}); }, ErrorCode::conflict, "complete already: 1");
  expect_error([&] { study.abandon(1, "no"); }, ErrorCode::conflict, "complete already");
  expect_error([&] { study.queue(std::vector{7.0, 0.0}); }, ErrorCode::invalid_value, "x");
  EXPECT_EQ(study.trials().size(), 1U);
}

TEST_F(Studies, AskForWhatWasQueuedAndForgetWhatWasAbandoned) {
  Study study = create(declaration());
  study.queue(std::vector{0.25, 2.0});
  const StudySuggestion next = asked(study);
  EXPECT_EQ(next.x, (std::vector{0.25, 2.0}));
  study.abandon(next.number, "wrong vessel");
  EXPECT_EQ(study.trial(next.number).state, TrialState::abandoned);
  EXPECT_NE(study.to_json().find(R"("withdraw")"), std::string::npos)
      << "stored words never change";
  EXPECT_EQ(study.add(std::vector{0.3, 1.0}, {.y = 0.0}), 2);
  EXPECT_EQ(study.best().trial.number, 2);
  EXPECT_EQ(asked(study).number, 3);
  EXPECT_TRUE(study.verify().empty());
}

/// tell_next asks for points and tells these values.
void tell_next(Study& study, const std::vector<double>& values) {
  for (const double y : values) {
    const StudySuggestion next = asked(study);
    study.tell(next.number, next.token, {.y = y});
  }
}

TEST_F(Studies, SayWhyTheyShouldStop) {
  StudyDeclaration aimed = declaration("sobol", 4);
  aimed.stop = {.seconds = 60.0, .target = 2.0, .without_improvement = 2};
  Study study = create(aimed);
  EXPECT_FALSE(study.stop_reason());
  EXPECT_FALSE(study.stop_reason(59.0));
  EXPECT_EQ(study.stop_reason(60.0)->text, "60 s have passed");
  tell_next(study, {1.0, 0.0});
  EXPECT_FALSE(study.stop_reason());
  tell_next(study, {0.5});
  EXPECT_EQ(study.stop_reason()->rule, StopRule::without_improvement);
  EXPECT_EQ(another().stop_reason()->text, "2 evaluations in a row have brought nothing better");
  EXPECT_FALSE(study.ended()) << "asking stores nothing";
  tell_next(study, {2.5});
  EXPECT_EQ(study.stop_reason()->rule, StopRule::target) << "named before the budget";
  EXPECT_EQ(study.stop_reason()->text, "the target 2 has been reached: 2.5");
  EXPECT_EQ(study.budget_used_up(), "the budget of 4 evaluations is used up");
}

TEST_F(Studies, StopByPredictionsThatWereStored) {
  StudyDeclaration modest = declaration("auto", 60);
  modest.stop.expected_gain = 1e9;
  Study study = create(modest);
  int evaluations = 0;
  while (!study.stop_reason() && evaluations < 60) {
    tell_next(study, {1.0});
    ++evaluations;
  }
  EXPECT_EQ(study.stop_reason()->rule, StopRule::expected_gain);
  EXPECT_EQ(another().stop_reason()->text, "the last 5 suggestions promised less than 1000000000");
  EXPECT_EQ(evaluations, 15) << "ten points of the design promise nothing";
}

TEST_F(Studies, StopInTheOrderInWhichTrialsEnd) {
  StudyDeclaration impatient = declaration();
  impatient.stop.without_improvement = 2;
  Study study = create(impatient);
  const StudySuggestion first = asked(study);
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(3)); };
  tell_next(study, {1.0});
  pause();
  tell_next(study, {0.5});
  pause();
  EXPECT_FALSE(study.stop_reason());
  study.tell(first.number, first.token, {.y = 2.0});
  EXPECT_FALSE(study.stop_reason()) << "the first point to be asked for is the last to end";
}

TEST_F(Studies, StopWhenTheBudgetIsUsedUpAndNoTrialMayComeBack) {
  Study study = create(declaration("sobol", 2));
  tell_next(study, {1.0});
  EXPECT_FALSE(study.stop_reason());
  EXPECT_FALSE(study.budget_used_up());
  const StudySuggestion last = asked(study, {.worker = "w", .lease_seconds = 1000.0});
  EXPECT_FALSE(study.stop_reason()) << "it may be lost";
  EXPECT_EQ(study.budget_used_up(), "the budget of 2 evaluations is used up");
  study.tell(last.number, last.token, {.y = 1.0});
  EXPECT_EQ(study.stop_reason()->rule, StopRule::budget);
  EXPECT_EQ(study.stop_reason()->text, "the budget of 2 evaluations is used up");
}

TEST_F(Studies, SayThatNothingButFailuresCome) {
  Study study = create(declaration());
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(study.failing("burned"));
    const StudySuggestion next = asked(study);
    study.tell_failed(next.number, next.token, "burned");
  }
  EXPECT_EQ(study.failing("burned"),
            "10 trials have failed, and none has a value; the last: burned");
  EXPECT_FALSE(study.stop_reason()) << "the study is not to blame";
  tell_next(study, {1.0});
  EXPECT_FALSE(study.failing("burned"));
}

TEST_F(Studies, AskForWhatIsGivenAndKeepItForThatAsk) {
  Study study = create(declaration("auto", 30));
  for (int i = 0; i < 14; ++i) {
    const std::vector<Given> given = {{.parameter = "kind", .value = 2.0},
                                      {.parameter = "x", .value = 0.05 * i}};
    const StudySuggestion next = asked(study, {.worker = "w", .given = given});
    EXPECT_EQ(next.x, (std::vector{0.05 * i, 2.0}));
    study.tell(next.number, next.token, {.y = hill(next.x)});
  }
  const StudySuggestion lost = asked(
      study, {.worker = "w", .given = {{.parameter = "kind", .value = 2.0}}, .lease_seconds = 0.0});
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_NE(asked(study, {.worker = "w", .given = {{.parameter = "kind", .value = 1.0}}}).number,
            lost.number);
  const StudySuggestion same = asked(
      study, {.worker = "w", .given = {{.parameter = "kind", .value = 2.0}}, .lease_seconds = 0.0});
  EXPECT_EQ(same.number, lost.number);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(asked(study).number, lost.number) << "who gives nothing takes anything";
  EXPECT_TRUE(another().verify().empty());
}

TEST_F(Studies, TakeTheSameValuesInAnotherOrderForTheSame) {
  Study study = create(declaration());
  const Given x{.parameter = "x", .value = 0.5};
  const Given kind{.parameter = "kind", .value = 1.0};
  const StudySuggestion lost =
      asked(study, {.worker = "w", .given = {x, kind}, .lease_seconds = 0.0});
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(asked(study, {.worker = "w", .given = {kind, x}}).number, lost.number);
}

TEST_F(Studies, KeepOutOfTheLogWhatCannotBeAnswered) {
  Study study = create(declaration("auto", 30));
  run_to_the_end(study);  // asks with a model are logged before they are answered
  const auto ask_with = [&](const std::string& parameter, double value) {
    return [&study, parameter, value] {
      asked(study, {.worker = "w", .given = {{.parameter = parameter, .value = value}}});
    };
  };
  expect_error(ask_with("kid", 1.0), ErrorCode::unknown_name, "kid");
  expect_error(ask_with("x", std::nan("")), ErrorCode::invalid_value, "given.x");
  expect_error(ask_with("x", 2.0), ErrorCode::invalid_value, "given.x");
  expect_error([&] { asked(study, {.worker = ""}); }, ErrorCode::invalid_value, "worker");
  EXPECT_EQ(asked(study).number, 31);
}

TEST_F(Studies, SayWhenAllPointsAreTakenAndLeaveNothingBehind) {
  StudyDeclaration finite = declaration("auto", 30);
  finite.space.parameters.erase(finite.space.parameters.begin());
  Study study = create(finite);
  for (int i = 0; i < 3; ++i) {
    const StudySuggestion next = asked(study);
    study.tell(next.number, next.token, {.y = next.x[0]});
  }
  for (int i = 0; i < 2; ++i) {
    expect_error([&] { asked(study); }, ErrorCode::exhausted, "all 3 points");
  }
  EXPECT_EQ(study.trials().size(), 3U);
  EXPECT_EQ(study.counts().pending, 0);
}

TEST_F(Studies, NoticeWhenAStoredSuggestionWasChanged) {
  Study study = create(declaration("auto", 14));
  run_to_the_end(study);
  ASSERT_TRUE(study.verify().empty());
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE predictions SET mean = mean + 1e-12 WHERE trial = 12");
  const std::vector<Study::Mismatch> mismatches = study.verify();
  ASSERT_EQ(mismatches.size(), 1U);
  EXPECT_EQ(mismatches[0].number, 12);
  EXPECT_NE(mismatches[0].what.find("predicted"), std::string::npos);
}

TEST_F(Studies, AreComparedToNineDigitsWithWhatAnotherBuildComputed) {
  Study study = create(declaration("auto", 16));
  run_to_the_end(study);
  SQLite::Database database(file().string(), SQLite::OPEN_READWRITE);
  database.exec("UPDATE builds SET description = 'another'");
  database.exec("UPDATE predictions SET mean = mean + 1e-12 WHERE trial = 12");
  EXPECT_TRUE(study.verify().empty());
  database.exec("UPDATE predictions SET mean = mean + 1e-6 WHERE trial = 13");
  const std::vector<Study::Mismatch> mismatches = study.verify();
  ASSERT_EQ(mismatches.size(), 1U);
  EXPECT_EQ(mismatches[0].number, 13);
}

/// work_badly evaluates trials until none is left. Every third trial fails, either once or for
/// good. Every fifth takes longer than its lease at the first attempt.
void work_badly(Study study, const std::string& worker) {
  constexpr double kShortLease = 0.05;
  while (true) {
    const auto next =
        study.ask({.worker = worker, .lease_seconds = kShortLease, .within_budget = true});
    if (!next) {
      if (study.counts().leased == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      continue;
    }
    if (next->number % 5 == 0 && next->attempt == 1) {
      std::this_thread::sleep_for(std::chrono::duration<double>(3.0 * kShortLease));
    }
    const bool fails = next->number % 3 == 0 && (next->number % 2 == 0 || next->attempt == 1);
    if (fails) {
      study.tell_failed(next->number, next->token, "every third");
    } else {
      study.tell(next->number, next->token, {.y = hill(next->x)});
    }
  }
}

TEST_F(Studies, ComeOutTheSameWithFailuresRetriesLateTellsAndFourWorkers) {
  StudyDeclaration troubled = declaration("auto", 32);
  troubled.program.command = {"true"};
  troubled.program.retries = 1;
  Study study = create(troubled);
  const StudySuggestion lost = asked(study, {.worker = "a", .lease_seconds = 0.0});
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const StudySuggestion again = asked(study, {.worker = "b", .lease_seconds = 1000.0});
  study.tell(again.number, again.token, {.y = 0.0});
  ASSERT_EQ(study.tell(lost.number, lost.token, {.y = 0.1}), Told::extra);
  static_cast<void>(asked(study, {.worker = "gone", .lease_seconds = 0.0}));

  std::vector<std::thread> threads;
  for (const char* const worker : {"a", "b", "c", "d"}) {
    threads.emplace_back([&, worker] { work_badly(another(), worker); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(study.counts().pending, 0);
  EXPECT_GT(study.counts().failed, 3);
  const std::vector<StudyTrial> trials = study.trials();
  EXPECT_TRUE(std::any_of(trials.begin(), trials.end(), [](const StudyTrial& trial) {
    return trial.y() && trial.attempts > 1;
  })) << "a trial that failed or was lost came to its value";
  EXPECT_TRUE(std::any_of(trials.begin(), trials.end(), [](const StudyTrial& trial) {
    return trial.prediction().has_value();
  })) << "no model was at work";
  EXPECT_TRUE(study.verify().empty());
}

TEST_F(Studies, ServeSeveralThreads) {
  Study study = create(declaration("auto", 24));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { run_to_the_end(study); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(study.counts().complete, 24);
  const std::vector<StudyTrial> trials = study.trials();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    EXPECT_EQ(trials[i].number, static_cast<TrialNumber>(i) + 1);
  }
  EXPECT_TRUE(study.verify().empty());
}

}  // namespace
}  // namespace oscbo::study
