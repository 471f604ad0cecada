// What every search for the next point has in common: where it looks, what it brings back.
#pragma once

#include <functional>

#include "numeric/padded_matrix.hpp"
#include "numeric/random_stream.hpp"

namespace oscbo::acquisition {

using numeric::Index;
using numeric::Vector;

struct SearchBox {
  Vector lower;
  Vector upper;
};

/// Where a search looks.
struct SearchArea {
  SearchBox box;
  Vector incumbent = {};  // the best point known in it, for searches that also look close to one
  /// Whether a point is not to be proposed; empty: every point may be.
  std::function<bool(const Vector& x)> is_excluded = {};

  [[nodiscard]] bool excludes(const Vector& x) const { return is_excluded && is_excluded(x); }
};

struct SearchResult {
  Vector x;
  double value = 0.0;
  int failed_restarts = 0;  // searches whose optimiser gave up; their best point was kept
};

/// point_of returns a row of `points`.
[[nodiscard]] Vector point_of(const numeric::PaddedMatrix& points, Index row);

/// place_sobol_points writes `count` scrambled Sobol points of the box to the first rows of
/// `points`.
void place_sobol_points(const SearchBox& box, Index count, numeric::RandomStream stream,
                        numeric::PaddedMatrix& points);

/// place_steps writes `centre` moved by a Gaussian step, whose scale is log-uniform in [0.001, 0.3]
/// of the box's sides, and clipped to the box, to the rows begin .. end - 1 of `points`.
void place_steps(const SearchBox& box, const Vector& centre, Index begin, Index end,
                 numeric::RandomStream& stream, numeric::PaddedMatrix& points);

/// place_changes writes `centre` with one coordinate, or two, drawn anew, to those rows.
void place_changes(const SearchBox& box, const Vector& centre, Index begin, Index end,
                   numeric::RandomStream& stream, numeric::PaddedMatrix& points);

}  // namespace oscbo::acquisition
