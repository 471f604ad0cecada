// File: oscbo/study.hpp
//
// Optimisations that are stored: any number of processes ask and tell, any of them may be killed at
// any moment, and nothing that was acknowledged is lost.
//
//   oscbo::StudyStore store("oscbo.db", oscbo::StudyStore::Mode::create);
//   oscbo::Study study = oscbo::Study::create(store, oscbo::study_from_toml(text, "reactor.toml"));
//   const auto next = study.ask({.worker = "me"});
//   study.tell(next->number, next->token, {.y = measure(next->x)});
//
// A study is its declaration and a log of what was asked and told, in the order in which the
// database wrote it down. Suggestions are a function of these two: whoever computes one gets the
// same. A Study may be used by several threads.
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
  std::string worker;        // who asks
  std::string request = {};  // asked again, the same worker gets the same trial; empty: a new one
  std::vector<Given> given = {};
  std::optional<double> lease_seconds = std::nullopt;  // none: nobody else ever gets the trial
  bool ends_with_process = false;  // nor needs the lease to run out once this process has ended
  bool within_budget = false;      // nothing more is handed out once the budget is used up
};

/// A point to evaluate. The token proves to `tell` who had it.
struct StudySuggestion {
  TrialNumber number = 0;
  std::string token;
  std::vector<double> x;
  int attempt = 1;
  std::optional<Prediction> prediction = std::nullopt;
};

/// A value on the way to that of a trial.
struct IntermediateValue {
  std::int64_t step = 0;
  double value = 0.0;
};

/// Names and texts that are attached to a trial: notes, metrics that are no outcomes, anything.
using Attributes = std::vector<std::pair<std::string, std::string>>;

/// What became of a tell.
enum class Told {
  accepted,
  again,  // it had been told before, by the same and with the same value; nothing changed
  extra,  // the trial had a value; this one is a further observation, a trial of its own
};

/// What an attempt at a trial printed.
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

  /// Throws Error: unknown_name where there is nothing to open, io, or conflict for a file that a
  /// newer oscbo has written.
  explicit StudyStore(const std::filesystem::path& file, Mode mode = Mode::open);

  [[nodiscard]] std::vector<std::string> names() const;

  /// remove deletes a study with everything in it. Throws Error (unknown_name).
  void remove(const std::string& name);

  /// For the rest of the library.
  [[nodiscard]] const std::shared_ptr<storage::Storage>& storage() const { return storage_; }

 private:
  std::shared_ptr<storage::Storage> storage_;
};

/// What ends a study: a rule of its declaration, or its budget.
enum class StopRule { seconds, target, without_improvement, expected_gain, budget };

/// to_string returns the names of the fields of a study file: "seconds", "target", ...
[[nodiscard]] std::string_view to_string(StopRule rule) noexcept;

struct StopReason {
  StopRule rule = StopRule::budget;
  std::string text;  // for people
};

class Study {
 public:
  /// An observation that nobody asked for.
  struct Observation {
    std::vector<double> x;
    Measurement measurement = {};
  };

  /// create makes a study that begins with some observations. Throws Error: conflict for a name
  /// that is taken, and as `add`.
  [[nodiscard]] static Study create(const StudyStore& store, const StudyDeclaration& declaration,
                                    std::span<const Observation> observations = {});

  /// open throws Error (unknown_name) naming the studies there are.
  [[nodiscard]] static Study open(const StudyStore& store, const std::string& name);

  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;
  Study(const Study&) = delete;
  Study& operator=(const Study&) = delete;
  ~Study();

  [[nodiscard]] const StudyDeclaration& declaration() const;
  [[nodiscard]] const Space& space() const;

  // --- asking and telling ---------------------------------------------------------------------

  /// ask hands out a trial: one that its worker has let go of for too long, else a new one. None
  /// where the budget is used up and the request is to stay within it. Throws as Optimizer::ask.
  std::optional<StudySuggestion> ask(const AskRequest& request);

  /// renew prolongs a lease; false where the trial is not the worker's any more.
  bool renew(TrialNumber number, const std::string& token, double lease_seconds);

  /// tell stores what was measured, whoever had the trial last: a value that comes late is still a
  /// value. Attributes are attached to the trial that gets it. Without a token a trial that is not
  /// pending is refused: Error (conflict); unknown_name for a trial there is not, or a token that
  /// it was never handed out with; and invalid_value as Optimizer::tell.
  Told tell(TrialNumber number, const std::string& token, const Measurement& measurement,
            const Attributes& attributes = {});

  /// tell_failed ends an attempt without a value. The trial is handed out again while
  /// `program.retries` last, else it has failed for good: false.
  bool tell_failed(TrialNumber number, const std::string& token, const std::string& reason);

  /// release hands a trial back: whoever asks next gets it, as if this attempt had not been.
  void release(TrialNumber number, const std::string& token);

  /// report stores intermediate values. Returns whether the evaluation should be given up, by the
  /// rules of the declaration. A later value for the same step replaces the earlier one; what comes
  /// from a worker that has lost the trial is not kept. Without a token a trial that is not pending
  /// is refused: Error (conflict); invalid_value for numbers that are not finite.
  bool report(TrialNumber number, const std::string& token,
              std::span<const IntermediateValue> values);

