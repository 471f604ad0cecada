#include "optimizer/quantity_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "learners/fitter.hpp"
#include "learners/point_subset.hpp"
#include "numeric/parallel.hpp"
#include "optimizer/memory_limit.hpp"
#include "oscbo/error.hpp"

namespace oscbo {

using numeric::Index;
using numeric::Vector;

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

}  // namespace

QuantityModel::QuantityModel(const Config& config, const gp::Layout& layout, std::uint64_t seed)
    : config_(config),
      layout_(layout),
      rule_(learners::make_rule(config, layout, seed)),
      width_(config, layout.parameters()),
      inputs_(layout.columns(), learners::expected_points(config)),
      scaling_(InputScaling::identity(layout.columns())),
      whole_model_(gp::make_kernel(config.kernel, layout), config.noise_variance),
      partial_model_(whole_model_) {
  whole_model_.reserve(learners::expected_points(config), layout.columns());
}

// --- observations --------------------------------------------------------------------------------

Index QuantityModel::add(std::vector<double> columns, double y, std::optional<double> variance) {
  forget_fit();
  columns_.push_back(std::move(columns));
  y_.push_back(y);
  if (variance || !variances_.empty()) {
    variances_.resize(y_.size(), std::numeric_limits<double>::quiet_NaN());
    if (variance) variances_.back() = *variance;
  }
  return static_cast<Index>(y_.size()) - 1;
}

void QuantityModel::observe_unpredicted(Index point, bool before_rounds) {
  const double beta = width_.beta(point);
  if (!before_rounds) {
    rule_->observe_unasked(point, beta);
    return;
  }
  rule_->observe_initial(point, beta);
  initial_points_ = point + 1;
}

Feedback QuantityModel::give_feedback(const Prediction& shown, const ModelPrediction& prediction,
                                      double y, std::optional<double> variance, Index point) {
  const Standardizer scale = config_.data.loss_statistics == LossStatistics::before
                                 ? prediction.standardizer
                                 : current_statistics();
  const ModelPrediction judged = variance ? prediction.with_noise(*variance) : prediction;
  Feedback feedback = judge(judged, y, scale, config_.primal.exponent);
  rule_->observe_prediction({.point = point,
                             .theta = shown.lengthscales,
                             .variance = judged.moments.variance,
                             .noise_variance = judged.noise_variance,
                             .beta = judged.beta,
                             .multiplier = judged.multiplier,
                             .dual_multiplier = shown.multiplier.value_or(0.0),
                             .calibration_loss = feedback.calibration_loss});
  violation_ += feedback.calibration_loss;
  feedback.violation = rule_->violation().value_or(violation_);
  return feedback;
}

/// The statistics of the data told so far, as the configured rule takes them.
Standardizer QuantityModel::current_statistics() const {
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

void QuantityModel::standardise() {
  standardizer_ = current_statistics();
  z_.resize(static_cast<Index>(y_.size()));
  // Statistics that do not follow the data may leave an observation anywhere; squares stay
  // finite.
  constexpr double kLargestScore = 1e150;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    z_[static_cast<Index>(i)] =
        std::clamp(standardizer_.to_z(y_[i]), -kLargestScore, kLargestScore);
  }
  noise_.resize(variances_.size());
  // An observation this uncertain says nothing, and more would not say less.
  constexpr double kLargestNoise = 1e12;
  std::transform(variances_.begin(), variances_.end(), noise_.begin(), [&](double variance) {
    return std::isnan(variance) ? variance
                                : std::min(standardizer_.variance_to_z(variance), kLargestNoise);
  });
}

/// Brings the kernel's inputs up to date: new points are appended, unless the scaling itself
/// follows the data.
void QuantityModel::scale_inputs() {
  if (config_.data.inputs == InputNormalisation::data) {
    scaling_ = InputScaling::of(columns_, layout_);
    inputs_ = gp::Inputs(layout_.columns(), static_cast<Index>(columns_.size()));
  }
  for (auto i = static_cast<std::size_t>(inputs_.size()); i < columns_.size(); ++i) {
    inputs_.append(scaling_.to_model(columns_[i]));
  }
}

void QuantityModel::refresh() {
  if (y_.empty()) return;
  standardise();
  scale_inputs();
}

