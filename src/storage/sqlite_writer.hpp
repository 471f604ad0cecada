// Reads and changes the database: all SQL that works on the rows of studies.
#pragma once

#include <memory>

#include <SQLiteCpp/SQLiteCpp.h>

#include "storage/storage.hpp"

namespace oscbo::storage {

/// make_sqlite_writer returns a Writer that works in the open transaction.
[[nodiscard]] std::unique_ptr<Writer> make_sqlite_writer(SQLite::Database& database);

}  // namespace oscbo::storage
