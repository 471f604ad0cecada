#include "learners/solver.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <stdexcept>
#include <vector>

#include <LBFGSB.h>

#include "learners/learner_options.hpp"

namespace oscbo::learners {

using numeric::Sample;

namespace {

constexpr int kScan = 16;  // on the default interval, neighbours differ by a factor of 1.6

/// A local minimum of the scan.
struct Basin {
  std::size_t centre;
  double value;
  double rim;  // the larger value of the two neighbours

  /// A heuristic lower bound: a basin is at most as deep below its centre as its rim is above it.
  [[nodiscard]] double lowest_possible() const { return value - (rim - value); }
};

/// Returns the local minima of the samples, lowest first. There is always at least one.
std::vector<Basin> basins_of(const std::vector<Sample>& samples) {
  std::vector<Basin> basins;
  const std::size_t last = samples.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const double value = samples[i].value;
    const double left = samples[i == 0 ? 0 : i - 1].value;
    const double right = samples[std::min(i + 1, last)].value;
    const bool falls_to = i == 0 || value < left;
    const bool rises_from = i == last || value <= right;
    const bool last_resort = i == last && basins.empty();  // all values are NaN
    if ((falls_to && rises_from) || last_resort) {
      basins.push_back({.centre = i, .value = value, .rim = std::max(left, right)});
    }
  }
  std::stable_sort(basins.begin(), basins.end(),
                   [](const Basin& a, const Basin& b) { return a.value < b.value; });
  return basins;
}

/// Samples the grid downhill from `start`, until the lowest sample has a neighbour on either side.
template <class Function>
std::vector<Sample> walk_downhill(const Function& function, const Vector& grid, double start) {
  const auto sample = [&](Index i) { return Sample{.at = grid[i], .value = function(grid[i])}; };
  Index nearest = 0;
  (grid.array() - start).abs().minCoeff(&nearest);
  Index first = std::max<Index>(nearest - 1, 0);
  Index last = std::min<Index>(nearest + 1, grid.size() - 1);
  std::deque<Sample> samples;
  for (Index i = first; i <= last; ++i) samples.push_back(sample(i));
  while (true) {
    const auto lowest = std::ranges::min_element(samples, {}, &Sample::value);
    if (lowest == samples.begin() && first > 0) {
      samples.push_front(sample(--first));
    } else if (lowest + 1 == samples.end() && last + 1 < grid.size()) {
      samples.push_back(sample(++last));
    } else {
      return {samples.begin(), samples.end()};
    }
  }
}

/// Tells whether several samples share the lowest value. Then the downhill direction is unknown.
bool has_plateau(const std::vector<Sample>& samples) {
  const double lowest = std::ranges::min(samples, {}, &Sample::value).value;
  return std::ranges::count(samples, lowest, &Sample::value) > 1;
}

}  // namespace

Vector LengthscaleSolver::lower_bounds(Index dimension) const {
  constexpr double kSmallestNoise = 1e-4;
  Vector lower = Vector::Constant(dimension, config_.theta_min);
  if (learns_noise_) lower[dimension - 1] = kSmallestNoise;
  return lower;
}

Vector LengthscaleSolver::minimise(PerturbedObjective& objective, const Vector& start,
                                   numeric::RandomStream stream) {
  const Index dimension = start.size();
  const bool exact = config_.solver == LearnerOptions::Solver::exact;
  if (exact && dimension == 1) return scan_and_refine(objective, 1);

  std::vector<Vector> starts{start};
  if (exact && !learns_noise_) starts.push_back(scan_and_refine(objective, dimension));
  for (int i = 1; i < config_.restarts; ++i) starts.push_back(random_start(dimension, stream));
  if (starts.size() == 1 && !exact) return adam_on(objective, start);
  return best_of(objective, starts);
}

Vector LengthscaleSolver::best_of(PerturbedObjective& objective,
                                  const std::vector<Vector>& starts) {
  Vector best = starts.front();
  double best_value = std::numeric_limits<double>::infinity();
  for (const Vector& start : starts) {
    // Kept moments belong to the first start. The other starts begin without moments.
    LengthscaleSolver fresh = *this;
    fresh.moments_ = {};
    LengthscaleSolver& solver = &start == &starts.front() ? *this : fresh;
    const Vector theta = config_.solver == LearnerOptions::Solver::exact
                             ? quasi_newton(objective, start)
                             : solver.adam_on(objective, start);
    const double value = objective.value(theta);
    if (value < best_value) {
      best_value = value;
      best = theta;
    }
  }
  return best;
}

Vector LengthscaleSolver::random_start(Index dimension, numeric::RandomStream& stream) const {
  const Vector low = lower_bounds(dimension).array().log();
  const double high = std::log(config_.theta_max);
  Vector theta(dimension);
  for (Index k = 0; k < dimension; ++k) {
    theta[k] = std::exp(low[k] + (high - low[k]) * stream.uniform());
  }
  return theta;
}

