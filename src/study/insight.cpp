#include "study/insight.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "numeric/normal.hpp"
#include "numeric/random_stream.hpp"
#include "space/region.hpp"
#include "study/log_follower.hpp"

namespace oscbo::study {
namespace {

using space::Coordinates;

std::vector<Coordinates> draw(const Space& space, int samples, std::uint64_t seed) {
  const space::Region region(space.domain());
  numeric::RandomStream stream(seed, numeric::Purpose::importance);
  std::vector<Coordinates> points;
  for (int i = 0; i < samples; ++i) {
    if (auto u = region.draw(stream)) points.push_back(std::move(*u));
  }
  return points;
}

/// with_parameter returns u with parameter k taken from `other`, along with all parameters that
/// this makes active.
Coordinates with_parameter(const space::Domain& domain, const Coordinates& u, std::size_t k,
                           const Coordinates& other) {
  Coordinates changed = u;
  changed[k] = other[k];
  for (std::size_t j = 0; j < u.size(); ++j) {
    if (!domain.is_active(u, j)) changed[j] = other[j];
  }
  domain.settle(changed);
  return changed;
}

double variance_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / n;
}

/// nearest_with returns the point nearest to u that satisfies the constraints and has the same
/// parameter k.
std::optional<Coordinates> nearest_with(const space::Domain& domain, const Coordinates& u,
                                        std::size_t k) {
  space::Region region(domain);
  region.give(k, domain.axis(k).from_coordinate(u[k]));
  return region.repair(u);
}

/// Pairs of points that differ in one parameter, and in other parameters only if constraints
/// require it.
struct Pairs {
  std::vector<std::size_t> first;           // index of the first point
  std::vector<std::vector<double>> second;  // the second point
};

Pairs pairs_of(const Space& space, const std::vector<Coordinates>& points, std::size_t k) {
  const space::Region region(space.domain());
  Pairs pairs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Coordinates& other = points[(i + 1) % points.size()];
    std::optional<Coordinates> changed = with_parameter(space.domain(), points[i], k, other);
    if (!region.contains(*changed)) changed = nearest_with(space.domain(), *changed, k);
    if (!changed) continue;
    pairs.first.push_back(i);
    pairs.second.push_back(space.domain().from_coordinates(*changed));
  }
  return pairs;
}

double mean_square_change(const std::vector<double>& values, const Pairs& pairs,
                          const std::vector<double>& changed) {
  double squares = 0.0;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    squares += std::pow(values[pairs.first[i]] - changed[i], 2);
  }
  return squares / static_cast<double>(changed.size());
}

/// lengthscale_at returns the lengthscale of a parameter. There is one for all parameters, one for
/// each parameter that is not fixed, or none. Without any, it returns 1.
double lengthscale_at(std::span<const double> lengthscales, std::size_t position) {
  if (lengthscales.empty()) return 1.0;
  return lengthscales.size() == 1 ? lengthscales.front() : lengthscales[position];
}

}  // namespace

std::vector<double> shares_of_variance(const Space& space, const MeanAt& mean_at, int samples,
                                       std::uint64_t seed) {
  std::vector<double> shares(space.dimension(), 0.0);
  const std::vector<Coordinates> points = draw(space, samples, seed);
  if (points.size() < 2) return shares;
  std::vector<std::vector<double>> x;
  x.reserve(points.size());
  for (const Coordinates& u : points) x.push_back(space.domain().from_coordinates(u));
  const std::vector<double> values = mean_at(x);
  const double variance = variance_of(values);
  if (!(variance > 0.0)) return shares;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (space.domain().axis(k).is_fixed()) continue;
    const Pairs pairs = pairs_of(space, points, k);
    if (pairs.first.empty()) continue;
    shares[k] = mean_square_change(values, pairs, mean_at(pairs.second)) / (2.0 * variance);
  }
  return shares;
}

std::vector<double> lengthscales_of(const StudyDeclaration& declaration,
                                    const Prediction& prediction) {
  const bool has_some = has_lengthscales(config_of(declaration));
  return has_some ? prediction.lengthscales : std::vector<double>();
}

std::vector<double> by_lengthscale(const Space& space, std::span<const double> lengthscales) {
  std::vector<double> weights(space.dimension(), lengthscales.empty() ? std::nan("") : 0.0);
  if (lengthscales.empty()) return weights;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (space.domain().axis(k).is_fixed()) continue;
    weights[k] = 1.0 / lengthscale_at(lengthscales, space.domain().position_if_free(k));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

double distance(const Space& space, std::span<const double> lengthscales, std::span<const double> a,
                std::span<const double> b) {
  const space::Domain& domain = space.domain();
  const Coordinates u = domain.to_coordinates(a);
  const Coordinates v = domain.to_coordinates(b);
  double squares = 0.0;
  for (std::size_t k = 0; k < u.size(); ++k) {
    if (domain.axis(k).is_fixed()) continue;
    const bool is_active = domain.is_active(u, k);
    double difference = std::abs(u[k] - v[k]);
    if (is_active != domain.is_active(v, k)) difference = 1.0;
    if (!is_active && !domain.is_active(v, k)) difference = 0.0;
    if (domain.axis(k).is_categorical() && difference > 0.0) difference = 1.0;
    const double l = lengthscale_at(lengthscales, domain.position_if_free(k));
    squares += std::pow(difference / l, 2);
  }
  return std::sqrt(squares);
}

double exploration_share(const Prediction& prediction, double best, Goal goal) {
  const double beyond = gain_over(goal, prediction.mean, best);
  if (beyond <= 0.0) return 1.0;
  if (!(prediction.sd > 0.0)) return 0.0;
  const double u = beyond / prediction.sd;
  const double known = beyond * numeric::normal_cdf(u);
  const double unknown = prediction.sd * numeric::normal_density(u);
  return unknown / (known + unknown);
}

}  // namespace oscbo::study
