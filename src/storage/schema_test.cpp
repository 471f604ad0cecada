#include "storage/schema.hpp"

#include <array>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "storage/storage.hpp"
#include "storage/storage_test_support.hpp"

namespace oscbo::storage {
namespace {

using test::expect_error;

/// steps_and returns the steps of this program, followed by steps of a later version.
std::vector<const char*> steps_and(std::initializer_list<const char*> later) {
  std::vector<const char*> steps(schema_steps().begin(), schema_steps().end());
  steps.insert(steps.end(), later);
  return steps;
}

class Schema : public test::DatabaseTest {
 protected:
  /// filled returns a database of this version that contains a study and a trial.
  [[nodiscard]] SQLite::Database filled() const {
    open_sqlite(file(), /*creates=*/true)->write([](Writer& writer) {
      const StudyKey key = writer.add(StudyRow{.name = "s", .declaration = "{}", .build = "b"});
      writer.add(TrialRow{.study = key, .x = std::vector{0.1, 1.0 / 3.0}});
    });
    return {file().string(), SQLite::OPEN_READWRITE};
  }

  void expect_trial_is_there() const {
    open_sqlite(file(), /*creates=*/false)->read([](Reader& reader) {
      const auto trials = reader.trials(reader.study("s").value().key, {});
      ASSERT_EQ(trials.size(), 1U);
      EXPECT_EQ(trials[0].x, (std::vector{0.1, 1.0 / 3.0}));
    });
  }
};

int version_in(SQLite::Database& database) {
  return database.execAndGet("PRAGMA user_version").getInt();
}

TEST_F(Schema, TakesAnOlderDatabaseThroughAllStepsThatItLacks) {
  SQLite::Database database = filled();
  const int version = version_in(database);
  const auto steps = steps_and({"ALTER TABLE trials ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'",
                                "UPDATE trials SET colour = 'dark ' || colour"});
  EXPECT_FALSE(is_current(database, steps));
  bring_up_to_date(database, steps);
  EXPECT_TRUE(is_current(database, steps));
  EXPECT_EQ(version_in(database), version + 2);
  EXPECT_EQ(database.execAndGet("SELECT colour FROM trials").getString(), "dark red");
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt(), 0);
  expect_error([&] { static_cast<void>(open_sqlite(file(), /*creates=*/false)); },
               ErrorCode::conflict, "newer oscbo");
}

TEST_F(Schema, LeavesADatabaseAsItWasWhenAStepFails) {
  SQLite::Database database = filled();
  const int version = version_in(database);
  const auto steps = steps_and({"ALTER TABLE trials ADD COLUMN colour TEXT", "UPDATE nothing"});
  EXPECT_THROW(bring_up_to_date(database, steps), SQLite::Exception);
  EXPECT_EQ(version_in(database), version);
  EXPECT_THROW(database.exec("SELECT colour FROM trials"), SQLite::Exception);
  expect_trial_is_there();
}

TEST_F(Schema, IsBroughtUpToDateOnceByWhoeverComesFirst) {
  SQLite::Database first = filled();
  SQLite::Database second(file().string(), SQLite::OPEN_READWRITE);
  const auto steps = steps_and({"CREATE TABLE colours (name TEXT)"});
  EXPECT_FALSE(is_current(second, steps));
  bring_up_to_date(first, steps);
  bring_up_to_date(second, steps);  // would fail if the table were created twice
  EXPECT_TRUE(is_current(second, steps));
}

/// A database of version 1, in which a trial has one value.
TEST_F(Schema, MakesAListOfTheValueOfATrial) {
  {
    SQLite::Database old(file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    bring_up_to_date(old, schema_steps().first(1));
    old.exec(
        "INSERT INTO builds VALUES (1, 'b');"
        "INSERT INTO studies VALUES (1, 's', '{}', 1, 0, NULL);"
        "INSERT INTO trials VALUES"
        " (1, 1, 'complete', x'', 1, 'w', 't', NULL, '', 1, 0, 0.1, 0.25, x'', '', 0, 0),"
        " (1, 2, 'complete', x'', 0, NULL, NULL, NULL, NULL, 0, 0, -3.0, NULL, x'', '', 0, 0),"
        " (1, 3, 'failed', x'', 1, 'w', 't', NULL, '', 1, 0, NULL, NULL, x'', 'broke', 0, 0);"
        "INSERT INTO events VALUES (1, 1, 'tell', 2, '', NULL, 0);");
    EXPECT_EQ(version_in(old), 1);
  }
  open_sqlite(file(), /*creates=*/false)->read([](Reader& reader) {
    const StudyKey key = reader.study("s").value().key;
    const std::vector<TrialRow> trials = reader.trials(key, {});
    ASSERT_EQ(trials.size(), 3U);
    ASSERT_EQ(trials[0].objectives.size(), 1U);
    EXPECT_EQ(trials[0].objectives[0].value, 0.1);
    EXPECT_EQ(trials[0].objectives[0].variance, 0.25);
    EXPECT_EQ(trials[0].lease->worker, "w");
    ASSERT_EQ(trials[1].objectives.size(), 1U);
    EXPECT_EQ(trials[1].objectives[0].value, -3.0);
    EXPECT_FALSE(trials[1].objectives[0].variance);
    EXPECT_TRUE(trials[2].objectives.empty());
    EXPECT_EQ(trials[2].reason, "broke");
    EXPECT_EQ(reader.events(key, 0).at(0).objectives.at(0).value, -3.0);
  });
  SQLite::Database now(file().string());
  EXPECT_TRUE(is_current(now));
  EXPECT_EQ(now.execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt(), 0);
}

TEST_F(Schema, HasAColumnForEachFieldOfAPrediction) {
  static_cast<void>(open_sqlite(file(), /*creates=*/true));
  SQLite::Database database(file().string());
  std::vector<std::string> columns;
  SQLite::Statement query(database, "SELECT name FROM pragma_table_info('predictions')");
  while (query.executeStep()) columns.push_back(query.getColumn(0).getString());
  std::vector<std::string> declared = {"study", "trial", "quantity"};
  for_each_field<Prediction>([&](const auto& field) { declared.emplace_back(field.stored); });
  EXPECT_EQ(columns, declared);
}

}  // namespace
}  // namespace oscbo::storage
