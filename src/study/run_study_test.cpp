#include "oscbo/run_study.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <set>
#include <sys/resource.h>
#include <thread>

#include <fmt/format.h>

#include "study/study_test_support.hpp"
#include "text/strict_json.hpp"

namespace oscbo::study {
namespace {

using test::declaration;
using test::expect_error;

/// script_argument doubles the braces of a shell script, so that they are not taken for
/// placeholders.
std::string script_argument(const std::string& script) {
  std::string argument;
  for (const char byte : script) {
    argument += byte;
    if (byte == '{' || byte == '}') argument += byte;
  }
  return argument;
}

/// The programs are shell scripts that receive x, kind and the number of the trial as $1, $2 and
/// $3. Some sleep for a minute, and no test should wait for them.
class RunningStudies : public test::StudyTest {
 protected:
  [[nodiscard]] static StudyDeclaration scripted(const std::string& script, int budget = 1) {
    StudyDeclaration study = declaration("sobol", budget);
    study.program.command = {"/bin/sh", "-c",     script_argument(script), "sh", "{x}",
                             "{kind}",  "{trial}"};
    return study;
  }

  RunSummary run(Study& study, RunRules rules = {},
                 const std::function<void(const RunProgress&)>& progress = {}) const {
    constexpr double kMostSeconds = 50.0;
    const auto start = std::chrono::steady_clock::now();
    if (rules.program.command.empty()) rules.program = study.declaration().program;
    const RunSummary summary = run_study(study, rules, progress, interrupted_);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    EXPECT_LT(taken.count(), kMostSeconds) << "somebody has waited for a program that sleeps";
    return summary;
  }

  /// evaluated runs a script for one trial and returns the trial.
  [[nodiscard]] StudyTrial evaluated(const StudyDeclaration& declared) const {
    Study study = create(declared);
    EXPECT_EQ(run(study).ending, RunEnding::budget);
    return study.trial(1);
  }

  /// sign returns the path of a file that programs create as a sign or wait for.
  [[nodiscard]] std::string sign(const std::string& name) const { return directory() / name; }

  [[nodiscard]] bool has_sign(const std::string& name) const {
    return std::filesystem::exists(sign(name));
  }

