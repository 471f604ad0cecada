#include "gp/basin.hpp"

#include <algorithm>
#include <cmath>

namespace oscbo::gp {
namespace {

// Distances in lengthscales. The longest path, 14 * 0.12 = 1.7, is about the range of a Matern
// kernel.
constexpr double kClose = 0.3;
constexpr double kStep = 0.12;
constexpr int kMostSteps = 14;
// A parameter with little influence has a long lengthscale. The cap makes half of the box count as
// one lengthscale even then.
constexpr double kLongestLengthscale = 0.5;

}  // namespace

Basin::Basin(MeanFunction mean, std::vector<double> summit, const Vector& lengthscales)
    : mean_(std::move(mean)),
      summit_(std::move(summit)),
      lengthscales_(lengthscales.cwiseMin(kLongestLengthscale)) {}

double Basin::distance_to_summit(const std::vector<double>& x) const {
  double squares = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double distance = (x[k] - summit_[k]) / lengthscales_[static_cast<Index>(k)];
    squares += distance * distance;
  }
  return std::sqrt(squares);
}

// In the coordinates x / l the gradient is l dmu/dx, so the step in x is along l^2 dmu/dx.
bool Basin::contains(std::span<const double> x) const {
  std::vector<double> at(x.begin(), x.end());
  std::vector<double> gradient(at.size());
  std::vector<double> scaled(at.size());
  MeanFunction::Workspace workspace;
  for (int step = 0;; ++step) {
    const double distance = distance_to_summit(at);
    if (distance < kClose) return true;
    // The summit is out of reach of the remaining steps.
    if (distance >= kClose + (kMostSteps - step) * kStep) return false;
    mean_.gradient(at, gradient, workspace);
    double squares = 0.0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const double l = lengthscales_[static_cast<Index>(k)];
      const bool at_wall =
          (at[k] <= 0.0 && gradient[k] < 0.0) || (at[k] >= 1.0 && gradient[k] > 0.0);
      scaled[k] = at_wall ? 0.0 : l * gradient[k];
      squares += scaled[k] * scaled[k];
    }
    if (!(squares > 0.0)) return false;  // another summit, or a plateau
    for (std::size_t k = 0; k < at.size(); ++k) {
      const double l = lengthscales_[static_cast<Index>(k)];
      at[k] = std::clamp(at[k] + kStep * l * scaled[k] / std::sqrt(squares), 0.0, 1.0);
    }
  }
}

}  // namespace oscbo::gp
