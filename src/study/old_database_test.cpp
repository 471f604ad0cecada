// Studies in databases that an earlier version of the program created.
#include <functional>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "oscbo/serialisation.hpp"
#include "storage/schema.hpp"
#include "study/study_test_support.hpp"

namespace oscbo::study {
namespace {

using test::expect_error;
using test::hill;

class OldDatabase : public test::StudyTest, public testing::WithParamInterface<Goal> {
 protected:
  [[nodiscard]] std::filesystem::path old_file() const { return directory() / "old.db"; }

  /// copy_as_version_1 copies the rows to tables of version 1, in which each trial has one value.
  void copy_as_version_1() const {
    SQLite::Database old(old_file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    storage::bring_up_to_date(old, storage::schema_steps().first(1));
    SQLite::Statement attach(old, "ATTACH :file AS now");
    attach.bind(":file", file().string());
    attach.exec();
    for (const char* const table : {"builds", "studies", "handouts", "suggestions", "predictions",
                                    "events", "reports", "attributes", "outputs"}) {
      old.exec(fmt::format("INSERT INTO {0} SELECT * FROM now.{0}", table));
    }
    old.exec(
        "INSERT INTO trials SELECT t.study, number, state, x, asked, worker, token, deadline, "
        "process, attempts, failures, value, variance, outcomes, reason, created, finished "
        "FROM now.trials t LEFT JOIN now.objectives o ON o.study = t.study AND o.trial = number");
  }
};

StudyDeclaration constrained(Goal goal) {
  StudyDeclaration study = test::declaration("auto", 16);
  study.goal = goal;
  study.space.outcomes = {{.name = "cost", .upper = 0.8}};
  return study;
}

/// fill gives a study every kind of log entry.
void fill(Study& study) {
  const Objective objective = study.declaration().objectives().front();
  for (int i = 0; i < 16; ++i) {
    if (i == 6) study.queue(std::vector{0.25, 2.0});
    const auto next = study.ask({.worker = "w"});
    if (i == 3) {
      study.tell_failed(next->number, next->token, "broke");
    } else if (i == 5) {
      study.abandon(next->number, "no");
    } else {
      Measurement measurement{
          .y = objective.from_maximised(hill(next->x)), .variance = {}, .outcomes = {next->x[0]}};
      if (i % 4 == 0) measurement.variance = 0.01;
      study.tell(next->number, next->token, measurement, {{"note", "fine"}});
    }
  }
  study.add(std::vector{0.5, 1.0},
            {.y = objective.from_maximised(0.125), .variance = {}, .outcomes = {0.5}});
  static_cast<void>(study.ask({.worker = "w"}));  // stays pending
}

INSTANTIATE_TEST_SUITE_P(Goals, OldDatabase, testing::Values(Goal::maximize, Goal::minimize));

TEST_P(OldDatabase, IsReadAndRepeated) {
  {
    Study study = create(constrained(GetParam()));
    fill(study);
  }
  const std::string exported = another().to_json();
  copy_as_version_1();
  Study study = Study::open(StudyStore(old_file()), "s");
  EXPECT_EQ(study.to_json(), exported);
  EXPECT_TRUE(study.verify().empty());
  EXPECT_EQ(study.best_observed()->number, another().best_observed()->number);
  EXPECT_EQ(study.ask({.worker = "w"})->x, another().ask({.worker = "w"})->x);
  EXPECT_TRUE(study.verify().empty());
}

/// Trial 1 is complete and trial 2 is pending.
class StoredObjectives : public test::StudyTest {
 protected:
  void SetUp() override {
    Study study = create(test::declaration());
    const auto next = study.ask({.worker = "w"});
    study.tell(next->number, next->token, {.y = 2.0});
    static_cast<void>(study.ask({.worker = "w"}));
  }

  /// change executes SQL as if another program had written to the database.
  void change(const std::string& sql) const {
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec(sql);
  }

  /// expect_refused expects what each command that reads or asks does to be refused.
  void expect_refused(const std::string& what) const {
    using Command = std::function<void(Study&)>;
    const std::vector<std::pair<std::string, Command>> commands = {
        {"trials, export csv", [](Study& study) { static_cast<void>(study.trials()); }},
        {"trials --last", [](Study& study) { static_cast<void>(study.trials(2)); }},
        {"export json", [](Study& study) { static_cast<void>(study.to_json()); }},
        {"status", [](Study& study) { static_cast<void>(study.best_observed()); }},
        {"best", [](Study& study) { static_cast<void>(study.best()); }},
        {"calibration", [](Study& study) { static_cast<void>(study.calibration()); }},
        {"why", [](Study& study) { static_cast<void>(study.explain(2)); }},
        {"replay", [](Study& study) { static_cast<void>(study.verify()); }},
        {"output", [](Study& study) { static_cast<void>(study.trial(1)); }},
        {"tell", [](Study& study) { static_cast<void>(study.tell(1, "", {.y = 2.0})); }},
        {"ask", [](Study& study) { static_cast<void>(study.ask({.worker = "w"})); }}};
    for (const auto& [name, command] : commands) {
      SCOPED_TRACE(name);
      Study study = another();
      expect_error([&] { command(study); }, ErrorCode::invalid_value,
                   "exactly one objective is accepted, but " + what);
    }
  }
};

TEST_F(StoredObjectives, AreAcceptedWhereACompleteTrialHasOneValue) {
  const std::vector<StudyTrial> trials = another().trials();
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].y(), 2.0);
  ASSERT_EQ(trials[1].objectives.size(), 1U) << "a pending trial has a record without a value";
  EXPECT_FALSE(trials[1].y());
}

TEST_F(StoredObjectives, AreRefusedWhereThereAreMoreThanDeclared) {
  change("INSERT INTO objectives VALUES (1, 1, 1, 3.0, NULL)");
  expect_refused("trial 1 is complete and has 2 values");
}

TEST_F(StoredObjectives, AreRefusedWhereThereAreFewerThanDeclared) {
  change("DELETE FROM objectives");
  expect_refused("trial 1 is complete and has 0 values");
}

TEST_F(StoredObjectives, AreRefusedWhereATrialIsNotComplete) {
  change("INSERT INTO objectives VALUES (1, 2, 0, 3.0, NULL)");
  const std::string text = "trial 2 is pending and has 1 value";
  expect_error([&] { static_cast<void>(another().trials()); }, ErrorCode::invalid_value, text);
  expect_error([&] { static_cast<void>(another().to_json()); }, ErrorCode::invalid_value, text);
  expect_error([&] { static_cast<void>(another().tell(2, "", {.y = 1.0})); },
               ErrorCode::invalid_value, text);
}

TEST_F(StoredObjectives, AreOneForEachTrialInJson) {
  StudyTrial trial{.number = 7, .x = {0.5, 1.0}};
  trial.objectives.resize(2);
  expect_error([&] { static_cast<void>(to_json(trial, another().space())); },
               ErrorCode::invalid_value, "exactly one objective is accepted, but trial 7 has 2");
}

}  // namespace
}  // namespace oscbo::study
