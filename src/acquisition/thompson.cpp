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

// means + L e with covariance = L L^T and e standard normal.
Vector joint_sample(const gp::PredictionBatch& batch, const PaddedMatrix& covariance,
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

SearchResult maximise_sample(gp::Surrogate& model, const SearchArea& area, int candidates,
                             std::uint64_t seed, std::uint64_t step) {
  const Index dimension = area.box.lower.size();
  RandomStream stream(seed, Purpose::thompson, step);
  gp::PredictionBatch batch;
  batch.resize(candidates, dimension);
  place_candidates(area.box, area.incumbent, RandomStream(seed, Purpose::raw_samples, step), stream,
                   batch.points);
  PaddedMatrix covariance;
  model.joint_covariance(batch, covariance);

  const Vector sample = joint_sample(batch, covariance, stream);
  const Index best = choose_best_starts(sample, batch.points, area, 1).front();
  return {.x = point_of(batch.points, best), .value = sample[best]};
}

}  // namespace oscbo::acquisition
