#include "acquisition/search.hpp"

#include <vector>

#include "numeric/sobol.hpp"

namespace oscbo::acquisition {

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

}  // namespace oscbo::acquisition
