// File: oscbo/optimizer.hpp
//
// Ask/tell Bayesian optimisation on a box; maximises. The caller owns the loop:
//
//   oscbo::Optimizer optimizer({{-5.0, 10.0}, {0.0, 15.0}}, oscbo::method_config("auto"), 7);
//   for (int i = 0; i < 30; ++i) {
//     const oscbo::Suggestion next = optimizer.ask();
//     optimizer.tell(next.trial, measure(next.x));
//   }
//   const oscbo::Trial& best = optimizer.recommendation();
//
// An Optimizer is a value and a pure function of its configuration, its seed and the ordered log
// of asks and tells: copying it saves the state, `replay` rebuilds it from the log, and both
// continue with bit-equal suggestions. It is thread-compatible: share none, or lock.
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

namespace oscbo {

struct Bounds {
  double lower = 0.0;
  double upper = 1.0;
};

/// What the model said about a point before its value was known, in the units of the observations.
struct Prediction {
  double mean = 0.0;
  double sd = 0.0;     // of the latent function
  double width = 0.0;  // 2 sqrt(beta) sqrt(variance + noise variance): the calibrated interval
  double observation_sd = 0.0;       // of an observation: sqrt(variance + noise variance)
  double beta = 0.0;                 // in force: the interval is mean +- sqrt(beta) observation_sd
  double acquisition = 0.0;          // acquisition value, standardised units
  std::vector<double> lengthscales;  // of scaled inputs; one, or one per parameter
  std::optional<double> multiplier =
      std::nullopt;                           // lambda in force; methods without a game have none
  std::optional<Phase> phase = std::nullopt;  // likewise
  double jitter = 0.0;            // added to the diagonal so that the factorization succeeded
  int objective_evaluations = 0;  // factorizations spent on the lengthscales for this point
};

/// What the observation then said about that prediction.
struct Feedback {
  bool covered = false;           // |y - mean| <= width / 2
  double sharpness_loss = 0.0;    // L^s; in [0, 1] unless lc.stats=after
  double calibration_loss = 0.0;  // L^c, at most 0 when covered
  double violation = 0.0;         // V: sum of calibration losses up to and including this one
};

using TrialId = std::size_t;

struct Suggestion {
  TrialId trial = 0;
  std::vector<double> x;
  std::optional<Prediction> prediction = std::nullopt;  // none for points of the initial design
  int failed_restarts = 0;  // acquisition searches that ended early; their best point was kept
};

/// One point of the optimisation: asked, told, or both.
struct Trial {
  TrialId id = 0;
  std::vector<double> x;
  std::optional<Prediction> prediction = std::nullopt;
  std::optional<double> y = std::nullopt;  // none while pending
  std::optional<Feedback> feedback = std::nullopt;
};

/// One entry of the ordered log from which an optimizer can be rebuilt.
struct Event {
  enum class Kind { ask, tell, tell_extra };
  Kind kind = Kind::ask;
  TrialId trial = 0;
  std::vector<double> x;  // the point asked or told
  double y = 0.0;         // the value, for tells
};

struct TheoryReport;

class Optimizer {
 public:
  /// Throws Error (invalid_value) for empty bounds, lower >= upper, non-finite bounds.
  explicit Optimizer(std::vector<Bounds> bounds, const Config& config = method_config("auto"),
                     std::uint64_t seed = 0);

  Optimizer(const Optimizer& other);
  Optimizer(Optimizer&& other) noexcept;
  Optimizer& operator=(const Optimizer& other);
  Optimizer& operator=(Optimizer&& other) noexcept;
  ~Optimizer();

  /// replay rebuilds an optimizer from a log without searching for the points again. Throws Error
  /// (invalid_value) for a log whose trials do not follow one another, and as `tell` does.
  [[nodiscard]] static Optimizer replay(std::vector<Bounds> bounds, const Config& config,
                                        std::uint64_t seed, std::span<const Event> log);

  /// ask returns the next point to evaluate. Points of the initial design come first; told points
  /// count towards it. Asking again before telling is allowed: pending points are conditioned on.
  Suggestion ask();

  /// ask returns `count` points to be evaluated at the same time. Each accounts for those before it
  /// and for all others under way, and costs O(n^2) more. Throws Error (invalid_value) for a count
  /// that is not in [1, 10000]; should one of them fail, those before it are pending trials.
  std::vector<Suggestion> ask(int count);

  /// The two halves of `ask`, for callers who time them: `fit` learns the lengthscales from what
  /// has been told, `suggest` searches the acquisition and opens the trial.
  void fit();
  Suggestion suggest();

  /// tell records the value of an asked point. Throws Error: unknown_name for a trial never asked,
  /// conflict for one already told, invalid_value for a y that is not finite.
  void tell(TrialId trial, double y);

  /// tell records an observation that was not asked for; returns its trial.
  TrialId tell(std::span<const double> x, double y);

  /// recommendation returns the best told point: by observed value, or by posterior mean when the
  /// observations are declared noisy (obs.noise_sd > 0) and there is a model; that costs a fit. The
  /// next ask or tell invalidates the reference. Throws Error (conflict) when nothing has been
  /// told.
  [[nodiscard]] const Trial& recommendation() const;

  /// predict returns what the model says at each point, learning the lengthscales first if need be.
  /// Pending trials count as known once `suggest` has looked at them. Throws Error (conflict) while
  /// there is no model: in the initial design, and for methods that never have one.
  [[nodiscard]] std::vector<Prediction> predict(std::span<const std::vector<double>> points);

  [[nodiscard]] const std::vector<Trial>& trials() const noexcept;
  [[nodiscard]] const std::vector<Event>& log() const noexcept;
  [[nodiscard]] const std::vector<Bounds>& bounds() const noexcept;
  [[nodiscard]] const Config& config() const noexcept;

  /// model_bytes returns how much memory the model of the last ask takes: 2.5 n^2 doubles at most,
  /// from 1000 points with up to 20 parameters on; twice that for a method whose spread is a
  /// Gaussian process of its own.
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
