// The parts that all searches of a box share: the area, the result, and candidate points. All
// points are inputs of one model (ModelInput in input_scaling.hpp), held as Vector.
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

/// The area that a search covers.
struct SearchArea {
  SearchBox box;
  Vector incumbent = {};  // the best known point, for searches that also look close to it
  /// Tells whether a point must not be proposed. Empty if every point may be proposed.
  std::function<bool(const Vector& x)> is_excluded = {};

  [[nodiscard]] bool excludes(const Vector& x) const { return is_excluded && is_excluded(x); }
};

struct SearchResult {
  Vector x;
  double value = 0.0;
  int failed_restarts = 0;  // searches whose optimiser gave up; their best points still count
};

/// point_of returns a row of `points`.
[[nodiscard]] Vector point_of(const numeric::PaddedMatrix& points, Index row);

/// place_sobol_points writes `count` scrambled Sobol points of the box to the first rows of
/// `points`.
void place_sobol_points(const SearchBox& box, Index count, numeric::RandomStream stream,
                        numeric::PaddedMatrix& points);

/// place_steps writes points near `centre` to the rows begin .. end - 1 of `points`. Each is
/// `centre` plus a Gaussian step, clipped to the box. The scale of the step is log-uniform in
/// [0.001, 0.3] of the box's sides.
void place_steps(const SearchBox& box, const Vector& centre, Index begin, Index end,
                 numeric::RandomStream& stream, numeric::PaddedMatrix& points);

/// place_changes writes copies of `centre` to the rows begin .. end - 1 of `points`. In each copy,
/// one or two coordinates are redrawn uniformly from the box.
void place_changes(const SearchBox& box, const Vector& centre, Index begin, Index end,
                   numeric::RandomStream& stream, numeric::PaddedMatrix& points);

}  // namespace oscbo::acquisition
