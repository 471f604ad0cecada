#include "oscbo/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "acquisition/maximiser.hpp"
#include "acquisition/thompson.hpp"
#include "learners/fitter.hpp"
#include "learners/point_subset.hpp"
#include "learners/registry.hpp"
#include "numeric/parallel.hpp"
#include "numeric/sobol.hpp"
#include "optimizer/confidence_width.hpp"
#include "optimizer/initial_design.hpp"
#include "optimizer/input_scaling.hpp"
#include "optimizer/memory_limit.hpp"
#include "optimizer/model_prediction.hpp"
#include "optimizer/standardizer.hpp"
#include "optimizer/theory_rounds.hpp"
#include "space/box.hpp"

namespace oscbo {

using acquisition::SearchResult;
using numeric::Index;
using numeric::Vector;

namespace {

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
        width_(config, dimension_),
        whole_model_(gp::make_kernel(config.kernel), config.noise_variance),
        partial_model_(whole_model_),
        maximiser_(config.acquisition) {
    whole_model_.reserve(learners::expected_points(config), dimension_);
  }

  // --- ask -------------------------------------------------------------------------------------

  /// The initial design lasts until enough points are under way, and something is known.
  [[nodiscard]] bool in_initial_design() const {
    return trials_.size() < static_cast<std::size_t>(config_.data.initial_points) || y_.empty();
  }

  [[nodiscard]] bool has_model() const {
    return !in_initial_design() && !is_control(config_.acquisition.kind);
  }

  void fit() {
    if (!has_model() || !fit_is_stale_) return;
    check_memory(config_, y_.size());
    const numeric::ThreadLimit limit(config_.threads);
    standardise();
    scale_inputs();
    if (rule_before_fit_) {
      rule_ = *rule_before_fit_;  // an earlier fit did not come to an end
    } else {
      rule_before_fit_ = rule_;
    }
    const int before = rule_->evaluations();
    settings_ = rule_->next_settings(observations(), rounds_ + 1);
    evaluations_of_fit_ = rule_->evaluations() - before;
    condition_model();
    beta_ = width_.beta(inputs_.size(), model().information_gain());
    information_bound_ = width_.information_bound(inputs_.size(), model().information_gain());
    conditioned_.clear();
    fit_is_stale_ = false;
  }

  Suggestion suggest() {
    if (!has_model()) return open_trial(box_.from_unit(next_design_point()), std::nullopt);
    fit();
    const numeric::ThreadLimit limit(config_.threads);
    condition_on_pending();
    const SearchResult found = search();
    Suggestion suggestion = open_model_trial(box_.from_unit(scaling_.to_unit(found.x)));
    suggestion.failed_restarts = found.failed_restarts;
    return suggestion;
  }

  /// Repeats an ask of the log: what `suggest` would do, without the search.
  void replay_ask(const std::vector<double>& x) {
    box_.check(x, "x");
    if (!has_model()) {
      open_trial(x, std::nullopt);
      return;
    }
    fit();
    const numeric::ThreadLimit limit(config_.threads);
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
    if (config_.data.observation_noise_sd > 0.0 && has_model()) {
      Impl fitted(*this);
      fitted.fit();
      fitted.with_model_of_all([&] {
        const Vector means = fitted.model().fitted_means();
        std::copy_n(means.begin(), merit.size(), merit.begin());
      });
    }
    const auto best = std::max_element(merit.begin(), merit.end()) - merit.begin();
    return trials_[observed_[static_cast<std::size_t>(best)]];
  }

  std::vector<Prediction> predict(std::span<const std::vector<double>> points) {
    for (const std::vector<double>& x : points) box_.check(x, "x");
    if (!has_model()) {
      throw Error(ErrorCode::conflict, "predict",
                  "there is no model yet: the initial design comes first");
    }
    fit();
    std::vector<Prediction> predictions;
    predictions.reserve(points.size());
    with_model_of_all([&] {
      for (const std::vector<double>& x : points) predictions.push_back(in_units_of_y(predict(x)));
    });
    return predictions;
  }

