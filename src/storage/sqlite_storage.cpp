// Studies in one SQLite file. The write-ahead log lets readers see a whole state while somebody
// writes; one process writes at a time, and the others wait.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>
#include <sqlite3.h>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "oscbo/error.hpp"
#include "storage/schema.hpp"
#include "storage/storage.hpp"

namespace oscbo::storage {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they are");

/// The clock of the database: milliseconds since 1970.
#define OSCBO_NOW "CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)"

// --- values --------------------------------------------------------------------------------------

/// Numbers of 8 bytes, one after the other.
template <class Number>
void bind_numbers(SQLite::Statement& statement, const char* name,
                  const std::vector<Number>& numbers) {
  static_assert(sizeof(Number) == 8);
  // SQLite takes a null pointer for NULL, also where there are no bytes.
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

void bind_point(SQLite::Statement& statement, const std::optional<std::vector<double>>& x) {
  if (x) {
    bind_numbers(statement, ":x", *x);
  } else {
    statement.bind(":x");
  }
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

/// SQLite keeps a real number that is whole as an integer, which has no -0.
double without_negative_zero(double value) { return value + 0.0; }

void bind_real(SQLite::Statement& statement, const char* name, double value) {
  statement.bind(name, without_negative_zero(value));
}

void bind_real(SQLite::Statement& statement, const char* name, const std::optional<double>& value) {
  if (value) {
    bind_real(statement, name, *value);
  } else {
    statement.bind(name);
  }
}

std::optional<double> optional_real(const SQLite::Column& column) {
  if (column.isNull()) return std::nullopt;
  return column.getDouble();
}

std::optional<std::int64_t> optional_integer(const SQLite::Column& column) {
  if (column.isNull()) return std::nullopt;
  return column.getInt64();
}

StudyTrialState state_in(const SQLite::Column& column) {
  const std::string text = column.getString();
  for (const StudyTrialState state :
       {StudyTrialState::pending, StudyTrialState::complete, StudyTrialState::failed}) {
    if (text == to_string(state)) return state;
  }
  return StudyTrialState::abandoned;
}

// --- rows ----------------------------------------------------------------------------------------

constexpr const char* kStudyColumns =
    "SELECT s.key, s.name, s.declaration, b.description, s.created, s.ended "
    "FROM studies s JOIN builds b ON b.key = s.build ";

StudyRow study_in(SQLite::Statement& row) {
  StudyRow study{.key = row.getColumn(0).getInt64(),
                 .name = row.getColumn(1).getString(),
                 .declaration = row.getColumn(2).getString(),
                 .build = row.getColumn(3).getString(),
                 .created = row.getColumn(4).getInt64()};
  if (!row.getColumn(5).isNull()) study.ended = row.getColumn(5).getString();
  return study;
}

constexpr const char* kTrialColumns =
    "SELECT study, number, state, x, worker, token, deadline, process, attempts, failures, y, "
    "variance, outcomes, reason, created, finished FROM trials ";

/// Few trials are pending, however many there are: what is asked about them looks at no others.
constexpr const char* kByPending = "INDEXED BY pending_trials";

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
  trial.y = optional_real(row.getColumn(10));
  trial.variance = optional_real(row.getColumn(11));
  trial.outcomes = numbers_in<double>(row.getColumn(12));
  trial.reason = row.getColumn(13).getString();
  trial.created = row.getColumn(14).getInt64();
  trial.finished = optional_integer(row.getColumn(15));
  return trial;
}

/// What an update writes; an insertion also.
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
  bind_real(statement, ":y", trial.y);
  bind_real(statement, ":variance", trial.variance);
  bind_numbers(statement, ":outcomes", trial.outcomes);
  statement.bind(":reason", trial.reason);
}

constexpr const char* kEventColumns =
    "SELECT e.study, e.sequence, e.kind, e.trial, e.text, ifnull(t.x, e.x), t.y, t.variance, "
    "t.outcomes, e.at "
    "FROM events e LEFT JOIN trials t ON t.study = e.study AND t.number = e.trial ";

EventRow event_in(SQLite::Statement& row) {
  EventRow event{.study = row.getColumn(0).getInt64(),
                 .sequence = row.getColumn(1).getInt64(),
                 .kind = row.getColumn(2).getString(),
                 .trial = optional_integer(row.getColumn(3)),
                 .text = row.getColumn(4).getString()};
  if (!row.getColumn(5).isNull()) event.x = numbers_in<double>(row.getColumn(5));
  event.y = optional_real(row.getColumn(6));
  event.variance = optional_real(row.getColumn(7));
  event.outcomes = numbers_in<double>(row.getColumn(8));
  event.at = row.getColumn(9).getInt64();
  return event;
}

SuggestionRow suggestion_in(SQLite::Statement& row) {
  return {.trial = row.getColumn(0).getInt64(),
          .acceptable = row.getColumn(1).getDouble(),
          .succeeds = row.getColumn(2).getDouble(),
          .failed_restarts = row.getColumn(3).getInt64(),
          .stream_step = row.getColumn(4).getInt64(),
          .pending_seen = numbers_in<std::int64_t>(row.getColumn(5)),
          .build = row.getColumn(6).getString(),
          .predictions = {}};
}

PredictionRow prediction_in(SQLite::Statement& row) {
  return {.quantity = row.getColumn(0).getInt64(),
          .mean = row.getColumn(1).getDouble(),
          .sd = row.getColumn(2).getDouble(),
          .width = row.getColumn(3).getDouble(),
          .observation_sd = row.getColumn(4).getDouble(),
          .beta = row.getColumn(5).getDouble(),
          .acquisition = row.getColumn(6).getDouble(),
          .lengthscales = numbers_in<double>(row.getColumn(7)),
          .multiplier = optional_real(row.getColumn(8)),
          .phase = row.getColumn(9).getString(),
          .jitter = row.getColumn(10).getDouble(),
          .evaluations = row.getColumn(11).getInt64()};
}

ReportRow report_in(SQLite::Statement& row) {
  return {.trial = row.getColumn(0).getInt64(),
          .step = row.getColumn(1).getInt64(),
          .value = row.getColumn(2).getDouble()};
}

// --- statements ----------------------------------------------------------------------------------

class SqliteWriter final : public Writer {
 public:
  explicit SqliteWriter(SQLite::Database& database) : database_(database) {}