Vector LengthscaleSolver::adam_on(PerturbedObjective& objective, const Vector& start) {
  return adam(
      [&objective](const Vector& theta, Vector& gradient) {
        return objective.value_and_gradient(theta, gradient);
      },
      start);
}

// Adam in raw coordinates, projected onto the box.
Vector LengthscaleSolver::adam(const Function& function, const Vector& start) {
  const Index dimension = start.size();
  const Vector lower = lower_bounds(dimension);
  const double raw_max = transform_.raw(config_.theta_max);

  if (config_.reset_moments || moments_.dimension() != dimension) moments_.reset(dimension);
  Vector theta = start;
  Vector raw(dimension);
  for (Index k = 0; k < dimension; ++k) raw[k] = transform_.raw(theta[k]);

  Vector gradient(dimension);
  for (int step = 0; step < config_.adam_steps; ++step) {
    function(theta, gradient);
    moments_.begin_step();
    for (Index k = 0; k < dimension; ++k) {
      const double g = gradient[k] * transform_.slope(theta[k]);
      if (!std::isfinite(g)) continue;  // the objective has overflowed, so this entry stays
      const double direction = moments_.direction(k, g);
      raw[k] =
          std::clamp(raw[k] - config_.adam_rate * direction, transform_.raw(lower[k]), raw_max);
      theta[k] = std::clamp(transform_.theta(raw[k]), lower[k], config_.theta_max);
    }
  }
  return theta;
}

// Samples the objective on a logarithmic grid, with one lengthscale for all dimensions. With at
// most 256 points, or if the number of points has doubled since the last full scan, it scans the
// whole interval. Otherwise it samples only around the previous minimum, unless the objective is
// flat there.
std::vector<Sample> LengthscaleSolver::look_around(PerturbedObjective& objective, Index dimension) {
  constexpr Index kFewPoints = 256;
  const Vector grid =
      Vector::LinSpaced(kScan, std::log(config_.theta_min), std::log(config_.theta_max));
  if (objective.size() > kFewPoints && objective.size() < 2 * scanned_) {
    const auto value_at = [&](double log_theta) {
      return objective.value(Vector::Constant(dimension, std::exp(log_theta)));
    };
    std::vector<Sample> near = walk_downhill(value_at, grid, minimum_);
    if (!has_plateau(near)) return near;
  }
  scanned_ = objective.size();
  const Vector values = objective.scan(grid.array().exp(), dimension);
  std::vector<Sample> samples;
  samples.reserve(kScan);
  for (Index i = 0; i < kScan; ++i) samples.push_back({.at = grid[i], .value = values[i]});
  return samples;
}

// Finds the basins of the samples, and refines those that may contain the global minimum by
// interpolation.
Vector LengthscaleSolver::scan_and_refine(PerturbedObjective& objective, Index dimension) {
  constexpr double kTolerance = 1e-6;  // in the logarithm of the lengthscale
  const auto value_at = [&](double log_theta) {
    return objective.value(Vector::Constant(dimension, std::exp(log_theta)));
  };
  const std::vector<Sample> samples = look_around(objective, dimension);
  const std::vector<Basin> basins = basins_of(samples);
  Sample best = samples[basins.front().centre];
  for (const Basin& basin : basins) {
    if (&basin != &basins.front() && basin.lowest_possible() > best.value) continue;
    const Sample refined =
        numeric::InterpolatedMinimum(samples, basin.centre).find(value_at, kTolerance);
    if (refined.value < best.value) best = refined;
  }
  minimum_ = best.at;
  return Vector::Constant(dimension,
                          std::clamp(std::exp(best.at), config_.theta_min, config_.theta_max));
}

Vector LengthscaleSolver::quasi_newton(PerturbedObjective& objective, const Vector& start) const {
  const Index dimension = start.size();
  Vector best = start;
  double best_value = std::numeric_limits<double>::infinity();
  const auto in_logarithms = [&](const Vector& log_theta, Vector& gradient) {
    const Vector theta = log_theta.array().exp();
    const double value = objective.value_and_gradient(theta, gradient);
    gradient.array() *= theta.array();
    if (value < best_value) {
      best_value = value;
      best = theta;
    }
    return value;
  };

  LBFGSpp::LBFGSBParam<double> parameters;
  parameters.epsilon = 1e-5;
  parameters.epsilon_rel = 0.0;
  parameters.past = 1;
  parameters.delta = 1e-9;
  parameters.max_iterations = 200;
  LBFGSpp::LBFGSBSolver<double> solver(parameters);
  Vector log_theta = start.array().log();
  double value = 0.0;
  try {
    solver.minimize(in_logarithms, log_theta, value, lower_bounds(dimension).array().log().matrix(),
                    Vector::Constant(dimension, std::log(config_.theta_max)));
  } catch (const std::exception&) {  // the line search failed; the best point seen is still valid
  }
  return best.cwiseMax(lower_bounds(dimension)).cwiseMin(config_.theta_max);
}

}  // namespace oscbo::learners
