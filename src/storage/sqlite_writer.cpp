#include "storage/sqlite_writer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "storage/sqlite_rows.hpp"

namespace oscbo::storage {
namespace {

/// The current time by the clock of the database, in milliseconds since 1970.
#define OSCBO_NOW "CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)"

/// Few trials are pending, however many there are in all. Queries about pending trials use this
/// index, so they read no other trials.
constexpr const char* kByPending = "INDEXED BY pending_trials";

template <class Row, class Read>
std::vector<Row> all(SQLite::Statement& query, const Read& read) {
  std::vector<Row> rows;
  while (query.executeStep()) rows.push_back(read(query));
  return rows;
}

template <class Row, class Read>
std::optional<Row> first(SQLite::Statement& query, const Read& read) {
  if (!query.executeStep()) return std::nullopt;
  return read(query);
}

template <class Row>
std::optional<Row> first_of(std::vector<Row> rows) {
  if (rows.empty()) return std::nullopt;
  return std::move(rows.front());
}

/// Reads trials and log entries together with the values of their objectives.
class ToldReader {
 public:
  explicit ToldReader(SQLite::Database& database)
      : objectives_(database, std::string(kObjectiveColumns) +
                                  "WHERE study = :study AND trial = :trial ORDER BY objective") {}

  TrialRow trial(SQLite::Statement& row) {
    TrialRow trial = trial_in(row);
    trial.objectives = objectives_of(trial.study, trial.number);
    return trial;
  }

  EventRow event(SQLite::Statement& row) {
    EventRow event = event_in(row);
    if (event.trial) event.objectives = objectives_of(event.study, *event.trial);
    return event;
  }

 private:
  std::vector<ObjectiveRow> objectives_of(StudyKey study, std::int64_t trial) {
    objectives_.reset();
    objectives_.bind(":study", study);
    objectives_.bind(":trial", trial);
    return all<ObjectiveRow>(objectives_, objective_in);
  }

  SQLite::Statement objectives_;
};

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
    SQLite::Statement query = about(
        study,
        "SELECT state, asked, count(*) FROM trials WHERE study = :study GROUP BY state, asked");
    StudyCounts counts;
    while (query.executeStep()) {
      const TrialState state = state_in(query.getColumn(0));
      const bool is_asked = query.getColumn(1).getInt() != 0;
      const std::int64_t count = query.getColumn(2).getInt64();
      switch (state) {
        case TrialState::pending: counts.pending += count; break;
        case TrialState::complete: counts.complete += count; break;
        case TrialState::failed: counts.failed += count; break;
        case TrialState::abandoned: counts.abandoned += count; break;
      }
      if (is_asked && state != TrialState::abandoned) counts.asked += count;
    }
    SQLite::Statement leased =
        about(study,
              "SELECT count(*) FROM trials INDEXED BY pending_trials "
              "WHERE study = :study AND state = 'pending' AND deadline IS NOT NULL");
    leased.executeStep();
    counts.leased = leased.getColumn(0).getInt64();
    return counts;
  }

  std::optional<TrialRow> trial(StudyKey study, std::int64_t number) override {
    SQLite::Statement query = trials_where("study = :study AND number = :number", study);
    query.bind(":number", number);
    return first_of(all_trials(query));
  }

  std::vector<TrialRow> trials(StudyKey study, std::optional<std::int64_t> last) override {
    SQLite::Statement query =
        trials_where("study = :study ORDER BY number DESC LIMIT :last", study);
    query.bind(":last", last.value_or(-1));
    std::vector<TrialRow> trials = all_trials(query);
    std::reverse(trials.begin(), trials.end());
    return trials;
  }

  std::vector<ValueRow> values(StudyKey study) override {
    SQLite::Statement query =
        about(study,
              "SELECT t.number, o.value, t.outcomes FROM trials t LEFT JOIN objectives o "
              "ON o.study = t.study AND o.trial = t.number "
              "WHERE t.study = :study AND t.state = 'complete' "
              "ORDER BY t.number, o.objective");
    std::vector<ValueRow> rows;
    while (query.executeStep()) {
      const std::int64_t trial = query.getColumn(0).getInt64();
      if (rows.empty() || rows.back().trial != trial) {
        rows.push_back(
            {.trial = trial, .objectives = {}, .outcomes = numbers_in<double>(query.getColumn(2))});
      }
      if (query.getColumn(1).isNull()) continue;  // no value, which the reader refuses
      rows.back().objectives.push_back(query.getColumn(1).getDouble());
    }
    return rows;
  }

