// J(theta) of lengthscale_objective.hpp at many lengthscales at once, each for all input dimensions
// together, while observations arrive one by one.
//
// A factor that is kept needs one more row for one more point, O(n^2), where a new factorization
// takes n^3 / 3 operations. Lanes are lengthscales: all of them do the same at the same time, and
// no sum ever runs over lanes.
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

  /// values returns J at each lengthscale; not a number where A is not numerically positive
  /// definite. Points that begin with those of the last call cost O(n^2) for each further one,
  /// others begin anew.
  [[nodiscard]] Vector values(const Inputs& inputs, const Vector& y, const ObjectiveTerms& terms);

 private:
  using Packet = numeric::Packet;

  /// The factors of kLanes lengthscales.
  struct Factors {
    Packet lengthscales{};
    std::vector<Packet> rows;        // of L, packed; on the diagonal 1 / L_jj
    std::vector<Packet> log_pivots;  // log L_jj^2
    Packet smallest_pivot{};         // L_jj^2
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
  std::vector<std::vector<double>> points_;  // that the factors know
  std::vector<Packet> z_;                    // workspace
};

}  // namespace oscbo::gp
