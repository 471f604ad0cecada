// The orders in which the members of an ensemble see the features: rows of a random Latin square,
// as the scikit-learn wrapper of TabICL draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <boost/random/mersenne_twister.hpp>

namespace oscbo::in_context {

/// Draws the same numbers as Python's `random.Random(seed)`.
class PythonRandom {
 public:
  explicit PythonRandom(std::uint32_t seed);

  /// bits returns the next 32 random bits.
  [[nodiscard]] std::uint32_t bits() { return engine_(); }

  /// below returns an integer from 0 to n - 1. Requires n > 0.
  [[nodiscard]] std::size_t below(std::size_t n);

  /// shuffle goes from the last element to the second. It exchanges each element with a random one
  /// that is not after it, possibly with itself.
  template <class Element>
  void shuffle(std::vector<Element>& elements) {
    for (std::size_t i = elements.size(); i-- > 1;) std::swap(elements[i], elements[below(i + 1)]);
  }

 private:
  boost::random::mt19937 engine_;
};

/// An order of features: the new feature c is the old feature order[c].
using FeatureOrder = std::vector<std::size_t>;

/// feature_orders returns at most `most` orders of the features. No two of them have the same
/// feature in the same place.
[[nodiscard]] std::vector<FeatureOrder> feature_orders(std::size_t features, std::size_t most,
                                                       std::uint32_t seed = 42);

}  // namespace oscbo::in_context
