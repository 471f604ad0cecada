// Local searches over a box from given start points, for the multi-start maximiser.
#pragma once

#include <limits>
#include <vector>

#include "acquisition/acquisition.hpp"
#include "acquisition/acquisition_options.hpp"
#include "acquisition/search.hpp"
#include "prediction/predictor.hpp"

namespace oscbo::acquisition {

/// The result of one local search: the best point seen.
struct Climb {
  Vector x = {};
  double value = -std::numeric_limits<double>::infinity();
  bool failed = false;  // the optimiser gave up

  void consider(const Vector& at, double value_there) {
    if (!(value_there > value)) return;
    value = value_there;
    x = at;
  }
};

/// climb searches the area from each of the starts with the solver that `config` names:
///
///   lbfgsb      L-BFGS-B from one start after the other
///   bfgs        projected BFGS from all starts in lockstep
///   adam        Adam from all starts in lockstep, a fixed number of steps
///   candidates  for each start, Gaussian steps from the best point found so far, in three passes
///               of decreasing scale; needs no gradients, and `stream` draws the steps
[[nodiscard]] std::vector<Climb> climb(prediction::Predictor& model, const Acquisition& acquisition,
                                       const SearchArea& area, const std::vector<Vector>& starts,
                                       const AcquisitionOptions& config,
                                       numeric::RandomStream stream);

}  // namespace oscbo::acquisition
