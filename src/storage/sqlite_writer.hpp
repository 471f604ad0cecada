// What is asked of a database of studies, and done to it, in SQL.
#pragma once

#include <memory>

#include <SQLiteCpp/SQLiteCpp.h>

#include "storage/storage.hpp"

namespace oscbo::storage {

/// make_sqlite_writer returns what reads and writes in the transaction that is open.
[[nodiscard]] std::unique_ptr<Writer> make_sqlite_writer(SQLite::Database& database);

}  // namespace oscbo::storage
