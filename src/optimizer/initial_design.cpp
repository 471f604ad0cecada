#include "optimizer/initial_design.hpp"

#include <numeric>

#include "acquisition/acquisition_options.hpp"
#include "numeric/random_stream.hpp"
#include "numeric/sobol.hpp"
#include "optimizer/data_options.hpp"

namespace oscbo {

using numeric::Purpose;
using numeric::RandomStream;

namespace {

std::vector<double> uniform_point(std::size_t dimension, std::size_t step, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::initial_design, step);
  std::vector<double> point(dimension);
  for (double& u : point) u = stream.uniform();
  return point;
}

std::vector<double> sobol_point(std::size_t dimension, std::size_t index, std::uint64_t seed) {
  numeric::ScrambledSobol sobol(dimension, RandomStream(seed, Purpose::initial_design));
  sobol.skip(index);
  std::vector<double> point(dimension);
  sobol.next(point);
  return point;
}

/// latin_point draws, for each coordinate, a random permutation of the strata and a uniform
/// position within the stratum.
std::vector<double> latin_point(std::size_t dimension, std::size_t points, std::size_t index,
                                std::uint64_t seed) {
  std::vector<double> point(dimension);
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

std::vector<double> initial_point(DataOptions::Design law, std::size_t dimension,
                                  std::size_t points, std::size_t index, std::uint64_t seed) {
  if (law == DataOptions::Design::sobol) return sobol_point(dimension, index, seed);
  if (law == DataOptions::Design::lhs) {
    // Streams 0 to dimension - 1 belong to the strata, so later points use the streams after them.
    return index < points ? latin_point(dimension, points, index, seed)
                          : uniform_point(dimension, dimension + index, seed);
  }
  return uniform_point(dimension, index, seed);
}

std::vector<double> control_point(acquisition::AcquisitionOptions::Kind kind, std::size_t dimension,
                                  std::size_t index, std::uint64_t seed) {
  return kind == acquisition::AcquisitionOptions::Kind::sobol
             ? sobol_point(dimension, index, seed)
             : uniform_point(dimension, dimension + index, seed);
}

}  // namespace oscbo
