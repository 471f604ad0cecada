// File: oscbo/optimizer.hpp
//
// Ask/tell Bayesian optimisation. Values are maximised unless an objective says otherwise. The
// caller owns the loop:
//
//   oscbo::Optimizer optimizer({{-5.0, 10.0}, {0.0, 15.0}}, oscbo::method_config("auto"), 7);
//   for (int i = 0; i < 30; ++i) {
//     const oscbo::Suggestion next = optimizer.ask();
//     optimizer.tell(next.trial, measure(next.x));
//   }
//   const oscbo::Trial& best = optimizer.recommendation().trial;
//
// The parameters form a box of real numbers, as here, or any space that oscbo/space.hpp can
// declare.
//
// An Optimizer is a value: its state is a pure function of its configuration, its seed and the
// ordered log of what was asked and told. A copy saves the state, `replay` rebuilds it from the
// log, and both continue with bit-equal suggestions. Optimizer is thread-compatible: do not share
// one between threads without a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "oscbo/error.hpp"
#include "oscbo/objective.hpp"
#include "oscbo/options.hpp"
#include "oscbo/prediction.hpp"
#include "oscbo/record_fields.hpp"
#include "oscbo/space.hpp"
#include "oscbo/trial_state.hpp"

namespace oscbo {

using TrialId = std::size_t;

struct Suggestion {
  TrialId trial = 0;
  std::vector<double> x;
  std::optional<Prediction> prediction = std::nullopt;  // none if no model chose the point
  std::vector<Prediction> outcomes = {};  // one for each outcome; empty in the initial design
  double acceptable = 1.0;                // probability that all outcomes are within their limits
  double succeeds = 1.0;    // probability that the evaluation succeeds; 1 without a failure model
  int failed_restarts = 0;  // searches whose optimiser failed; their best point was kept
  int stream_step = 0;  // the round or, in the initial design, the index of the point. It names the
                        // random streams of this suggestion: (seed, purpose, stream_step)
  std::vector<std::string> notes = {};  // for people: remarks on the model and search of this round
};

/// One point of the optimisation: asked, told, or both.
struct Trial {
  TrialId id = 0;
  std::vector<double> x;
  TrialState state = TrialState::pending;
  std::vector<QuantityRecord> objectives = std::vector<QuantityRecord>(1);
  std::vector<QuantityRecord> outcomes = {};  // one for each outcome of the space
  bool is_acceptable = true;                  // every told outcome is within its limits

  /// These four describe the first objective. Complete trials have a value.
  [[nodiscard]] std::optional<double> y() const { return objectives.front().value; }
  [[nodiscard]] std::optional<double> variance() const { return objectives.front().variance; }
  [[nodiscard]] const std::optional<Prediction>& prediction() const {
    return objectives.front().prediction;
  }
  [[nodiscard]] const std::optional<Feedback>& feedback() const {
    return objectives.front().feedback;
  }
};

/// The fields that clients show. The other members of Suggestion say how the point was found.
template <>
struct RecordFields<Suggestion> {
  static constexpr std::string_view kName = "Suggestion";
  static constexpr std::tuple kList = {
      Field("trial", &Suggestion::trial),           Field("x", &Suggestion::x),
      Field("prediction", &Suggestion::prediction), Field("outcomes", &Suggestion::outcomes),
      Field("acceptable", &Suggestion::acceptable), Field("succeeds", &Suggestion::succeeds)};
};

template <>
struct RecordFields<Trial> {
  static constexpr std::string_view kName = "Trial";
  static constexpr std::tuple kList = {Field("id", &Trial::id),
                                       Field("x", &Trial::x),
                                       Field("state", &Trial::state),
                                       Field("objectives", &Trial::objectives),
                                       Field("outcomes", &Trial::outcomes),
                                       Field("is_acceptable", &Trial::is_acceptable)};
};

/// What was measured at a point.
struct Measurement {
  PerObjective<double> y = {};                        // the value; one for each objective
  PerObjective<std::optional<double>> variance = {};  // of y, where it is known
  std::vector<double> outcomes = {};                  // one for each outcome of the space
};

/// mean_of combines several values of one quantity at one point into one measurement: their mean,
/// and its variance s^2 / n. Throws Error (invalid_value) for fewer than two values.
[[nodiscard]] Measurement mean_of(std::span<const double> replicates);

/// A parameter that the caller fixes in the next point.
struct Given {
  std::string parameter;
  double value = 0.0;
};

/// A recommendation ranks points by the observed value or, if the observations are noisy, by the
/// mean of the model.
enum class RecommendedBy { observed, mean };

struct Recommendation {
  const Trial& trial;
  RecommendedBy by = RecommendedBy::observed;
  bool is_acceptable = true;  // all outcomes within their limits
};

/// One entry of the ordered log from which an optimizer can be rebuilt. `tell_extra` and
/// `fail_extra` are about a point that was not asked for.
struct Event {
  enum class Kind { ask, tell, tell_extra, fail, fail_extra, abandon, queue, widen };
  Kind kind = Kind::ask;
  TrialId trial = 0;
  std::vector<double> x;        // the point
  PerObjective<double> y = {};  // for tells: the value
  PerObjective<std::optional<double>> variance = {};
  std::vector<double> outcomes = {};
  bool given = false;      // for asks: the caller fixed some parameters
  std::string space = {};  // for widen: the new space as JSON
};

struct TheoryReport;

class Optimizer {
 public:
  /// Throws Error (invalid_value) if the configuration contradicts itself or the space, or if there
  /// is not exactly one objective. Values and predictions keep the user's sign, whatever the goal.
  explicit Optimizer(Space space, const Config& config = method_config("auto"),
                     std::uint64_t seed = 0, std::vector<Objective> objectives = {Objective()});

