// Thompson sampling: draws a function from the posterior, exactly and jointly at a finite set of
// candidates, and returns the candidate at which it is largest.
#pragma once

#include "acquisition/search.hpp"
#include "acquisition/space_search.hpp"
#include "prediction/predictor.hpp"

namespace oscbo::acquisition {

/// place_candidates writes the candidates of one draw to the rows of `points`. The first half
/// of the rows, rounded up, are scrambled Sobol points of the box. The others are the incumbent
/// plus a Gaussian step, clipped to the box. The scale of the step is log-uniform in [0.001, 0.3]
/// of the box's sides. Exposed for its test.
void place_candidates(const SearchBox& box, const Vector& incumbent,
                      numeric::RandomStream sobol_stream, numeric::RandomStream& step_stream,
                      numeric::PaddedMatrix& points);

/// joint_sample draws from the Gaussian distribution that has the means in `batch` and the matrix
/// `covariance`, of which only the lower triangle is read. If no jitter makes the covariance
/// positive definite, it draws the entries independently with the variances of `batch`. Exposed for
/// its test.
[[nodiscard]] Vector joint_sample(const prediction::PredictionBatch& batch,
                                  const numeric::PaddedMatrix& covariance,
                                  numeric::RandomStream& stream);

/// maximise_sample places `candidates` points in the area, draws the function at all of them from
/// the posterior, and returns the point with the largest drawn value, together with this value.
/// Excluded points do not count, unless all are excluded. The random streams are (seed, purpose,
/// step), where `step` identifies this search.
[[nodiscard]] SearchResult maximise_sample(prediction::Predictor& model, const SearchArea& area,
                                           int candidates, std::uint64_t seed, std::uint64_t step);

/// maximise_joint_sample is Thompson sampling on a space. At the candidates it draws the objective,
/// if the merit has one, and every outcome on which the merit sets limits. It returns the candidate
/// with the largest drawn objective among those whose drawn outcomes are within the limits. If no
/// candidate is, it returns the one with the smallest violation; among equals, the one with the
/// largest drawn objective. It returns nothing if all candidates are excluded.
[[nodiscard]] std::optional<SpaceSearchResult> maximise_joint_sample(
    Merit& merit, const SpaceSearch& search, const SpaceArea& area, int candidates,
    std::uint64_t seed, std::uint64_t step);

}  // namespace oscbo::acquisition