learners::Observations QuantityModel::observations() const {
  return {.inputs = inputs_,
          .y = z_,
          .initial_points = initial_points_,
          .known_noise = noise_,
          .best = best_,
          .pending = pending_};
}

// --- the model of a round ------------------------------------------------------------------------

void QuantityModel::fit(int round, std::optional<Index> best, int pending) {
  if (!fit_is_stale_) return;
  check_memory(config_, y_.size());
  best_ = best;
  pending_ = pending;
  refresh();
  if (rule_before_fit_) {
    rule_ = *rule_before_fit_;  // an earlier fit did not come to an end
  } else {
    rule_before_fit_ = rule_;
  }
  const int before = rule_->evaluations();
  settings_ = rule_->next_settings(observations(), round);
  evaluations_of_fit_ = rule_->evaluations() - before;
  condition_model();
  beta_ = width_.beta(inputs_.size(), model().information_gain());
  information_bound_ = width_.information_bound(inputs_.size(), model().information_gain());
  conditioned_.clear();
  best_pending_ = kNothing;
  fit_is_stale_ = false;
}

void QuantityModel::forget_fit() {
  if (rule_before_fit_) rule_ = *std::exchange(rule_before_fit_, std::nullopt);
  fit_is_stale_ = true;
}

void QuantityModel::use_fit(std::optional<double> log_improvement) {
  if (log_improvement) rule_->observe_suggestion(*log_improvement);
  rule_before_fit_.reset();  // it is part of the history now
}

int QuantityModel::take_evaluations() { return std::exchange(evaluations_of_fit_, 0); }

/// Fits the posterior, or the two of them, that the rule's settings ask for.
void QuantityModel::condition_model() {
  const learners::ChosenObservations data(observations(), settings_.points);
  const gp::Affine& affine = settings_.affine;
  const Vector z = (data.y().array() - affine.location) / affine.scale;
  const std::vector<double> noise = gp::noise_in_units(data.known_noise(), affine.scale);
  model_units_ = standardizer_.then(affine.location, affine.scale);
  bool ok =
      model()
          .fit(data.inputs(), z, settings_.theta, settings_.noise_variance, settings_.base, noise)
          .ok;
  if (settings_.spread) {
    ok = ok &&
         model().fit_spread(data.inputs(), z, settings_.spread->theta, settings_.base, noise).ok;
  }
  if (!ok) {
    throw Error(ErrorCode::internal, "lengthscales", "the kernel matrix cannot be factorized");
  }
}

gp::Surrogate& QuantityModel::model() {
  return settings_.points.empty() ? whole_model_ : partial_model_;
}

const gp::Surrogate& QuantityModel::model() const {
  return settings_.points.empty() ? whole_model_ : partial_model_;
}

void QuantityModel::condition_on_pending(std::span<const Pending> pending) {
  for (const auto& [trial, columns] : pending) {
    if (std::find(conditioned_.begin(), conditioned_.end(), trial) != conditioned_.end()) continue;
    conditioned_.push_back(trial);
    if (!looks_at(columns)) continue;
    const std::vector<double> x = scaling_.to_model(columns);
    best_pending_ = std::max(best_pending_, model().at(x).mean);
    model().condition_on_pending(x);
  }
}

bool QuantityModel::looks_at(std::span<const double> columns) const {
  if (settings_.points.empty()) return true;
  constexpr double kRounding = 1e-9;
  const std::vector<double> x = scaling_.to_model({columns.begin(), columns.end()});
  for (Index p = 0; p < settings_.lower.size(); ++p) {
    if (!layout_[p].is_plain()) continue;
    const double value = x[static_cast<std::size_t>(layout_[p].first)];
    if (value < settings_.lower[p] - kRounding || value > settings_.upper[p] + kRounding) {
      return false;
    }
  }
  return std::none_of(settings_.excluded.begin(), settings_.excluded.end(),
                      [&](const auto& hill) { return hill->contains(x); });
}

