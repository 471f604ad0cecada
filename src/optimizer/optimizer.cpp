#include "oscbo/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "acquisition/maximiser.hpp"
#include "learners/fitter.hpp"
#include "learners/registry.hpp"
#include "numeric/sobol.hpp"
#include "optimizer/initial_design.hpp"
#include "optimizer/standardizer.hpp"
#include "space/box.hpp"

namespace oscbo {

using acquisition::SearchBox;
using acquisition::SearchResult;
using numeric::Index;
using numeric::Vector;

namespace {

/// A prediction in the model's own units, kept until its observation arrives.
struct ModelPrediction {
  gp::Moments moments;
  Standardizer standardizer;
};

space::Box box_of(const std::vector<Bounds>& bounds) {
  std::vector<space::Side> sides;
  if (bounds.size() > numeric::ScrambledSobol::kMaxDimension) {
    throw Error(ErrorCode::invalid_value, "bounds",
                fmt::format("has {} parameters; at most {} are accepted", bounds.size(),
                            numeric::ScrambledSobol::kMaxDimension));
  }
  sides.reserve(bounds.size());
  for (const Bounds& b : bounds) sides.push_back({.lower = b.lower, .upper = b.upper});
  return space::Box(std::move(sides));
}

const Config& validated(const Config& config) {
  validate(config);
  return config;
}

/// The map from the unit cube to the coordinates that the kernel sees: the identity, or the range
/// of the data stretched to [0, 1].
struct InputScaling {
  Vector offset;
  Vector range;

  [[nodiscard]] static InputScaling identity(Index dimension) {
    return {.offset = Vector::Zero(dimension), .range = Vector::Ones(dimension)};
  }

  [[nodiscard]] static InputScaling of(const std::vector<std::vector<double>>& points) {
    const auto dimension = static_cast<Index>(points.front().size());
    InputScaling scaling = identity(dimension);
    for (Index k = 0; k < dimension; ++k) {
      const auto by_coordinate = [k](const auto& a, const auto& b) {
        return a[static_cast<std::size_t>(k)] < b[static_cast<std::size_t>(k)];
      };
      const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_coordinate);
      const double lowest = (*low)[static_cast<std::size_t>(k)];
      const double range = (*high)[static_cast<std::size_t>(k)] - lowest;
      if (range <= 1e-14) continue;  // one value only: nothing to learn a scale from
      scaling.offset[k] = lowest;
      scaling.range[k] = range;
    }
    return scaling;
  }

  [[nodiscard]] std::vector<double> to_model(std::vector<double> unit) const {
    for (std::size_t k = 0; k < unit.size(); ++k) {
      unit[k] = (unit[k] - offset[static_cast<Index>(k)]) / range[static_cast<Index>(k)];
    }
    return unit;
  }

  [[nodiscard]] std::vector<double> to_unit(const Vector& model) const {
    std::vector<double> unit(static_cast<std::size_t>(model.size()));
    for (Index k = 0; k < model.size(); ++k) {
      unit[static_cast<std::size_t>(k)] = std::clamp(offset[k] + range[k] * model[k], 0.0, 1.0);
    }
    return unit;
  }

  /// The unit cube in model coordinates.
  [[nodiscard]] SearchBox search_box() const {
    return {.lower = -offset.cwiseQuotient(range),
            .upper = (Vector::Ones(offset.size()) - offset).cwiseQuotient(range)};
  }
};

}  // namespace

class Optimizer::Impl {
 public:
  Impl(std::vector<Bounds> bounds, const Config& config, std::uint64_t seed)
      : bounds_(std::move(bounds)),
        config_(validated(config)),
        seed_(seed),
        box_(box_of(bounds_)),
        dimension_(static_cast<Index>(bounds_.size())),
        rule_(learners::make_rule(config, dimension_, seed)),
        inputs_(dimension_, learners::expected_points(config)),
        scaling_(InputScaling::identity(dimension_)),
        posterior_(gp::make_kernel(config.kernel), config.noise_variance),
        acquisition_(acquisition::UpperConfidenceBound{.multiplier = std::sqrt(config.beta)}),
        maximiser_(config.acquisition) {
    posterior_.reserve(learners::expected_points(config), dimension_);
  }

  // --- ask -------------------------------------------------------------------------------------

  /// The initial design lasts until enough points are under way, and something is known.
  [[nodiscard]] bool in_initial_design() const {
    return trials_.size() < static_cast<std::size_t>(config_.data.initial_points) || y_.empty();
  }

