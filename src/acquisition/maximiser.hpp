// Multi-start maximisation of an acquisition function over a box.
#pragma once

#include <vector>

#include "acquisition/acquisition.hpp"
#include "acquisition/search.hpp"

namespace oscbo::acquisition {

/// choose_starts picks `count` of the raw values by a Boltzmann rule: without replacement, with
/// weights exp((value - mean) / sd), the best value always among them. Exposed for its test.
[[nodiscard]] std::vector<Index> choose_starts(const Vector& values, Index count,
                                               numeric::RandomStream stream);

/// Reusable: keeps its workspace between calls. Not thread-safe.
class Maximiser {
 public:
  explicit Maximiser(const AcquisitionConfig& config) : config_(config) {}

  /// maximise returns the best point found in `box`:
  ///   1. the acquisition at scrambled Sobol points, evaluated as one batch,
  ///   2. a Boltzmann choice of starts among them,
  ///   3. from each an independent L-BFGS-B search with analytic gradient.
  /// The streams are (seed, purpose, step) with `step` naming this search.
  SearchResult maximise(gp::Surrogate& model, const Acquisition& acquisition, const SearchBox& box,
                        std::uint64_t seed, std::uint64_t step);

 private:
  AcquisitionConfig config_;
  gp::PredictionBatch batch_;
};

}  // namespace oscbo::acquisition
