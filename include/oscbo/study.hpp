// File: oscbo/study.hpp
//
// Stored optimisations. Any number of processes may ask and tell, and any of them may be killed at
// any moment. Nothing that was acknowledged is lost.
//
//   oscbo::StudyStore store("oscbo.db", oscbo::StudyStore::Mode::create);
//   oscbo::Study study = oscbo::Study::create(store, oscbo::study_from_toml(text, "reactor.toml"));
//   const auto next = study.ask({.worker = "me"});
//   study.tell(next->number, next->token, {.y = measure(next->x)});
//
// A study consists of its declaration and a log. The log says what was asked and told, in the order
// in which the database stored it. Suggestions are a function of the declaration and the log, so
// every process computes the same ones. Several threads may use one Study.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "oscbo/calibration.hpp"
#include "oscbo/optimizer.hpp"
#include "oscbo/study_declaration.hpp"
#include "oscbo/study_trial.hpp"

namespace oscbo {

namespace storage {
class Storage;
}

struct AskRequest {
  std::string worker;  // who asks
  std::string request =
      {};  // a name; if the worker repeats it, ask returns the same trial; empty: no name
  std::vector<Given> given = {};
  std::optional<double> lease_seconds = std::nullopt;  // none: no other worker ever gets the trial
  bool ends_with_process = false;  // if there is a lease, it also ends when this process ends
  bool within_budget = false;      // return no trial once the budget is used up
};

/// A point to evaluate. The token proves to `tell` that the caller had the trial.
struct StudySuggestion {
  TrialNumber number = 0;
  std::string token;
  std::vector<double> x;
  int attempt = 1;
  std::optional<Prediction> prediction = std::nullopt;
};

/// A value that an evaluation reports before it ends.
struct IntermediateValue {
  std::int64_t step = 0;
  double value = 0.0;
};

/// Named strings attached to a trial: notes, metrics that are not outcomes, anything.
using Attributes = std::vector<std::pair<std::string, std::string>>;

/// The effect of a tell.
enum class Told {
  accepted,
  again,  // the same value was told before with the same token; nothing changes
  extra,  // the trial already has a value; the new one is stored as a new trial
};

/// The output of one attempt at a trial.
struct ProgramOutput {
  int attempt = 1;
  std::string output;
  std::string errors;
  std::string ending;  // "ended with status 1", ...
};

/// Where studies are kept: one SQLite file.
class StudyStore {
 public:
  enum class Mode { open, create };

  /// Throws Error: unknown_name if there is nothing to open, conflict if a newer oscbo has written
  /// the file, and io if the file cannot be read or written.
  explicit StudyStore(const std::filesystem::path& file, Mode mode = Mode::open);

  [[nodiscard]] std::vector<std::string> names() const;

  /// remove deletes a study and everything in it. Throws Error (unknown_name).
  void remove(const std::string& name);

  /// storage is for internal use by the library.
  [[nodiscard]] const std::shared_ptr<storage::Storage>& storage() const { return storage_; }

 private:
  std::shared_ptr<storage::Storage> storage_;
};

/// What ends a study: a rule of its declaration, or its budget.
enum class StopRule { seconds, target, without_improvement, expected_gain, budget };

/// to_string returns the field of a study file that sets the rule: "seconds", "target", ...
[[nodiscard]] std::string_view to_string(StopRule rule) noexcept;

struct StopReason {
  StopRule rule = StopRule::budget;
  std::string text;  // for people
};

class Study {
 public:
  /// An observation that was not asked for.
  struct Observation {
    std::vector<double> x;
    Measurement measurement = {};
  };

  /// create stores a new study that begins with these observations. Throws Error (conflict) if the
  /// name is taken, and the errors of `add`.
  [[nodiscard]] static Study create(const StudyStore& store, const StudyDeclaration& declaration,
                                    std::span<const Observation> observations = {});

  /// open opens a stored study. Throws Error (unknown_name) if no study has this name; the error
  /// lists the stored studies.
  [[nodiscard]] static Study open(const StudyStore& store, const std::string& name);

  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;
  Study(const Study&) = delete;
  Study& operator=(const Study&) = delete;
  ~Study();

