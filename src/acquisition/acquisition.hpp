// Acquisition functions of the posterior moments at a point. Being functions of mean and latent
// variance alone, each is a few lines, and the maximiser gets gradients in x by the chain rule.
#pragma once

#include <cmath>

#include "gp/posterior.hpp"

namespace oscbo::acquisition {

struct AcquisitionValue {
  double value = 0.0;
  double mean_slope = 0.0;      // d value / d mean
  double variance_slope = 0.0;  // d value / d variance
};

class Acquisition {
 public:
  Acquisition() = default;
  Acquisition(const Acquisition&) = default;
  Acquisition(Acquisition&&) = default;
  Acquisition& operator=(const Acquisition&) = default;
  Acquisition& operator=(Acquisition&&) = default;
  virtual ~Acquisition() = default;

  [[nodiscard]] virtual AcquisitionValue at(const gp::Moments& moments) const = 0;
};

/// Upper confidence bound mean + sqrt(beta) sd: beta stands under the root, sd is latent.
class UpperConfidenceBound final : public Acquisition {
 public:
  explicit UpperConfidenceBound(double beta) : multiplier_(std::sqrt(beta)) {}

  [[nodiscard]] AcquisitionValue at(const gp::Moments& moments) const override {
    const double sd = std::sqrt(moments.variance);
    return {.value = moments.mean + multiplier_ * sd,
            .mean_slope = 1.0,
            .variance_slope = 0.5 * multiplier_ / sd};
  }

 private:
  double multiplier_;
};

}  // namespace oscbo::acquisition
