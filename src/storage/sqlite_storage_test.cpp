#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include <SQLiteCpp/SQLiteCpp.h>

#include "storage/storage.hpp"
#include "storage/storage_test_support.hpp"

namespace oscbo::storage {
namespace {

using test::expect_error;

class SqliteStorage : public test::DatabaseTest {
 protected:
  std::unique_ptr<Storage> open(bool creates = true) const { return open_sqlite(file(), creates); }

  /// A database with one study, "s", and its key.
  [[nodiscard]] std::unique_ptr<Storage> with_study(StudyKey& key) const {
    std::unique_ptr<Storage> storage = open();
    storage->write([&](Writer& writer) {
      key = writer.add(StudyRow{.name = "s", .declaration = "{}", .build = "b"});
    });
    return storage;
  }
};

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> result;
  for (const double value : values) result.push_back(std::bit_cast<std::uint64_t>(value));
  return result;
}

TrialRow trial_at(StudyKey study, std::vector<double> x) {
  return {.study = study, .x = std::move(x)};
}

TEST_F(SqliteStorage, KeepsNumbersBitForBit) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> odd = {0.1, -0.0, std::nan("7"), 5e-324, -inf, 1e308, 1.0 / 3.0};
  StudyKey key = 0;
  const auto storage = with_study(key);
  for (const double y :
       {0.1, 5e-324, -1.7976931348623157e308, 3.0, 9007199254740993.0, 1.0 / 3.0}) {
    storage->write([&](Writer& writer) {
      TrialRow row = trial_at(key, odd);
      row.y = y;
      row.variance = 2.0 * y;
      row.outcomes = odd;
      const std::int64_t number = writer.add(row);
      SuggestionRow suggestion{
          .trial = number, .stream_step = 12, .pending_seen = {1, -7}, .build = "b"};
      suggestion.predictions.push_back({.mean = y, .acquisition = -inf, .lengthscales = odd});
      writer.add(key, suggestion);
    });
    open(false)->read([&](Reader& reader) {
      const TrialRow row = reader.trials(key, {.last = 1}).at(0);
      EXPECT_EQ(bits(*row.x), bits(odd));
      EXPECT_EQ(bits(row.outcomes), bits(odd));
      EXPECT_EQ(bits({*row.y, *row.variance}), bits({y, 2.0 * y}));
      const SuggestionRow suggestion = reader.suggestion(key, row.number).value();
      EXPECT_EQ(suggestion.stream_step, 12);
      EXPECT_EQ(suggestion.pending_seen, (std::vector<std::int64_t>{1, -7}));
      EXPECT_EQ(bits(suggestion.predictions.at(0).lengthscales), bits(odd));
      EXPECT_EQ(suggestion.predictions.at(0).acquisition, -inf);
    });
  }
}

TEST_F(SqliteStorage, NegativeZeroBecomesZero) {
  StudyKey key = 0;
  const auto storage = with_study(key);
  storage->write([&](Writer& writer) {
    TrialRow row = trial_at(key, {0.0});
    row.y = -0.0;
    writer.add(row);
  });
  storage->read(
      [&](Reader& reader) { EXPECT_FALSE(std::signbit(reader.trial(key, 1)->y.value())); });
}

TEST_F(SqliteStorage, WritesAllOrNothing) {
  StudyKey key = 0;
  const auto storage = with_study(key);
  const auto fails = [&](Writer& writer) {
    writer.add(trial_at(key, {1.0}));
    writer.append({.study = key, .kind = "extra", .trial = 1});
    throw Error(ErrorCode::conflict, "", "changed my mind");
  };
  expect_error([&] { storage->write(fails); }, ErrorCode::conflict, "mind");
  storage->read([&](Reader& reader) {
    EXPECT_TRUE(reader.trials(key, {}).empty());
    EXPECT_TRUE(reader.events(key, 0).empty());
  });
}

TEST_F(SqliteStorage, ReadsWhileSomebodyWrites) {
  StudyKey key = 0;
  const auto storage = with_study(key);
  storage->write([&](Writer& writer) {
    writer.add(trial_at(key, {1.0}));
    open(false)->read([&](Reader& reader) {
      EXPECT_TRUE(reader.trials(key, {}).empty()) << "what is not committed is not there";
    });
  });
  open(false)->read([&](Reader& reader) { EXPECT_EQ(reader.trials(key, {}).size(), 1U); });
}

