// auto: the game for a model that learns everything.
//
// Primal player: for a multiplier lambda, it chooses the sharpest calibrated model, which minimises
//
//   sum_j [ log(scale^2 L_jj^2) / 2  +  lambda z_j^2 / (2 scale^2) ]  -  log prior
//
// over lengthscales, weight of the single parameters, noise, location and scale. L is the Cholesky
// factor of the kernel matrix with noise, and z = L^-1 (y - location) are the residuals. As in the
// paper's game, the logarithms are sharpness, the squares are calibration, and lambda is the price
// of one in terms of the other. Here only the scale depends on lambda: scale^2 = lambda (|z|^2 + 1)
// / (n + 1), where each +1 is due to the imaginary observation of gp/lengthscale_objective.hpp.
// Everything else is the mode of the posterior (model/posterior_mode.hpp).
//
// Dual player: mirror descent on lambda. An observation outside its interval of miss rate delta
// raises lambda and so widens later predictions. An observation inside lowers lambda a little.
//
// Rounds use different observations for their model. Some use all of them. Some use those close to
// the best one, for a finer picture of its surroundings. Once a hill is climbed and no improvement
// is expected on it, the hill is locked: most rounds use the observations outside it, so that the
// budget goes to other hills.
//
// With many observations, the hyperparameters of the model of all of them are kept for a while
// (learners/refit_schedule.hpp). No hill is locked then, because the many
// observations show the hills by themselves.
//
// While points are pending, other workers already refine the best point, and their results come
// late. So every second look near the best point goes further, to the next valley. A round whose
// result could hardly be followed up within the budget refines the best point.
#include "model/auto_learner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gp/kernel_options.hpp"
#include "gp/posterior.hpp"
#include "learners/point_subset.hpp"
#include "model/auto_options.hpp"
#include "model/gp_strategy.hpp"
#include "model/near_best.hpp"
#include "model/strategy_factories.hpp"
#include "numeric/quantile.hpp"
#include "online/game_options.hpp"
#include "online/play_recovery.hpp"