  /// The theory's view of the run, with the data standardised and scaled as they would be now.
  [[nodiscard]] TheoryReport theory(std::optional<double> reference_lengthscale) const {
    if (reference_lengthscale) check_reference(*reference_lengthscale);
    const numeric::ThreadLimit limit(config_.threads);
    Impl current(*this);
    if (!y_.empty()) {
      current.standardise();
      current.scale_inputs();
    }
    RunRecord record{.config = config_,
                     .seed = seed_,
                     .inputs = current.inputs_,
                     .z = current.z_,
                     .one_at_a_time = asked_one_at_a_time(),
                     .rounds = {}};
    for (std::size_t i = 0; i < observed_.size(); ++i) {
      const TrialId id = observed_[i];
      if (!trials_[id].feedback) continue;
      record.rounds.push_back(predicted_round(static_cast<Index>(i), trials_[id]));
    }
    return theory_report(record, reference_lengthscale);
  }

  [[nodiscard]] const std::vector<Trial>& trials() const { return trials_; }
  [[nodiscard]] const std::vector<Event>& log() const { return log_; }
  [[nodiscard]] const std::vector<Bounds>& bounds() const { return bounds_; }
  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] int rounds() const { return rounds_; }
  [[nodiscard]] std::size_t model_bytes() const {
    return sizeof(double) *
           static_cast<std::size_t>(whole_model_.doubles_held() + partial_model_.doubles_held());
  }

 private:
  void check_reference(double lengthscale) const {
    if (config_.kernel.family == KernelFamily::network) {
      throw Error(ErrorCode::invalid_value, "reference",
                  "is not accepted with kernel=ibnn, which has no lengthscales");
    }
    if (!(lengthscale >= 1e-6 && lengthscale <= 1e6)) {
      throw Error(ErrorCode::invalid_value, "reference",
                  fmt::format("{} is not accepted; use number in [1e-06, 1000000]", lengthscale));
    }
  }

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

  /// Fits the posterior, or the two of them, that the rule's settings ask for.
  void condition_model() {
    const learners::ChosenObservations data(observations(), settings_.points);
    const gp::Affine& affine = settings_.affine;
    const Vector z = (data.y().array() - affine.location) / affine.scale;
    model_units_ = standardizer_.then(affine.location, affine.scale);
    bool ok =
        model().fit(data.inputs(), z, settings_.theta, settings_.noise_variance, settings_.base).ok;
    if (settings_.spread) {
      ok = ok && model().fit_spread(data.inputs(), z, settings_.spread->theta, settings_.base).ok;
    }
    if (!ok) {
      throw Error(ErrorCode::internal, "lengthscales", "the kernel matrix cannot be factorized");
    }
  }

  [[nodiscard]] learners::Observations observations() const {
    return {.inputs = inputs_, .y = z_, .initial_points = initial_points_};
  }

  /// The model of this round. That of all observations is kept while others are looked at.
  [[nodiscard]] gp::Surrogate& model() {
    return settings_.points.empty() ? whole_model_ : partial_model_;
  }
  [[nodiscard]] const gp::Surrogate& model() const {
    return settings_.points.empty() ? whole_model_ : partial_model_;
  }

  /// Calls `look` with a model of all observations in force, whatever the next query looks at.
  template <class Look>
  void with_model_of_all(Look&& look) {
    if (settings_.points.empty()) return look();
    const numeric::ThreadLimit limit(config_.threads);
    const RoundKept kept(*this);
    learners::RuleHandle rule = rule_;
    settings_ = rule->whole_settings(observations(), rounds_ + 1);
    if (!std::exchange(settings_.points, {}).empty()) settings_.base = 0;
    condition_model();
    if (!std::exchange(conditioned_, {}).empty()) condition_on_pending();
    look();
  }

  /// Puts back, at the end of its life, what says which model is in force.
  class RoundKept {
   public:
    explicit RoundKept(Impl& impl)
        : impl_(impl),
          settings_(impl.settings_),
          units_(impl.model_units_),
          conditioned_(impl.conditioned_) {}
    RoundKept(const RoundKept&) = delete;
    RoundKept(RoundKept&&) = delete;
    RoundKept& operator=(const RoundKept&) = delete;
    RoundKept& operator=(RoundKept&&) = delete;
    ~RoundKept() {
      std::swap(impl_.settings_, settings_);
      impl_.model_units_ = units_;
      std::swap(impl_.conditioned_, conditioned_);
    }

   private:
    Impl& impl_;
    learners::ModelSettings settings_;
    Standardizer units_;
    std::vector<TrialId> conditioned_;
  };