  [[nodiscard]] const StudyDeclaration& declaration() const;
  [[nodiscard]] const Space& space() const;

  // --- asking and telling ---------------------------------------------------------------------

  /// ask hands out a trial: one that waits for another attempt, otherwise a new one. Returns none
  /// if the budget is used up and the request must stay within it. Throws like Optimizer::ask.
  std::optional<StudySuggestion> ask(const AskRequest& request);

  /// renew extends a lease. Returns false if the worker no longer has the trial.
  bool renew(TrialNumber number, const std::string& token, double lease_seconds);

  /// tell stores what was measured. A value that arrives after the trial went to another worker is
  /// still stored. Attributes are attached to the trial that gets the value. Throws Error: conflict
  /// if there is no token and the trial is not pending, unknown_name if the trial does not exist or
  /// was never handed out with this token, and invalid_value like Optimizer::tell.
  Told tell(TrialNumber number, const std::string& token, const Measurement& measurement,
            const Attributes& attributes = {});

  /// tell_failed ends an attempt without a value. Returns true if `program.retries` allows another
  /// attempt: the trial will be handed out again. Returns false if the trial has failed for good.
  bool tell_failed(TrialNumber number, const std::string& token, const std::string& reason);

  /// release hands a trial back. The next ask gets it, as if this attempt had not happened.
  void release(TrialNumber number, const std::string& token);

  /// report stores intermediate values. Returns true if the pruning rules of the declaration say
  /// that the evaluation should be given up. A later value for the same step replaces the earlier
  /// one. Values from a worker that has lost the trial are dropped. Throws Error: conflict if there
  /// is no token and the trial is not pending, invalid_value for numbers that are not finite.
  bool report(TrialNumber number, const std::string& token,
              std::span<const IntermediateValue> values);

  /// give_up ends a trial for good without a value, like tell_failed when no retry is left.
  void give_up(TrialNumber number, const std::string& token, const std::string& reason);

  /// add stores observations that were not asked for. If one is refused, none is stored.
  void add(std::span<const Observation> observations);
  TrialNumber add(std::span<const double> x, const Measurement& measurement);

  /// abandon withdraws a pending trial, as if it had not been asked.
  void abandon(TrialNumber number, const std::string& reason);

  /// queue appends x to the points that `ask` hands out first.
  void queue(std::span<const double> x);

  /// set_attribute attaches a named string to a trial.
  void set_attribute(TrialNumber number, const std::string& key, const std::string& value);

  /// keep_output stores what an attempt printed, and how it ended.
  void keep_output(TrialNumber number, const ProgramOutput& output);

  // --- ending ----------------------------------------------------------------------------------

  /// stop_reason returns why the study should stop, by the rules of the declaration and the stored
  /// trials, or none if it should go on. `run_seconds` is how long the caller's run has taken.
  /// While leased trials are pending, the budget does not count as used up: if a worker dies,
  /// another worker has to evaluate its trial.
  [[nodiscard]] std::optional<StopReason> stop_reason(double run_seconds = 0.0) const;

  /// budget_used_up returns an explanation if the budget allows no further ask, whether or not
  /// leased trials are pending. Otherwise it returns none.
  [[nodiscard]] std::optional<std::string> budget_used_up() const;

  /// failing returns an explanation if ten or more trials have failed and no trial has a value, and
  /// none otherwise. A run should then end: the program is probably at fault, not the points.
  /// `last` is the reason for the last failure.
  [[nodiscard]] std::optional<std::string> failing(const std::string& last) const;

  /// end stores why the study has ended; `ended` returns it. With none, the study goes on.
  void end(const std::optional<std::string>& reason);

  // --- reading ---------------------------------------------------------------------------------

  [[nodiscard]] std::optional<std::string> ended() const;

  [[nodiscard]] StudyCounts counts() const;

  /// trials returns all trials, or the last `last` of them.
  [[nodiscard]] std::vector<StudyTrial> trials(
      std::optional<std::int64_t> last = std::nullopt) const;
  [[nodiscard]] StudyTrial trial(TrialNumber number) const;