  Time now() override { return database_.execAndGet("SELECT " OSCBO_NOW).getInt64(); }

  std::vector<StudyRow> studies() override {
    SQLite::Statement query(database_, std::string(kStudyColumns) + "ORDER BY s.name");
    return all<StudyRow>(query, study_in);
  }

  std::optional<StudyRow> study(const std::string& name) override {
    SQLite::Statement query(database_, std::string(kStudyColumns) + "WHERE s.name = :name");
    query.bind(":name", name);
    return first<StudyRow>(query, study_in);
  }

  StudyCounts counts(StudyKey study) override {
    SQLite::Statement query(
        database_,
        "SELECT state, asked, count(*) FROM trials WHERE study = :study GROUP BY state, asked");
    query.bind(":study", study);
    StudyCounts counts;
    while (query.executeStep()) {
      const StudyTrialState state = state_in(query.getColumn(0));
      const bool is_asked = query.getColumn(1).getInt() != 0;
      const std::int64_t count = query.getColumn(2).getInt64();
      switch (state) {
        case StudyTrialState::pending: counts.pending += count; break;
        case StudyTrialState::complete: counts.complete += count; break;
        case StudyTrialState::failed: counts.failed += count; break;
        case StudyTrialState::abandoned: counts.abandoned += count; break;
      }
      if (is_asked && state != StudyTrialState::abandoned) counts.asked += count;
    }
    SQLite::Statement leased(database_,
                             "SELECT count(*) FROM trials INDEXED BY pending_trials "
                             "WHERE study = :study AND state = 'pending' AND deadline IS NOT NULL");
    leased.bind(":study", study);
    leased.executeStep();
    counts.leased = leased.getColumn(0).getInt64();
    return counts;
  }

  std::optional<TrialRow> trial(StudyKey study, std::int64_t number) override {
    SQLite::Statement query = trials_where("study = :study AND number = :number", study);
    query.bind(":number", number);
    return first<TrialRow>(query, trial_in);
  }

  std::vector<TrialRow> trials(StudyKey study, std::optional<std::int64_t> last) override {
    SQLite::Statement query =
        trials_where("study = :study ORDER BY number DESC LIMIT :last", study);
    query.bind(":last", last.value_or(-1));
    std::vector<TrialRow> trials = all<TrialRow>(query, trial_in);
    std::reverse(trials.begin(), trials.end());
    return trials;
  }

