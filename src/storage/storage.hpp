// Stores studies as rows of plain data. The code in study/ decides what the rows mean and in which
// order they change. The code in this directory stores them in SQLite and contains all SQL.
//
//   storage->write([&](Writer& writer) {   // one transaction: all of it, or nothing
//     TrialRow trial = writer.trial(study, 7).value();
//     trial.state = TrialState::complete;
//     writer.update(trial);
//     writer.append({.study = study, .kind = "tell", .trial = 7});
//   });
//
// Numbers are stored bit for bit, except that -0.0 becomes 0.0. Times are milliseconds since 1970
// (UTC) by the clock of the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oscbo/prediction.hpp"
#include "oscbo/study_trial.hpp"

namespace oscbo::storage {

using StudyKey = std::int64_t;
using Time = std::int64_t;

struct StudyRow {
  StudyKey key = 0;
  std::string name;
  std::string declaration;  // JSON
  std::string build;        // the build of the program that created it
  Time created = 0;
  std::optional<std::string> ended = std::nullopt;  // the reason, once the study has ended
};

/// The worker that evaluates a pending trial, and the time until which other workers leave
/// the trial alone.
struct Lease {
  std::string worker;
  std::string token;
  std::optional<Time> deadline = std::nullopt;  // nullopt: no deadline
  std::string process = {};                     // if set, the lease also ends with this process
};

/// One handout of a trial. If a named request is repeated, it gets the same trial.
struct HandoutRow {
  std::int64_t trial = 0;
  std::string token;
  std::string worker = {};
  std::string request = {};  // empty: an unnamed request
};

/// The observed value of one objective of a trial.
struct ObjectiveRow {
  double value = 0.0;
  std::optional<double> variance = std::nullopt;
};

struct TrialRow {
  StudyKey study = 0;
  std::int64_t number = 0;  // 1, 2, ... within a study
  TrialState state = TrialState::pending;
  std::optional<std::vector<double>> x = std::nullopt;  // nullopt while the suggestion is computed
  std::optional<Lease> lease = std::nullopt;            // only for trials that were asked for
  int attempts = 0;                           // handouts, without those that were released
  int failures = 0;                           // failed attempts that left the trial pending
  std::vector<ObjectiveRow> objectives = {};  // empty, or one for each objective
  std::vector<double> outcomes = {};
  std::string reason = {};  // for failed and abandoned trials
  Time created = 0;
  std::optional<Time> finished = std::nullopt;
};

/// The values of a complete trial.
struct ValueRow {
  std::int64_t trial = 0;
  std::vector<double> objectives;
  std::vector<double> outcomes;
};

/// A model's prediction of one quantity of a trial. Quantities are numbered from 0: objectives
/// first, then outcomes.
struct PredictionRow {
  std::int64_t quantity = 0;
  Prediction prediction = {};
};

/// How the point of a trial was found, and the predictions there.
struct SuggestionRow {
  std::int64_t trial = 0;
  SuggestionRecord record = {};
  std::vector<PredictionRow> predictions = {};
};

/// One entry of the log of a study. An entry that names a trial is read with the x, the objectives
/// and the outcomes of this trial. `append` ignores objectives and outcomes.
struct EventRow {
  StudyKey study = 0;
  std::int64_t sequence = 0;  // 1, 2, ... within a study
  std::string kind;
  std::optional<std::int64_t> trial = std::nullopt;
  std::string text = {};                                // the values given to an ask, as JSON
  std::optional<std::vector<double>> x = std::nullopt;  // `append` takes it for queued points only
  std::vector<ObjectiveRow> objectives = {};
  std::vector<double> outcomes = {};
  Time at = 0;
};

/// An intermediate value: the value of a trial after a step of its run.
struct ReportRow {
  std::int64_t trial = 0;
  std::int64_t step = 0;
  double value = 0.0;
};

/// A note, a metric or anything else that the user attaches to a trial.
struct AttributeRow {
  std::int64_t trial = 0;
  std::string key;
  std::string value;
};

/// The output of one attempt.
struct OutputRow {
  std::int64_t trial = 0;
  std::int64_t attempt = 0;
  std::string output;
  std::string errors;
  std::string ending;
};

/// Reads the database. All functions see the same state of it. They throw Error (io) if the
/// database fails, and Error (internal) if it refuses a row.
class Reader {
 public:
  Reader() = default;
  Reader(const Reader&) = delete;
  Reader(Reader&&) = delete;
  Reader& operator=(const Reader&) = delete;
  Reader& operator=(Reader&&) = delete;
  virtual ~Reader() = default;

  [[nodiscard]] virtual Time now() = 0;
  /// new_token returns a string that nobody can guess.
  [[nodiscard]] virtual std::string new_token() = 0;

  [[nodiscard]] virtual std::vector<StudyRow> studies() = 0;
  [[nodiscard]] virtual std::optional<StudyRow> study(const std::string& name) = 0;