namespace oscbo::model {

using learners::ChosenObservations;

namespace {

constexpr double kLargestMultiplier = 1e6;
// Pending points will also gain something on a hill, so a hill counts as climbed earlier.
constexpr double kPerPending = 3.0;

/// typical_noise returns the median noise variance of the observations, in units of the model.
double typical_noise(const Observations& observations, const FittedModel& model) {
  if (observations.known_noise.empty()) return model.noise_variance;
  std::vector<double> noise = gp::noise_in_units(observations.known_noise, model.affine.scale);
  for (double& variance : noise) {
    if (std::isnan(variance)) variance = model.noise_variance;
  }
  return numeric::linear_quantile(noise, 0.5).of(noise);
}

}  // namespace

AutoLearner::AutoLearner(const Config& config, const gp::Layout& layout, std::uint64_t seed)
    : config_(config),
      layout_(layout),
      models_(config, layout),
      dual_(online::initial_multiplier(config), kLargestMultiplier,
            config.get<online::DualOptions>().rate, config.get<online::DualOptions>().regulariser),
      views_(config.get<AutoOptions>(), config.budget),
      hills_(layout.parameters(), seed) {}

GpRound AutoLearner::next(const Observations& observations, int round) {
  const bool was_climbed = std::exchange(is_climbed_, false);
  if (models_.is_kept(observations.inputs.size())) {
    hills_.open();
  } else if (was_climbed) {
    lock_best_hill(observations);
  }
  is_judged_ = false;
  locks_below_ =
      config_.get<AutoOptions>().locks_below * (1.0 + kPerPending * observations.pending);
  const auto [view, looks_far] =
      views_.next(round, observations.pending, !hills_.empty(), is_noisy_);
  GpRound next;
  if (view == View::near_best) look_near_best(observations, looks_far, next);
  if (view == View::unlocked) look_beyond_hills(observations, next);
  fit(observations, next.settings.points.empty() ? View::all : view, next);
  return next;
}

GpRound AutoLearner::all(const Observations& observations, int /*round*/) {
  GpRound whole;
  fit(observations, View::all, whole);
  return whole;
}

void AutoLearner::observe_suggestion(double log_improvement) {
  if (std::exchange(is_judged_, true) || view_ == View::near_best || is_noisy_) return;
  if (!layout_.is_plain()) return;  // hills exist only in a plain box
  is_climbed_ = std::exp(log_improvement) * relative_scale_ < locks_below_;
}

void AutoLearner::observe_prediction(const PredictionFeedback& feedback) {
  const bool miss = feedback.calibration_loss > 0.0;
  dual_.observe_utility(config_.delta - (miss ? 1.0 : 0.0));
  models_.observe(feedback, miss);
}

// --- the model -------------------------------------------------------------------------------

void AutoLearner::fit(const Observations& observations, View view, GpRound& round) {
  const FittedModel model = fitted_model(observations, view, round);
  view_ = view;
  relative_scale_ = model.relative_scale;
  round.settings.theta = model.theta;
  round.settings.noise_variance = model.noise_variance;
  round.settings.affine = model.affine;
  round.inflation = dual_.next_element();
  heed_noise(std::sqrt(typical_noise(observations, model)), round.plan);
}

FittedModel AutoLearner::fitted_model(const Observations& observations, View view, GpRound& round) {
  if (view == View::all) {
    const FittedModel& model = models_.of_all(observations);
    round.settings.base = models_.base();
    return model;
  }
  const ChosenObservations data(observations, round.settings.points);
  const SearchPlan& plan = round.plan;
  const Vector sides =
      plan.is_whole_box() ? Vector::Ones(layout_.parameters()) : Vector(plan.upper - plan.lower);
  return models_.of_some(data.get(), sides, view);
}

/// heed_noise gives up hills and the surroundings of the best point when noise hides them.
void AutoLearner::heed_noise(double noise_sd, SearchPlan& plan) {
  if (view_ != View::near_best) {
    is_noisy_ = noise_sd * relative_scale_ > config_.get<AutoOptions>().noisy_above;
  }
  if (!is_noisy_) return;
  hills_.open();
  plan.margin = config_.get<AutoOptions>().noise_margin * noise_sd;
}

// --- what a round looks at -------------------------------------------------------------------

/// look_near_best keeps the search among the observations near the best one.
void AutoLearner::look_near_best(const Observations& observations, bool looks_far, GpRound& round) {
  std::vector<Index>& points = round.settings.points;
  points = points_near_best(observations, layout_, models_.lengthscales(View::all), looks_far);
  stay_among(points, observations.inputs, layout_, round.plan);
  round.notes.emplace_back("a model of the surroundings of the best point");
}

/// look_beyond_hills keeps the search off the hills. The model uses the observations outside them,
/// or all observations if too few are outside.
void AutoLearner::look_beyond_hills(const Observations& observations, GpRound& round) {
  constexpr std::size_t kFewestPoints = 5;
  std::vector<Index> points = hills_.unlocked_points(observations.inputs);
  if (points.size() >= kFewestPoints) round.settings.points = std::move(points);
  round.plan.excluded = hills_.list();
  round.notes.emplace_back("a search outside the hills that have been climbed");
}

/// lock_best_hill locks the hill of the best observation that is on no locked hill.
void AutoLearner::lock_best_hill(const Observations& observations) {
  const std::vector<Index> points = hills_.unlocked_points(observations.inputs);
  if (points.empty()) return;
  const Index summit = *std::max_element(points.begin(), points.end(), [&](Index a, Index b) {
    return observations.y[a] < observations.y[b];
  });

  const ChosenObservations data(observations, hills_.empty() ? std::vector<Index>{} : points);
  const FittedModel model = models_.keep(data.get(), view_);
  gp::Posterior posterior(gp::make_kernel(config_.get<gp::KernelOptions>(), layout_),
                          model.noise_variance);
  const Vector centred = data.y().array() - model.affine.location;
  const std::vector<double> noise = gp::noise_in_units(data.known_noise(), model.affine.scale);
  if (!posterior.fit(data.inputs(), centred, model.theta, noise).ok) return;
  models_.forget(View::unlocked);
  hills_.lock(std::make_shared<const gp::Basin>(posterior.mean_function(),
                                                observations.inputs.point(summit),
                                                model.theta.head(layout_.parameters())));
}

std::unique_ptr<ModelStrategy> make_auto_strategy(const Config& config, const gp::Layout& layout,
                                                  std::uint64_t seed) {
  return std::make_unique<GpStrategy<AutoLearner>>(config, layout, seed);
}

}  // namespace oscbo::model