  std::vector<ValueRow> values(StudyKey study) override {
    SQLite::Statement query(database_,
                            "SELECT number, y, outcomes FROM trials "
                            "WHERE study = :study AND state = 'complete' ORDER BY number");
    query.bind(":study", study);
    return all<ValueRow>(query, [](SQLite::Statement& row) {
      return ValueRow{.trial = row.getColumn(0).getInt64(),
                      .y = row.getColumn(1).getDouble(),
                      .outcomes = numbers_in<double>(row.getColumn(2))};
    });
  }

  std::optional<HandoutRow> handout(StudyKey study, const std::string& worker,
                                    const std::string& request) override {
    SQLite::Statement query(database_,
                            "SELECT trial, token FROM handouts "
                            "WHERE study = :study AND worker = :worker AND request = :request");
    query.bind(":study", study);
    query.bind(":worker", worker);
    query.bind(":request", request);
    return first<HandoutRow>(query, [&](SQLite::Statement& row) {
      return HandoutRow{.trial = row.getColumn(0).getInt64(),
                        .token = row.getColumn(1).getString(),
                        .worker = worker,
                        .request = request};
    });
  }

  bool was_handed_out(StudyKey study, std::int64_t trial, const std::string& token) override {
    SQLite::Statement query(
        database_,
        "SELECT 1 FROM handouts WHERE study = :study AND trial = :trial AND token = :token");
    query.bind(":study", study);
    query.bind(":trial", trial);
    query.bind(":token", token);
    return query.executeStep();
  }

  std::vector<TrialRow> trials_without_point(StudyKey study) override {
    SQLite::Statement query =
        trials_where("study = :study AND state = 'pending' AND x IS NULL", study, kByPending);
    return all<TrialRow>(query, trial_in);
  }

  std::vector<TrialRow> leased_trials(StudyKey study) override {
    SQLite::Statement query = trials_where(
        "study = :study AND state = 'pending' AND x IS NOT NULL AND deadline IS NOT NULL "
        "ORDER BY deadline, number",
        study, kByPending);
    return all<TrialRow>(query, trial_in);
  }

  std::optional<SuggestionRow> suggestion(StudyKey study, std::int64_t trial) override {
    std::vector<SuggestionRow> found = suggestions_between(study, trial, trial);
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
  }

  std::vector<SuggestionRow> suggestions(StudyKey study, std::int64_t first) override {
    return suggestions_between(study, first, std::numeric_limits<std::int64_t>::max());
  }

  std::vector<EventRow> events(StudyKey study, std::int64_t after) override {
    SQLite::Statement query(
        database_, std::string(kEventColumns) +
                       "WHERE e.study = :study AND e.sequence > :after ORDER BY e.sequence");
    query.bind(":study", study);
    query.bind(":after", after);
    return all<EventRow>(query, event_in);
  }

  std::optional<EventRow> ask_of(StudyKey study, std::int64_t trial) override {
    SQLite::Statement query(database_,
                            std::string(kEventColumns) +
                                "WHERE e.study = :study AND e.trial = :trial AND e.kind = 'ask'");
    query.bind(":study", study);
    query.bind(":trial", trial);
    return first<EventRow>(query, event_in);
  }

  std::vector<ReportRow> reports(StudyKey study) override {
    SQLite::Statement query(database_,
                            "SELECT trial, step, value FROM reports WHERE study = :study "
                            "ORDER BY trial, step");
    query.bind(":study", study);
    return all<ReportRow>(query, report_in);
  }

  std::vector<ReportRow> reports(StudyKey study, std::int64_t trial) override {
    SQLite::Statement query(database_,
                            "SELECT trial, step, value FROM reports "
                            "WHERE study = :study AND trial = :trial ORDER BY step");
    query.bind(":study", study);
    query.bind(":trial", trial);
    return all<ReportRow>(query, report_in);
  }