  /// give_up ends a trial for good without a value, as tell_failed where no retry is left.
  void give_up(TrialNumber number, const std::string& token, const std::string& reason);

  /// add stores observations that nobody asked for, all of them or, when one is refused, none.
  void add(std::span<const Observation> observations);
  TrialNumber add(std::span<const double> x, const Measurement& measurement);

  /// abandon takes a pending trial back, as if it had not been asked.
  void abandon(TrialNumber number, const std::string& reason);

  /// queue makes x a point that is asked next.
  void queue(std::span<const double> x);

  /// set_attribute attaches a text to a trial: a note, a metric that is not an outcome, anything.
  void set_attribute(TrialNumber number, const std::string& key, const std::string& value);

  /// keep_output stores what an attempt printed, and how it ended.
  void keep_output(TrialNumber number, const ProgramOutput& output);

  // --- ending ----------------------------------------------------------------------------------

  /// stop_reason returns why nothing more should be evaluated, by the rules of the declaration and
  /// what is stored; none: the study goes on. `run_seconds` is how long the caller's run has taken.
  /// The budget does not count as used up while leased trials are pending: they may be lost, and
  /// handed out again.
  [[nodiscard]] std::optional<StopReason> stop_reason(double run_seconds = 0.0) const;

  /// budget_used_up says that no point is left to be asked for within the budget, whether or not
  /// leased trials are pending; none where one is left.
  [[nodiscard]] std::optional<std::string> budget_used_up() const;

  /// failing says that ten trials or more have failed and none has a value: something other than
  /// the points is wrong, and a run should end. None otherwise. `last` is why the last one failed.
  [[nodiscard]] std::optional<std::string> failing(const std::string& last) const;

  /// end stores why nothing more is to be evaluated; none: the study goes on.
  void end(const std::optional<std::string>& reason);

  // --- reading ---------------------------------------------------------------------------------

  [[nodiscard]] std::optional<std::string> ended() const;

  [[nodiscard]] StudyCounts counts() const;

  /// trials returns all, or the last so many.
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
    std::optional<Prediction> prediction = std::nullopt;  // of the model now, where there is one
  };
  /// best recommends a point, by a model where values are noisy. Throws Error (conflict) when
  /// nothing has been told.
  [[nodiscard]] Best best();

  /// best_observed returns the trial with the best acceptable value, without asking a model.
  [[nodiscard]] std::optional<StudyTrial> best_observed() const;

  /// predict returns what the model says at each point; of quantity 0, the value, or of an outcome
  /// of the space, 1, 2, ... Throws as Optimizer::predict.
  [[nodiscard]] std::vector<Prediction> predict(std::span<const std::vector<double>> points,
                                                std::size_t quantity = 0);

  /// to_json returns the whole study but for what programs printed: declaration, log, trials with
  /// their predictions, intermediate values, attributes.
  [[nodiscard]] std::string to_json() const;

  /// calibration is made of the predictions that were stored before their values were known.
  /// Quantity 0 is the value, 1, 2, ... are the outcomes of the space.
  [[nodiscard]] CalibrationReport calibration(std::size_t quantity = 0) const;

  /// How much a parameter matters to the model.
  struct Importance {
    std::string parameter;
    double share = 0.0;        // of the variance of the mean over the space: its total effect
    double sensitivity = 0.0;  // 1 / lengthscale, divided by the sum of all; NaN without any
  };
  /// importance throws as `predict`.
  [[nodiscard]] std::vector<Importance> importance();

  struct Neighbour {
    TrialNumber number = 0;
    double distance = 0.0;  // in lengthscales
    double y = 0.0;
  };
  /// Why a point was chosen, by what was stored when it was.
  struct Explanation {
    enum class ChosenBy { design, model, queue };
    StudyTrial trial;
    ChosenBy chosen_by = ChosenBy::design;
    std::vector<Given> given = {};  // with the ask, where it was chosen around these values
    std::vector<TrialNumber> pending_seen = {};
    double acceptable = 1.0;       // probability that all outcomes are within their limits
    double succeeds = 1.0;         // probability that the evaluation does not fail
    std::int64_t stream_step = 0;  // its random streams: (seed, purpose, this)
    std::string build = {};
    std::optional<double> best_before = std::nullopt;    // the best acceptable value told by then
    std::optional<double> expected_gain = std::nullopt;  // over it
    std::optional<double> exploration = std::nullopt;    // the share of it due to not knowing
    std::vector<double> lengthscales = {};  // in force; none of a kernel that has other settings
    std::vector<Neighbour> nearest = {};    // of the observations by then
  };
  /// explain throws Error (conflict) for a trial that nobody asked for.
  [[nodiscard]] Explanation explain(TrialNumber number) const;

  /// A suggestion that came out differently when it was computed again.
  struct Mismatch {
    TrialNumber number = 0;
    std::string what;
  };
  /// verify computes every suggestion again from the log before it, and compares.
  [[nodiscard]] std::vector<Mismatch> verify(
      const std::function<void(std::size_t done, std::size_t all)>& progress = {}) const;

 private:
  struct Impl;
  explicit Study(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace oscbo
