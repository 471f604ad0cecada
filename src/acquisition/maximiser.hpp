// Multi-start maximisation of an acquisition function over a box.
#pragma once

#include <vector>

#include "acquisition/acquisition.hpp"
#include "acquisition/acquisition_options.hpp"
#include "acquisition/search.hpp"

namespace oscbo::acquisition {

/// choose_starts picks `count` of the points that step 1 of Maximiser::maximise has evaluated.
/// `values` holds their acquisition values. The points are drawn by a Boltzmann rule: without
/// replacement, with weights exp((value - mean) / sd). The best point is always among them. Exposed
/// for its test.
[[nodiscard]] std::vector<Index> choose_starts(const Vector& values, Index count,
                                               numeric::RandomStream stream);

/// choose_best_starts takes at most `count` of the evaluated points, best value first. It skips
/// points that the area excludes, and points that are less than 0.1 away from a point already
/// taken, in units of the box's sides. If all points are excluded, it returns the best one.
[[nodiscard]] std::vector<Index> choose_best_starts(const Vector& values,
                                                    const numeric::PaddedMatrix& points,
                                                    const SearchArea& area, Index count);

/// Reusable: keeps its workspace between calls. Not thread-safe.
class Maximiser {
 public:
  explicit Maximiser(const AcquisitionOptions& config) : config_(config) {}

  /// maximise returns the best point found in `area`:
  ///   1. It evaluates the acquisition at scrambled Sobol points and at points close to the
  ///      incumbent, as one batch.
  ///   2. It chooses starts among them: with the solver lbfgsb by the Boltzmann rule, otherwise
  ///      the best ones.
  ///   3. From each start it runs a local search (climb.hpp).
  /// The random streams are (seed, purpose, step), where `step` identifies this search.
  SearchResult maximise(prediction::Predictor& model, const Acquisition& acquisition,
                        const SearchArea& area, std::uint64_t seed, std::uint64_t step);

 private:
  Vector evaluate_raw_points(prediction::Predictor& model, const Acquisition& acquisition,
                             const SearchArea& area, std::uint64_t seed, std::uint64_t step);

  AcquisitionOptions config_;
  prediction::PredictionBatch batch_;
};

}  // namespace oscbo::acquisition