/// Puts back, at the end of its life, what says which model is in force.
class QuantityModel::RoundKept {
 public:
  explicit RoundKept(QuantityModel& owner)
      : owner_(owner),
        settings_(owner.settings_),
        units_(owner.model_units_),
        conditioned_(owner.conditioned_),
        best_pending_(owner.best_pending_) {}
  RoundKept(const RoundKept&) = delete;
  RoundKept(RoundKept&&) = delete;
  RoundKept& operator=(const RoundKept&) = delete;
  RoundKept& operator=(RoundKept&&) = delete;
  ~RoundKept() {
    std::swap(owner_.settings_, settings_);
    owner_.model_units_ = units_;
    std::swap(owner_.conditioned_, conditioned_);
    owner_.best_pending_ = best_pending_;
  }

 private:
  QuantityModel& owner_;
  learners::ModelSettings settings_;
  Standardizer units_;
  std::vector<TrialId> conditioned_;
  double best_pending_;
};

void QuantityModel::with_model_of_all(int round, std::span<const Pending> pending,
                                      const std::function<void()>& look) {
  if (settings_.points.empty()) return look();
  const RoundKept kept(*this);
  learners::RuleHandle rule = rule_;
  settings_ = rule->whole_settings(observations(), round);
  if (!std::exchange(settings_.points, {}).empty()) settings_.base = 0;
  condition_model();
  best_pending_ = kNothing;
  if (!std::exchange(conditioned_, {}).empty()) condition_on_pending(pending);
  look();
}

// --- what it says --------------------------------------------------------------------------------

double QuantityModel::confidence_multiplier() const {
  return settings_.multiplier.value_or(std::sqrt(beta_));
}

acquisition::Acquisition QuantityModel::acquisition() const {
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
double QuantityModel::value_to_beat() const { return std::max(best_known(), best_pending_); }

double QuantityModel::best_known() const {
  const gp::Affine& affine = settings_.affine;
  if (best_) return (z_[*best_] - affine.location) / affine.scale + settings_.margin;
  if (config_.acquisition.best == BestValue::observed) {
    return (z_.maxCoeff() - affine.location) / affine.scale;
  }
  return model().fitted_means().maxCoeff() + settings_.margin;
}

Index QuantityModel::incumbent() const {
  if (best_) return *best_;
  Index best = 0;
  if (config_.acquisition.best == BestValue::observed) {
    z_.maxCoeff(&best);
    return best;
  }
  model().fitted_means().maxCoeff(&best);
  return settings_.points.empty() ? best : settings_.points[static_cast<std::size_t>(best)];
}

ModelPrediction QuantityModel::predict(std::span<const double> columns) {
  const gp::Moments moments = model().at(scaling_.to_model({columns.begin(), columns.end()}));
  return {.moments = {.mean = moments.mean, .variance = settings_.inflation * moments.variance},
          .noise_variance = settings_.inflation * expected_noise(),
          .prior_variance = settings_.inflation,
          .acquisition = acquisition::value_at(acquisition(), moments).value,
          .log_improvement =
              acquisition::LogExpectedImprovement{.best = value_to_beat()}.at(moments).value,
          .beta = beta_,
          .multiplier = confidence_multiplier(),
          .information_bound = information_bound_,
          .standardizer = model_units_};
}

/// The noise of an observation to come, in the model's units: that of the model, or where it has
/// been told so far, what it was on average.
double QuantityModel::expected_noise() const {
  double sum = 0.0;
  double count = 0.0;
  for (const double variance : noise_) {
    if (std::isnan(variance)) continue;
    sum += variance;
    ++count;
  }
  if (count == 0.0) return model().noise_variance();
  return std::max(sum / count / (settings_.affine.scale * settings_.affine.scale),
                  gp::kMinimumVariance);
}

Prediction QuantityModel::in_units_of_y(const ModelPrediction& prediction) const {
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
std::vector<double> QuantityModel::shown_lengthscales() const {
  const Index count = config_.kernel.additive
                          ? gp::lengthscale_count(config_.kernel, layout_.parameters())
                          : settings_.theta.size();
  return {settings_.theta.begin(), settings_.theta.begin() + count};
}

bool QuantityModel::is_noisy() const {
  const bool was_told = std::any_of(variances_.begin(), variances_.end(),
                                    [](double variance) { return variance > 0.0; });
  return was_told || settings_.margin > 0.0;
}

}  // namespace oscbo
