#include "acquisition/search.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/sobol.hpp"

namespace oscbo::acquisition {

Vector point_of(const numeric::PaddedMatrix& points, Index row) {
  return Vector::NullaryExpr(points.columns(), [&](Index k) { return points(row, k); });
}

void place_sobol_points(const SearchBox& box, Index count, numeric::RandomStream stream,
                        numeric::PaddedMatrix& points) {
  const Index dimension = box.lower.size();
  numeric::ScrambledSobol sobol(static_cast<std::size_t>(dimension), stream);
  std::vector<double> point(static_cast<std::size_t>(dimension));
  for (Index i = 0; i < count; ++i) {
    sobol.next(point);
    for (Index k = 0; k < dimension; ++k) {
      const double range = box.upper[k] - box.lower[k];
      points(i, k) = box.lower[k] + range * point[static_cast<std::size_t>(k)];
    }
  }
}

void place_steps(const SearchBox& box, const Vector& centre, Index begin, Index end,
                 numeric::RandomStream& stream, numeric::PaddedMatrix& points) {
  constexpr double kSmallest = 1e-3;
  constexpr double kLargest = 0.3;
  for (Index i = begin; i < end; ++i) {
    const double scale = kSmallest * std::pow(kLargest / kSmallest, stream.uniform());
    for (Index k = 0; k < centre.size(); ++k) {
      const double side = box.upper[k] - box.lower[k];
      points(i, k) =
          std::clamp(centre[k] + scale * side * stream.normal(), box.lower[k], box.upper[k]);
    }
  }
}

void place_changes(const SearchBox& box, const Vector& centre, Index begin, Index end,
                   numeric::RandomStream& stream, numeric::PaddedMatrix& points) {
  const auto dimension = static_cast<std::size_t>(centre.size());
  for (Index i = begin; i < end; ++i) {
    for (Index k = 0; k < centre.size(); ++k) points(i, k) = centre[k];
    const std::size_t changes = 1 + stream.below(2);
    for (std::size_t change = 0; change < changes; ++change) {
      const auto k = static_cast<Index>(stream.below(dimension));
      points(i, k) = box.lower[k] + (box.upper[k] - box.lower[k]) * stream.uniform();
    }
  }
}

}  // namespace oscbo::acquisition