  [[nodiscard]] double confidence_multiplier() const {
    return settings_.multiplier.value_or(std::sqrt(beta_));
  }

  /// The acquisition function of this round; Thompson sampling has none of its own and reports the
  /// confidence bound.
  [[nodiscard]] acquisition::Acquisition acquisition() const {
    const AcquisitionKind kind = config_.acquisition.kind == AcquisitionKind::thompson
                                     ? AcquisitionKind::ucb
                                     : config_.acquisition.kind;
    const bool noisy = settings_.spread && settings_.spread->includes_noise;
    return acquisition::make_acquisition(kind,
                                         {.multiplier = confidence_multiplier(),
                                          .added_variance = noisy ? model().noise_variance() : 0.0,
                                          .best = value_to_beat()});
  }

  /// In the model's units: the best observation, or what the model makes of it and its like.
  [[nodiscard]] double value_to_beat() const {
    const gp::Affine& affine = settings_.affine;
    if (config_.acquisition.best == BestValue::observed) {
      return (z_.maxCoeff() - affine.location) / affine.scale;
    }
    return model().fitted_means().maxCoeff() + settings_.margin;
  }

  /// Where the next point is searched for, as the rule's settings say.
  [[nodiscard]] acquisition::SearchArea search_area() const {
    acquisition::SearchArea area{.box = scaling_.search_box(), .excluded = settings_.excluded};
    if (settings_.lower.size() > 0) area.box = {settings_.lower, settings_.upper};
    Index best = 0;
    if (config_.acquisition.best == BestValue::observed) {
      z_.maxCoeff(&best);
    } else {
      model().fitted_means().maxCoeff(&best);
      if (!settings_.points.empty()) best = settings_.points[static_cast<std::size_t>(best)];
    }
    const std::vector<double> incumbent = inputs_.point(best);
    area.incumbent = Eigen::Map<const Vector>(incumbent.data(), dimension_);
    return area;
  }

  [[nodiscard]] SearchResult search() {
    const acquisition::SearchArea area = search_area();
    const auto step = static_cast<std::uint64_t>(rounds_) + 1;
    if (config_.acquisition.kind != AcquisitionKind::thompson) {
      return maximiser_.maximise(model(), acquisition(), area, seed_, step);
    }
    return acquisition::maximise_sample(model(), area, config_.acquisition.candidates, seed_, step);
  }

  [[nodiscard]] std::vector<double> next_design_point() const {
    const std::size_t dimension = bounds_.size();
    const auto initial_points = static_cast<std::size_t>(config_.data.initial_points);
    if (is_control(config_.acquisition.kind) && initial_asks_ >= initial_points) {
      return control_point(config_.acquisition.kind, dimension, initial_asks_, seed_);
    }
    return initial_point(config_.data.design, dimension, initial_points, initial_asks_, seed_);
  }

  void condition_on_pending() {
    for (const Trial& trial : trials_) {
      if (trial.y ||
          std::find(conditioned_.begin(), conditioned_.end(), trial.id) != conditioned_.end()) {
        continue;
      }
      model().condition_on_pending(scaling_.to_model(box_.to_unit(trial.x)));
      conditioned_.push_back(trial.id);
    }
  }

  [[nodiscard]] PredictedRound predicted_round(Index point, const Trial& trial) const {
    const ModelPrediction& prediction = *model_predictions_[trial.id];
    return {.point = point,
            .beta = prediction.beta,
            .variance = prediction.moments.variance,
            .noise_variance = prediction.noise_variance,
            .prior_variance = prediction.prior_variance,
            .unit = prediction.standardizer.length_from_z(1.0),
            .residual = std::abs(*trial.y - trial.prediction->mean),
            .feedback = *trial.feedback,
            .information_bound = prediction.information_bound};
  }

