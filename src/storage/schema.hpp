// The tables of the database, and the steps that bring an older database up to date.
#pragma once

#include <span>

namespace SQLite {
class Database;
}

namespace oscbo::storage {

/// SQL statements. The i-th takes a database from version i to version i + 1.
using SchemaSteps = std::span<const char* const>;

/// schema_steps returns the steps that lead to the tables of this program.
[[nodiscard]] SchemaSteps schema_steps() noexcept;

/// is_current returns whether the database has taken all steps. It throws Error: io for the
/// database of another program, conflict for a database of a newer version.
[[nodiscard]] bool is_current(SQLite::Database& database, SchemaSteps steps = schema_steps());

/// bring_up_to_date creates the tables, or takes the missing steps, in one transaction. It throws
/// Error: io for the database of another program, conflict for a database of a newer version.
void bring_up_to_date(SQLite::Database& database, SchemaSteps steps = schema_steps());

}  // namespace oscbo::storage
