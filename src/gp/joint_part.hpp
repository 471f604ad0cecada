// The joint covariance of all parameters, for any layout:
//
//   k(x, x') = phi(r) prod_c phi(delta_c / l_c),   r^2 = sum over the other parameters p
//                                                        of |x_p - x'_p|^2 / l_p^2,
//
// with one factor for each categorical parameter c. radial_profile.hpp defines the profile phi.
// delta_c is 1 if the categories differ, otherwise 0. So a change of category counts as a move
// across the whole range of a numeric parameter.
#pragma once

#include "gp/layout.hpp"
#include "gp/radial_profile.hpp"

namespace oscbo::gp {

/// A block of points, whose number is a multiple of kLanes, and one other point, the centre.
struct PointBlock {
  const double* points;  // coordinate k of point i is points[k * stride + i], i = 0 aligned
  Index stride;
  Index count;
  const double* centre;  // its coordinate k is centre[k * centre_stride]
  Index centre_stride;

  [[nodiscard]] const double* coordinates(Index k) const { return points + k * stride; }
  [[nodiscard]] double centre_coordinate(Index k) const { return centre[k * centre_stride]; }

  /// where_differs returns a packet for the points i, i + 1, .... It is `other` where the category
  /// in column k differs from that of the centre, and `same` elsewhere.
  [[nodiscard]] numeric::Packet where_differs(Index k, Index i, double other, double same) const {
    return numeric::packet_at(coordinates(k) + i) != centre_coordinate(k)
               ? numeric::Packet{} + other
               : numeric::Packet{} + same;
  }
};

/// Holds references to its arguments, which must outlive it.
class JointPart {
 public:
  /// There is one lengthscale per parameter, or one for all.
  JointPart(const RadialProfile& profile, const Layout& layout, const double* lengthscales,
            bool one_for_all = false)
      : profile_(profile),
        layout_(layout),
        lengthscales_(lengthscales),
        step_(one_for_all ? 0 : 1) {}

  [[nodiscard]] double lengthscale(Index parameter) const {
    return lengthscales_[step_ * parameter];
  }

  /// evaluate writes the covariances of the block to k. Unless `slope` is null, it writes to
  /// `slope` the factor that all derivatives with respect to numeric parameters share, psi(r)
  /// prod_c phi(delta_c / l_c), with psi as in radial_profile.hpp.
  void evaluate(const PointBlock& block, double* k, double* slope) const;

  /// add_theta_gradient adds sum_i weights_i dk_i/dl, times l^3, to the entry of each lengthscale
  /// l. Every derivative has the factor 1 / l^3, which the caller applies once at the end. `k` and
  /// `slope` are the output of `evaluate`.
  void add_theta_gradient(const PointBlock& block, const double* weights, const double* k,
                          const double* slope, Vector& gradient) const;

 private:
  struct Factor {
    double phi;           // phi(1 / l), the factor if the categories differ
    double psi_over_phi;  // psi(1 / l) / phi(1 / l)
  };
  [[nodiscard]] Factor factor_of(Index parameter) const;

  const RadialProfile& profile_;
  const Layout& layout_;
  const double* lengthscales_;
  Index step_;
};

/// write_distances writes |x_p - x'_p| for each point of the block. For a categorical parameter,
/// this is 1 if the categories differ and 0 if not.
void write_distances(const PointBlock& block, const Layout::Parameter& p, double* distances);

/// weighted_sum returns sum_i weights_i term_i. term(i) returns the packet term_i, term_{i+1}, ....
template <class Term>
[[nodiscard]] double weighted_sum(const double* weights, Index count, const Term& term) {
  numeric::Packet total{};
  for (Index i = 0; i < count; i += numeric::kLanes) {
    total += numeric::packet_at(weights + i) * term(i);
  }
  return numeric::sum_of_lanes(total);
}

/// weighted_squares returns sum_i weights_i slope_i |x_p - x'_p|^2 over the points i of the block.
[[nodiscard]] double weighted_squares(const PointBlock& block, const Layout::Parameter& p,
                                      const double* weights, const double* slope);

}  // namespace oscbo::gp
