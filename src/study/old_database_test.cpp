// Studies in databases that an earlier version of the program created.
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

using StoredObjectives = test::StudyTest;

TEST_F(StoredObjectives, AreRefusedWhereThereAreMoreThanDeclared) {
  {
    Study study = create(test::declaration());
    study.add(std::vector{0.5, 1.0}, {.y = 2.0});
  }
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE)
      .exec("INSERT INTO objectives VALUES (1, 1, 1, 3.0, NULL)");
  Study study = another();
  expect_error([&] { static_cast<void>(study.ask({.worker = "w"})); }, ErrorCode::invalid_value,
               "2 values were told; the number of objectives is 1");
}

}  // namespace
}  // namespace oscbo::study
