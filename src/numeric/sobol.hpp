// Scrambled Sobol points: quasi-random points of the unit cube whose every dyadic projection is
// stratified, made random (each point is uniform) by Owen's nested uniform scrambling.
//
//   ScrambledSobol sobol(6, RandomStream(seed, Purpose::raw_samples, round));
//   std::array<double, 6> point;
//   sobol.next(point);
//
// The sequence is that of Joe and Kuo (2008) from its first point, the origin, on. The scrambling
// flips bit k of coordinate j by a random bit that belongs to (j, the k higher bits before
// scrambling), so that the points of one elementary interval move together into another: every net
// stays a net. The bits are hashes, so nothing is stored; a coordinate's hash is keyed by one word
// of the random stream.
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

  /// Coordinate j is a function of word j of `stream`. Throws Error (invalid_value) unless
  /// 1 <= dimension <= kMaxDimension.
  ScrambledSobol(std::size_t dimension, RandomStream stream);

  [[nodiscard]] std::size_t dimension() const noexcept { return keys_.size(); }

  /// next writes the next of 2^32 - 1 points, strictly inside (0, 1)^d. Requires point.size() ==
  /// dimension().
  void next(std::span<double> point);

  /// skip leaves out the next `points`, in O(dimension) whatever their number.
  void skip(std::size_t points);

 private:
  boost::random::sobol_engine<std::uint32_t, 32> engine_;
  std::vector<std::uint64_t> keys_;  // of the coordinates' scramblings
  bool at_origin_ = true;            // Boost's sequence lacks the origin: it is put in front
};

}  // namespace oscbo::numeric
