// J(theta) of lengthscale_objective.hpp at many lengthscales at once, while observations arrive one
// by one. Each lengthscale applies to all input dimensions.
//
// The Cholesky factor of K + noise is stored for each lengthscale. It needs one more row for each
// new point, which takes O(n^2) operations. A new factorization would take n^3 / 3. A Packet is a
// SIMD vector, and each of its lanes belongs to one lengthscale: all lanes do the same operations
// at the same time, and no sum runs over lanes.
#pragma once

#include <vector>

#include "gp/inputs.hpp"
#include "gp/objective_terms.hpp"
#include "gp/radial_profile.hpp"

namespace oscbo::gp {

class LengthscaleScan {
 public:
  LengthscaleScan(RadialProfile profile, double noise_variance, const Vector& lengthscales);

  [[nodiscard]] const Vector& lengthscales() const { return lengthscales_; }

  /// values returns J at each lengthscale, and NaN where K + noise is not numerically positive
  /// definite. If the points start with the points of the last call, each new point costs O(n^2).
  /// Otherwise the factors are computed from scratch.
  [[nodiscard]] Vector values(const Inputs& inputs, const Vector& y, const ObjectiveTerms& terms);

 private:
  using Packet = numeric::Packet;

  /// The factors of kLanes lengthscales.
  struct Factors {
    Packet lengthscales{};
    std::vector<Packet> rows;        // the rows of L, packed, with 1 / L_jj on the diagonal
    std::vector<Packet> log_pivots;  // log L_jj^2
    Packet smallest_pivot{};         // the smallest L_jj^2
  };

  [[nodiscard]] double diagonal() const { return 1.0 + noise_variance_; }
  void follow(const Inputs& inputs);
  void append_row(Factors& factors, const Inputs& inputs, Index row) const;
  [[nodiscard]] Packet value_of(const Factors& factors, const Vector& y,
                                const ObjectiveTerms& terms);

  RadialProfile profile_;
  double noise_variance_;
  Vector lengthscales_;
  std::vector<Factors> groups_;
  std::vector<std::vector<double>> points_;  // the points in the factors
  std::vector<Packet> z_;                    // workspace
};

}  // namespace oscbo::gp
