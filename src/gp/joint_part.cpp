#include "gp/joint_part.hpp"

#include <algorithm>
#include <array>

namespace oscbo::gp {

JointPart::Factor JointPart::factor_of(Index parameter) const {
  alignas(64) std::array<double, kLanes> phi{};
  alignas(64) std::array<double, kLanes> psi{};
  phi.fill(1.0 / lengthscale(parameter));
  profile_.evaluate(phi.data(), psi.data(), kLanes);
  return {.phi = phi[0], .psi_over_phi = phi[0] > 0.0 ? psi[0] / phi[0] : 0.0};
}

void JointPart::evaluate(const PointBlock& block, double* k, double* slope) const {
  std::fill_n(k, block.count, 0.0);
  for (Index p = 0; p < layout_.parameters(); ++p) {
    if (layout_[p].is_categorical) continue;
    const double factor = 1.0 / (lengthscale(p) * lengthscale(p));
    for (Index column = layout_[p].first; column < layout_[p].end(); ++column) {
      for (Index i = 0; i < block.count; i += kLanes) {
        const Packet difference =
            packet_at(block.coordinates(column) + i) - block.centre_coordinate(column);
        packet_at(k + i) += difference * difference * factor;
      }
    }
  }
  take_roots(k, block.count);
  profile_.evaluate(k, slope, block.count);

  for (Index p = 0; p < layout_.parameters(); ++p) {
    if (!layout_[p].is_categorical) continue;
    const double other = factor_of(p).phi;
    for (Index i = 0; i < block.count; i += kLanes) {
      const Packet factor = block.where_differs(layout_[p].first, i, other, 1.0);
      packet_at(k + i) *= factor;
      if (slope != nullptr) packet_at(slope + i) *= factor;
    }
  }
}

// If the categories differ, the factor of a categorical parameter has the derivative dphi(1 / l)/dl
// = psi(1 / l) / l^3. The other factors do not depend on l, so dk/dl = k (psi/phi)(1 / l) / l^3.
void JointPart::add_theta_gradient(const PointBlock& block, const double* weights, const double* k,
                                   const double* slope, Vector& gradient) const {
  for (Index p = 0; p < layout_.parameters(); ++p) {
    gradient[step_ * p] +=
        layout_[p].is_categorical
            ? factor_of(p).psi_over_phi * weighted_squares(block, layout_[p], weights, k)
            : weighted_squares(block, layout_[p], weights, slope);
  }
}

void write_distances(const PointBlock& block, const Layout::Parameter& p, double* distances) {
  for (Index i = 0; i < block.count; i += kLanes) {
    Packet squares = p.is_categorical ? block.where_differs(p.first, i, 1.0, 0.0) : Packet{};
    for (Index k = p.first; k < p.end() && !p.is_categorical; ++k) {
      const Packet difference = packet_at(block.coordinates(k) + i) - block.centre_coordinate(k);
      squares += difference * difference;
    }
    packet_at(distances + i) = squares;
  }
  take_roots(distances, block.count);
}

double weighted_squares(const PointBlock& block, const Layout::Parameter& p, const double* weights,
                        const double* slope) {
  if (p.is_categorical) {
    return weighted_sum(weights, block.count, [&](Index i) {
      return packet_at(slope + i) * block.where_differs(p.first, i, 1.0, 0.0);
    });
  }
  double sum = 0.0;
  for (Index k = p.first; k < p.end(); ++k) {
    sum += weighted_sum(weights, block.count, [&](Index i) {
      const Packet difference = packet_at(block.coordinates(k) + i) - block.centre_coordinate(k);
      return packet_at(slope + i) * difference * difference;
    });
  }
  return sum;
}

}  // namespace oscbo::gp
