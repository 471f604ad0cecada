#include "acquisition/thompson.hpp"

#include "acquisition/maximiser.hpp"
#include "numeric/cholesky.hpp"

namespace oscbo::acquisition {

using numeric::PaddedMatrix;
using numeric::Purpose;
using numeric::RandomStream;

namespace {

Vector standard_normals(Index count, RandomStream& stream) {
  Vector values(count);
  for (Index i = 0; i < count; ++i) values[i] = stream.normal();
  return values;
}

}  // namespace

void place_candidates(const SearchBox& box, const Vector& incumbent, RandomStream sobol_stream,
                      RandomStream& step_stream, PaddedMatrix& points) {
  const Index global = (points.rows() + 1) / 2;
  place_sobol_points(box, global, sobol_stream, points);
  place_steps(box, incumbent, global, points.rows(), step_stream, points);
}

// The sample is means + L e with covariance = L L^T and e standard normal.
Vector joint_sample(const prediction::PredictionBatch& batch, const PaddedMatrix& covariance,
                    RandomStream& stream) {
  const Index count = covariance.rows();
  const Vector normals = standard_normals(count, stream);
  Vector sample = batch.means.head(count);
  numeric::Cholesky cholesky;
  const numeric::FactorOutcome outcome =
      factorize_with_jitter(cholesky, count, [&](PaddedMatrix& A) { A = covariance; });
  if (!outcome.ok) {
    sample.array() += batch.variances.head(count).array().sqrt() * normals.array();
    return sample;
  }
  for (Index j = 0; j < count; ++j) {
    for (Index i = j; i < count; ++i) sample[i] += cholesky.L()(i, j) * normals[j];
  }
  return sample;
}

SearchResult maximise_sample(prediction::Predictor& model, const SearchArea& area, int candidates,
                             std::uint64_t seed, std::uint64_t step) {
  const Index dimension = area.box.lower.size();
  RandomStream stream(seed, Purpose::thompson, step);
  prediction::PredictionBatch batch;
  batch.resize(candidates, dimension);
  place_candidates(area.box, area.incumbent, RandomStream(seed, Purpose::raw_samples, step), stream,
                   batch.points);
  PaddedMatrix covariance;
  model.joint_covariance(batch, covariance);

  const Vector sample = joint_sample(batch, covariance, stream);
  const Index best = choose_best_starts(sample, batch.points, area, 1).front();
  return {.x = point_of(batch.points, best), .value = sample[best]};
}

std::optional<SpaceSearchResult> maximise_joint_sample(Merit& merit, const SpaceSearch& search,
                                                       const SpaceArea& area, int candidates,
                                                       std::uint64_t seed, std::uint64_t step) {
  const int close = area.incumbent.empty() ? 0 : candidates / 2;
  std::vector<space::Coordinates> points =
      search.raw_points(area, candidates - close, close, seed, step);
  std::erase_if(points, [&](const space::Coordinates& u) { return area.excludes(u); });
  if (points.empty()) return std::nullopt;
  const PaddedMatrix columns = columns_of(area.region.domain(), points);
  RandomStream stream(seed, Purpose::thompson, step);
  const auto draw = [&](const ScaledModel& model) {
    prediction::PredictionBatch batch;
    model.place(columns, batch);
    PaddedMatrix covariance;
    model.model->joint_covariance(batch, covariance);
    return joint_sample(batch, covariance, stream);
  };
  Vector sample = Vector::Zero(columns.rows());
  if (merit.objective()) sample = draw(merit.objective()->model);
  Vector misses = Vector::Zero(columns.rows());
  for (const Limit& limit : merit.limits()) {
    const Vector drawn = draw(limit.model);
    misses.array() += (limit.lower - drawn.array()).max(drawn.array() - limit.upper).max(0.0);
  }
  const double least = misses.minCoeff();
  Index best = 0;
  double value = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < sample.size(); ++i) {
    if (misses[i] > least || !(sample[i] > value)) continue;
    best = i;
    value = sample[i];
  }
  return SpaceSearchResult{.u = points[static_cast<std::size_t>(best)], .value = value};
}

}  // namespace oscbo::acquisition
