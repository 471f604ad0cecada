// Stores studies in one SQLite file. The write-ahead log lets readers see a consistent state while
// another process writes. One process writes at a time, and the others wait.
#include <algorithm>
#include <mutex>
#include <sqlite3.h>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "oscbo/error.hpp"
#include "storage/schema.hpp"
#include "storage/sqlite_writer.hpp"
#include "storage/storage.hpp"

namespace oscbo::storage {
namespace {

/// wait_for_lock waits briefly if another process holds the lock. It gives up after minutes,
/// when the holder must have been stopped in the middle of a transaction.
int wait_for_lock(void* /*nothing*/, int waits) {
  constexpr int kShortest = 1;  // milliseconds
  constexpr int kLongest = 20;
  constexpr int kMostWaits = 30000;
  if (waits > kMostWaits) return 0;
  sqlite3_sleep(std::clamp(waits, kShortest, kLongest));
  return 1;
}

class SqliteStorage final : public Storage {
 public:
  SqliteStorage(const std::filesystem::path& file, int flags)
      : file_(file.string()), database_(file_, flags) {
    sqlite3_busy_handler(database_.getHandle(), &wait_for_lock, nullptr);
    database_.exec("PRAGMA foreign_keys = ON");
    database_.exec("PRAGMA trusted_schema = OFF");
    if (!is_current(database_)) bring_up_to_date(database_);
    database_.exec("PRAGMA journal_mode = WAL");
    database_.exec("PRAGMA synchronous = FULL");
  }

  void read(const std::function<void(Reader&)>& look) override {
    transact(SQLite::TransactionBehavior::DEFERRED, look);
  }

  void write(const std::function<void(Writer&)>& change) override {
    transact(SQLite::TransactionBehavior::IMMEDIATE, change);
  }

 private:
  template <class Work>
  void transact(SQLite::TransactionBehavior behavior, const Work& work) {
    const std::lock_guard lock(mutex_);
    try {
      SQLite::Transaction transaction(database_, behavior);
      work(*make_sqlite_writer(database_));
      transaction.commit();
    } catch (const SQLite::Exception& error) {
      // A row that violates a constraint of its table is our mistake. Trying again would not help.
      const bool is_ours = error.getErrorCode() == SQLITE_CONSTRAINT;
      throw Error(is_ours ? ErrorCode::internal : ErrorCode::io, "storage",
                  fmt::format("'{}': {}", file_, error.what()));
    }
  }

  std::string file_;
  SQLite::Database database_;
  std::mutex mutex_;  // one transaction at a time
};

}  // namespace

std::unique_ptr<Storage> open_sqlite(const std::filesystem::path& file, bool creates) {
  // SQLite uses these names for databases that vanish with the process.
  if (file.empty() || file == ":memory:") {
    throw Error(ErrorCode::invalid_value, "storage",
                fmt::format("'{}' is not accepted; use the name of a file", file.string()));
  }
  std::error_code failure;
  if (!creates && !std::filesystem::exists(file, failure) && !failure) {
    throw Error(ErrorCode::unknown_name, "storage",
                fmt::format("there is no '{}'; `oscbo new` makes it", file.string()));
  }
  const int flags = SQLite::OPEN_READWRITE | (creates ? SQLite::OPEN_CREATE : 0);
  try {
    return std::make_unique<SqliteStorage>(file, flags);
  } catch (const SQLite::Exception& error) {
    throw Error(ErrorCode::io, "storage", fmt::format("'{}': {}", file.string(), error.what()));
  }
}

}  // namespace oscbo::storage
