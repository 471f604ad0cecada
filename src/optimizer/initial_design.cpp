#include "optimizer/initial_design.hpp"

#include <numeric>

#include "acquisition/acquisition_options.hpp"
#include "numeric/random_stream.hpp"
#include "numeric/sobol.hpp"
#include "optimizer/data_options.hpp"

namespace oscbo {

using numeric::Purpose;
using numeric::RandomStream;
using space::Uniforms;

namespace {

Uniforms uniform_point(std::size_t dimension, std::size_t step, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::initial_design, step);
  Uniforms point(dimension);
  for (double& u : point.entries()) u = stream.uniform();
  return point;
}

Uniforms sobol_point(std::size_t dimension, std::size_t index, std::uint64_t seed) {
  numeric::ScrambledSobol sobol(dimension, RandomStream(seed, Purpose::initial_design));
  sobol.skip(index);
  Uniforms point(dimension);
  sobol.next(point.entries());
  return point;
}

/// latin_point draws, for each coordinate, a random permutation of the strata and a uniform
/// position within the stratum.
Uniforms latin_point(std::size_t dimension, std::size_t points, std::size_t index,
                     std::uint64_t seed) {
  Uniforms point(dimension);
  for (std::size_t k = 0; k < dimension; ++k) {
    RandomStream stream(seed, Purpose::initial_design, k);
    std::vector<std::size_t> strata(points);
    std::iota(strata.begin(), strata.end(), std::size_t{0});
    for (std::size_t i = points; i > 1; --i) std::swap(strata[i - 1], strata[stream.below(i)]);
    double within = 0.0;
    for (std::size_t i = 0; i <= index; ++i) within = stream.uniform();
    point[k] = (static_cast<double>(strata[index]) + within) / static_cast<double>(points);
  }
  return point;
}

}  // namespace

Uniforms initial_point(DataOptions::Design law, std::size_t dimension, std::size_t points,
                       std::size_t index, std::uint64_t seed) {
  if (law == DataOptions::Design::sobol) return sobol_point(dimension, index, seed);
  if (law == DataOptions::Design::lhs) {
    // Streams 0 to dimension - 1 belong to the strata, so later points use the streams after them.
    return index < points ? latin_point(dimension, points, index, seed)
                          : uniform_point(dimension, dimension + index, seed);
  }
  return uniform_point(dimension, index, seed);
}

Uniforms control_point(acquisition::AcquisitionOptions::Kind kind, std::size_t dimension,
                       std::size_t index, std::uint64_t seed) {
  return kind == acquisition::AcquisitionOptions::Kind::sobol
             ? sobol_point(dimension, index, seed)
             : uniform_point(dimension, dimension + index, seed);
}

}  // namespace oscbo
