// Studies in databases that an earlier version of the program created.
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
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

/// What an earlier program printed of a study of version_1.sql, with `trials`, `best` and
/// `predict`.
struct Printed {
  std::string study;
  Goal goal;
  std::vector<std::optional<double>> values;    // by trial
  std::vector<std::optional<double>> means;     // of the predictions
  std::vector<std::optional<double>> sds;       // of observations
  std::vector<std::optional<double>> outcomes;  // "cost", if the study has it
  double best_mean;
  std::vector<double> mean_there;  // predictions at (0.3, 0.4), of the value and of "cost"
  std::vector<double> sd_there;

  friend std::ostream& operator<<(std::ostream& out, const Printed& printed) {
    return out << printed.study;
  }
};

constexpr auto kNone = std::nullopt;

const std::vector<Printed> kPrinted = {
    {.study = "up",
     .goal = Goal::maximize,
     .values = {1.117, kNone, 1.365, 1.631, kNone, 1.612, kNone},
     .means = {kNone, kNone, kNone, 1.2849277793459664, 1.6398344063580168, 1.6385426581493212,
               1.6226596463505754},
     .sds = {kNone, kNone, kNone, 0.14993478930526458, 0.20523509671760362, 0.20534443340110034,
             0.1555182712816317},
     .outcomes = {},
     .best_mean = 1.6308079262136757,
     .mean_there = {1.3115478093022241},
     .sd_there = {0.2585523250657222}},
    {.study = "down",
     .goal = Goal::minimize,
     .values = {1.117, kNone, 1.365, 0.479, kNone, 0.4, kNone},
     .means = {kNone, kNone, kNone, 1.1503210620671915, 0.5082181132178145, 0.508229312669317,
               0.5510841696630729},
     .sds = {kNone, kNone, kNone, 0.1551660950808749, 0.25705406229744326, 0.2579588923167879,
             0.20127239534786745},
     .outcomes = {-0.331, kNone, 0.332, -0.884, kNone, -1.0, kNone},
     .best_mean = 0.4790953092636267,
     .mean_there = {0.9219189296352316, -0.3056640330152723},
     .sd_there = {0.4673972378158334, 0.5216383931919004}}};

/// The database of version_1.sql.
class RecordedDatabase : public test::StudyTest, public testing::WithParamInterface<Printed> {
 protected:
  void SetUp() override {
    std::ifstream sql(OSCBO_VERSION_1_SQL);
    const std::string text{std::istreambuf_iterator<char>(sql), {}};
    ASSERT_FALSE(text.empty());
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(text);
  }

  [[nodiscard]] Study recorded() const { return another(GetParam().study); }
};

INSTANTIATE_TEST_SUITE_P(Studies, RecordedDatabase, testing::ValuesIn(kPrinted),
                         [](const auto& printed) { return printed.param.study; });

TEST_P(RecordedDatabase, HasTheTrialsThatWerePrinted) {
  using enum TrialState;
  const std::vector states = {complete, failed, complete, complete, abandoned, complete, pending};
  const Printed& printed = GetParam();
  const Study study = recorded();
  EXPECT_EQ(study.declaration().goal, printed.goal);
  const std::vector<StudyTrial> trials = study.trials();
  ASSERT_EQ(trials.size(), states.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const StudyTrial& trial = trials[i];
    SCOPED_TRACE(trial.number);
    EXPECT_EQ(trial.number, static_cast<TrialNumber>(i) + 1);
    EXPECT_EQ(trial.state, states[i]);
    EXPECT_EQ(trial.y(), printed.values[i]);
    EXPECT_EQ(trial.variance(), i == 2 ? std::optional(0.01) : std::nullopt);
    ASSERT_EQ(trial.prediction().has_value(), printed.means[i].has_value());
    if (trial.prediction()) {
      EXPECT_EQ(trial.prediction()->mean, printed.means[i]);
      EXPECT_EQ(trial.prediction()->observation_sd, printed.sds[i]);
    }
    ASSERT_EQ(trial.outcomes.size(), printed.outcomes.empty() ? 0U : 1U);
    if (!trial.outcomes.empty()) {
      EXPECT_EQ(trial.outcomes[0].value, printed.outcomes[i]);
      EXPECT_EQ(trial.outcomes[0].prediction.has_value(), printed.means[i].has_value());
    }
  }
  EXPECT_EQ(trials[1].reason, "the pump stopped");
  EXPECT_EQ(trials[4].reason, "not needed");
}

// Trial 6 of "down" has a better value, but its cost is not acceptable.
TEST_P(RecordedDatabase, HasTheBestTrialThatWasPrinted) {
  Study study = recorded();
  EXPECT_EQ(study.best_observed()->number, 4);
  const Study::Best best = study.best();
  EXPECT_EQ(best.trial.number, 4);
  EXPECT_EQ(best.by, RecommendedBy::mean);
  EXPECT_TRUE(best.is_acceptable);
  EXPECT_NEAR(best.prediction->mean, GetParam().best_mean, 1e-6);
}

// The learned lengthscales, and with them the last digits, depend on the build.
TEST_P(RecordedDatabase, PredictsWhatWasPrinted) {
  const Printed& printed = GetParam();
  Study study = recorded();
  const std::vector points(1, std::vector{0.3, 0.4});
  for (std::size_t i = 0; i < printed.mean_there.size(); ++i) {
    const Prediction prediction = study.predict(points, i).front();
    EXPECT_NEAR(prediction.mean, printed.mean_there[i], 1e-6);
    EXPECT_NEAR(prediction.observation_sd, printed.sd_there[i], 1e-6);
  }
}

TEST_P(RecordedDatabase, RepeatsItsDesign) {
  for (const Study::Mismatch& mismatch : recorded().verify()) {
    EXPECT_GT(mismatch.number, 3) << mismatch.what;
  }
}

TEST_P(RecordedDatabase, GoesOn) {
  Study study = recorded();
  study.tell(7, GetParam().study == "up" ? "token of 1/7" : "token of 2/7",
             {.y = 1.0,
              .variance = {},
              .outcomes = std::vector<double>(study.space().declaration().outcomes.size(), 0.5)});
  EXPECT_EQ(study.trial(7).y(), 1.0);
  EXPECT_EQ(study.ask({.worker = "w"})->number, 8);
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
