#include "acquisition/maximiser.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "acquisition/climb.hpp"

namespace oscbo::acquisition {

using numeric::Purpose;
using numeric::RandomStream;

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
      config_.solver == AcquisitionOptions::Solver::lbfgsb
          ? choose_starts(values, config_.restarts, RandomStream(seed, Purpose::start_choice, step))
          : choose_best_starts(values, batch_.points, area, config_.restarts);
  std::vector<Vector> starts;
  starts.reserve(chosen.size());
  for (const Index i : chosen) starts.push_back(point_of(batch_.points, i));

  // The centre is the result if every value is NaN.
  SearchResult best{.x = 0.5 * (box.lower + box.upper),
                    .value = -std::numeric_limits<double>::infinity()};
  const RandomStream stream(seed, Purpose::start_choice, step);
  for (const Climb& found : climb(model, acquisition, area, starts, config_, stream)) {
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