TEST_F(SqliteStorage, WritersTakeTurns) {
  constexpr int kWriters = 4;
  constexpr int kTrials = 50;
  StudyKey key = 0;
  static_cast<void>(with_study(key));
  std::vector<std::thread> threads;
  for (int i = 0; i < kWriters; ++i) {
    threads.emplace_back([&] {
      const auto storage = open(false);
      for (int k = 0; k < kTrials; ++k) {
        storage->write([&](Writer& writer) { writer.add(trial_at(key, {1.0})); });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  open(false)->read([&](Reader& reader) {
    const std::vector<TrialRow> trials = reader.trials(key, {});
    ASSERT_EQ(trials.size(), static_cast<std::size_t>(kWriters * kTrials));
    for (std::size_t i = 0; i < trials.size(); ++i) {
      EXPECT_EQ(trials[i].number, static_cast<std::int64_t>(i) + 1);
    }
  });
}

TEST_F(SqliteStorage, RemovesAStudyWithEverythingInIt) {
  StudyKey key = 0;
  const auto storage = with_study(key);
  storage->write([&](Writer& writer) {
    const std::int64_t number = writer.add(trial_at(key, {1.0}));
    writer.add(key, SuggestionRow{.trial = number, .build = "b", .predictions = {{}}});
    writer.append({.study = key, .kind = "ask", .trial = number});
    writer.set(key, ReportRow{.trial = number, .step = 1, .value = 2.0});
    writer.set(key, AttributeRow{.trial = number, .key = "note", .value = "odd"});
    writer.add(key,
               OutputRow{.trial = number, .attempt = 1, .output = "", .errors = "e", .ending = ""});
  });
  storage->write([&](Writer& writer) { writer.remove_study(key); });
  SQLite::Database database(file().string());
  for (const char* const table : {"studies", "trials", "suggestions", "predictions", "events",
                                  "reports", "attributes", "outputs"}) {
    EXPECT_EQ(database.execAndGet(std::string("SELECT count(*) FROM ") + table).getInt(), 0)
        << table;
  }
}

TEST_F(SqliteStorage, ExpiredTrialsAreThoseBeyondTheirDeadline) {
  StudyKey key = 0;
  const auto storage = with_study(key);
  storage->write([&](Writer& writer) {
    const Time now = writer.now();
    const auto add = [&](const char* request, std::optional<Time> deadline) {
      TrialRow row = trial_at(key, {1.0});
      row.lease = Lease{.worker = "w", .request = request, .token = "t", .deadline = deadline};
      writer.add(row);
    };
    add("1", now + 1000000);
    add("2", now - 10);
    add("3", std::nullopt);
    add("4", now - 20);
  });
  storage->read([&](Reader& reader) {
    const std::vector<TrialRow> expired = reader.expired_trials(key);
    ASSERT_EQ(expired.size(), 2U);
    EXPECT_EQ(expired[0].number, 4);
    EXPECT_EQ(expired[1].number, 2);
    EXPECT_EQ(reader.counts(key).pending, 4);
    EXPECT_EQ(reader.counts(key).leased, 3);
    EXPECT_EQ(reader.trial_of_request(key, "w", "3")->number, 3);
  });
}

TEST_F(SqliteStorage, RefusesWhatIsNoDatabaseOfOurs) {
  expect_error([&] { open(false); }, ErrorCode::unknown_name, "test.db");
  std::ofstream(file()) << "name = \"reactor\"\n" << std::string(4096, 'x');
  expect_error([&] { open(); }, ErrorCode::io, "not a database");
  std::filesystem::remove(file());
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE theirs (a)");
  expect_error([&] { open(); }, ErrorCode::io, "another program");
  expect_error([&] { static_cast<void>(open_sqlite(directory() / "no" / "x.db", true)); },
               ErrorCode::io, "unable to open");
}

TEST_F(SqliteStorage, RefusesTheTablesOfANewerVersion) {
  static_cast<void>(open());
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 1000");
  expect_error([&] { open(); }, ErrorCode::conflict, "newer oscbo");
}

}  // namespace
}  // namespace oscbo::storage
