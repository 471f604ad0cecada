// The tables of a database of studies, and how an older one is brought up to date.
#pragma once

#include <span>

namespace SQLite {
class Database;
}

namespace oscbo::storage {

/// Statements, of which the i-th takes a database of version i to version i + 1.
using SchemaSteps = std::span<const char* const>;

/// schema_steps returns the steps to the tables that this program knows.
[[nodiscard]] SchemaSteps schema_steps() noexcept;

/// is_current returns whether the tables are those after the last step. Throws Error: io for the
/// database of another program, conflict for one of a newer version.
[[nodiscard]] bool is_current(SQLite::Database& database, SchemaSteps steps = schema_steps());

/// bring_up_to_date makes the tables, or takes the missing steps, in one transaction. Throws as
/// is_current.
void bring_up_to_date(SQLite::Database& database, SchemaSteps steps = schema_steps());

}  // namespace oscbo::storage
