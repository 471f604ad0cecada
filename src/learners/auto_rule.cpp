// auto: the game for a model that learns all there is to learn.
//
// Primal player: for a multiplier lambda, the sharpest calibrated model, that is the minimum of
//
//   sum_j [ log(scale^2 L_jj^2) / 2  +  lambda z_j^2 / (2 scale^2) ]  -  log prior
//
// over lengthscales, weight of the single parameters, noise, location and scale. As in the paper's
// game, the logarithms are sharpness, the squares calibration, and lambda is the price of the one
// in terms of the other. Here the scale answers to lambda alone, scale^2 = lambda (|z|^2 + 1) / (n
// + 1), and everything else is the mode of the posterior (posterior_mode.hpp).
//
// Dual player: mirror descent on lambda. An observation outside its interval of miss rate delta
// raises lambda, and so widens what is predicted next; one inside lowers it a little.
//
// Which observations a round's model is made of differs: all of them; those close to the best one,
// for a finer picture of its surroundings; and once a hill has been climbed, so that no improvement
// is expected any more, those outside it, so that the budget goes to other hills. Where there are
// so many observations that the model of all of them is kept for a while (refit_schedule.hpp), they
// show the hills themselves, and none is closed.
//
// While points are pending, others refine the best point already, and what they find is known late:
// every other look near the best point goes further, to the next valley. When what a round finds
// could hardly be followed up within the budget, it refines.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "learners/point_subset.hpp"
#include "learners/posterior_mode.hpp"
#include "learners/refit_schedule.hpp"
#include "learners/rule_factories.hpp"
#include "numeric/quantile.hpp"
#include "numeric/sobol.hpp"
#include "online/mirror_descent.hpp"
#include "online/play_recovery.hpp"

namespace oscbo::learners {
namespace {

/// Which observations a round's model is made of.
enum class View : std::size_t { all, near_best, unlocked };

class AutoRule final : public LengthscaleRule {
 public:
  AutoRule(const Config& config, const gp::Layout& layout, std::uint64_t seed)
      : config_(config),
        layout_(layout),
        parameters_(layout.parameters()),
        seed_(seed),
        mode_(config, layout),
        dual_(online::initial_multiplier(config), kLargestMultiplier, config.dual.rate,
              config.dual.regulariser),
        schedule_(config) {}

  [[nodiscard]] std::unique_ptr<LengthscaleRule> clone() const override {
    return std::make_unique<AutoRule>(*this);
  }

  const ModelSettings& next_settings(const Observations& observations, int round) override {
    const bool was_climbed = std::exchange(is_climbed_, false);
    if (schedule_.applies(observations.inputs.size())) {
      open_hills();
    } else if (was_climbed) {
      lock_best_hill(observations);
    }
    is_judged_ = false;
    locks_below_ = config_.automatic.locks_below * (1.0 + kPerPending * observations.pending);
    ++fitted_rounds_;
    const bool refines = is_among_the_last(round, observations.pending);
    const View view = refines ? View::near_best : view_of(fitted_rounds_);
    settings_ = {};
    if (view == View::near_best) {
      const bool is_batch = observations.pending > 0 && !refines;
      looks_far_ = is_batch && !looks_far_;
      look_near_best(observations);
    }
    if (view == View::unlocked) look_beyond_hills(observations);
    fit(observations, settings_.points.empty() ? View::all : view);
    return settings_;
  }

  const ModelSettings& whole_settings(const Observations& observations, int /*round*/) override {
    settings_ = {};
    fit(observations, View::all);
    return settings_;
  }

  void observe_suggestion(double log_improvement) override {
    if (std::exchange(is_judged_, true) || view_ == View::near_best || is_noisy_) return;
    if (!layout_.is_plain()) return;  // a hill is one of a plain box
    is_climbed_ = std::exp(log_improvement) * relative_scale_ < locks_below_;
  }