  std::optional<HandoutRow> handout(StudyKey study, const std::string& worker,
                                    const std::string& request) override {
    SQLite::Statement query =
        about(study,
              "SELECT trial, token FROM handouts "
              "WHERE study = :study AND worker = :worker AND request = :request");
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
    SQLite::Statement query =
        about(study, trial,
              "SELECT 1 FROM handouts WHERE study = :study AND trial = :trial AND token = :token");
    query.bind(":token", token);
    return query.executeStep();
  }

  std::vector<TrialRow> trials_without_point(StudyKey study) override {
    SQLite::Statement query =
        trials_where("study = :study AND state = 'pending' AND x IS NULL", study, kByPending);
    return all_trials(query);
  }

  std::vector<TrialRow> leased_trials(StudyKey study) override {
    SQLite::Statement query = trials_where(
        "study = :study AND state = 'pending' AND x IS NOT NULL AND deadline IS NOT NULL "
        "ORDER BY deadline, number",
        study, kByPending);
    return all_trials(query);
  }

  std::optional<SuggestionRow> suggestion(StudyKey study, std::int64_t trial) override {
    return first_of(suggestions_between(study, trial, trial));
  }

  std::vector<SuggestionRow> suggestions(StudyKey study, std::int64_t first) override {
    return suggestions_between(study, first, std::numeric_limits<std::int64_t>::max());
  }

  std::vector<EventRow> events(StudyKey study, std::int64_t after) override {
    SQLite::Statement query =
        about(study, std::string(kEventColumns) +
                         "WHERE e.study = :study AND e.sequence > :after ORDER BY e.sequence");
    query.bind(":after", after);
    return all_events(query);
  }

  std::optional<EventRow> ask_of(StudyKey study, std::int64_t trial) override {
    SQLite::Statement query =
        about(study, trial,
              std::string(kEventColumns) +
                  "WHERE e.study = :study AND e.trial = :trial AND e.kind = 'ask'");
    return first_of(all_events(query));
  }

  std::vector<ReportRow> reports(StudyKey study) override {
    SQLite::Statement query =
        about(study, std::string(kReportColumns) + "WHERE study = :study ORDER BY trial, step");
    return all<ReportRow>(query, report_in);
  }

  std::vector<ReportRow> reports(StudyKey study, std::int64_t trial) override {
    SQLite::Statement query = about(
        study, trial,
        std::string(kReportColumns) + "WHERE study = :study AND trial = :trial ORDER BY step");
    return all<ReportRow>(query, report_in);
  }

  std::vector<double> reported_by_others(StudyKey study, std::int64_t trial, std::int64_t first,
                                         std::int64_t last) override {
    SQLite::Statement query = about(
        study, trial,
        "SELECT value FROM (SELECT (SELECT value FROM reports r WHERE r.study = t.study AND "
        "r.trial = t.number AND step BETWEEN :first AND :last ORDER BY step LIMIT 1) AS value "
        "FROM trials t WHERE study = :study AND number != :trial AND state != 'abandoned') "
        "WHERE value IS NOT NULL");
    query.bind(":first", first);
    query.bind(":last", last);
    return all<double>(query, [](SQLite::Statement& row) { return row.getColumn(0).getDouble(); });
  }

  std::vector<AttributeRow> attributes(StudyKey study) override {
    SQLite::Statement query = about(study,
                                    "SELECT trial, key, value FROM attributes WHERE study = :study "
                                    "ORDER BY trial, key");
    return all<AttributeRow>(query, [](SQLite::Statement& row) {
      return AttributeRow{.trial = row.getColumn(0).getInt64(),
                          .key = row.getColumn(1).getString(),
                          .value = row.getColumn(2).getString()};
    });
  }

