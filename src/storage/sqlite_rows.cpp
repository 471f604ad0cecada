#include "storage/sqlite_rows.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace oscbo::storage {
namespace {

std::optional<double> optional_real(const SQLite::Column& column) {
  if (column.isNull()) return std::nullopt;
  return column.getDouble();
}

std::optional<std::int64_t> optional_integer(const SQLite::Column& column) {
  if (column.isNull()) return std::nullopt;
  return column.getInt64();
}

// --- the fields of predictions, by their types ---------------------------------------------------

void bind_field(SQLite::Statement& statement, const char* name, double value) {
  bind_real(statement, name, value);
}
void bind_field(SQLite::Statement& statement, const char* name,
                const std::optional<double>& value) {
  bind_real(statement, name, value);
}
void bind_field(SQLite::Statement& statement, const char* name, const std::vector<double>& value) {
  bind_numbers(statement, name, value);
}
void bind_field(SQLite::Statement& statement, const char* name, const std::optional<Phase>& value) {
  statement.bind(name, value ? std::string(to_string(*value)) : std::string());
}
void bind_field(SQLite::Statement& statement, const char* name, int value) {
  statement.bind(name, value);
}

void read_field(const SQLite::Column& column, double& value) { value = column.getDouble(); }
void read_field(const SQLite::Column& column, std::optional<double>& value) {
  value = optional_real(column);
}
void read_field(const SQLite::Column& column, std::vector<double>& value) {
  value = numbers_in<double>(column);
}
void read_field(const SQLite::Column& column, std::optional<Phase>& value) {
  const std::string text = column.getString();
  for (const Phase phase : {Phase::play, Phase::recovery}) {
    if (text == to_string(phase)) value = phase;
  }
}
void read_field(const SQLite::Column& column, int& value) { value = column.getInt(); }

}  // namespace

void bind_point(SQLite::Statement& statement, const std::optional<std::vector<double>>& x) {
  if (x) {
    bind_numbers(statement, ":x", *x);
  } else {
    statement.bind(":x");
  }
}

void bind_real(SQLite::Statement& statement, const char* name, double value) {
  statement.bind(name, value + 0.0);  // -0.0 + 0.0 is 0.0
}

void bind_real(SQLite::Statement& statement, const char* name, const std::optional<double>& value) {
  if (value) {
    bind_real(statement, name, *value);
  } else {
    statement.bind(name);
  }
}

TrialState state_in(const SQLite::Column& column) {
  const std::string text = column.getString();
  for (const TrialState state : {TrialState::pending, TrialState::complete, TrialState::failed}) {
    if (text == to_string(state)) return state;
  }
  return TrialState::abandoned;
}

StudyRow study_in(SQLite::Statement& row) {
  StudyRow study{.key = row.getColumn(0).getInt64(),
                 .name = row.getColumn(1).getString(),
                 .declaration = row.getColumn(2).getString(),
                 .build = row.getColumn(3).getString(),
                 .created = row.getColumn(4).getInt64()};
  if (!row.getColumn(5).isNull()) study.ended = row.getColumn(5).getString();
  return study;
}

TrialRow trial_in(SQLite::Statement& row) {
  TrialRow trial{.study = row.getColumn(0).getInt64(),
                 .number = row.getColumn(1).getInt64(),
                 .state = state_in(row.getColumn(2))};
  if (!row.getColumn(3).isNull()) trial.x = numbers_in<double>(row.getColumn(3));
  if (!row.getColumn(4).isNull()) {
    trial.lease = Lease{.worker = row.getColumn(4).getString(),
                        .token = row.getColumn(5).getString(),
                        .deadline = optional_integer(row.getColumn(6)),
                        .process = row.getColumn(7).getString()};
  }
  trial.attempts = row.getColumn(8).getInt();
  trial.failures = row.getColumn(9).getInt();
  trial.outcomes = numbers_in<double>(row.getColumn(10));
  trial.reason = row.getColumn(11).getString();
  trial.created = row.getColumn(12).getInt64();
  trial.finished = optional_integer(row.getColumn(13));
  return trial;
}

