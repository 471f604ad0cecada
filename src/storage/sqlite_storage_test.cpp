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

  /// with_study returns a database with one study, "s", and sets `key` to its key.
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
      row.objectives = {{.value = y, .variance = 2.0 * y}, {.value = -y}};
      row.outcomes = odd;
      const std::int64_t number = writer.add(row);
      SuggestionRow suggestion{
          .trial = number, .record = {.stream_step = 12, .pending_seen = {1, -7}, .build = "b"}};
      suggestion.predictions.push_back(
          {.prediction = {.mean = y, .acquisition = -inf, .lengthscales = odd}});
      writer.add(key, suggestion);
    });
    open(false)->read([&](Reader& reader) {
      const TrialRow row = reader.trials(key, 1).at(0);
      EXPECT_EQ(bits(*row.x), bits(odd));
      EXPECT_EQ(bits(row.outcomes), bits(odd));
      ASSERT_EQ(row.objectives.size(), 2U);
      EXPECT_EQ(bits({row.objectives[0].value, *row.objectives[0].variance}), bits({y, 2.0 * y}));
      EXPECT_EQ(bits({row.objectives[1].value}), bits({-y}));
      EXPECT_FALSE(row.objectives[1].variance);
      const SuggestionRow suggestion = reader.suggestion(key, row.number).value();
      EXPECT_EQ(suggestion.record.stream_step, 12);
      EXPECT_EQ(suggestion.record.pending_seen, (std::vector<std::int64_t>{1, -7}));
      EXPECT_EQ(bits(suggestion.predictions.at(0).prediction.lengthscales), bits(odd));
      EXPECT_EQ(suggestion.predictions.at(0).prediction.acquisition, -inf);
    });
  }
}

TEST_F(SqliteStorage, NegativeZeroBecomesZero) {
  StudyKey key = 0;
  const auto storage = with_study(key);
  storage->write([&](Writer& writer) {
    TrialRow row = trial_at(key, {0.0});
    row.objectives = {{.value = -0.0, .variance = -0.0}};
    writer.add(row);
  });
  storage->read([&](Reader& reader) {
    const ObjectiveRow objective = reader.trial(key, 1)->objectives.at(0);
    EXPECT_FALSE(std::signbit(objective.value));
    EXPECT_FALSE(std::signbit(objective.variance.value()));
  });
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
    TrialRow row = trial_at(key, {1.0});
    row.objectives = {{.value = 3.0}};
    const std::int64_t number = writer.add(row);
    writer.add(key, SuggestionRow{.trial = number, .record = {.build = "b"}, .predictions = {{}}});
    writer.append({.study = key, .kind = "ask", .trial = number});
    writer.set(key, ReportRow{.trial = number, .step = 1, .value = 2.0});
    writer.set(key, AttributeRow{.trial = number, .key = "note", .value = "odd"});
    writer.add(key,
               OutputRow{.trial = number, .attempt = 1, .output = "", .errors = "e", .ending = ""});
  });
  storage->write([&](Writer& writer) { writer.remove_study(key); });
  SQLite::Database database(file().string());
  for (const char* const table : {"studies", "trials", "suggestions", "predictions", "events",
                                  "reports", "attributes", "outputs", "handouts", "objectives"}) {
    EXPECT_EQ(database.execAndGet(std::string("SELECT count(*) FROM ") + table).getInt(), 0)
        << table;
  }
}

TEST_F(SqliteStorage, LeasedTrialsAreThoseWithADeadline) {
  StudyKey key = 0;
  const auto storage = with_study(key);
  storage->write([&](Writer& writer) {
    for (const std::optional<Time> deadline : {std::optional<Time>(30), {}, {10}, {20}}) {
      TrialRow row = trial_at(key, {1.0});
      row.lease = Lease{.worker = "w", .token = "t", .deadline = deadline, .process = "p"};
      writer.add(row);
    }
    TrialRow told = trial_at(key, {2.0});
    told.state = TrialState::complete;
    told.objectives = {{.value = 1.0}};
    writer.add(told);
  });
  storage->read([&](Reader& reader) {
    const std::vector<TrialRow> leased = reader.leased_trials(key);
    ASSERT_EQ(leased.size(), 3U);
    EXPECT_EQ(leased[0].number, 3);
    EXPECT_EQ(leased[1].number, 4);
    EXPECT_EQ(leased[2].number, 1);
    EXPECT_EQ(leased[0].lease->process, "p");
    EXPECT_EQ(reader.counts(key).pending, 4);
    EXPECT_EQ(reader.counts(key).leased, 3);
    EXPECT_EQ(reader.counts(key).asked, 4) << "nobody asked for the last one";
  });
}

