// Binds values and rows to SQLite statements, and reads them from columns.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "storage/storage.hpp"

namespace oscbo::storage {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they are");

// --- values --------------------------------------------------------------------------------------

/// bind_numbers binds consecutive 8-byte numbers.
template <class Number>
void bind_numbers(SQLite::Statement& statement, const char* name,
                  const std::vector<Number>& numbers) {
  static_assert(sizeof(Number) == 8);
  // SQLite treats a null pointer as NULL, even if there are no bytes.
  const void* const bytes = numbers.empty() ? static_cast<const void*>("") : numbers.data();
  statement.bind(name, bytes, static_cast<int>(numbers.size() * sizeof(Number)));
}

template <class Number>
std::vector<Number> numbers_in(const SQLite::Column& column) {
  std::vector<Number> numbers(static_cast<std::size_t>(column.getBytes()) / sizeof(Number));
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), column.getBlob(), numbers.size() * sizeof(Number));
  }
  return numbers;
}

template <class Value>
void bind_optional(SQLite::Statement& statement, const char* name,
                   const std::optional<Value>& value) {
  if (value) {
    statement.bind(name, *value);
  } else {
    statement.bind(name);
  }
}

void bind_point(SQLite::Statement& statement, const std::optional<std::vector<double>>& x);

/// bind_real stores -0 as 0. SQLite stores a real number without a fraction as an integer, and
/// integers have no -0.
void bind_real(SQLite::Statement& statement, const char* name, double value);
void bind_real(SQLite::Statement& statement, const char* name, const std::optional<double>& value);

[[nodiscard]] TrialState state_in(const SQLite::Column& column);

// --- rows ----------------------------------------------------------------------------------------

// The SELECT clauses for the functions below.
inline constexpr const char* kStudyColumns =
    "SELECT s.key, s.name, s.declaration, b.description, s.created, s.ended "
    "FROM studies s JOIN builds b ON b.key = s.build ";
inline constexpr const char* kTrialColumns =
    "SELECT study, number, state, x, worker, token, deadline, process, attempts, failures, "
    "outcomes, reason, created, finished FROM trials ";
inline constexpr const char* kEventColumns =
    "SELECT e.study, e.sequence, e.kind, e.trial, e.text, ifnull(t.x, e.x), t.outcomes, e.at "
    "FROM events e LEFT JOIN trials t ON t.study = e.study AND t.number = e.trial ";
inline constexpr const char* kSuggestionColumns =
    "SELECT trial, acceptable, succeeds, failed_restarts, stream_step, pending_seen, description "
    "FROM suggestions JOIN builds ON key = build ";
inline constexpr const char* kObjectiveColumns = "SELECT value, variance FROM objectives ";
inline constexpr const char* kReportColumns = "SELECT trial, step, value FROM reports ";
/// prediction_columns returns "SELECT trial, quantity, ", followed by the fields of a prediction
/// and the table.
[[nodiscard]] std::string prediction_columns();

[[nodiscard]] StudyRow study_in(SQLite::Statement& row);
/// trial_in and event_in do not read the objectives, which have their own table.
[[nodiscard]] TrialRow trial_in(SQLite::Statement& row);
[[nodiscard]] EventRow event_in(SQLite::Statement& row);
[[nodiscard]] ObjectiveRow objective_in(SQLite::Statement& row);
[[nodiscard]] SuggestionRow suggestion_in(SQLite::Statement& row);
[[nodiscard]] PredictionRow prediction_in(SQLite::Statement& row);
[[nodiscard]] ReportRow report_in(SQLite::Statement& row);

/// bind_trial binds everything that both an update and an insertion write, except the objectives.
void bind_trial(SQLite::Statement& statement, const TrialRow& trial);

/// insertion_of_prediction returns the statement for bind_prediction.
[[nodiscard]] std::string insertion_of_prediction();
void bind_prediction(SQLite::Statement& statement, StudyKey study, std::int64_t trial,
                     const PredictionRow& row);

}  // namespace oscbo::storage
