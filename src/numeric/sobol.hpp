// Scrambled Sobol points: quasi-random points of the unit cube. In each coordinate, the first 2^m
// points have one point in every interval [i 2^-m, (i + 1) 2^-m). Owen's nested uniform scrambling
// randomises them, so that each point is uniform.
//
//   ScrambledSobol sobol(6, RandomStream(seed, Purpose::raw_samples, round));
//   std::array<double, 6> point;
//   sobol.next(point);
//
// The sequence is the one of Joe and Kuo (2008), starting at its first point, the origin. Bit 0 is
// the highest bit of a coordinate. A random bit decides whether bit k of coordinate j is flipped.
// There is one random bit for each j, each k and each value of the k higher bits before scrambling.
// So the points of one elementary interval move together into another, and every net stays a net.
// The random bits are hashes, so nothing is stored. One word of the random stream is the key for
// the hashes of a coordinate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <boost/random/sobol.hpp>

#include "numeric/random_stream.hpp"

namespace oscbo::numeric {

class ScrambledSobol {
 public:
  /// The largest dimension for which Boost has direction numbers.
  static constexpr std::size_t kMaxDimension = 3667;

  /// Coordinate j depends only on word j of `stream`. Throws Error (invalid_value) unless 1 <=
  /// dimension <= kMaxDimension.
  ScrambledSobol(std::size_t dimension, RandomStream stream);

  [[nodiscard]] std::size_t dimension() const noexcept { return keys_.size(); }

  /// next writes the next point, strictly inside (0, 1)^d. The sequence has 2^32 - 1 points.
  /// Requires point.size() == dimension().
  void next(std::span<double> point);

  /// skip skips the next `points` points in O(dimension) time, whatever their number.
  void skip(std::size_t points);

 private:
  boost::random::sobol_engine<std::uint32_t, 32> engine_;
  std::vector<std::uint64_t> keys_;  // hash keys of the coordinates
  bool at_origin_ = true;            // Boost's sequence lacks the origin, so we return it first
};

}  // namespace oscbo::numeric