  std::vector<double> reported_by_others(StudyKey study, std::int64_t trial, std::int64_t first,
                                         std::int64_t last) override {
    SQLite::Statement query(
        database_,
        "SELECT value FROM (SELECT (SELECT value FROM reports r WHERE r.study = t.study AND "
        "r.trial = t.number AND step BETWEEN :first AND :last ORDER BY step LIMIT 1) AS value "
        "FROM trials t WHERE study = :study AND number != :trial AND state != 'abandoned') "
        "WHERE value IS NOT NULL");
    query.bind(":study", study);
    query.bind(":trial", trial);
    query.bind(":first", first);
    query.bind(":last", last);
    return all<double>(query, [](SQLite::Statement& row) { return row.getColumn(0).getDouble(); });
  }

  std::vector<AttributeRow> attributes(StudyKey study) override {
    SQLite::Statement query(database_,
                            "SELECT trial, key, value FROM attributes WHERE study = :study "
                            "ORDER BY trial, key");
    query.bind(":study", study);
    return all<AttributeRow>(query, [](SQLite::Statement& row) {
      return AttributeRow{.trial = row.getColumn(0).getInt64(),
                          .key = row.getColumn(1).getString(),
                          .value = row.getColumn(2).getString()};
    });
  }

  std::vector<OutputRow> outputs(StudyKey study, std::int64_t trial) override {
    SQLite::Statement query(database_,
                            "SELECT trial, attempt, output, errors, ending FROM outputs "
                            "WHERE study = :study AND trial = :trial ORDER BY attempt");
    query.bind(":study", study);
    query.bind(":trial", trial);
    return all<OutputRow>(query, [](SQLite::Statement& row) {
      return OutputRow{.trial = row.getColumn(0).getInt64(),
                       .attempt = row.getColumn(1).getInt64(),
                       .output = row.getColumn(2).getString(),
                       .errors = row.getColumn(3).getString(),
                       .ending = row.getColumn(4).getString()};
    });
  }

  // --- writing -------------------------------------------------------------------------------

  StudyKey add(const StudyRow& study) override {
    SQLite::Statement insert(database_,
                             "INSERT INTO studies (name, declaration, build, created, ended) "
                             "VALUES (:name, :declaration, :build, " OSCBO_NOW
                             ", :ended) RETURNING key");
    insert.bind(":name", study.name);
    insert.bind(":declaration", study.declaration);
    insert.bind(":build", build_key(study.build));
    bind_optional(insert, ":ended", study.ended);
    return returned(insert);
  }

  void remove_study(StudyKey study) override {
    // Entries of the log keep their trials, so they go first.
    for (const char* const table :
         {"DELETE FROM events WHERE study = :study", "DELETE FROM studies WHERE key = :study"}) {
      SQLite::Statement statement(database_, table);
      statement.bind(":study", study);
      statement.exec();
    }
  }

  void end_study(StudyKey study, const std::optional<std::string>& reason) override {
    SQLite::Statement update(database_, "UPDATE studies SET ended = :reason WHERE key = :study");
    bind_optional(update, ":reason", reason);
    update.bind(":study", study);
    update.exec();
  }

  std::int64_t add(const TrialRow& trial) override {
    SQLite::Statement insert(
        database_,
        "INSERT INTO trials (study, number, state, x, asked, worker, token, deadline, process, "
        "attempts, failures, y, variance, outcomes, reason, created, finished) "
        "SELECT :study, ifnull(max(number), 0) + 1, :state, :x, :worker IS NOT NULL, :worker, "
        ":token, :deadline, :process, :attempts, :failures, :y, :variance, :outcomes, "
        ":reason, " OSCBO_NOW ", iif(:state = 'pending', NULL, " OSCBO_NOW
        ") FROM trials WHERE study = :study RETURNING number");
    bind_trial(insert, trial);
    return returned(insert);
  }

  void update(const TrialRow& trial) override {
    SQLite::Statement update(
        database_,
        "UPDATE trials SET state = :state, x = :x, worker = :worker, token = :token, "
        "deadline = :deadline, process = :process, attempts = :attempts, failures = :failures, "
        "y = :y, variance = :variance, outcomes = :outcomes, reason = :reason, "
        "finished = iif(:state = 'pending', NULL, ifnull(finished, " OSCBO_NOW
        ")) WHERE study = :study AND number = :number");
    bind_trial(update, trial);
    update.bind(":number", trial.number);
    update.exec();
  }