  [[nodiscard]] virtual StudyCounts counts(StudyKey study) = 0;
  [[nodiscard]] virtual std::optional<TrialRow> trial(StudyKey study, std::int64_t number) = 0;
  /// trials returns all trials, or the last `last` of them, ordered by number.
  [[nodiscard]] virtual std::vector<TrialRow> trials(StudyKey study,
                                                     std::optional<std::int64_t> last) = 0;
  /// values returns the values of the complete trials, ordered by number.
  [[nodiscard]] virtual std::vector<ValueRow> values(StudyKey study) = 0;
  [[nodiscard]] virtual std::optional<HandoutRow> handout(StudyKey study, const std::string& worker,
                                                          const std::string& request) = 0;
  /// was_handed_out returns whether a trial was ever handed out with this token.
  [[nodiscard]] virtual bool was_handed_out(StudyKey study, std::int64_t trial,
                                            const std::string& token) = 0;
  /// trials_without_point returns the trials whose suggestion is being computed.
  [[nodiscard]] virtual std::vector<TrialRow> trials_without_point(StudyKey study) = 0;
  /// leased_trials returns the pending trials with a point and a deadline, earliest deadline first.
  [[nodiscard]] virtual std::vector<TrialRow> leased_trials(StudyKey study) = 0;
  [[nodiscard]] virtual std::optional<SuggestionRow> suggestion(StudyKey study,
                                                                std::int64_t trial) = 0;
  /// suggestions returns the suggestions of all trials from `first` on, ordered by trial.
  [[nodiscard]] virtual std::vector<SuggestionRow> suggestions(StudyKey study,
                                                               std::int64_t first) = 0;

  /// events returns the entries of the log after the entry `after`.
  [[nodiscard]] virtual std::vector<EventRow> events(StudyKey study, std::int64_t after) = 0;
  /// ask_of returns the entry of the log that asked for a trial.
  [[nodiscard]] virtual std::optional<EventRow> ask_of(StudyKey study, std::int64_t trial) = 0;

  /// reports returns intermediate values, ordered by trial and step.
  [[nodiscard]] virtual std::vector<ReportRow> reports(StudyKey study) = 0;
  [[nodiscard]] virtual std::vector<ReportRow> reports(StudyKey study, std::int64_t trial) = 0;
  /// reported_by_others returns, for each other trial that was not abandoned, the first value that
  /// it reported at a step in [first, last].
  [[nodiscard]] virtual std::vector<double> reported_by_others(StudyKey study, std::int64_t trial,
                                                               std::int64_t first,
                                                               std::int64_t last) = 0;
  [[nodiscard]] virtual std::vector<AttributeRow> attributes(StudyKey study) = 0;
  [[nodiscard]] virtual std::vector<OutputRow> outputs(StudyKey study, std::int64_t trial) = 0;
};

/// Writes to the database within one exclusive transaction.
class Writer : public Reader {
 public:
  /// add stores a new study and returns its key. No other study may have the same name.
  virtual StudyKey add(const StudyRow& study) = 0;
  virtual void remove_study(StudyKey study) = 0;
  virtual void end_study(StudyKey study, const std::optional<std::string>& reason) = 0;

  /// add gives the trial the next number and the current time, and returns the number.
  virtual std::int64_t add(const TrialRow& trial) = 0;
  virtual void update(const TrialRow& trial) = 0;
  virtual void remove_trial(StudyKey study, std::int64_t number) = 0;
  virtual void add(StudyKey study, const HandoutRow& handout) = 0;
  virtual void add(StudyKey study, const SuggestionRow& suggestion) = 0;

  /// append gives the entry the next sequence number and the current time.
  virtual void append(const EventRow& event) = 0;
  virtual void remove_event(StudyKey study, std::int64_t sequence) = 0;

  virtual void set(StudyKey study, const ReportRow& report) = 0;
  virtual void remove_reports(StudyKey study, std::int64_t trial) = 0;
  virtual void set(StudyKey study, const AttributeRow& attribute) = 0;
  virtual void add(StudyKey study, const OutputRow& output) = 0;
};

class Storage {
 public:
  Storage() = default;
  Storage(const Storage&) = delete;
  Storage(Storage&&) = delete;
  Storage& operator=(const Storage&) = delete;
  Storage& operator=(Storage&&) = delete;
  virtual ~Storage() = default;

  /// read lets `look` see one state of the database. It blocks no other process and is never
  /// blocked.
  virtual void read(const std::function<void(Reader&)>& look) = 0;

  /// write stores everything that `change` does or, if it throws, nothing. It waits for other
  /// writers. Once it returns, the changes survive the end of the process.
  virtual void write(const std::function<void(Writer&)>& change) = 0;
};

/// open_sqlite opens the database in `file`, creating it if `creates`. Acknowledged changes also
/// survive a power failure. Throws Error: invalid_value if the name cannot be a file name, io if
/// the file cannot be read or written or is not a database, unknown_name if it does not exist,
/// conflict if a newer oscbo has written it.
[[nodiscard]] std::unique_ptr<Storage> open_sqlite(const std::filesystem::path& file, bool creates);

}  // namespace oscbo::storage
