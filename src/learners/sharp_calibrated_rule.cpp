// SCGP: a Gaussian process fitted by maximum likelihood to training points provides the mean. A
// second one with its own lengthscales provides the spread: the narrowest spread that covers a
// fraction 1 - delta of the points held out for calibration (spread_objective.hpp).
#include <algorithm>
#include <cmath>
#include <limits>

#include "gp/kernel_options.hpp"
#include "gp/posterior.hpp"
#include "learners/calibration_split.hpp"
#include "learners/fitter.hpp"
#include "learners/learner_options.hpp"
#include "learners/point_subset.hpp"
#include "learners/recalibration.hpp"
#include "learners/rule_factories.hpp"
#include "learners/sharp_options.hpp"
#include "learners/spread_objective.hpp"

namespace oscbo::learners {

using numeric::Purpose;
using numeric::RandomStream;

namespace {

constexpr double kShortStart = 0.05;
constexpr double kLongStart = 2.0;

/// Returns the solver's settings for the lengthscales of the spread.
LearnerOptions spread_learner(const Config& config) {
  const auto& sharp = config.get<SharpOptions>();
  LearnerOptions learner = config.get<LearnerOptions>();
  learner.adam_rate = sharp.adam_rate;
  learner.adam_steps = sharp.adam_steps;
  learner.reset_moments = true;
  return learner;
}

Vector random_start(Index dimension, RandomStream& stream) {
  Vector theta(dimension);
  for (double& entry : theta) {
    entry = kShortStart * std::pow(kLongStart / kShortStart, stream.uniform());
  }
  return theta;
}

/// Returns the starts in the order of their use: the regression's lengthscales, short ones, long
/// ones, and then log-uniform draws between the short and the long ones.
std::vector<Vector> spread_starts(const Config& config, const Vector& regression,
                                  RandomStream& stream) {
  const Index dimension = regression.size();
  const auto count = static_cast<std::size_t>(config.get<SharpOptions>().restarts);
  std::vector<Vector> starts{regression, Vector::Constant(dimension, kShortStart),
                             Vector::Constant(dimension, kLongStart)};
  while (starts.size() < count) starts.push_back(random_start(dimension, stream));
  starts.resize(count);
  const auto& learner = config.get<LearnerOptions>();
  for (Vector& start : starts) {
    start = start.cwiseMax(learner.theta_min).cwiseMin(learner.theta_max).eval();
  }
  return starts;
}

/// The lengthscales of the spread and the corresponding multiplier.
struct Spread {
  Vector theta;
  double multiplier = 0.0;
  double objective = std::numeric_limits<double>::infinity();
};

/// Returns the objective at theta, and updates `best` if it is better.
double evaluate(SpreadObjective& objective, const Vector& theta, Vector& gradient, Spread& best) {
  const double value = objective.value_and_gradient(theta, gradient);
  if (value < best.objective) {
    best = {.theta = theta, .multiplier = objective.multiplier(), .objective = value};
  }
  return value;
}

class SharpCalibratedRule final : public LengthscaleRule {
 public:
  SharpCalibratedRule(const Config& config, const gp::Layout& layout, std::uint64_t seed)
      : fitter_(config, layout, seed),
        kernel_(gp::make_kernel(config.get<gp::KernelOptions>(), layout)),
        regression_(kernel_, config.noise_variance),
        settings_{.theta = fitter_.first()} {}

  [[nodiscard]] std::unique_ptr<LengthscaleRule> clone() const override {
    return std::make_unique<SharpCalibratedRule>(*this);
  }

  const ModelSettings& next_settings(const Observations& observations, int round) override {
    const auto& sharp = fitter_.config().get<SharpOptions>();
    const Index n = observations.inputs.size();
    if (calibration_count(n, sharp.calibration_fraction) == 0) {
      return without_calibration(observations, round);
    }
    RandomStream of_round(fitter_.seed(), Purpose::calibration_split,
                          static_cast<std::uint64_t>(round));
    RandomStream of_seed(fitter_.seed(), Purpose::calibration_split);
    const CalibrationSplit split =
        draw_split(n, sharp.calibration_fraction,
                   sharp.split == SharpOptions::Split::each_round ? of_round : of_seed);

    const std::vector<double> residuals = residuals_of(observations, split, round);
    std::vector<Index> order = split.training;
    order.insert(order.end(), split.calibration.begin(), split.calibration.end());
    const ObservationSubset ordered(observations, order);
    const Spread spread = calibrate(ordered.get(), residuals, of_round);
    settings_.spread = {.theta = spread.theta, .includes_noise = sharp.spread_includes_noise};
    settings_.multiplier = std::max(spread.multiplier, sharp.multiplier_floor);
    settings_.points = sharp.condition == SharpOptions::Condition::training ? split.training
                                                                            : std::vector<Index>{};
    return settings_;
  }

  [[nodiscard]] int evaluations() const override {
    return fitter_.evaluations() + further_evaluations_;
  }

 private:
  /// There are too few points to hold any out. So the rule fits all of them by maximum likelihood,
  /// and uses the multiplier for a calibrated Gaussian.
  const ModelSettings& without_calibration(const Observations& observations, int round) {
    settings_.theta =
        fitter_.maximise_likelihood(observations, fitter_.start(settings_.theta), round);
    settings_.multiplier = nominal_multiplier(fitter_.config().delta);
    settings_.spread.reset();
    settings_.points.clear();
    return settings_;
  }

  /// Fits the regression to the training points and returns y_i - mu(x_i) at the calibration
  /// points.
  std::vector<double> residuals_of(const Observations& observations, const CalibrationSplit& split,
                                   int round) {
    const ObservationSubset subset(observations, split.training);
    const Observations training = subset.get();
    settings_.theta = fitter_.maximise_likelihood(training, fitter_.start(settings_.theta), round);
    ++further_evaluations_;
    const bool fitted =
        regression_.fit(training.inputs, training.y, settings_.theta, training.known_noise).ok;
    std::vector<double> residuals;
    for (const Index i : split.calibration) {
      const double mean = fitted ? regression_.at(observations.inputs.point(i)).mean : 0.0;
      residuals.push_back(observations.y[i] - mean);
    }
    return residuals;
  }

  /// Returns the best lengthscales on the paths of Adam from all starts.
  Spread calibrate(const Observations& ordered, const std::vector<double>& residuals,
                   RandomStream& stream) {
    const Config& config = fitter_.config();
    SpreadObjective objective(kernel_, config.noise_variance, ordered.inputs, residuals,
                              config.delta, config.get<SharpOptions>().quantile,
                              ordered.known_noise);
    LengthscaleSolver solver(spread_learner(config));
    Spread best{.theta = settings_.theta, .multiplier = nominal_multiplier(config.delta)};
    Vector gradient(settings_.theta.size());
    for (const Vector& start : spread_starts(config, settings_.theta, stream)) {
      const Vector end =
          solver.adam([&](const Vector& theta,
                          Vector& slope) { return evaluate(objective, theta, slope, best); },
                      start);
      evaluate(objective, end, gradient, best);
    }
    further_evaluations_ += objective.evaluations();
    return best;
  }

  Fitter fitter_;
  gp::KernelHandle kernel_;
  gp::Posterior regression_;  // fitted to the training points
  int further_evaluations_ = 0;
  ModelSettings settings_;
};

}  // namespace

std::unique_ptr<LengthscaleRule> make_sharp_calibrated_rule(const Config& config,
                                                            const gp::Layout& layout,
                                                            std::uint64_t seed) {
  return std::make_unique<SharpCalibratedRule>(config, layout, seed);
}

}  // namespace oscbo::learners