  /// The same on a box of real numbers. Also throws Error (invalid_value) for an empty list of
  /// bounds, for lower >= upper and for bounds that are not finite.
  explicit Optimizer(const std::vector<Bounds>& bounds,
                     const Config& config = method_config("auto"), std::uint64_t seed = 0,
                     std::vector<Objective> objectives = {Objective()});

  Optimizer(const Optimizer& other);
  Optimizer(Optimizer&& other) noexcept;
  Optimizer& operator=(const Optimizer& other);
  Optimizer& operator=(Optimizer&& other) noexcept;
  ~Optimizer();

  /// replay rebuilds an optimizer from a log, without searching for the points again. Throws like
  /// `apply`.
  [[nodiscard]] static Optimizer replay(Space space, const Config& config, std::uint64_t seed,
                                        std::span<const Event> log,
                                        std::vector<Objective> objectives = {Objective()});

  /// apply repeats one entry of a log. It takes the point of an ask from the log instead of
  /// searching for it. An optimizer that applies the whole log of another one ends in the same
  /// state. Throws the errors of `tell`. Throws Error (invalid_value) also for a point that
  /// cannot have been proposed, and for a new trial whose number is not the next one.
  void apply(const Event& event);

  /// ask returns the next point to evaluate. Queued points come first, then the initial design;
  /// told points count towards its size. You may ask again before telling: the model is conditioned
  /// on pending points. `given` fixes some parameters of this point; an ask with `given` leaves the
  /// queue alone. Throws Error: unknown_name or invalid_value if `given` is wrong; exhausted if
  /// every point has been asked or told or if no new point was found.
  Suggestion ask(std::span<const Given> given = {});

  /// ask returns `count` points to evaluate at the same time. Each point accounts for the points
  /// before it and for all other pending points, and costs another O(n^2). Throws Error
  /// (invalid_value) for a count outside [1, 10000]. If one of the asks throws, the points before
  /// it stay pending.
  std::vector<Suggestion> ask(int count);

  /// fit and suggest are the two halves of `ask`, for callers that time them: `fit` learns the
  /// lengthscales from what has been told, `suggest` searches the acquisition and opens the trial.
  void fit();
  Suggestion suggest(std::span<const Given> given = {});

  /// queue appends x to the points that `ask` hands out first.
  void queue(std::span<const double> x);

  /// tell records what was measured at an asked point. Throws Error: unknown_name for a trial that
  /// was never asked, conflict for a trial that is no longer pending, invalid_value for a number
  /// that is not finite, for a negative variance, and if the number of values differs from the
  /// number of objectives or of outcomes.
  void tell(TrialId trial, double y);
  void tell(TrialId trial, const Measurement& measurement);

  /// tell records an observation that was not asked for and returns its trial.
  TrialId tell(std::span<const double> x, double y);
  TrialId tell(std::span<const double> x, const Measurement& measurement);

  /// tell_failed records that an evaluation produced no value. The point is not proposed again. A
  /// separate model learns from failed and successful evaluations where failures are likely. The
  /// model of the objective ignores the point.
  void tell_failed(TrialId trial);
  TrialId tell_failed(std::span<const double> x);

  /// abandon withdraws a pending point, as if it had not been asked.
  void abandon(TrialId trial);

  /// widen replaces the space by one that contains it: bounds may be wider, and new values may
  /// follow the known ones. All observations are kept. Throws Error (invalid_value) for any other
  /// change.
  void widen(const Space& space);

  /// recommendation returns the best told point whose outcomes are acceptable; if there is none,
  /// the point that misses the limits by the least. The result refers to a trial of this optimizer
  /// and is valid until the next ask or tell.
  ///
  /// Observations count as noisy if a variance was told with one of them, or if the model has
  /// learned that they are. The best point is then the one with the best mean. Finding it takes a
  /// fit of the model. Throws Error (conflict) if no value has been told.
  [[nodiscard]] Recommendation recommendation() const;

  /// recommendation_by_mean is `recommendation` for a caller who knows that the observations are
  /// noisy: they always count as noisy. Without a model, it ranks points by the observed value.
  [[nodiscard]] Recommendation recommendation_by_mean() const;

  /// predict returns what the model predicts at each point. It learns the lengthscales first if
  /// necessary. If `suggest` has conditioned the model on pending trials since the last tell, the
  /// sd near these trials is smaller, as if their means had been observed. Throws Error (conflict)
  /// if there is no model: during the initial design, and for methods without one.
  [[nodiscard]] std::vector<Prediction> predict(std::span<const std::vector<double>> points);

  /// predict_outcome is `predict` for the outcome of the space with this index.
  [[nodiscard]] std::vector<Prediction> predict_outcome(
      std::size_t outcome, std::span<const std::vector<double>> points);

  /// quantities returns how many objectives and outcomes there are. predict_quantity predicts one
  /// of them, numbered from 0: first the objectives, then the outcomes. Throws Error (unknown_name)
  /// if there is no such quantity.
  [[nodiscard]] Quantities quantities() const noexcept;
  [[nodiscard]] std::vector<Prediction> predict_quantity(
      std::size_t quantity, std::span<const std::vector<double>> points);

  [[nodiscard]] const std::vector<Trial>& trials() const noexcept;
  [[nodiscard]] const std::vector<Event>& log() const noexcept;
  [[nodiscard]] const Space& space() const noexcept;
  [[nodiscard]] const std::vector<Objective>& objectives() const noexcept;
  [[nodiscard]] const Config& config() const noexcept;

  /// model_bytes returns how much memory the model of the last ask takes. With n >= 1000 points and
  /// up to 20 parameters, it is at most 2.5 n^2 doubles, or twice that for a method with a second
  /// Gaussian process for the spread. The model of each outcome takes as much again.
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