void bind_trial(SQLite::Statement& statement, const TrialRow& trial) {
  statement.bind(":study", trial.study);
  statement.bind(":state", std::string(to_string(trial.state)));
  bind_point(statement, trial.x);
  for (const auto& [name, member] : {std::pair(":worker", &Lease::worker),
                                     {":token", &Lease::token},
                                     {":process", &Lease::process}}) {
    if (trial.lease) {
      statement.bind(name, (*trial.lease).*member);
    } else {
      statement.bind(name);
    }
  }
  bind_optional(statement, ":deadline", trial.lease ? trial.lease->deadline : std::nullopt);
  statement.bind(":attempts", trial.attempts);
  statement.bind(":failures", trial.failures);
  bind_numbers(statement, ":outcomes", trial.outcomes);
  statement.bind(":reason", trial.reason);
}

EventRow event_in(SQLite::Statement& row) {
  EventRow event{.study = row.getColumn(0).getInt64(),
                 .sequence = row.getColumn(1).getInt64(),
                 .kind = row.getColumn(2).getString(),
                 .trial = optional_integer(row.getColumn(3)),
                 .text = row.getColumn(4).getString()};
  if (!row.getColumn(5).isNull()) event.x = numbers_in<double>(row.getColumn(5));
  event.outcomes = numbers_in<double>(row.getColumn(6));
  event.at = row.getColumn(7).getInt64();
  return event;
}

ObjectiveRow objective_in(SQLite::Statement& row) {
  return {.value = row.getColumn(0).getDouble(), .variance = optional_real(row.getColumn(1))};
}

SuggestionRow suggestion_in(SQLite::Statement& row) {
  return {.trial = row.getColumn(0).getInt64(),
          .record = {.acceptable = row.getColumn(1).getDouble(),
                     .succeeds = row.getColumn(2).getDouble(),
                     .failed_restarts = row.getColumn(3).getInt64(),
                     .stream_step = row.getColumn(4).getInt64(),
                     .pending_seen = numbers_in<std::int64_t>(row.getColumn(5)),
                     .build = row.getColumn(6).getString()}};
}

std::string prediction_columns() {
  std::string columns = "SELECT trial, quantity";
  for_each_field<Prediction>(
      [&](const auto& field) { columns += fmt::format(", {}", field.stored); });
  return columns + " FROM predictions ";
}

PredictionRow prediction_in(SQLite::Statement& row) {
  PredictionRow result{.quantity = row.getColumn(1).getInt64()};
  int column = 2;
  for_each_field<Prediction>(
      [&](const auto& field) { read_field(row.getColumn(column++), field.of(result.prediction)); });
  return result;
}

std::string insertion_of_prediction() {
  std::string columns = "study, trial, quantity";
  std::string values = ":study, :trial, :quantity";
  for_each_field<Prediction>([&](const auto& field) {
    columns += fmt::format(", {}", field.stored);
    values += fmt::format(", :{}", field.stored);
  });
  return fmt::format("INSERT INTO predictions ({}) VALUES ({})", columns, values);
}

void bind_prediction(SQLite::Statement& statement, StudyKey study, std::int64_t trial,
                     const PredictionRow& row) {
  statement.bind(":study", study);
  statement.bind(":trial", trial);
  statement.bind(":quantity", row.quantity);
  for_each_field<Prediction>([&](const auto& field) {
    bind_field(statement, fmt::format(":{}", field.stored).c_str(), field.of(row.prediction));
  });
}

ReportRow report_in(SQLite::Statement& row) {
  return {.trial = row.getColumn(0).getInt64(),
          .step = row.getColumn(1).getInt64(),
          .value = row.getColumn(2).getDouble()};
}

}  // namespace oscbo::storage
