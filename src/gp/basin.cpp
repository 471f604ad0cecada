#include "gp/basin.hpp"

#include <algorithm>
#include <cmath>

namespace oscbo::gp {
namespace {

// In lengthscales. A way of 1.7 is about what a Matern kernel can see.
constexpr double kClose = 0.3;
constexpr double kStep = 0.12;
constexpr int kMostSteps = 14;
// A parameter that hardly matters has a long lengthscale; half of the box counts as far all the
// same.
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

// In the coordinates x / l the step is along the gradient l dmu/dx; back in x it is l^2 dmu/dx.
bool Basin::contains(std::span<const double> x) const {
  std::vector<double> at(x.begin(), x.end());
  std::vector<double> gradient(at.size());
  std::vector<double> scaled(at.size());
  MeanFunction::Workspace workspace;
  for (int step = 0;; ++step) {
    const double distance = distance_to_summit(at);
    if (distance < kClose) return true;
    // Too far for the steps that are left, whichever way they lead.
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
    if (!(squares > 0.0)) return false;  // another summit, or flat ground
    for (std::size_t k = 0; k < at.size(); ++k) {
      const double l = lengthscales_[static_cast<Index>(k)];
      at[k] = std::clamp(at[k] + kStep * l * scaled[k] / std::sqrt(squares), 0.0, 1.0);
    }
  }
}

}  // namespace oscbo::gp
