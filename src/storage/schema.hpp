// The tables, and how databases of earlier versions get them.
#pragma once

#include <SQLiteCpp/Database.h>

namespace oscbo::storage {

/// prepare_schema makes the tables of an empty database, or brings those of an earlier version up
/// to date, inside the transaction of the caller. Throws Error: io for the database of another
/// program, conflict for one that a newer oscbo has written.
void prepare_schema(SQLite::Database& database);

/// is_current returns whether the database has the tables of this version, so that nothing need be
/// written. Throws as prepare_schema.
[[nodiscard]] bool is_current(SQLite::Database& database);

}  // namespace oscbo::storage