  std::vector<OutputRow> outputs(StudyKey study, std::int64_t trial) override {
    SQLite::Statement query = about(study, trial,
                                    "SELECT trial, attempt, output, errors, ending FROM outputs "
                                    "WHERE study = :study AND trial = :trial ORDER BY attempt");
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
    // Entries of the log refer to trials, so they are removed first.
    for (const char* const table :
         {"DELETE FROM events WHERE study = :study", "DELETE FROM studies WHERE key = :study"}) {
      about(study, table).exec();
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
        "attempts, failures, outcomes, reason, created, finished) "
        "SELECT :study, ifnull(max(number), 0) + 1, :state, :x, :worker IS NOT NULL, :worker, "
        ":token, :deadline, :process, :attempts, :failures, :outcomes, "
        ":reason, " OSCBO_NOW ", iif(:state = 'pending', NULL, " OSCBO_NOW
        ") FROM trials WHERE study = :study RETURNING number");
    bind_trial(insert, trial);
    const std::int64_t number = returned(insert);
    add_objectives(trial.study, number, trial.objectives);
    return number;
  }

  void update(const TrialRow& trial) override {
    SQLite::Statement update(
        database_,
        "UPDATE trials SET state = :state, x = :x, worker = :worker, token = :token, "
        "deadline = :deadline, process = :process, attempts = :attempts, failures = :failures, "
        "outcomes = :outcomes, reason = :reason, "
        "finished = iif(:state = 'pending', NULL, ifnull(finished, " OSCBO_NOW
        ")) WHERE study = :study AND number = :number");
    bind_trial(update, trial);
    update.bind(":number", trial.number);
    update.exec();
    about(trial.study, trial.number,
          "DELETE FROM objectives WHERE study = :study AND trial = :trial")
        .exec();
    add_objectives(trial.study, trial.number, trial.objectives);
  }

  void remove_trial(StudyKey study, std::int64_t number) override {
    about(study, number, "DELETE FROM trials WHERE study = :study AND number = :trial").exec();
  }

  void add(StudyKey study, const HandoutRow& handout) override {
    SQLite::Statement insert =
        about(study, handout.trial,
              "INSERT INTO handouts VALUES (:study, :trial, :token, :worker, :request)");
    insert.bind(":token", handout.token);
    if (!handout.request.empty()) {
      insert.bind(":worker", handout.worker);
      insert.bind(":request", handout.request);
    }
    insert.exec();
  }

  void add(StudyKey study, const SuggestionRow& suggestion) override {
    SQLite::Statement insert =
        about(study, suggestion.trial,
              "INSERT INTO suggestions VALUES (:study, :trial, :acceptable, "
              ":succeeds, :failed_restarts, :stream_step, :pending_seen, :build)");
    bind_real(insert, ":acceptable", suggestion.record.acceptable);
    bind_real(insert, ":succeeds", suggestion.record.succeeds);
    insert.bind(":failed_restarts", suggestion.record.failed_restarts);
    insert.bind(":stream_step", suggestion.record.stream_step);
    bind_numbers(insert, ":pending_seen", suggestion.record.pending_seen);
    insert.bind(":build", build_key(suggestion.record.build));
    insert.exec();
    for (const PredictionRow& prediction : suggestion.predictions) {
      SQLite::Statement insert_prediction(database_, insertion_of_prediction());
      bind_prediction(insert_prediction, study, suggestion.trial, prediction);
      insert_prediction.exec();
    }
  }

  void append(const EventRow& event) override {
    SQLite::Statement insert = about(
        event.study,
        "INSERT INTO events SELECT :study, ifnull(max(sequence), 0) + 1, :kind, :trial, :text, "
        ":x, " OSCBO_NOW " FROM events WHERE study = :study");
    insert.bind(":kind", event.kind);
    bind_optional(insert, ":trial", event.trial);
    insert.bind(":text", event.text);
    bind_point(insert, event.x);
    insert.exec();
  }

  void remove_event(StudyKey study, std::int64_t sequence) override {
    SQLite::Statement statement =
        about(study, "DELETE FROM events WHERE study = :study AND sequence = :sequence");
    statement.bind(":sequence", sequence);
    statement.exec();
  }

  std::string new_token() override {
    return database_.execAndGet("SELECT lower(hex(randomblob(16)))").getString();
  }

  void set(StudyKey study, const ReportRow& report) override {
    SQLite::Statement insert =
        about(study, report.trial,
              "INSERT OR REPLACE INTO reports VALUES (:study, :trial, :step, :value)");
    insert.bind(":step", report.step);
    bind_real(insert, ":value", report.value);
    insert.exec();
  }

