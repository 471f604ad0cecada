// File: oscbo/optimizer.hpp
//
// Ask/tell Bayesian optimisation; maximises, unless an objective says otherwise. The caller owns
// the loop:
//
//   oscbo::Optimizer optimizer({{-5.0, 10.0}, {0.0, 15.0}}, oscbo::method_config("auto"), 7);
//   for (int i = 0; i < 30; ++i) {
//     const oscbo::Suggestion next = optimizer.ask();
//     optimizer.tell(next.trial, measure(next.x));
//   }
//   const oscbo::Trial& best = optimizer.recommendation().trial;
//
// The parameters are a box of real numbers, as here, or any space of oscbo/space.hpp.
//
// An Optimizer is a value and a pure function of its configuration, its seed and the ordered log
// of what was asked and told: copying it saves the state, `replay` rebuilds it from the log, and
// both continue with bit-equal suggestions. It is thread-compatible: share none, or lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oscbo/config.hpp"
#include "oscbo/error.hpp"
#include "oscbo/objective.hpp"
#include "oscbo/prediction.hpp"
#include "oscbo/space.hpp"

namespace oscbo {

using TrialId = std::size_t;

struct Suggestion {
  TrialId trial = 0;
  std::vector<double> x;
  std::optional<Prediction> prediction = std::nullopt;  // none for points of the initial design
  std::vector<Prediction> outcomes = {};                // of the space's outcomes, likewise
  double acceptable = 1.0;  // probability that all outcomes are within their limits
  double succeeds = 1.0;  // probability that the evaluation does not fail; 1 where none is modelled
  int failed_restarts = 0;  // acquisition searches that ended early; their best point was kept
  int stream_step = 0;  // its random streams are named by (seed, purpose, this): the round, or the
                        // place in the initial design
  std::vector<std::string> notes = {};  // for people: what the round's model looks at
};

enum class TrialState { pending, complete, failed, abandoned };

/// One point of the optimisation: asked, told, or both.
struct Trial {
  TrialId id = 0;
  std::vector<double> x;
  TrialState state = TrialState::pending;
  std::vector<QuantityRecord> objectives = std::vector<QuantityRecord>(1);
  std::vector<QuantityRecord> outcomes = {};  // one for each outcome of the space

  /// Of a single objective: its value, which complete trials have, and what else is known of it.
  [[nodiscard]] std::optional<double> y() const { return objectives.front().value; }
  [[nodiscard]] std::optional<double> variance() const { return objectives.front().variance; }
  [[nodiscard]] const std::optional<Prediction>& prediction() const {
    return objectives.front().prediction;
  }
  [[nodiscard]] const std::optional<Feedback>& feedback() const {
    return objectives.front().feedback;
  }
};

/// What was measured at a point.
struct Measurement {
  PerObjective<double> y = {};                        // the value; one for each objective
  PerObjective<std::optional<double>> variance = {};  // of y, where it is known
  std::vector<double> outcomes = {};                  // one for each outcome of the space
};

/// mean_of returns the measurement that several values of one quantity at one point amount to:
/// their mean, and the variance of it, s^2 / n. Throws Error (invalid_value) for fewer than two.
[[nodiscard]] Measurement mean_of(std::span<const double> replicates);

/// A value that the next point is to have.
struct Given {
  std::string parameter;
  double value = 0.0;
};

/// What a recommendation goes by: the value that was observed, or, of noisy observations, the mean
/// of the model.
enum class RecommendedBy { observed, mean };

struct Recommendation {
  const Trial& trial;
  RecommendedBy by = RecommendedBy::observed;
  bool is_acceptable = true;  // all outcomes within their limits
};

/// One entry of the ordered log from which an optimizer can be rebuilt.
struct Event {
  enum class Kind { ask, tell, tell_extra, fail, fail_extra, abandon, queue, widen };
  Kind kind = Kind::ask;
  TrialId trial = 0;
  std::vector<double> x;        // the point
  PerObjective<double> y = {};  // the value, for tells
  PerObjective<std::optional<double>> variance = {};
  std::vector<double> outcomes = {};
  bool given = false;      // for asks: some parameters were given
  std::string space = {};  // the new one as JSON, for widen
};

struct TheoryReport;

class Optimizer {
 public:
  /// Throws Error (invalid_value) for a configuration that contradicts itself or the space, and for
  /// any number of objectives but one. Values and predictions are the user's, whatever the goal.
  explicit Optimizer(Space space, const Config& config = method_config("auto"),
                     std::uint64_t seed = 0, std::vector<Objective> objectives = {Objective()});

  /// The same on a box of real numbers. Throws Error (invalid_value) also for empty bounds,
  /// lower >= upper, non-finite bounds.
  explicit Optimizer(const std::vector<Bounds>& bounds,
                     const Config& config = method_config("auto"), std::uint64_t seed = 0,
                     std::vector<Objective> objectives = {Objective()});