  void fit() {
    if (in_initial_design() || !fit_is_stale_) return;
    standardise();
    scale_inputs();
    if (rule_before_fit_) {
      rule_ = *rule_before_fit_;  // an earlier fit did not come to an end
    } else {
      rule_before_fit_ = rule_;
    }
    const int before = rule_->evaluations();
    const Vector& lengthscales =
        rule_
            ->next_settings({.inputs = inputs_, .y = z_, .initial_points = initial_points_},
                            rounds_ + 1)
            .theta;
    evaluations_of_fit_ = rule_->evaluations() - before;
    lengthscales_.assign(lengthscales.begin(), lengthscales.end());
    if (!posterior_.fit(inputs_, z_, lengthscales).ok) {
      throw Error(ErrorCode::internal, "lengthscales", "the kernel matrix cannot be factorized");
    }
    conditioned_.clear();
    fit_is_stale_ = false;
  }

  Suggestion suggest() {
    if (in_initial_design()) {
      const std::vector<double> unit = initial_point(
          config_.data.design, bounds_.size(),
          static_cast<std::size_t>(config_.data.initial_points), initial_asks_, seed_);
      return open_trial(box_.from_unit(unit), std::nullopt);
    }
    fit();
    condition_on_pending();
    const SearchResult found = maximiser_.maximise(posterior_, acquisition_, scaling_.search_box(),
                                                   seed_, static_cast<std::uint64_t>(rounds_) + 1);
    Suggestion suggestion = open_model_trial(box_.from_unit(scaling_.to_unit(found.x)));
    suggestion.failed_restarts = found.failed_restarts;
    return suggestion;
  }

  /// Repeats an ask of the log: what `suggest` would do, without the search.
  void replay_ask(const std::vector<double>& x) {
    box_.check(x, "x");
    if (in_initial_design()) {
      open_trial(x, std::nullopt);
      return;
    }
    fit();
    condition_on_pending();
    open_model_trial(x);
  }

  // --- tell ------------------------------------------------------------------------------------

  void tell(TrialId id, double y) {
    check_value(y);
    if (id >= trials_.size()) {
      throw Error(ErrorCode::unknown_name, "trial", fmt::format("{} was never asked", id));
    }
    Trial& trial = trials_[id];
    if (trial.y) {
      throw Error(ErrorCode::conflict, "trial",
                  fmt::format("{} has been told already: {}", id, *trial.y));
    }
    log_.push_back({.kind = Event::Kind::tell, .trial = id, .x = trial.x, .y = y});
    const Index point = record(trial, y);
    if (!trial.prediction) {
      observe_without_prediction(point);
    } else {
      trial.feedback = give_feedback(trial, point);
    }
  }

  TrialId tell(std::span<const double> x, double y) {
    box_.check(x, "x");
    check_value(y);
    const TrialId id = trials_.size();
    log_.push_back(
        {.kind = Event::Kind::tell_extra, .trial = id, .x = {x.begin(), x.end()}, .y = y});
    trials_.push_back({.id = id, .x = {x.begin(), x.end()}});
    model_predictions_.emplace_back();
    observe_without_prediction(record(trials_.back(), y));
    return id;
  }

  // --- what can be read --------------------------------------------------------------------------

  [[nodiscard]] const Trial& recommendation() const {
    if (y_.empty()) {
      throw Error(ErrorCode::conflict, "recommendation", "no observation has been told yet");
    }
    std::vector<double> merit = y_;
    if (config_.data.observation_noise_sd > 0.0 && !in_initial_design()) {
      Impl fitted(*this);
      fitted.fit();
      for (std::size_t i = 0; i < merit.size(); ++i) {
        merit[i] = fitted.posterior_.mean_at_observation(static_cast<Index>(i));
      }
    }
    const auto best = std::max_element(merit.begin(), merit.end()) - merit.begin();
    return trials_[observed_[static_cast<std::size_t>(best)]];
  }

