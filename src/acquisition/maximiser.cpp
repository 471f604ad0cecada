#include "acquisition/maximiser.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <LBFGSB.h>

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

SearchResult Maximiser::maximise(gp::Surrogate& model, const Acquisition& acquisition,
                                 const SearchBox& box, std::uint64_t seed, std::uint64_t step) {
  const Index dimension = box.lower.size();
  const Vector range = box.upper - box.lower;

  batch_.resize(config_.raw_samples, dimension);
  place_sobol_points(box, config_.raw_samples, RandomStream(seed, Purpose::raw_samples, step),
                     batch_.points);
  model.at_batch(batch_);
  Vector values(config_.raw_samples);
  for (Index i = 0; i < values.size(); ++i) {
    values[i] =
        value_at(acquisition, {.mean = batch_.means[i], .variance = batch_.variances[i]}).value;
  }

  const LBFGSpp::LBFGSBParam<double> parameters =
      search_parameters(config_.max_iterations, dimension);
  LBFGSpp::LBFGSBSolver<double> solver(parameters);
  // The centre stands in when no value is a number.
  SearchResult best{.x = box.lower + 0.5 * range,
                    .value = -std::numeric_limits<double>::infinity()};
  for (const Index start :
       choose_starts(values, config_.restarts, RandomStream(seed, Purpose::start_choice, step))) {
    Vector x(dimension);
    for (Index k = 0; k < dimension; ++k) x[k] = batch_.points(start, k);
    NegatedAcquisition objective(model, acquisition, dimension);
    double value = 0.0;
    try {
      solver.minimize(objective, x, value, box.lower, box.upper);
    } catch (const std::exception&) {  // a line search that failed; what it saw is still good
      ++best.failed_restarts;
    }
    if (objective.best_value() > best.value) {
      best.value = objective.best_value();
      best.x = objective.best_x().cwiseMax(box.lower).cwiseMin(box.upper);
    }
  }
  return best;
}

}  // namespace oscbo::acquisition
