// What every search for the next point has in common: where it looks, what it brings back.
#pragma once

#include "numeric/padded_matrix.hpp"
#include "numeric/random_stream.hpp"

namespace oscbo::acquisition {

using numeric::Index;
using numeric::Vector;

struct SearchBox {
  Vector lower;
  Vector upper;
};

struct SearchResult {
  Vector x;
  double value = 0.0;
  int failed_restarts = 0;  // searches whose optimiser gave up; their best point was kept
};

/// place_sobol_points writes `count` scrambled Sobol points of the box to the first rows of
/// `points`.
void place_sobol_points(const SearchBox& box, Index count, numeric::RandomStream stream,
                        numeric::PaddedMatrix& points);

}  // namespace oscbo::acquisition