  [[nodiscard]] const std::vector<Trial>& trials() const { return trials_; }
  [[nodiscard]] const std::vector<Event>& log() const { return log_; }
  [[nodiscard]] const std::vector<Bounds>& bounds() const { return bounds_; }
  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] int rounds() const { return rounds_; }

 private:
  static void check_value(double y) {
    if (!std::isfinite(y)) {
      throw Error(ErrorCode::invalid_value, "y",
                  fmt::format("{} is not accepted; an observation must be finite", y));
    }
  }

  /// The statistics of the data told so far, as the configured rule takes them.
  [[nodiscard]] Standardizer current_statistics() const {
    switch (config_.data.standardise) {
      case StandardiseRule::each_round: return Standardizer::of(y_);
      case StandardiseRule::initial_only: {
        const auto initial = static_cast<std::size_t>(std::max<Index>(initial_points_, 1));
        return Standardizer::of(std::span(y_).first(initial));
      }
      case StandardiseRule::none: break;
    }
    return {};
  }

  void standardise() {
    standardizer_ = current_statistics();
    z_.resize(static_cast<Index>(y_.size()));
    // Statistics that do not follow the data may leave an observation anywhere; squares stay
    // finite.
    constexpr double kLargestScore = 1e150;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      z_[static_cast<Index>(i)] =
          std::clamp(standardizer_.to_z(y_[i]), -kLargestScore, kLargestScore);
    }
  }

  /// Brings the kernel's inputs up to date: new points are appended, unless the scaling itself
  /// follows the data.
  void scale_inputs() {
    if (config_.data.inputs == InputNormalisation::data) {
      scaling_ = InputScaling::of(units_);
      inputs_ = gp::Inputs(dimension_, static_cast<Index>(units_.size()));
    }
    for (auto i = static_cast<std::size_t>(inputs_.size()); i < units_.size(); ++i) {
      inputs_.append(scaling_.to_model(units_[i]));
    }
  }

  void condition_on_pending() {
    for (const Trial& trial : trials_) {
      if (trial.y ||
          std::find(conditioned_.begin(), conditioned_.end(), trial.id) != conditioned_.end()) {
        continue;
      }
      posterior_.condition_on_pending(scaling_.to_model(box_.to_unit(trial.x)));
      conditioned_.push_back(trial.id);
    }
  }

  Suggestion open_trial(std::vector<double> x, std::optional<Prediction> prediction) {
    const TrialId id = trials_.size();
    if (prediction) {
      ++rounds_;
      rule_before_fit_.reset();  // the fit has been used: it is part of the history now
    } else {
      ++initial_asks_;
      model_predictions_.emplace_back();
    }
    log_.push_back({.kind = Event::Kind::ask, .trial = id, .x = x});
    trials_.push_back({.id = id, .x = x, .prediction = prediction});
    return {.trial = id, .x = std::move(x), .prediction = std::move(prediction)};
  }

  /// Records the prediction in force at x before anything is known about y there.
  Suggestion open_model_trial(std::vector<double> x) {
    const gp::Moments moments = posterior_.at(scaling_.to_model(box_.to_unit(x)));
    const double observation_sd = std::sqrt(moments.variance + config_.noise_variance);
    const double half_width = std::sqrt(config_.beta) * observation_sd;
    model_predictions_.emplace_back(ModelPrediction{moments, standardizer_});
    return open_trial(std::move(x),
                      Prediction{.mean = standardizer_.from_z(moments.mean),
                                 .sd = standardizer_.length_from_z(std::sqrt(moments.variance)),
                                 .width = standardizer_.length_from_z(2.0 * half_width),
                                 .observation_sd = standardizer_.length_from_z(observation_sd),
                                 .beta = config_.beta,
                                 .acquisition = acquisition::value_at(acquisition_, moments).value,
                                 .lengthscales = lengthscales_,
                                 .multiplier = rule_->multiplier(),
                                 .phase = rule_->phase(),
                                 .jitter = posterior_.jitter(),
                                 .objective_evaluations = std::exchange(evaluations_of_fit_, 0)});
  }

  /// Adds an observation to the data; returns its position there. A fit that no suggestion came of
  /// is undone: only asks and tells may leave a trace.
  Index record(Trial& trial, double y) {
    if (rule_before_fit_) rule_ = *std::exchange(rule_before_fit_, std::nullopt);
    trial.y = y;
    observed_.push_back(trial.id);
    units_.push_back(box_.to_unit(trial.x));
    y_.push_back(y);
    fit_is_stale_ = true;
    return static_cast<Index>(y_.size()) - 1;
  }

  void observe_without_prediction(Index point) {
    if (rounds_ > 0) {
      rule_->observe_unasked(point, config_.beta);
      return;
    }
    rule_->observe_initial(point, config_.beta);
    initial_points_ = point + 1;
  }

  /// L^s = log(1 + var/s2) / log(1 + 1/s2),  L^c = |y - mu|^p / (sqrt(beta) sqrt(var + s2))^p - 1.
  Feedback give_feedback(const Trial& trial, Index point) {
    const auto& [moments, before] = *model_predictions_[trial.id];
    const Standardizer scale =
        config_.data.loss_statistics == LossStatistics::before ? before : current_statistics();
    const double s2 = config_.noise_variance;
    // Residual and sd in units of `scale`; the two agree unless losses use the later statistics.
    const double ratio = before.scale / scale.scale;
    const double unit = before.sd / scale.sd * ratio;
    const double mean = (moments.mean * before.sd + before.mean) * ratio;
    const double residual = std::abs(*trial.y / scale.scale - mean) / scale.sd;
    const double variance = moments.variance * unit * unit;
    // A value of another order of magnitude must not make the losses, and all sums of them,
    // infinite.
    constexpr double kLargestResidual = 1e150;
    const double standardised =
        std::min(residual / (std::sqrt(config_.beta) * std::sqrt(variance + s2)), kLargestResidual);

    Feedback feedback;
    feedback.sharpness_loss = std::log1p(variance / s2) / std::log1p(1.0 / s2);
    feedback.calibration_loss = std::pow(standardised, config_.primal.exponent) - 1.0;
    feedback.covered = std::abs(before.to_z(*trial.y) - moments.mean) <=
                       std::sqrt(config_.beta) * std::sqrt(moments.variance + s2);
    rule_->observe_prediction({.point = point,
                               .theta = trial.prediction->lengthscales,
                               .variance = moments.variance,
                               .noise_variance = config_.noise_variance,
                               .beta = config_.beta,
                               .multiplier = std::sqrt(config_.beta),
                               .dual_multiplier = trial.prediction->multiplier.value_or(0.0),
                               .calibration_loss = feedback.calibration_loss});
    violation_ += feedback.calibration_loss;
    feedback.violation = rule_->violation().value_or(violation_);
    return feedback;
  }

  // Identity.
  std::vector<Bounds> bounds_;
  Config config_;
  std::uint64_t seed_;
  space::Box box_;
  Index dimension_;

  // What happened.
  std::vector<Trial> trials_;
  std::vector<Event> log_;
  int rounds_ = 0;
  std::size_t initial_asks_ = 0;

  // The data, in the order in which they were told.
  std::vector<TrialId> observed_;
  std::vector<std::vector<double>> units_;
  std::vector<double> y_;
  Index initial_points_ = 0;  // of these, told before the first round
  std::vector<std::optional<ModelPrediction>> model_predictions_;  // by trial

  // The model.
  learners::RuleHandle rule_;
  std::optional<learners::RuleHandle> rule_before_fit_;
  gp::Inputs inputs_;
  InputScaling scaling_;
  Standardizer standardizer_;
  Vector z_;
  std::vector<double> lengthscales_;
  gp::Posterior posterior_;
  acquisition::Acquisition acquisition_;
  acquisition::Maximiser maximiser_;
  bool fit_is_stale_ = true;
  int evaluations_of_fit_ = 0;
  double violation_ = 0.0;            // of the methods that do not keep their own
  std::vector<TrialId> conditioned_;  // pending trials that the posterior accounts for
};