  void remove_trial(StudyKey study, std::int64_t number) override {
    SQLite::Statement statement(database_,
                                "DELETE FROM trials WHERE study = :study AND number = :number");
    statement.bind(":study", study);
    statement.bind(":number", number);
    statement.exec();
  }

  void add(StudyKey study, const HandoutRow& handout) override {
    SQLite::Statement insert(
        database_, "INSERT INTO handouts VALUES (:study, :trial, :token, :worker, :request)");
    insert.bind(":study", study);
    insert.bind(":trial", handout.trial);
    insert.bind(":token", handout.token);
    if (!handout.request.empty()) {
      insert.bind(":worker", handout.worker);
      insert.bind(":request", handout.request);
    }
    insert.exec();
  }

  void add(StudyKey study, const SuggestionRow& suggestion) override {
    SQLite::Statement insert(database_,
                             "INSERT INTO suggestions VALUES (:study, :trial, :acceptable, "
                             ":succeeds, :failed_restarts, :stream_step, :pending_seen, :build)");
    insert.bind(":study", study);
    insert.bind(":trial", suggestion.trial);
    bind_real(insert, ":acceptable", suggestion.acceptable);
    bind_real(insert, ":succeeds", suggestion.succeeds);
    insert.bind(":failed_restarts", suggestion.failed_restarts);
    insert.bind(":stream_step", suggestion.stream_step);
    bind_numbers(insert, ":pending_seen", suggestion.pending_seen);
    insert.bind(":build", build_key(suggestion.build));
    insert.exec();
    for (const PredictionRow& prediction : suggestion.predictions) {
      add_prediction(study, suggestion.trial, prediction);
    }
  }

  void append(const EventRow& event) override {
    SQLite::Statement insert(
        database_,
        "INSERT INTO events SELECT :study, ifnull(max(sequence), 0) + 1, :kind, :trial, :text, "
        ":x, " OSCBO_NOW " FROM events WHERE study = :study");
    insert.bind(":study", event.study);
    insert.bind(":kind", event.kind);
    bind_optional(insert, ":trial", event.trial);
    insert.bind(":text", event.text);
    bind_point(insert, event.x);
    insert.exec();
  }

  void remove_event(StudyKey study, std::int64_t sequence) override {
    SQLite::Statement statement(database_,
                                "DELETE FROM events WHERE study = :study AND sequence = :sequence");
    statement.bind(":study", study);
    statement.bind(":sequence", sequence);
    statement.exec();
  }

  std::string new_token() override {
    return database_.execAndGet("SELECT lower(hex(randomblob(16)))").getString();
  }

  void set(StudyKey study, const ReportRow& report) override {
    SQLite::Statement insert(
        database_, "INSERT OR REPLACE INTO reports VALUES (:study, :trial, :step, :value)");
    insert.bind(":study", study);
    insert.bind(":trial", report.trial);
    insert.bind(":step", report.step);
    bind_real(insert, ":value", report.value);
    insert.exec();
  }

  void remove_reports(StudyKey study, std::int64_t trial) override {
    SQLite::Statement statement(database_,
                                "DELETE FROM reports WHERE study = :study AND trial = :trial");
    statement.bind(":study", study);
    statement.bind(":trial", trial);
    statement.exec();
  }

  void set(StudyKey study, const AttributeRow& attribute) override {
    SQLite::Statement insert(
        database_, "INSERT OR REPLACE INTO attributes VALUES (:study, :trial, :key, :value)");
    insert.bind(":study", study);
    insert.bind(":trial", attribute.trial);
    insert.bind(":key", attribute.key);
    insert.bind(":value", attribute.value);
    insert.exec();
  }

  void add(StudyKey study, const OutputRow& output) override {
    SQLite::Statement insert(
        database_,
        "INSERT OR REPLACE INTO outputs VALUES (:study, :trial, :attempt, :output, :errors, "
        ":ending)");
    insert.bind(":study", study);
    insert.bind(":trial", output.trial);
    insert.bind(":attempt", output.attempt);
    bind_bytes(insert, ":output", output.output);
    bind_bytes(insert, ":errors", output.errors);
    insert.bind(":ending", output.ending);
    insert.exec();
  }

 private:
  template <class Row, class Read>
  static std::vector<Row> all(SQLite::Statement& query, const Read& read) {
    std::vector<Row> rows;
    while (query.executeStep()) rows.push_back(read(query));
    return rows;
  }