  void observe_prediction(const PredictionFeedback& feedback) override {
    const bool miss = feedback.calibration_loss > 0.0;
    dual_.observe_utility(config_.delta - (miss ? 1.0 : 0.0));
    if (is_of_whole_model(feedback)) schedule_.observe(miss);
  }

  [[nodiscard]] std::optional<double> multiplier() const override { return dual_.next_element(); }
  [[nodiscard]] int evaluations() const override { return mode_.evaluations(); }

 private:
  static constexpr double kLargestMultiplier = 1e6;
  // Of what there is to gain on a hill, pending points will bring their part.
  static constexpr double kPerPending = 3.0;
  // How often what is told can lead to another point before the budget is spent: twice is enough to
  // refine, and what refines longer is missing where other hills are looked for.
  static constexpr int kLastBatches = 2;
  static constexpr std::size_t kOnAHill = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] View view_of(int round) const {
    const int near_best_every = config_.automatic.near_best_every;
    const int return_every = config_.automatic.return_every;
    if (is_noisy_) return View::all;
    if (!hills_.empty()) return round % return_every == 0 ? View::near_best : View::unlocked;
    return near_best_every > 0 && round % near_best_every == 0 ? View::near_best : View::all;
  }

  /// Whether the round is one of the last 2 (pending + 1) of the budget. A value comes back as many
  /// asks later as there are points under way, so nothing that is found elsewhere would be climbed.
  [[nodiscard]] bool is_among_the_last(int round, int pending) const {
    const int left = config_.budget - round;
    if (pending == 0 || is_noisy_ || config_.automatic.near_best_every == 0) return false;
    return left >= 0 && left < kLastBatches * (pending + 1);
  }

  // --- the model -------------------------------------------------------------------------------

  void fit(const Observations& observations, View view) {
    const FittedModel model =
        view == View::all ? whole_model(observations) : find_model(observations, view);
    view_ = view;
    relative_scale_ = model.relative_scale;
    settings_.theta = model.theta;
    settings_.noise_variance = model.noise_variance;
    settings_.affine = model.affine;
    settings_.inflation = dual_.next_element();
    heed_noise(std::sqrt(typical_noise(observations, model)));
  }

  [[nodiscard]] FittedModel find_model(const Observations& observations, View view) {
    const ChosenObservations data(observations, settings_.points);
    const Vector sides = settings_.lower.size() > 0 ? Vector(settings_.upper - settings_.lower)
                                                    : Vector::Ones(parameters_);
    return mode_.find(data.get(), sides, fit_of(view));
  }

  /// The model of all observations, learned anew when the schedule says so.
  const FittedModel& whole_model(const Observations& observations) {
    const Index n = observations.inputs.size();
    if (schedule_.is_due(n)) {
      whole_ = find_model(observations, View::all);
      schedule_.refitted(n);
    } else {
      whole_ = mode_.keep(observations, fit_of(View::all));
      settings_.base = schedule_.last();
    }
    return whole_;
  }

  [[nodiscard]] bool is_of_whole_model(const PredictionFeedback& feedback) const {
    return std::equal(feedback.theta.begin(), feedback.theta.end(), whole_.theta.begin(),
                      whole_.theta.begin() + std::min(parameters_, whole_.theta.size()));
  }

  /// The noise variance of an observation like any other, in units of the model: the median.
  [[nodiscard]] static double typical_noise(const Observations& observations,
                                            const FittedModel& model) {
    if (observations.known_noise.empty()) return model.noise_variance;
    std::vector<double> noise = gp::noise_in_units(observations.known_noise, model.affine.scale);
    for (double& variance : noise) {
      if (std::isnan(variance)) variance = model.noise_variance;
    }
    return numeric::linear_quantile(noise, 0.5).of(noise);
  }

  /// What is said of a hill's top, or of its surroundings, makes sense as long as noise does not
  /// hide it.
  void heed_noise(double noise_sd) {
    if (view_ != View::near_best) {
      is_noisy_ = noise_sd * relative_scale_ > config_.automatic.noisy_above;
    }
    if (!is_noisy_) return;
    open_hills();
    settings_.margin = config_.automatic.noise_margin * noise_sd;
  }