Optimizer::Optimizer(std::vector<Bounds> bounds, const Config& config, std::uint64_t seed)
    : impl_(std::make_unique<Impl>(std::move(bounds), config, seed)) {}

Optimizer::Optimizer(const Optimizer& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Optimizer::Optimizer(Optimizer&& other) noexcept = default;
Optimizer& Optimizer::operator=(const Optimizer& other) {
  if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}
Optimizer& Optimizer::operator=(Optimizer&& other) noexcept = default;
Optimizer::~Optimizer() = default;

Optimizer Optimizer::replay(std::vector<Bounds> bounds, const Config& config, std::uint64_t seed,
                            std::span<const Event> log) {
  Optimizer optimizer(std::move(bounds), config, seed);
  for (std::size_t i = 0; i < log.size(); ++i) {
    const Event& event = log[i];
    const TrialId next = optimizer.trials().size();
    if (event.kind != Event::Kind::tell && event.trial != next) {
      throw Error(ErrorCode::invalid_value, fmt::format("log[{}].trial", i),
                  fmt::format("{} does not continue the log; {} would", event.trial, next));
    }
    switch (event.kind) {
      case Event::Kind::ask: optimizer.impl_->replay_ask(event.x); break;
      case Event::Kind::tell: optimizer.tell(event.trial, event.y); break;
      case Event::Kind::tell_extra: optimizer.tell(event.x, event.y); break;
    }
  }
  return optimizer;
}

Suggestion Optimizer::ask() {
  fit();
  return suggest();
}
void Optimizer::fit() { impl_->fit(); }
Suggestion Optimizer::suggest() { return impl_->suggest(); }
void Optimizer::tell(TrialId trial, double y) { impl_->tell(trial, y); }
TrialId Optimizer::tell(std::span<const double> x, double y) { return impl_->tell(x, y); }
const Trial& Optimizer::recommendation() const { return impl_->recommendation(); }
const std::vector<Trial>& Optimizer::trials() const noexcept { return impl_->trials(); }
const std::vector<Event>& Optimizer::log() const noexcept { return impl_->log(); }
const std::vector<Bounds>& Optimizer::bounds() const noexcept { return impl_->bounds(); }
const Config& Optimizer::config() const noexcept { return impl_->config(); }
int Optimizer::rounds() const noexcept { return impl_->rounds(); }

}  // namespace oscbo