  template <class Row, class Read>
  static std::optional<Row> first(SQLite::Statement& query, const Read& read) {
    if (!query.executeStep()) return std::nullopt;
    return read(query);
  }

  /// The one value of INSERT ... RETURNING.
  static std::int64_t returned(SQLite::Statement& insert) {
    insert.executeStep();
    const std::int64_t value = insert.getColumn(0).getInt64();
    insert.reset();
    return value;
  }

  static void bind_bytes(SQLite::Statement& statement, const char* name, const std::string& bytes) {
    statement.bind(name, static_cast<const void*>(bytes.data()), static_cast<int>(bytes.size()));
  }

  std::vector<SuggestionRow> suggestions_between(StudyKey study, std::int64_t first,
                                                 std::int64_t last) {
    const auto between = [&](const char* sql) {
      SQLite::Statement query(database_, sql);
      query.bind(":study", study);
      query.bind(":first", first);
      query.bind(":last", last);
      return query;
    };
    SQLite::Statement query = between(
        "SELECT trial, acceptable, succeeds, failed_restarts, stream_step, pending_seen, "
        "description "
        "FROM suggestions JOIN builds ON key = build "
        "WHERE study = :study AND trial BETWEEN :first AND :last ORDER BY trial");
    auto suggestions = all<SuggestionRow>(query, suggestion_in);
    SQLite::Statement predictions = between(
        "SELECT quantity, mean, sd, width, observation_sd, beta, acquisition, lengthscales, "
        "multiplier, phase, jitter, evaluations, trial FROM predictions "
        "WHERE study = :study AND trial BETWEEN :first AND :last ORDER BY trial, quantity");
    auto suggestion = suggestions.begin();
    while (predictions.executeStep()) {
      while (suggestion->trial != predictions.getColumn(12).getInt64()) ++suggestion;
      suggestion->predictions.push_back(prediction_in(predictions));
    }
    return suggestions;
  }

  SQLite::Statement trials_where(const std::string& condition, StudyKey study,
                                 const char* index = "") {
    SQLite::Statement query(database_,
                            fmt::format("{} {} WHERE {}", kTrialColumns, index, condition));
    query.bind(":study", study);
    return query;
  }

  std::int64_t build_key(const std::string& description) {
    SQLite::Statement query(database_, "SELECT key FROM builds WHERE description = :description");
    query.bind(":description", description);
    if (query.executeStep()) return query.getColumn(0).getInt64();
    SQLite::Statement insert(
        database_, "INSERT INTO builds (description) VALUES (:description) RETURNING key");
    insert.bind(":description", description);
    return returned(insert);
  }

  void add_prediction(StudyKey study, std::int64_t trial, const PredictionRow& prediction) {
    SQLite::Statement insert(
        database_,
        "INSERT INTO predictions VALUES (:study, :trial, :quantity, :mean, :sd, :width, "
        ":observation_sd, :beta, :acquisition, :lengthscales, :multiplier, :phase, :jitter, "
        ":evaluations)");
    insert.bind(":study", study);
    insert.bind(":trial", trial);
    insert.bind(":quantity", prediction.quantity);
    bind_real(insert, ":mean", prediction.mean);
    bind_real(insert, ":sd", prediction.sd);
    bind_real(insert, ":width", prediction.width);
    bind_real(insert, ":observation_sd", prediction.observation_sd);
    bind_real(insert, ":beta", prediction.beta);
    bind_real(insert, ":acquisition", prediction.acquisition);
    bind_numbers(insert, ":lengthscales", prediction.lengthscales);
    bind_real(insert, ":multiplier", prediction.multiplier);
    insert.bind(":phase", prediction.phase);
    bind_real(insert, ":jitter", prediction.jitter);
    insert.bind(":evaluations", prediction.evaluations);
    insert.exec();
  }

  SQLite::Database& database_;
};

#undef OSCBO_NOW

// --- the database --------------------------------------------------------------------------------

/// Waits a little while somebody else has the lock; gives up after minutes, when whoever holds it
/// must have been stopped in the middle.
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
      SqliteWriter writer(database_);
      work(writer);
      transaction.commit();
    } catch (const SQLite::Exception& error) {
      // A row that breaks the rules of its table is our mistake, and not worth trying again.
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
  // SQLite takes these for databases that vanish with the process.
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