  /// Whether every point was asked when the values of all earlier ones were known.
  [[nodiscard]] bool asked_one_at_a_time() const {
    std::ptrdiff_t pending = 0;
    for (const Event& event : log_) {
      if (event.kind == Event::Kind::tell) --pending;
      if (event.kind == Event::Kind::ask && pending++ > 0) return false;
    }
    return true;
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

  [[nodiscard]] ModelPrediction predict(const std::vector<double>& x) {
    const gp::Moments moments = model().at(scaling_.to_model(box_.to_unit(x)));
    return {.moments = {.mean = moments.mean, .variance = settings_.inflation * moments.variance},
            .noise_variance = settings_.inflation * model().noise_variance(),
            .prior_variance = settings_.inflation,
            .acquisition = acquisition::value_at(acquisition(), moments).value,
            .log_improvement =
                acquisition::LogExpectedImprovement{.best = value_to_beat()}.at(moments).value,
            .beta = beta_,
            .multiplier = confidence_multiplier(),
            .information_bound = information_bound_,
            .standardizer = model_units_};
  }

  [[nodiscard]] Prediction in_units_of_y(const ModelPrediction& prediction) const {
    const Standardizer& units = prediction.standardizer;
    const double sd = prediction.observation_sd();
    return {.mean = units.from_z(prediction.moments.mean),
            .sd = units.length_from_z(std::sqrt(prediction.moments.variance)),
            .width = units.length_from_z(2.0 * std::sqrt(prediction.beta) * sd),
            .observation_sd = units.length_from_z(sd),
            .beta = prediction.beta,
            .acquisition = prediction.acquisition,
            .lengthscales = shown_lengthscales(),
            .multiplier = rule_->multiplier(),
            .phase = rule_->phase(),
            .jitter = model().jitter()};
  }

  /// theta, less what a kernel has beside its lengthscales.
  [[nodiscard]] std::vector<double> shown_lengthscales() const {
    const Index count = config_.kernel.additive ? gp::lengthscale_count(config_.kernel, dimension_)
                                                : settings_.theta.size();
    return {settings_.theta.begin(), settings_.theta.begin() + count};
  }

  /// Records the prediction in force at x before anything is known about y there.
  Suggestion open_model_trial(std::vector<double> x) {
    model_predictions_.emplace_back(predict(x));
    rule_->observe_suggestion(model_predictions_.back()->log_improvement);
    Prediction prediction = in_units_of_y(*model_predictions_.back());
    prediction.objective_evaluations = std::exchange(evaluations_of_fit_, 0);
    return open_trial(std::move(x), std::move(prediction));
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
    const double beta = width_.beta(point);
    if (rounds_ > 0) {
      rule_->observe_unasked(point, beta);
      return;
    }
    rule_->observe_initial(point, beta);
    initial_points_ = point + 1;
  }

  Feedback give_feedback(const Trial& trial, Index point) {
    const ModelPrediction& prediction = *model_predictions_[trial.id];
    const Standardizer scale = config_.data.loss_statistics == LossStatistics::before
                                   ? prediction.standardizer
                                   : current_statistics();
    Feedback feedback = judge(prediction, *trial.y, scale, config_.primal.exponent);
    rule_->observe_prediction({.point = point,
                               .theta = trial.prediction->lengthscales,
                               .variance = prediction.moments.variance,
                               .noise_variance = prediction.noise_variance,
                               .beta = prediction.beta,
                               .multiplier = prediction.multiplier,
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
  Standardizer model_units_;  // standardised once more, as the rule's settings say
  learners::ModelSettings settings_;
  ConfidenceWidth width_;
  double beta_ = 0.0;                        // in force
  std::optional<double> information_bound_;  // likewise
  gp::Surrogate whole_model_;
  gp::Surrogate partial_model_;
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

TheoryReport theory(const Optimizer& optimizer, std::optional<double> reference_lengthscale) {
  return optimizer.impl_->theory(reference_lengthscale);
}

Suggestion Optimizer::ask() {
  fit();
  return suggest();
}
std::vector<Suggestion> Optimizer::ask(int count) {
  constexpr int kMost = 10000;
  if (count < 1 || count > kMost) {
    throw Error(ErrorCode::invalid_value, "count",
                fmt::format("{} is not accepted; use an integer in [1, {}]", count, kMost));
  }
  std::vector<Suggestion> batch;
  batch.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) batch.push_back(ask());
  return batch;
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
std::size_t Optimizer::model_bytes() const noexcept { return impl_->model_bytes(); }
int Optimizer::rounds() const noexcept { return impl_->rounds(); }
std::vector<Prediction> Optimizer::predict(std::span<const std::vector<double>> points) {
  return impl_->predict(points);
}

}  // namespace oscbo
