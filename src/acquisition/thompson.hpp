// Thompson sampling: draw a function from the posterior, exactly and jointly, at a finite set of
// candidates, and take the candidate where it is largest.
#pragma once

#include "acquisition/search.hpp"
#include "acquisition/space_search.hpp"
#include "prediction/predictor.hpp"

namespace oscbo::acquisition {

/// place_candidates writes the candidates of one draw to the rows of `points`: scrambled Sobol
/// points of the box, and from row (rows + 1) / 2 on the incumbent moved by a Gaussian step, whose
/// scale is log-uniform in [0.001, 0.3] of the box's sides, and clipped to the box. Exposed for its
/// test.
void place_candidates(const SearchBox& box, const Vector& incumbent,
                      numeric::RandomStream sobol_stream, numeric::RandomStream& step_stream,
                      numeric::PaddedMatrix& points);

/// joint_sample draws from the Gaussian law with the means of `batch` and `covariance` (lower
/// triangle). When no jitter makes the covariance positive definite, the entries are drawn
/// independently, with the variances of `batch`. Exposed for its test.
[[nodiscard]] Vector joint_sample(const prediction::PredictionBatch& batch,
                                  const numeric::PaddedMatrix& covariance,
                                  numeric::RandomStream& stream);

/// maximise_sample returns the best of `candidates` points in the area under one draw from the
/// posterior, with its drawn value; where all are excluded, the best of all. The streams are (seed,
/// purpose, step) with `step` naming this search.
[[nodiscard]] SearchResult maximise_sample(prediction::Predictor& model, const SearchArea& area,
                                           int candidates, std::uint64_t seed, std::uint64_t step);

/// maximise_joint_sample does so on a space: objective and limits of the merit are drawn, and the
/// best candidate within the limits is taken, or that which misses them by least. Nothing where all
/// candidates are taken.
[[nodiscard]] std::optional<SpaceSearchResult> maximise_joint_sample(
    Merit& merit, const SpaceSearch& search, const SpaceArea& area, int candidates,
    std::uint64_t seed, std::uint64_t step);

}  // namespace oscbo::acquisition
