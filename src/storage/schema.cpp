#include "storage/schema.hpp"

#include <array>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "oscbo/error.hpp"

namespace oscbo::storage {
namespace {

// "oscb" in the header of the file marks our databases.
constexpr int kApplication = 0x6f736362;

/// Step i takes a database from version i to version i + 1. Steps are only added, never changed,
/// because each of them has been used to create databases.
constexpr std::array kSteps = {
    R"sql(
CREATE TABLE studies (
  key INTEGER PRIMARY KEY AUTOINCREMENT,  -- never that of a study that was deleted
  name TEXT NOT NULL UNIQUE,
  declaration TEXT NOT NULL,          -- JSON
  build INTEGER NOT NULL REFERENCES builds,
  created INTEGER NOT NULL,           -- times: milliseconds since 1970, UTC
  ended TEXT                          -- why
) STRICT;

CREATE TABLE builds (                 -- of the program; long, and the same for many suggestions
  key INTEGER PRIMARY KEY,
  description TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE trials (
  study INTEGER NOT NULL REFERENCES studies ON DELETE CASCADE,
  number INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'complete', 'failed', 'abandoned')),
  x BLOB,                             -- points: doubles, little-endian; NULL: being worked out
  asked INTEGER NOT NULL,             -- 0: told without having been asked
  worker TEXT, token TEXT, deadline INTEGER, process TEXT,   -- the lease
  attempts INTEGER NOT NULL, failures INTEGER NOT NULL,
  y REAL, variance REAL,
  outcomes BLOB NOT NULL,
  reason TEXT NOT NULL,
  created INTEGER NOT NULL,
  finished INTEGER,
  PRIMARY KEY (study, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX pending_trials ON trials (study, deadline) WHERE state = 'pending';
CREATE INDEX trial_states ON trials (study, state, asked);

CREATE TABLE handouts (               -- each time that a trial was handed out
  study INTEGER NOT NULL, trial INTEGER NOT NULL, token TEXT NOT NULL,
  worker TEXT, request TEXT,          -- of a request with a name: made again, it gets the same
  PRIMARY KEY (study, trial, token),
  FOREIGN KEY (study, trial) REFERENCES trials ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX requests ON handouts (study, worker, request) WHERE request IS NOT NULL;

CREATE TABLE suggestions (
  study INTEGER NOT NULL, trial INTEGER NOT NULL,
  acceptable REAL NOT NULL, succeeds REAL NOT NULL, failed_restarts INTEGER NOT NULL,
  stream_step INTEGER NOT NULL,       -- random streams are named by (seed, purpose, this)
  pending_seen BLOB NOT NULL,         -- numbers of trials, 64 bits each, little-endian
  build INTEGER NOT NULL REFERENCES builds,
  PRIMARY KEY (study, trial),
  FOREIGN KEY (study, trial) REFERENCES trials ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE predictions (
  study INTEGER NOT NULL, trial INTEGER NOT NULL,
  quantity INTEGER NOT NULL,          -- 0: the objective; 1, 2, ...: outcomes
  mean REAL NOT NULL, sd REAL NOT NULL, width REAL NOT NULL, observation_sd REAL NOT NULL,
  beta REAL NOT NULL, acquisition REAL NOT NULL,
  lengthscales BLOB NOT NULL, multiplier REAL, phase TEXT NOT NULL,
  jitter REAL NOT NULL, evaluations INTEGER NOT NULL,
  PRIMARY KEY (study, trial, quantity),
  FOREIGN KEY (study, trial) REFERENCES suggestions ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE events (                 -- the log, from which everything else follows
  study INTEGER NOT NULL REFERENCES studies ON DELETE CASCADE,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  trial INTEGER,
  text TEXT NOT NULL,
  x BLOB,                             -- of a point that was queued
  at INTEGER NOT NULL,
  PRIMARY KEY (study, sequence),
  FOREIGN KEY (study, trial) REFERENCES trials
) STRICT, WITHOUT ROWID;
CREATE INDEX events_of_trials ON events (study, trial, kind) WHERE trial IS NOT NULL;

CREATE TABLE reports (                -- intermediate values
  study INTEGER NOT NULL, trial INTEGER NOT NULL, step INTEGER NOT NULL, value REAL NOT NULL,
  PRIMARY KEY (study, trial, step),
  FOREIGN KEY (study, trial) REFERENCES trials ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE attributes (
  study INTEGER NOT NULL, trial INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (study, trial, key),
  FOREIGN KEY (study, trial) REFERENCES trials ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE outputs (                -- what programs printed
  study INTEGER NOT NULL, trial INTEGER NOT NULL, attempt INTEGER NOT NULL,
  output BLOB NOT NULL, errors BLOB NOT NULL, ending TEXT NOT NULL,
  PRIMARY KEY (study, trial, attempt),
  FOREIGN KEY (study, trial) REFERENCES trials ON DELETE CASCADE
) STRICT;
)sql",
    R"sql(
CREATE TABLE objectives (             -- what was told of a trial
  study INTEGER NOT NULL, trial INTEGER NOT NULL,
  objective INTEGER NOT NULL,         -- 0, 1, ..., as they are declared
  value REAL NOT NULL, variance REAL,
  PRIMARY KEY (study, trial, objective),
  FOREIGN KEY (study, trial) REFERENCES trials ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO objectives SELECT study, number, 0, y, variance FROM trials WHERE y IS NOT NULL;
ALTER TABLE trials DROP COLUMN y;
ALTER TABLE trials DROP COLUMN variance;
)sql"};

int pragma(SQLite::Database& database, const char* name) {
  return database.execAndGet(fmt::format("PRAGMA {}", name)).getInt();
}

/// version_of returns the version of our tables, or 0 for an empty database.
int version_of(SQLite::Database& database, int newest) {
  const int version = pragma(database, "user_version");
  const bool is_empty = database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0;
  if (!is_empty && pragma(database, "application_id") != kApplication) {
    throw Error(ErrorCode::io, "storage",
                fmt::format("'{}' is the database of another program", database.getFilename()));
  }
  if (version > newest) {
    throw Error(ErrorCode::conflict, "storage",
                fmt::format("'{}' was written by a newer oscbo: its tables have version {}, and "
                            "this program knows {}",
                            database.getFilename(), version, newest));
  }
  return version;
}

}  // namespace

SchemaSteps schema_steps() noexcept { return kSteps; }

bool is_current(SQLite::Database& database, SchemaSteps steps) {
  const int newest = static_cast<int>(steps.size());
  return version_of(database, newest) == newest;
}

void bring_up_to_date(SQLite::Database& database, SchemaSteps steps) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  const int newest = static_cast<int>(steps.size());
  // Another process may have been faster, so the version is read again.
  for (int version = version_of(database, newest); version < newest; ++version) {
    database.exec(steps[static_cast<std::size_t>(version)]);
  }
  database.exec(fmt::format("PRAGMA application_id = {}", kApplication));
  database.exec(fmt::format("PRAGMA user_version = {}", newest));
  transaction.commit();
}

}  // namespace oscbo::storage