  Optimizer(const Optimizer& other);
  Optimizer(Optimizer&& other) noexcept;
  Optimizer& operator=(const Optimizer& other);
  Optimizer& operator=(Optimizer&& other) noexcept;
  ~Optimizer();

  /// replay rebuilds an optimizer from a log, without searching for the points again. Throws as
  /// `apply`.
  [[nodiscard]] static Optimizer replay(Space space, const Config& config, std::uint64_t seed,
                                        std::span<const Event> log,
                                        std::vector<Objective> objectives = {Objective()});

  /// apply repeats one entry of a log, an ask without searching for its point: an optimizer that
  /// follows the log of another one is its equal. Throws Error (invalid_value) for a trial that
  /// does not continue the log, and as `tell` does.
  void apply(const Event& event);

  /// ask returns the next point to evaluate. Points that were queued come first, then those of the
  /// initial design, towards which told points count. Asking again before telling is allowed:
  /// pending points are conditioned on. `given` fixes some parameters of this point, and leaves
  /// those that are queued alone. Throws Error:
  /// unknown_name or invalid_value for what is given, exhausted when no point is left, or none was
  /// found, that has not been asked or told.
  Suggestion ask(std::span<const Given> given = {});

  /// ask returns `count` points to be evaluated at the same time. Each accounts for those before it
  /// and for all others under way, and costs O(n^2) more. Throws Error (invalid_value) for a count
  /// that is not in [1, 10000]; should one of them fail, those before it are pending trials.
  std::vector<Suggestion> ask(int count);

  /// The two halves of `ask`, for callers who time them: `fit` learns the lengthscales from what
  /// has been told, `suggest` searches the acquisition and opens the trial.
  void fit();
  Suggestion suggest(std::span<const Given> given = {});

  /// queue makes x the next point to be asked, after those queued before it.
  void queue(std::span<const double> x);

  /// tell records what was measured at an asked point. Throws Error: unknown_name for a trial never
  /// asked, conflict for one that is not pending any more, invalid_value for a number that is not
  /// finite, a negative variance, and for more or fewer values than there are objectives, or
  /// outcomes than the space has.
  void tell(TrialId trial, double y);
  void tell(TrialId trial, const Measurement& measurement);

  /// tell records an observation that was not asked for; returns its trial.
  TrialId tell(std::span<const double> x, double y);
  TrialId tell(std::span<const double> x, const Measurement& measurement);

  /// tell_failed records that the evaluation of a point brought no value. The point is not proposed
  /// again, and its surroundings are avoided as far as the other evaluations there say; the model
  /// of the objective sees nothing of it.
  void tell_failed(TrialId trial);
  TrialId tell_failed(std::span<const double> x);

  /// abandon takes a pending point back, as if it had not been asked.
  void abandon(TrialId trial);

  /// widen replaces the space by one that holds it: bounds may be wider, and there may be further
  /// values after those known. Everything told is kept. Throws Error (invalid_value).
  void widen(const Space& space);

  /// recommendation returns the best told point whose outcomes are acceptable; while there is none,
  /// the one that misses the limits by least. The next ask or tell invalidates the reference.
  /// Throws Error (conflict) when nothing has been told. By the mean it costs a fit.
  [[nodiscard]] Recommendation recommendation() const;

  /// predict returns what the model says at each point, learning the lengthscales first if need be.
  /// Pending trials count as known once `suggest` has looked at them. Throws Error (conflict) while
  /// there is no model: in the initial design, and for methods that never have one.
  [[nodiscard]] std::vector<Prediction> predict(std::span<const std::vector<double>> points);

  /// predict_outcome does so for an outcome of the space.
  [[nodiscard]] std::vector<Prediction> predict_outcome(
      std::size_t outcome, std::span<const std::vector<double>> points);

  [[nodiscard]] const std::vector<Trial>& trials() const noexcept;
  [[nodiscard]] const std::vector<Event>& log() const noexcept;
  [[nodiscard]] const Space& space() const noexcept;
  [[nodiscard]] const std::vector<Objective>& objectives() const noexcept;
  [[nodiscard]] const Config& config() const noexcept;

  /// model_bytes returns how much memory the model of the last ask takes: 2.5 n^2 doubles at most,
  /// from 1000 points with up to 20 parameters on; twice that for a method whose spread is a
  /// Gaussian process of its own; and as much again for each outcome.
  [[nodiscard]] std::size_t model_bytes() const noexcept;

  /// rounds returns how many model-based points have been asked.
  [[nodiscard]] int rounds() const noexcept;

 private:
  friend TheoryReport theory(const Optimizer& optimizer,
                             std::optional<double> reference_lengthscale);

  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace oscbo