TEST_F(SqliteStorage, ValuesAreThoseOfCompleteTrials) {
  StudyKey key = 0;
  const auto storage = with_study(key);
  storage->write([&](Writer& writer) {
    for (const TrialState state :
         {TrialState::complete, TrialState::failed, TrialState::complete, TrialState::pending}) {
      TrialRow row = trial_at(key, {1.0});
      row.state = state;
      row.objectives = {{.value = 0.5}, {.value = 7.0}};
      row.outcomes = {2.0, -3.0};
      writer.add(row);
    }
  });
  storage->read([&](Reader& reader) {
    const std::vector<ValueRow> values = reader.values(key);
    ASSERT_EQ(values.size(), 2U);
    EXPECT_EQ(values[0].trial, 1);
    EXPECT_EQ(values[1].trial, 3);
    EXPECT_EQ(values[1].objectives, (std::vector<double>{0.5, 7.0}));
    EXPECT_EQ(values[1].outcomes, (std::vector<double>{2.0, -3.0}));
  });
}

TEST_F(SqliteStorage, HandoutsAreKnownByTheirTokensAndRequests) {
  StudyKey key = 0;
  const auto storage = with_study(key);
  storage->write([&](Writer& writer) {
    const std::int64_t trial = writer.add(trial_at(key, {1.0}));
    writer.add(key, HandoutRow{.trial = trial, .token = "t", .worker = "w", .request = "r"});
    writer.add(key, HandoutRow{.trial = trial, .token = "u"});
    writer.add(key, HandoutRow{.trial = trial, .token = "v"});
  });
  const auto add_again = [&](Writer& writer) {
    writer.add(key, HandoutRow{.trial = 1, .token = "x", .worker = "w", .request = "r"});
  };
  expect_error([&] { storage->write(add_again); }, ErrorCode::internal, "UNIQUE");
  storage->write([&](Writer& writer) {
    EXPECT_EQ(writer.handout(key, "w", "r")->token, "t");
    EXPECT_FALSE(writer.handout(key, "v", "r"));
    EXPECT_FALSE(writer.handout(key, "w", "s"));
    EXPECT_TRUE(writer.was_handed_out(key, 1, "u"));
    EXPECT_FALSE(writer.was_handed_out(key, 1, "x"));
    EXPECT_FALSE(writer.was_handed_out(key, 2, "u"));
    writer.remove_trial(key, 1);
    EXPECT_FALSE(writer.handout(key, "w", "r")) << "it goes with its trial";
  });
}

TEST_F(SqliteStorage, FindsWhatOthersReported) {
  StudyKey key = 0;
  const auto storage = with_study(key);
  storage->write([&](Writer& writer) {
    for (int trial = 1; trial <= 4; ++trial) {
      TrialRow row = trial_at(key, {1.0});
      if (trial == 4) row.state = TrialState::abandoned;
      writer.add(row);
      for (const std::int64_t step : {1, 3, 6}) {
        if (trial == 2 && step == 3) continue;
        writer.set(key, ReportRow{.trial = trial,
                                  .step = step,
                                  .value = 10.0 * trial + static_cast<double>(step)});
      }
    }
  });
  storage->read([&](Reader& reader) {
    EXPECT_EQ(reader.reported_by_others(key, 1, 3, 3), std::vector{33.0});
    EXPECT_EQ(reader.reported_by_others(key, 1, 2, 9), (std::vector{26.0, 33.0}));
    EXPECT_TRUE(reader.reported_by_others(key, 1, 7, 9).empty());
    EXPECT_EQ(reader.reports(key, 2).size(), 2U);
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
  for (const char* const vanishing : {"", ":memory:"}) {
    expect_error([&] { static_cast<void>(open_sqlite(vanishing, true)); }, ErrorCode::invalid_value,
                 "the name of a file");
  }
}

TEST_F(SqliteStorage, RefusesTheTablesOfANewerVersion) {
  static_cast<void>(open());
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 1000");
  expect_error([&] { open(); }, ErrorCode::conflict, "newer oscbo");
}

}  // namespace
}  // namespace oscbo::storage