  struct Report {
    TrialNumber number = 0;
    std::int64_t step = 0;
    double value = 0.0;
  };
  [[nodiscard]] std::vector<Report> reports() const;

  struct Attribute {
    TrialNumber number = 0;
    std::string key;
    std::string value;
  };
  [[nodiscard]] std::vector<Attribute> attributes() const;

  [[nodiscard]] std::vector<ProgramOutput> outputs(TrialNumber number) const;

  struct Best {
    StudyTrial trial;
    RecommendedBy by = RecommendedBy::observed;
    bool is_acceptable = true;
    std::optional<Prediction> prediction = std::nullopt;  // of the current model, if there is one
  };
  /// best recommends a point. If the values are noisy, a model ranks the points. Throws Error
  /// (conflict) if no value has been told.
  [[nodiscard]] Best best();

  /// best_observed returns the trial with the best acceptable value, without asking a model.
  [[nodiscard]] std::optional<StudyTrial> best_observed() const;

  /// predict returns what the model predicts at each point. Quantity 0 is the value; 1, 2, ... are
  /// the outcomes of the space. Throws like Optimizer::predict.
  [[nodiscard]] std::vector<Prediction> predict(std::span<const std::vector<double>> points,
                                                std::size_t quantity = 0);

  /// to_json returns the whole study except program output: declaration, log, trials with their
  /// predictions, intermediate values, attributes.
  [[nodiscard]] std::string to_json() const;

  /// calibration compares the values with the predictions that were stored before the values were
  /// known. Quantity 0 is the value; 1, 2, ... are the outcomes of the space.
  [[nodiscard]] CalibrationReport calibration(std::size_t quantity = 0) const;

  /// How much a parameter matters to the model.
  struct Importance {
    std::string parameter;
    double share = 0.0;  // total effect: the variance of the model's mean over the space that
                         // remains if all other parameters are known, divided by the total variance
    double sensitivity =
        0.0;  // 1 / lengthscale, divided by the sum over all parameters; NaN without lengthscales
  };
  /// importance returns the importance of every parameter. Throws like `predict`.
  [[nodiscard]] std::vector<Importance> importance();

  struct Neighbour {
    TrialNumber number = 0;
    double distance = 0.0;  // in lengthscales
    double y = 0.0;
  };
  /// Why a point was chosen, according to the information stored at that time.
  struct Explanation {
    enum class ChosenBy { design, model, queue };
    StudyTrial trial;
    ChosenBy chosen_by = ChosenBy::design;
    std::vector<Given> given = {};               // values fixed by the ask
    std::vector<TrialNumber> pending_seen = {};  // trials that were pending at the time
    double acceptable = 1.0;       // probability that all outcomes are within their limits
    double succeeds = 1.0;         // probability that the evaluation does not fail
    std::int64_t stream_step = 0;  // names the ask's random streams: (seed, purpose, stream_step)
    std::string build = {};        // the build of the program that chose the point
    std::optional<double> best_before = std::nullopt;    // the best acceptable value at the time
    std::optional<double> expected_gain = std::nullopt;  // over best_before
    std::optional<double> exploration =
        std::nullopt;                       // the share of expected_gain that is due to uncertainty
    std::vector<double> lengthscales = {};  // in force; empty if the kernel has no lengthscales
    std::vector<Neighbour> nearest = {};    // the nearest observations at the time
  };
  /// explain returns why the point of a trial was chosen. Throws Error (conflict) for a trial that
  /// was not asked for.
  [[nodiscard]] Explanation explain(TrialNumber number) const;

  /// A suggestion that came out differently when it was recomputed.
  struct Mismatch {
    TrialNumber number = 0;
    std::string what;
  };
  /// verify recomputes every suggestion from the log entries before it and returns the suggestions
  /// that differ.
  [[nodiscard]] std::vector<Mismatch> verify(
      const std::function<void(std::size_t done, std::size_t all)>& progress = {}) const;

 private:
  struct Impl;
  explicit Study(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace oscbo
