#include "acquisition/maximiser.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <LBFGSB.h>

#include "acquisition/acquisition_options.hpp"
#include "acquisition/hopeless_searches.hpp"
#include "numeric/box_minimiser.hpp"

namespace oscbo::acquisition {

using numeric::Purpose;
using numeric::RandomStream;

namespace {

/// The result of one start: the best point seen.
struct Climb {
  Vector x = {};
  double value = -std::numeric_limits<double>::infinity();
  bool failed = false;  // the optimiser gave up

  void consider(const Vector& at, double value_there) {
    if (!(value_there > value)) return;
    value = value_there;
    x = at;
  }
};

/// Returns the acquisition, and writes the gradient of its negative by the chain rule.
double value_and_descent(const Acquisition& acquisition,
                         const prediction::LocalPrediction& prediction, Vector& gradient) {
  const AcquisitionValue a = value_at(acquisition, prediction.moments);
  for (Index k = 0; k < gradient.size(); ++k) {
    const auto entry = static_cast<std::size_t>(k);
    gradient[k] = -(a.mean_slope * prediction.mean_gradient[entry] +
                    a.variance_slope * prediction.variance_gradient[entry]);
  }
  return a.value;
}

/// SciPy's settings: projected gradient 1e-5, relative decrease 2.2e-9, 10 corrections. There are
/// no more corrections than dimensions, because their algebra would cost more than an evaluation of
/// the posterior.
LBFGSpp::LBFGSBParam<double> search_parameters(int max_iterations, Index dimension) {
  LBFGSpp::LBFGSBParam<double> parameters;
  parameters.m = static_cast<int>(std::min<Index>(10, dimension));
  parameters.epsilon = 1e-5;
  parameters.epsilon_rel = 0.0;
  parameters.past = 1;
  parameters.delta = 2.2e-9;
  parameters.max_iterations = max_iterations;
  return parameters;
}

/// Runs L-BFGS-B from one start.
Climb climb_alone(prediction::Predictor& model, const Acquisition& acquisition,
                  const SearchBox& box, Vector x, int max_iterations) {
  Climb climb;
  prediction::LocalPrediction prediction(x.size());
  const auto negated = [&](const Vector& at, Vector& gradient) {
    prediction.x = at;
    model.predict({&prediction, 1});
    const double value = value_and_descent(acquisition, prediction, gradient);
    climb.consider(at, value);
    return -value;
  };
  const LBFGSpp::LBFGSBParam<double> parameters =  // the solver holds a reference to them
      search_parameters(max_iterations, x.size());
  LBFGSpp::LBFGSBSolver<double> solver(parameters);
  double value = 0.0;
  try {
    solver.minimize(negated, x, value, box.lower, box.upper);
  } catch (const std::exception&) {  // the line search failed
    climb.failed = true;
  }
  return climb;
}

/// Runs projected BFGS from all starts in lockstep, so that the model predicts for all of them
/// together.
std::vector<Climb> climb_together(prediction::Predictor& model, const Acquisition& acquisition,
                                  const SearchArea& area, const std::vector<Vector>& starts,
                                  int max_iterations) {
  constexpr Index kManyPoints = 200;
  // With excluded hills no search stops early: one on an excluded hill could make the others look
  // hopeless.
  const bool stops_early = model.size() > kManyPoints && !area.is_excluded;
  const numeric::BoxMinimiserSettings settings{.max_iterations = max_iterations,
                                               .largest_step = 0.2};
  const Index dimension = area.box.lower.size();
  std::vector<Climb> climbs(starts.size());
  std::vector<numeric::BoxSearch> searches(starts.size(), numeric::BoxSearch(settings));
  std::vector<std::size_t> active(starts.size());
  std::iota(active.begin(), active.end(), std::size_t{0});
  for (const std::size_t i : active) searches[i].begin(area.box.lower, area.box.upper, starts[i]);

  std::vector<prediction::LocalPrediction> predictions(starts.size(),
                                                       prediction::LocalPrediction(dimension));
  Vector gradient(dimension);
  HopelessSearches hopeless(starts.size());
  while (!active.empty()) {
    for (std::size_t p = 0; p < active.size(); ++p) predictions[p].x = searches[active[p]].next();
    model.predict(std::span(predictions).first(active.size()));
    for (std::size_t p = 0; p < active.size(); ++p) {
      const std::size_t i = active[p];
      const double value = value_and_descent(acquisition, predictions[p], gradient);
      climbs[i].consider(predictions[p].x, value);
      searches[i].observe(-value, gradient);
      hopeless.observe(i, value);
    }
    std::erase_if(active, [&](std::size_t i) {
      return searches[i].is_over() || (stops_early && hopeless.contains(i));
    });
  }
  return climbs;
}

std::vector<Climb> climb(prediction::Predictor& model, const Acquisition& acquisition,
                         const SearchArea& area, const std::vector<Vector>& starts,
                         const AcquisitionOptions& config) {
  if (config.solver == AcquisitionOptions::Solver::bfgs) {
    return climb_together(model, acquisition, area, starts, config.max_iterations);
  }
  std::vector<Climb> climbs;
  climbs.reserve(starts.size());
  for (const Vector& start : starts) {
    climbs.push_back(climb_alone(model, acquisition, area.box, start, config.max_iterations));
  }
  return climbs;
}

}  // namespace

// Adding independent Gumbel noise to the log-weights and taking the largest sums samples without
// replacement in proportion to the weights. Unlike exp(), it cannot overflow.
std::vector<Index> choose_starts(const Vector& values, Index count, RandomStream stream) {
  const Index n = values.size();
  const double mean = values.mean();
  const double sd =
      n > 1 ? std::sqrt((values.array() - mean).square().sum() / static_cast<double>(n - 1)) : 0.0;
  Vector keys(n);
  for (Index i = 0; i < n; ++i) {
    keys[i] = (sd > 0.0 ? (values[i] - mean) / sd : 0.0) + stream.gumbel();
  }

  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return keys[a] > keys[b]; });
  order.resize(static_cast<std::size_t>(std::min(count, n)));

  Index best = 0;
  values.maxCoeff(&best);
  if (sd > 0.0 && std::find(order.begin(), order.end(), best) == order.end()) order.back() = best;
  return order;
}

