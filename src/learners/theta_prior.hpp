// Independent log-normal priors on the entries of theta.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "numeric/padded_matrix.hpp"

namespace oscbo::learners {

struct LogNormal {
  double location = 0.0;
  double scale = 1.0;

  /// log_density returns
  ///   log p(x) = -log x - log(scale sqrt(2 pi)) - (log x - location)^2 / (2 scale^2).
  [[nodiscard]] double log_density(double x) const {
    const double u = (std::log(x) - location) / scale;
    return -std::log(x) - std::log(scale) - 0.5 * std::log(2.0 * std::numbers::pi) - 0.5 * u * u;
  }
  [[nodiscard]] double slope(double x) const {
    return -(1.0 + (std::log(x) - location) / (scale * scale)) / x;
  }
  [[nodiscard]] double mode() const { return std::exp(location - scale * scale); }
};

/// One distribution per entry of theta. Empty means no prior.
using ThetaPrior = std::vector<LogNormal>;

}  // namespace oscbo::learners