  [[nodiscard]] bool sign_appears(const std::string& name) const {
    for (int i = 0; i < 3000 && !has_sign(name); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return has_sign(name);
  }

  void give_sign(const std::string& name) const { std::ofstream(sign(name)).put('\n'); }

  /// until returns shell commands that wait until a condition holds. If it never does, the
  /// evaluation fails.
  [[nodiscard]] static std::string until(const std::string& condition) {
    return fmt::format(
        "i=0; until {}; do i=$((i+1)); [ $i -lt 1500 ] || exit 9; sleep 0.02; done; ", condition);
  }

  void interrupt() { interrupted_ = true; }
  void interrupt_no_more() { interrupted_ = false; }

 private:
  std::atomic<bool> interrupted_ = false;
};

// --- values --------------------------------------------------------------------------------------

TEST_F(RunningStudies, AreToldWhatTheProgramPrints) {
  Study study = create(scripted("echo working on $2; echo $1", 5));
  const RunSummary summary = run(study, {.worker = "me"});
  EXPECT_EQ(summary.ending, RunEnding::budget);
  EXPECT_EQ(summary.reason, "the budget of 5 evaluations is used up");
  EXPECT_EQ(summary.evaluations, 5);
  const std::vector<StudyTrial> trials = study.trials();
  ASSERT_EQ(trials.size(), 5U);
  for (const StudyTrial& trial : trials) {
    EXPECT_EQ(trial.state, TrialState::complete);
    EXPECT_EQ(trial.y(), trial.x[0]) << "to the last bit";
    EXPECT_EQ(trial.attempts, 1);
    EXPECT_EQ(trial.worker, "me");
  }
  EXPECT_EQ(study.ended(), summary.reason);
}

TEST_F(RunningStudies, MinimizeWhatTheProgramPrints) {
  StudyDeclaration small = scripted("awk \"BEGIN { print ($1 - 0.3) ^ 2 }\"", 20);
  small.method = "auto";
  small.goal = Goal::minimize;
  Study study = create(small);
  run(study);
  EXPECT_EQ(study.counts().complete, 20);
  EXPECT_LT(*study.best().trial.y(), 0.01);
  EXPECT_NEAR(study.best().trial.x[0], 0.3, 0.1);
}

TEST_F(RunningStudies, ComeOutTheSameWhenTheyAreComputedAgain) {
  StudyDeclaration modelled = scripted("sleep 0.0$3; echo $1; [ $3 != 4 ]", 16);
  modelled.method = "auto";
  Study study = create(modelled);
  run(study, {.jobs = 3});
  EXPECT_EQ(study.counts().complete, 15);
  EXPECT_EQ(study.counts().failed, 1);
  EXPECT_TRUE(study.trials().back().prediction()) << "no model was at work";
  EXPECT_TRUE(another().verify().empty());
}

TEST_F(RunningStudies, KeepWhatTheProgramPrinted) {
  Study study = create(scripted("echo out; echo err >&2; echo 2", 1));
  run(study);
  const std::vector<ProgramOutput> outputs = study.outputs(1);
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].attempt, 1);
  EXPECT_EQ(outputs[0].output, "out\n2\n");
  EXPECT_EQ(outputs[0].errors, "err\n");
  EXPECT_EQ(outputs[0].ending, "ended with status 0");
}

TEST_F(RunningStudies, KeepMetricsAsAttributes) {
  StudyDeclaration measured =
      scripted(R"(echo '{"value": 1.5, "variance": 0.25, "metrics": {"cost": 2.5, "n": 3}}')");
  measured.program.value_from = ValueSource::json;
  Study study = create(measured);
  run(study);
  EXPECT_EQ(study.trial(1).y(), 1.5);
  EXPECT_EQ(study.trial(1).variance(), 0.25);
  const std::vector<Study::Attribute> attributes = study.attributes();
  ASSERT_EQ(attributes.size(), 2U);
  EXPECT_EQ(attributes[0].number, 1);
  EXPECT_EQ(attributes[0].key, "cost");
  EXPECT_EQ(attributes[0].value, "2.5");
  EXPECT_EQ(attributes[1].key, "n");
  EXPECT_EQ(attributes[1].value, "3");
}

TEST_F(RunningStudies, TakeOutcomesFromTheMetrics) {
  StudyDeclaration limited =
      scripted(R"([ $3 = 1 ] && echo '{"value": 1, "metrics": {"time": 9, "cost": 2.5}}')"
               R"( || echo '{"value": 2, "metrics": {"time": 9}}')",
               2);
  limited.program.value_from = ValueSource::json;
  limited.space.outcomes = {{.name = "cost", .upper = 3.0}};
  Study study = create(limited);
  run(study);
  EXPECT_EQ(study.trial(1).outcomes.at(0).value, 2.5);
  EXPECT_TRUE(study.best().is_acceptable);
  const StudyTrial without = study.trial(2);
  EXPECT_EQ(without.state, TrialState::failed);
  EXPECT_EQ(without.reason, "has no metric 'cost', which is an outcome");
  EXPECT_EQ(study.attributes().size(), 2U) << "of a value that was not told nothing is kept";
}

TEST_F(RunningStudies, PassValuesByTheEnvironment) {
  StudyDeclaration passing = scripted(
      "echo $OSCBO_STUDY/$OSCBO_TRIAL/$OSCBO_PARAMETER_kind >&2; echo $OSCBO_PARAMETER_x", 2);
  passing.program.values_by = ValuesBy::environment;
  Study study = create(passing);
  run(study);
  for (const StudyTrial& trial : study.trials()) {
    EXPECT_EQ(trial.y(), trial.x[0]);
    EXPECT_EQ(study.outputs(trial.number).at(0).errors,
              fmt::format("s/{}/{}\n", trial.number, study.space().text(1, trial.x[1])));
  }
}

TEST_F(RunningStudies, PassOnNoValuesOfAnotherStudy) {
  ::setenv("OSCBO_PARAMETER_gone", "99", 1);
  StudyDeclaration passing = scripted("echo ${OSCBO_PARAMETER_gone:-5}", 1);
  passing.program.values_by = ValuesBy::environment;
  EXPECT_EQ(evaluated(passing).y(), 5.0);
  ::unsetenv("OSCBO_PARAMETER_gone");
}

TEST_F(RunningStudies, PassValuesByAFileThatIsGoneAfterwards) {
  StudyDeclaration passing = declaration("sobol", 2);
  passing.program.command = {"/bin/sh", "-c", "cat \"$1\"; echo \"$1\" >&2; echo 1", "sh",
                             "{file}"};
  passing.program.values_by = ValuesBy::file;
  Study study = create(passing);
  run(study);
  for (const StudyTrial& trial : study.trials()) {
    ASSERT_EQ(trial.state, TrialState::complete) << trial.reason;
    const ProgramOutput printed = study.outputs(trial.number).at(0);
    const text::Json values =
        text::parse_json(printed.output.substr(0, printed.output.find('\n')), "file");
    EXPECT_EQ(values.at("x"), trial.x[0]);
    EXPECT_EQ(values.at("kind"), study.space().text(1, trial.x[1]));
    const std::string file = printed.errors.substr(0, printed.errors.size() - 1);
    EXPECT_TRUE(file.starts_with('/')) << file;
    EXPECT_FALSE(std::filesystem::exists(file)) << file;
  }
}

// --- how many ------------------------------------------------------------------------------------

TEST_F(RunningStudies, UseSeveralProgramsAtATime) {
  const std::string script =
      fmt::format("touch {0}/at-$3; {1} echo 1", directory().string(),
                  until(fmt::format("[ -e {0}/at-1 ] && [ -e {0}/at-2 ] && [ -e {0}/at-3 ] && [ -e "
                                    "{0}/at-4 ]",
                                    directory().string())));
  Study study = create(scripted(script, 4));
  std::atomic<int> in_progress = 0;
  std::size_t most_running = 0;
  int ended = 0;
  const RunSummary summary = run(study, {.jobs = 4}, [&](const RunProgress& progress) {
    EXPECT_EQ(++in_progress, 1) << "one call at a time";
    most_running = std::max(most_running, progress.running.size());
    if (progress.ended) {
      ++ended;
      EXPECT_EQ(progress.ended->state, TrialState::complete);
      EXPECT_EQ(
          std::count(progress.running.begin(), progress.running.end(), progress.ended->number), 0);
    }
    --in_progress;
  });
  EXPECT_EQ(summary.evaluations, 4);
  EXPECT_EQ(study.counts().complete, 4) << "each waits for the other three";
  EXPECT_EQ(most_running, 4U);
  EXPECT_EQ(ended, 4);
}

TEST_F(RunningStudies, HaveNothingToDoOnceTheBudgetIsUsedUp) {
  Study study = create(scripted("echo 1", 3));
  run(study, {.jobs = 2});
  const RunSummary again = run(study, {.jobs = 2});
  EXPECT_EQ(again.ending, RunEnding::budget);
  EXPECT_EQ(again.evaluations, 0);
  EXPECT_EQ(study.trials().size(), 3U);
}

TEST_F(RunningStudies, EvaluateAsManyAsAreWantedWhateverTheBudget) {
  Study study = create(scripted("echo 1", 2));
  const RunSummary summary = run(study, {.jobs = 2, .evaluations = 3});
  EXPECT_EQ(summary.ending, RunEnding::evaluations);
  EXPECT_EQ(summary.reason, "3 evaluations were wanted");
  EXPECT_EQ(summary.evaluations, 3);
  EXPECT_EQ(study.counts().complete, 3);
  EXPECT_EQ(study.ended(), "the budget of 2 evaluations is used up");
  EXPECT_EQ(run(study, {.evaluations = 1}).reason, "1 evaluation was wanted");
  EXPECT_EQ(study.counts().complete, 4);
}

TEST_F(RunningStudies, EvaluateAsManyAsAreWantedHoweverLongItTakes) {
  StudyDeclaration hasty = scripted("sleep 0.1; echo 1", 2);
  hasty.stop.seconds = 0.05;
  Study study = create(hasty);
  EXPECT_EQ(run(study, {.evaluations = 3}).evaluations, 3);
}

TEST_F(RunningStudies, SayThatPointsAskedForByHandUseUpTheBudget) {
  Study study = create(scripted("echo 1", 2));
  static_cast<void>(study.ask({.worker = "by hand"}));
  const RunSummary summary = run(study);
  EXPECT_EQ(summary.evaluations, 1);
  EXPECT_EQ(
      summary.reason,
      "the budget of 2 evaluations is used up, 1 by a point that was asked for and never told");
}

TEST_F(RunningStudies, EvaluateAsManyAsAreWantedThoughSomeAreTriedAgain) {
  StudyDeclaration patient =
      scripted(fmt::format("[ -e {0}/tried-$3 ] || {{ touch {0}/tried-$3; sleep 0.1; exit 1; }}; "
                           "echo 1",
                           directory().string()),
               9);
  patient.program.retries = 1;
  Study study = create(patient);
  EXPECT_EQ(run(study, {.jobs = 4, .evaluations = 3}).evaluations, 3);
  EXPECT_EQ(study.counts().complete, 3);
  EXPECT_EQ(study.counts().pending, 0);
}

TEST_F(RunningStudies, DoNotStopForWhatWasKnownBefore) {
  StudyDeclaration impatient = scripted("echo 1", 3);
  impatient.stop.without_improvement = 3;
  Study study = create(impatient);
  const std::vector<double> x = {0.5, 1.0};
  for (const double y : {9.0, 5.0, 4.0, 3.0, 2.0}) study.add(x, {.y = y});
  EXPECT_EQ(run(study).evaluations, 3);
}

TEST_F(RunningStudies, OutliveADatabaseThatCannotBeWrittenForAWhile) {
  Study study = create(scripted(fmt::format("touch {}; sleep 0.6; echo 7", sign("begun"))));
  const auto allow_bytes = [](rlim_t bytes) {
    rlimit limit = {};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  const auto too_large = std::signal(SIGXFSZ, SIG_IGN);
  std::atomic<bool> has_waited = false;
  std::thread runner([&] {
    // The lease is renewed every 0.1 s, and the value is stored when the program ends. Both fail at
    // first.
    const RunSummary summary = run(study, {.lease_seconds = 0.3}, [&](const RunProgress& progress) {
      if (!progress.waits_to_store) return;
      has_waited = true;
      allow_bytes(RLIM_INFINITY);
    });
    EXPECT_EQ(summary.evaluations, 1);
  });
  EXPECT_TRUE(sign_appears("begun"));
  allow_bytes(1);
  runner.join();
  (void)std::signal(SIGXFSZ, too_large);
  EXPECT_TRUE(has_waited);
  EXPECT_EQ(study.trial(1).y(), 7.0);
}

TEST_F(RunningStudies, RefuseRunsWithoutJobsOrPrograms) {
  Study study = create(declaration());
  expect_error([&] { run(study, {.jobs = 0, .program = {.command = {"true"}}}); },
               ErrorCode::invalid_value, "jobs");
  expect_error([&] { run(study); }, ErrorCode::invalid_value, "names no program");
  expect_error(
      [&] {
        run(study, {.program = {.command = {"true", "{y}"}}});
      },
      ErrorCode::invalid_value, "{y} is not a parameter");
  EXPECT_TRUE(study.trials().empty());
}

TEST_F(RunningStudies, StopAtATargetAndSayWhy) {
  StudyDeclaration aimed = scripted("echo $3", 30);
  aimed.stop.target = 3.0;
  Study study = create(aimed);
  const RunSummary summary = run(study);
  EXPECT_EQ(summary.ending, RunEnding::stop_rule);
  EXPECT_EQ(summary.reason, "the target 3 has been reached: 3");
  EXPECT_EQ(summary.evaluations, 3);
  EXPECT_EQ(another().ended(), summary.reason);
  const RunSummary again = run(study);
  EXPECT_EQ(again.ending, RunEnding::stop_rule);
  EXPECT_EQ(again.evaluations, 0);
  EXPECT_EQ(study.trials().size(), 3U);
  EXPECT_EQ(another().ended(), summary.reason);
  EXPECT_EQ(run(study, {.evaluations = 2}).evaluations, 2)
      << "an explicit number of evaluations overrides the rules";
}

TEST_F(RunningStudies, StopWithoutImprovement) {
  StudyDeclaration impatient = scripted("echo $3", 30);
  impatient.goal = Goal::minimize;
  impatient.stop.without_improvement = 2;
  Study study = create(impatient);
  EXPECT_EQ(run(study).ending, RunEnding::stop_rule);
  EXPECT_EQ(study.counts().complete, 3);
  EXPECT_EQ(study.ended(), "2 evaluations in a row have brought nothing better");
}

TEST_F(RunningStudies, StopWhenTheModelExpectsTooLittle) {
  StudyDeclaration modest = scripted("echo 1", 60);
  modest.method = "auto";
  modest.stop.expected_gain = 1e9;
  Study study = create(modest);
  EXPECT_EQ(run(study).ending, RunEnding::stop_rule);
  EXPECT_EQ(study.ended(), "the last 5 suggestions promised less than 1000000000");
  const std::vector<StudyTrial> trials = study.trials();
  EXPECT_EQ(std::count_if(trials.begin(), trials.end(),
                          [](const StudyTrial& trial) { return trial.prediction().has_value(); }),
            5);
}

TEST_F(RunningStudies, StopAfterSomeTimeButWaitForTheValuesUnderWay) {
  StudyDeclaration hasty = scripted("sleep 0.5; echo 1", 1000);
  hasty.stop.seconds = 0.1;
  Study study = create(hasty);
  const RunSummary summary = run(study, {.jobs = 2});
  EXPECT_EQ(summary.ending, RunEnding::stop_rule);
  EXPECT_EQ(summary.reason, "0.1 s have passed");
  EXPECT_EQ(summary.evaluations, 2);
  EXPECT_EQ(study.counts().complete, 2);
  EXPECT_EQ(study.ended(), summary.reason);
}

TEST_F(RunningStudies, EndWhenAllPointsAreTaken) {
  StudyDeclaration finite = scripted("echo 1", 30);
  finite.space.parameters.erase(finite.space.parameters.begin());
  finite.program.command[4] = "";
  Study study = create(finite);
  const RunSummary summary = run(study);
  EXPECT_EQ(summary.ending, RunEnding::exhausted);
  EXPECT_EQ(summary.evaluations, 3);
  EXPECT_NE(summary.reason.find("all 3 points"), std::string::npos) << summary.reason;
  EXPECT_EQ(study.counts().complete, 3);
  EXPECT_EQ(study.ended(), summary.reason);
  EXPECT_EQ(run(study).ending, RunEnding::exhausted);
}

TEST_F(RunningStudies, TryAgainThoughAllPointsAreTaken) {
  StudyDeclaration finite = scripted(
      fmt::format("sleep 0.2; [ -e {0}/tried-$3 ] || {{ touch {0}/tried-$3; exit 1; }}; echo 1",
                  directory().string()),
      30);
  finite.space.parameters.erase(finite.space.parameters.begin());
  finite.program.command[4] = "";
  finite.program.retries = 1;
  Study study = create(finite);
  EXPECT_EQ(run(study, {.jobs = 4}).ending, RunEnding::exhausted);
  EXPECT_EQ(study.counts().complete, 3) << "the fourth job must not end the run for the others";
}

TEST_F(RunningStudies, ShareTheWorkWithOtherProcesses) {
  // No evaluation ends before two have begun, so that both processes take part.
  const std::string script =
      fmt::format("touch {0}/at-$3; {1} echo $3", directory().string(),
                  until(fmt::format("[ -e {0}/at-1 ] && [ -e {0}/at-2 ]", directory().string())));
  Study study = create(scripted(script, 12));
  Study other = another();
  RunSummary theirs;
  std::thread process([&] { theirs = run(other, {.worker = "other"}); });
  const RunSummary ours = run(study, {.worker = "one"});
  process.join();
  EXPECT_EQ(ours.evaluations + theirs.evaluations, 12);
  EXPECT_EQ(ours.ending, RunEnding::budget);
  EXPECT_EQ(theirs.ending, RunEnding::budget);
  std::set<std::string> workers;
  for (const StudyTrial& trial : study.trials()) {
    EXPECT_EQ(trial.y(), static_cast<double>(trial.number));
    EXPECT_EQ(trial.attempts, 1) << "nobody takes what another evaluates";
    workers.insert(trial.worker);
  }
  EXPECT_EQ(study.trials().size(), 12U);
  EXPECT_EQ(workers, (std::set<std::string>{"one", "other"}));
  EXPECT_TRUE(study.verify().empty());
}

TEST_F(RunningStudies, TakeOverWhatOthersHaveLost) {
  Study study = create(scripted("echo 1", 2));
  const AskRequest request{
      .worker = "lost", .given = {{.parameter = "kind", .value = 2.0}}, .lease_seconds = 0.0};
  const StudySuggestion lost = study.ask(request).value();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(run(study).evaluations, 2) << "else it would be waited for until the end of days";
  EXPECT_EQ(study.trial(lost.number).y(), 1.0);
  EXPECT_EQ(study.trial(lost.number).x, lost.x);
}

TEST_F(RunningStudies, KeepTheirTrialsHoweverLongTheyTake) {
  constexpr double kShortLease = 0.9;
  const std::string script = fmt::format("touch {}; {} echo 1", sign("begun"),
                                         until(fmt::format("[ -e {} ]", sign("enough"))));
  Study study = create(scripted(script));
  Study other = another();
  std::thread process([&] { run(study, {.lease_seconds = kShortLease}); });
  EXPECT_TRUE(sign_appears("begun"));
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start <
         std::chrono::duration<double>(2.0 * kShortLease)) {
    EXPECT_FALSE(other.ask({.worker = "thief", .lease_seconds = 100.0, .within_budget = true}));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  give_sign("enough");
  process.join();
  EXPECT_EQ(study.trial(1).y(), 1.0);
  EXPECT_EQ(study.trial(1).attempts, 1);
}

// --- what goes wrong -----------------------------------------------------------------------------

TEST_F(RunningStudies, AreInterruptedAlsoAfterAStopRule) {
  StudyDeclaration hasty = scripted(fmt::format("touch {}; sleep 60", sign("begun")));
  hasty.stop.seconds = 0.01;
  Study study = create(hasty);
  std::thread user([&] {
    EXPECT_TRUE(sign_appears("begun"));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    interrupt();
  });
  EXPECT_EQ(run(study).ending, RunEnding::interrupted);
  user.join();
  EXPECT_EQ(study.trial(1).state, TrialState::pending);
  EXPECT_EQ(study.trial(1).attempts, 0) << "handed back";
}

TEST_F(RunningStudies, HandTheirTrialsBackWhenInterrupted) {
  StudyDeclaration slow =
      scripted(fmt::format("touch {}/at-$3; sleep 60", directory().string()), 10);
  Study study = create(slow);
  std::thread user([&] {
    EXPECT_TRUE(sign_appears("at-1") && sign_appears("at-2"));
    interrupt();
  });
  const RunSummary summary = run(study, {.jobs = 2});
  user.join();
  EXPECT_EQ(summary.ending, RunEnding::interrupted);
  EXPECT_EQ(summary.evaluations, 0);
  EXPECT_FALSE(study.ended());
  for (const TrialNumber number : {1, 2}) {
    EXPECT_EQ(study.trial(number).state, TrialState::pending);
    EXPECT_EQ(study.trial(number).attempts, 0) << "as if this attempt had not been";
  }
  interrupt_no_more();
  RunRules quick{.evaluations = 2, .program = slow.program};
  quick.program.command = {"/bin/echo", "{trial}"};
  run(study, quick);
  EXPECT_EQ(study.trials().size(), 2U) << "the next run begins with them";
  for (const TrialNumber number : {1, 2}) {
    EXPECT_EQ(study.trial(number).y(), static_cast<double>(number));
    EXPECT_EQ(study.trial(number).attempts, 1);
    ASSERT_EQ(study.outputs(number).size(), 1U);
    EXPECT_EQ(study.outputs(number)[0].ending, "ended with status 0");
  }
}

TEST_F(RunningStudies, FailNoTrialForAProgramThatIsNotThere) {
  Study study = create(declaration("sobol", 5));
  const std::string program = sign("program");
  const auto expect_not_started = [&](const std::string& reason) {
    expect_error([&] { run(study, {.jobs = 2, .program = {.command = {program}}}); }, ErrorCode::io,
                 "program: '" + program + "' could not be started: " + reason);
    EXPECT_EQ(study.counts().failed, 0);
    EXPECT_EQ(study.counts().complete, 0);
    for (const StudyTrial& trial : study.trials()) EXPECT_EQ(trial.attempts, 0);
    EXPECT_FALSE(study.ended());
  };
  expect_not_started("No such file or directory");
  std::ofstream(program) << "#!/bin/sh\necho 4\n";
  expect_not_started("Permission denied");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  run(study, {.program = {.command = {program}}});
  EXPECT_EQ(study.counts().complete, 5);
  EXPECT_EQ(study.trial(1).attempts, 1);
}

TEST_F(RunningStudies, EndOtherProgramsWhenOneCannotBeStarted) {
  std::ofstream(sign("program-1")) << "#!/bin/sh\nsleep 60\n";
  std::filesystem::permissions(sign("program-1"), std::filesystem::perms::owner_all);
  Study study = create(declaration("sobol", 5));
  expect_error([&] { run(study, {.jobs = 2, .program = {.command = {sign("program-{trial}")}}}); },
               ErrorCode::io, "could not be started");
  for (const StudyTrial& trial : study.trials()) {
    EXPECT_EQ(trial.state, TrialState::pending);
    EXPECT_EQ(trial.attempts, 0);
  }
}

TEST_F(RunningStudies, TryAgainWhatFailed) {
  StudyDeclaration patient = scripted(
      fmt::format("[ -e {0}/tried-$3 ] || {{ touch {0}/tried-$3; echo 7; exit 3; }}; echo $3",
                  directory().string()),
      3);
  patient.program.retries = 1;
  Study study = create(patient);
  EXPECT_EQ(run(study, {.jobs = 2}).ending, RunEnding::budget);
  EXPECT_EQ(study.trials().size(), 3U);
  for (const StudyTrial& trial : study.trials()) {
    EXPECT_EQ(trial.y(), static_cast<double>(trial.number));
    EXPECT_EQ(trial.attempts, 2);
    const std::vector<ProgramOutput> outputs = study.outputs(trial.number);
    ASSERT_EQ(outputs.size(), 2U);
    EXPECT_EQ(outputs[0].ending, "ended with status 3");
    EXPECT_EQ(outputs[1].ending, "ended with status 0");
    EXPECT_EQ(outputs[1].attempt, 2);
  }
  EXPECT_TRUE(study.verify().empty());
}

TEST_F(RunningStudies, FailATrialWhoseRetriesAreUsedUp) {
  StudyDeclaration patient = scripted("echo nothing; exit 4", 1);
  patient.program.retries = 2;
  Study study = create(patient);
  run(study);
  const StudyTrial trial = study.trial(1);
  EXPECT_EQ(trial.state, TrialState::failed);
  EXPECT_EQ(trial.attempts, 3);
  EXPECT_EQ(trial.reason, "ended with status 4");
  EXPECT_EQ(study.outputs(1).size(), 3U);
}

TEST_F(RunningStudies, LimitTheTimeOfAProgram) {
  StudyDeclaration limited = scripted("echo 5; sleep 60");
  limited.program.seconds = 0.2;
  const StudyTrial trial = evaluated(limited);
  EXPECT_EQ(trial.state, TrialState::failed);
  EXPECT_EQ(trial.reason, "took longer than 0.2 s");
  EXPECT_EQ(another().outputs(1).at(0).output, "5\n");
}

TEST_F(RunningStudies, LimitTheMemoryOfAProgram) {
  StudyDeclaration limited =
      scripted("dd if=/dev/zero of=/dev/null bs=300M count=1 2>/dev/null || exit 2; echo 1");
  limited.program.megabytes = 100;
  EXPECT_EQ(evaluated(limited).reason, "ended with status 2");
  limited.name = "t";
  limited.program.megabytes = 1000;
  EXPECT_EQ(evaluated(limited).y(), 1.0);
}

// --- giving up early -----------------------------------------------------------------------------

TEST_F(RunningStudies, GiveUpProgramsThatAreBehindForGood) {
  for (const PruningKind kind : {PruningKind::median, PruningKind::halving}) {
    // Trial 3 is worse than the two before it. Trial 4 is better.
    StudyDeclaration pruned =
        scripted(R"(value=1; [ $3 = 3 ] && value=0; [ $3 = 4 ] && value=2; echo begin; )"
                 R"(echo "{\"step\": 1, \"value\": $value}"; [ $3 = 3 ] && sleep 60; )"
                 R"(echo "{\"step\": 2, \"value\": $value}"; echo $value)",
                 4);
    pruned.name = to_string(kind);
    pruned.pruning = {.kind = kind, .least_trials = 2, .factor = 2.0};
    pruned.program.retries = 3;
    Study study = create(pruned);
    EXPECT_EQ(run(study).evaluations, 4);
    EXPECT_EQ(study.trial(2).y(), 1.0);
    EXPECT_EQ(study.trial(4).y(), 2.0);
    const StudyTrial behind = study.trial(3);
    EXPECT_EQ(behind.state, TrialState::failed);
    EXPECT_EQ(behind.reason, "given up: others were better by then");
    EXPECT_EQ(behind.attempts, 1);
    EXPECT_EQ(study.outputs(3).at(0).ending, "was stopped");
    EXPECT_EQ(study.reports().size(), 7U) << "two of each, but one of the third";
  }
}

TEST_F(RunningStudies, KeepTheValueOfAProgramThatWasDoneBeforeItWasGivenUp) {
  // From trial 3 on, each trial is worse than those before it and prints all of its output at once.
  StudyDeclaration pruned =
      scripted(R"(printf '{"step": 1, "value": -%s}\n-%s\n' $3 $3; sleep 0.01)", 6);
  pruned.pruning = {.kind = PruningKind::median, .least_trials = 2};
  Study study = create(pruned);
  run(study);
  for (const StudyTrial& trial : study.trials()) {
    EXPECT_EQ(trial.y(), -static_cast<double>(trial.number));
    EXPECT_EQ(study.outputs(trial.number).at(0).ending, "ended with status 0");
  }
}

TEST_F(RunningStudies, KeepIntermediateValuesOfPrograms) {
  Study study = create(
      scripted(R"(echo '{"step": 0, "value": 0.5}'; echo '{"step": 10, "value": -2}'; )"
               R"(echo '{"step": 10, "value": -1}'; echo '{"step": -1, "value": 1}'; echo 3)"));
  run(study);
  EXPECT_EQ(study.trial(1).y(), 3.0);
  const std::vector<Study::Report> reports = study.reports();
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[0].step, 0);
  EXPECT_EQ(reports[0].value, 0.5);
  EXPECT_EQ(reports[1].step, 10);
  EXPECT_EQ(reports[1].value, -1.0) << "the later one counts";
}

TEST_F(RunningStudies, EndWhenNothingButFailuresCome) {
  StudyDeclaration failing = scripted("echo 'no such pump' >&2; exit 4");
  failing.budget = 30;
  Study study = create(failing);
  const std::atomic<bool> never = false;
  const RunRules rules{.program = failing.program};
  const RunSummary summary = run_study(study, rules, {}, never);
  EXPECT_EQ(summary.ending, RunEnding::failing);
  EXPECT_NE(summary.reason.find("ended with status 4: no such pump"), std::string::npos)
      << summary.reason;
  EXPECT_EQ(study.counts().failed, 10);
  EXPECT_FALSE(study.ended()) << "the study is not to blame";
}

}  // namespace
}  // namespace oscbo::study