  /// The logarithms of the hyperparameters as last fitted to a view; empty before.
  [[nodiscard]] Vector& fit_of(View view) { return fits_[static_cast<std::size_t>(view)]; }

  [[nodiscard]] Vector lengthscales(View view) {
    const Vector& fitted = fit_of(view);
    if (fitted.size() == 0) return Vector::Ones(parameters_);
    return fitted.head(parameters_).array().exp();
  }

  // --- near the best point ---------------------------------------------------------------------

  /// The max(2d + 5, min(0.3 n, 200)) observations nearest to the best one, twice as many when it
  /// looks far; the search stays among them.
  void look_near_best(const Observations& observations) {
    const Index n = observations.inputs.size();
    constexpr Index kMostPoints = 200;
    const Index share = std::min(3 * n / 10, kMostPoints);
    const Index nearest = std::max(2 * parameters_ + 5, share);
    const Index count = std::min(n, looks_far_ ? 2 * nearest : nearest);
    Index best = 0;
    observations.y.maxCoeff(&best);
    if (observations.best) best = *observations.best;
    const gp::PaddedMatrix& X = observations.inputs.X();
    const Vector l = lengthscales(View::all);
    Vector squares = Vector::Zero(n);
    for (Index p = 0; p < parameters_; ++p) add_squares(X, best, layout_[p], l[p], squares);
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return squares[a] < squares[b]; });
    order.resize(static_cast<std::size_t>(count));
    settings_.points = std::move(order);
    stay_among_points(X);
  }

  /// Adds |x_p - x'_p|^2 / l^2 for each point x, where x' is the best one.
  static void add_squares(const gp::PaddedMatrix& X, Index best, const gp::Layout::Parameter& p,
                          double l, Vector& squares) {
    for (Index k = p.first; k < p.end(); ++k) {
      for (Index i = 0; i < squares.size(); ++i) {
        const double difference = X(i, k) - X(best, k);
        const bool is_other = p.is_categorical && difference != 0.0;
        squares[i] += std::pow((is_other ? 1.0 : difference) / l, 2);
      }
    }
  }

  /// The smallest box that holds the points, and a tenth more on either side. It is a box of the
  /// plain parameters; the others are free.
  void stay_among_points(const gp::PaddedMatrix& X) {
    constexpr double kMargin = 0.1;
    constexpr double kSmallestMargin = 1e-9;
    settings_.lower = Vector::Zero(parameters_);
    settings_.upper = Vector::Ones(parameters_);
    for (Index p = 0; p < parameters_; ++p) {
      if (!layout_[p].is_plain()) continue;
      const Index k = layout_[p].first;
      const auto [low, high] =
          std::minmax_element(settings_.points.begin(), settings_.points.end(),
                              [&](Index a, Index b) { return X(a, k) < X(b, k); });
      const double margin = kMargin * (X(*high, k) - X(*low, k)) + kSmallestMargin;
      settings_.lower[p] = std::max(0.0, X(*low, k) - margin);
      settings_.upper[p] = std::min(1.0, X(*high, k) + margin);
    }
  }

  // --- hills that have been climbed ------------------------------------------------------------

  [[nodiscard]] bool is_locked(const std::vector<double>& x) const {
    return std::any_of(hills_.begin(), hills_.end(),
                       [&](const auto& hill) { return hill->contains(x); });
  }

  /// The observations that are on none of the hills. Neither moves, so each is asked once about
  /// each hill.
  [[nodiscard]] std::vector<Index> unlocked_points(const gp::Inputs& inputs) {
    std::vector<Index> points;
    hills_asked_.resize(static_cast<std::size_t>(inputs.size()), 0);
    for (Index i = 0; i < inputs.size(); ++i) {
      std::size_t& asked = hills_asked_[static_cast<std::size_t>(i)];
      const std::vector<double> x = inputs.point(i);
      while (asked < hills_.size()) asked = hills_[asked]->contains(x) ? kOnAHill : asked + 1;
      if (asked == hills_.size()) points.push_back(i);
    }
    return points;
  }

  void open_hills() {
    hills_.clear();
    hills_asked_.clear();
  }

  /// The search stays off the hills. The model is made of what lies outside them, or of everything
  /// where that is too little to say anything.
  void look_beyond_hills(const Observations& observations) {
    constexpr std::size_t kFewestPoints = 5;
    std::vector<Index> points = unlocked_points(observations.inputs);
    if (points.size() >= kFewestPoints) settings_.points = std::move(points);
    settings_.excluded = hills_;
  }

  /// Locks the hill of the best observation that is on none of the locked ones. When little of the
  /// box is left, all are open again: the search begins anew, and knows more.
  void lock_best_hill(const Observations& observations) {
    constexpr double kSmallestShare = 0.2;
    const std::vector<Index> points = unlocked_points(observations.inputs);
    if (points.empty()) return;
    const Index summit = *std::max_element(points.begin(), points.end(), [&](Index a, Index b) {
      return observations.y[a] < observations.y[b];
    });

    const ChosenObservations data(observations, hills_.empty() ? std::vector<Index>{} : points);
    const FittedModel model = mode_.keep(data.get(), fit_of(view_));
    gp::Posterior posterior(gp::make_kernel(config_.kernel, layout_), model.noise_variance);
    const Vector centred = data.y().array() - model.affine.location;
    const std::vector<double> noise = gp::noise_in_units(data.known_noise(), model.affine.scale);
    if (!posterior.fit(data.inputs(), centred, model.theta, noise).ok) return;
    hills_.push_back(std::make_shared<const gp::Basin>(posterior.mean_function(),
                                                       observations.inputs.point(summit),
                                                       model.theta.head(parameters_)));
    fit_of(View::unlocked).resize(0);
    if (unlocked_share() < kSmallestShare) open_hills();
  }

  /// The part of the box that is on none of the hills.
  [[nodiscard]] double unlocked_share() const {
    constexpr int kProbes = 100;
    numeric::ScrambledSobol sobol(static_cast<std::size_t>(parameters_),
                                  numeric::RandomStream(seed_, numeric::Purpose::unlocked_share));
    std::vector<double> x(static_cast<std::size_t>(parameters_));
    int unlocked = 0;
    for (int i = 0; i < kProbes; ++i) {
      sobol.next(x);
      unlocked += is_locked(x) ? 0 : 1;
    }
    return static_cast<double>(unlocked) / kProbes;
  }

  Config config_;
  gp::Layout layout_;
  Index parameters_;
  std::uint64_t seed_;
  PosteriorMode mode_;
  online::OnlineMirrorDescent dual_;  // lambda
  std::array<Vector, 3> fits_;        // by view, see fit_of
  RefitSchedule schedule_;            // of the model of all observations
  FittedModel whole_;                 // that model
  std::vector<std::shared_ptr<const gp::Basin>> hills_;
  std::vector<std::size_t> hills_asked_;  // by observation: so many do not hold it, or kOnAHill
  int fitted_rounds_ = 0;                 // one fit may serve several suggestions
  bool is_noisy_ = false;
  double locks_below_ = 0.0;  // expected improvement at which a hill counts as climbed
  bool is_climbed_ = false;   // the hill of the best observation that is on no locked one
  bool looks_far_ = false;    // when it last looked near the best point
  bool is_judged_ = false;    // by the first suggestion of a fit; others count on pending points

  ModelSettings settings_;
  View view_ = View::all;        // of the settings
  double relative_scale_ = 1.0;  // likewise: the scale in sd of the observations
};

}  // namespace

std::unique_ptr<LengthscaleRule> make_auto_rule(const Config& config, const gp::Layout& layout,
                                                std::uint64_t seed) {
  return std::make_unique<AutoRule>(config, layout, seed);
}

}  // namespace oscbo::learners