  void remove_reports(StudyKey study, std::int64_t trial) override {
    about(study, trial, "DELETE FROM reports WHERE study = :study AND trial = :trial").exec();
  }

  void set(StudyKey study, const AttributeRow& attribute) override {
    SQLite::Statement insert =
        about(study, attribute.trial,
              "INSERT OR REPLACE INTO attributes VALUES (:study, :trial, :key, :value)");
    insert.bind(":key", attribute.key);
    insert.bind(":value", attribute.value);
    insert.exec();
  }

  void add(StudyKey study, const OutputRow& output) override {
    SQLite::Statement insert =
        about(study, output.trial,
              "INSERT OR REPLACE INTO outputs VALUES (:study, :trial, :attempt, :output, :errors, "
              ":ending)");
    insert.bind(":attempt", output.attempt);
    bind_bytes(insert, ":output", output.output);
    bind_bytes(insert, ":errors", output.errors);
    insert.bind(":ending", output.ending);
    insert.exec();
  }

 private:
  /// returned executes an INSERT ... RETURNING and returns its single value.
  static std::int64_t returned(SQLite::Statement& insert) {
    insert.executeStep();
    const std::int64_t value = insert.getColumn(0).getInt64();
    insert.reset();
    return value;
  }

  static void bind_bytes(SQLite::Statement& statement, const char* name, const std::string& bytes) {
    statement.bind(name, static_cast<const void*>(bytes.data()), static_cast<int>(bytes.size()));
  }

  void add_objectives(StudyKey study, std::int64_t trial,
                      const std::vector<ObjectiveRow>& objectives) {
    for (std::int64_t i = 0; const ObjectiveRow& objective : objectives) {
      SQLite::Statement insert =
          about(study, trial,
                "INSERT INTO objectives VALUES (:study, :trial, :objective, :value, :variance)");
      insert.bind(":objective", i++);
      bind_real(insert, ":value", objective.value);
      bind_real(insert, ":variance", objective.variance);
      insert.exec();
    }
  }

  std::vector<TrialRow> all_trials(SQLite::Statement& query) {
    ToldReader reader(database_);
    return all<TrialRow>(query, [&](SQLite::Statement& row) { return reader.trial(row); });
  }

  std::vector<EventRow> all_events(SQLite::Statement& query) {
    ToldReader reader(database_);
    return all<EventRow>(query, [&](SQLite::Statement& row) { return reader.event(row); });
  }

  std::vector<SuggestionRow> suggestions_between(StudyKey study, std::int64_t first,
                                                 std::int64_t last) {
    const auto between = [&](const std::string& columns, const char* order) {
      SQLite::Statement query = about(
          study, columns + "WHERE study = :study AND trial BETWEEN :first AND :last " + order);
      query.bind(":first", first);
      query.bind(":last", last);
      return query;
    };
    SQLite::Statement query = between(kSuggestionColumns, "ORDER BY trial");
    auto suggestions = all<SuggestionRow>(query, suggestion_in);
    SQLite::Statement predictions = between(prediction_columns(), "ORDER BY trial, quantity");
    auto suggestion = suggestions.begin();
    while (predictions.executeStep()) {
      while (suggestion->trial != predictions.getColumn(0).getInt64()) ++suggestion;
      suggestion->predictions.push_back(prediction_in(predictions));
    }
    return suggestions;
  }

  /// about returns a statement about a study, with :study bound.
  SQLite::Statement about(StudyKey study, const std::string& sql) {
    SQLite::Statement statement(database_, sql);
    statement.bind(":study", study);
    return statement;
  }

  /// The same about one of its trials, with :trial bound too.
  SQLite::Statement about(StudyKey study, std::int64_t trial, const std::string& sql) {
    SQLite::Statement statement = about(study, sql);
    statement.bind(":trial", trial);
    return statement;
  }

  SQLite::Statement trials_where(const std::string& condition, StudyKey study,
                                 const char* index = "") {
    return about(study, fmt::format("{} {} WHERE {}", kTrialColumns, index, condition));
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

  SQLite::Database& database_;
};

#undef OSCBO_NOW

}  // namespace

std::unique_ptr<Writer> make_sqlite_writer(SQLite::Database& database) {
  return std::make_unique<SqliteWriter>(database);
}

}  // namespace oscbo::storage
