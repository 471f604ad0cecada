#include "acquisition/maximiser.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <LBFGSB.h>

#include "numeric/box_minimiser.hpp"

namespace oscbo::acquisition {

using numeric::Purpose;
using numeric::RandomStream;

namespace {

std::span<const double> view(const Vector& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// The negated acquisition as L-BFGS-B wants it, remembering the best point it was asked about.
class NegatedAcquisition {
 public:
  NegatedAcquisition(gp::Surrogate& model, const Acquisition& acquisition, Index dimension)
      : model_(model),
        acquisition_(acquisition),
        mean_gradient_(static_cast<std::size_t>(dimension)),
        variance_gradient_(static_cast<std::size_t>(dimension)),
        best_x_(dimension) {}

  double operator()(const Vector& x, Vector& gradient) {
    const gp::Moments moments = model_.at(view(x), mean_gradient_, variance_gradient_);
    const AcquisitionValue a = value_at(acquisition_, moments);
    for (Index k = 0; k < x.size(); ++k) {
      const auto entry = static_cast<std::size_t>(k);
      gradient[k] =
          -(a.mean_slope * mean_gradient_[entry] + a.variance_slope * variance_gradient_[entry]);
    }
    if (a.value > best_value_) {
      best_value_ = a.value;
      best_x_ = x;
    }
    return -a.value;
  }

  [[nodiscard]] double best_value() const { return best_value_; }
  [[nodiscard]] const Vector& best_x() const { return best_x_; }

 private:
  gp::Surrogate& model_;
  const Acquisition& acquisition_;
  std::vector<double> mean_gradient_;
  std::vector<double> variance_gradient_;
  double best_value_ = -std::numeric_limits<double>::infinity();
  Vector best_x_;
};

/// SciPy's settings: projected gradient 1e-5, relative decrease 2.2e-9, 10 corrections; no more
/// than there are dimensions, since the algebra on them would cost more than evaluating the
/// posterior.
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

/// Searches from x on; returns false when the optimiser gave up. What it saw is still good.
bool follow(NegatedAcquisition& objective, const SearchBox& box, Vector x,
            const AcquisitionConfig& config) {
  if (config.solver == SearchSolver::bfgs) {
    numeric::BoxMinimiser({.max_iterations = config.max_iterations, .largest_step = 0.2})
        .minimise(objective, box.lower, box.upper, x);
    return true;
  }
  const LBFGSpp::LBFGSBParam<double> parameters =  // the solver refers to them
      search_parameters(config.max_iterations, x.size());
  LBFGSpp::LBFGSBSolver<double> solver(parameters);
  double value = 0.0;
  try {
    solver.minimize(objective, x, value, box.lower, box.upper);
  } catch (const std::exception&) {  // a line search that failed
    return false;
  }
  return true;
}

}  // namespace

// Adding independent Gumbel noise to log-weights and taking the largest is sampling without
// replacement in proportion to the weights, and cannot overflow as exp() could.
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

Vector Maximiser::evaluate_raw_points(gp::Surrogate& model, const Acquisition& acquisition,
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

SearchResult Maximiser::maximise(gp::Surrogate& model, const Acquisition& acquisition,
                                 const SearchArea& area, std::uint64_t seed, std::uint64_t step) {
  const SearchBox& box = area.box;
  const Index dimension = box.lower.size();
  const Vector values = evaluate_raw_points(model, acquisition, area, seed, step);
  const std::vector<Index> starts =
      config_.solver == SearchSolver::bfgs
          ? choose_best_starts(values, batch_.points, area, config_.restarts)
          : choose_starts(values, config_.restarts,
                          RandomStream(seed, Purpose::start_choice, step));

  // The centre stands in when no value is a number.
  SearchResult best{.x = 0.5 * (box.lower + box.upper),
                    .value = -std::numeric_limits<double>::infinity()};
  for (const Index start : starts) {
    NegatedAcquisition objective(model, acquisition, dimension);
    if (!follow(objective, box, point_of(batch_.points, start), config_)) ++best.failed_restarts;
    const Vector found = objective.best_x().cwiseMax(box.lower).cwiseMin(box.upper);
    if (objective.best_value() > best.value && !area.excludes(found)) {
      best.value = objective.best_value();
      best.x = found;
    }
  }
  if (!area.excluded.empty() && !std::isfinite(best.value)) {  // all ended on excluded hills
    const Index least_known =
        choose_best_starts(batch_.variances.head(values.size()), batch_.points, area, 1).front();
    best.value = values[least_known];
    best.x = point_of(batch_.points, least_known);
  }
  return best;
}

}  // namespace oscbo::acquisition