std::vector<Index> choose_best_starts(const Vector& values, const numeric::PaddedMatrix& points,
                                      const SearchArea& area, Index count) {
  constexpr double kApart = 0.1;
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return values[a] > values[b]; });
  const Vector range = area.box.upper - area.box.lower;
  std::vector<Index> starts;
  for (const Index i : order) {
    if (static_cast<Index>(starts.size()) == count) break;
    const Vector x = point_of(points, i);
    const bool apart = std::all_of(starts.begin(), starts.end(), [&](Index start) {
      return (x - point_of(points, start)).cwiseQuotient(range).norm() >= kApart;
    });
    if (apart && !area.excludes(x)) starts.push_back(i);
  }
  if (starts.empty()) starts.push_back(order.front());  // everything is excluded
  return starts;
}

Vector Maximiser::evaluate_raw_points(prediction::Predictor& model, const Acquisition& acquisition,
                                      const SearchArea& area, std::uint64_t seed,
                                      std::uint64_t step) {
  const Index everywhere = config_.raw_samples;
  const Index steps_end = everywhere + config_.local_samples / 2;
  const Index count = everywhere + config_.local_samples;
  batch_.resize(count, area.box.lower.size());
  place_sobol_points(area.box, everywhere, RandomStream(seed, Purpose::raw_samples, step),
                     batch_.points);
  if (count > everywhere) {
    RandomStream stream(seed, Purpose::local_samples, step);
    place_steps(area.box, area.incumbent, everywhere, steps_end, stream, batch_.points);
    place_changes(area.box, area.incumbent, steps_end, count, stream, batch_.points);
  }
  model.at_batch(batch_);
  Vector values(count);
  for (Index i = 0; i < count; ++i) {
    values[i] =
        value_at(acquisition, {.mean = batch_.means[i], .variance = batch_.variances[i]}).value;
  }
  return values;
}

SearchResult Maximiser::maximise(prediction::Predictor& model, const Acquisition& acquisition,
                                 const SearchArea& area, std::uint64_t seed, std::uint64_t step) {
  const SearchBox& box = area.box;
  const Vector values = evaluate_raw_points(model, acquisition, area, seed, step);
  const std::vector<Index> chosen =
      config_.solver == AcquisitionOptions::Solver::bfgs
          ? choose_best_starts(values, batch_.points, area, config_.restarts)
          : choose_starts(values, config_.restarts,
                          RandomStream(seed, Purpose::start_choice, step));
  std::vector<Vector> starts;
  starts.reserve(chosen.size());
  for (const Index i : chosen) starts.push_back(point_of(batch_.points, i));

  // The centre is the result if every value is NaN.
  SearchResult best{.x = 0.5 * (box.lower + box.upper),
                    .value = -std::numeric_limits<double>::infinity()};
  for (const Climb& found : climb(model, acquisition, area, starts, config_)) {
    best.failed_restarts += found.failed ? 1 : 0;
    if (!(found.value > best.value)) continue;
    const Vector x = found.x.cwiseMax(box.lower).cwiseMin(box.upper);
    if (area.excludes(x)) continue;
    best.value = found.value;
    best.x = x;
  }
  if (area.is_excluded && !std::isfinite(best.value)) {  // all climbs ended on excluded points
    const Index least_known =
        choose_best_starts(batch_.variances.head(values.size()), batch_.points, area, 1).front();
    best.value = values[least_known];
    best.x = point_of(batch_.points, least_known);
  }
  return best;
}

}  // namespace oscbo::acquisition
