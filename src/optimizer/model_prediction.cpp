#include "optimizer/model_prediction.hpp"

#include <algorithm>
#include <limits>

namespace oscbo {

Feedback judge(const ModelPrediction& prediction, double y, const Standardizer& scale,
               double exponent) {
  const Standardizer& before = prediction.standardizer;
  const double s2 = prediction.noise_variance;
  const double root_beta = std::sqrt(prediction.beta);
  // Residual and sd in units of `scale`; the two agree unless losses use the later statistics.
  const double ratio = before.scale / scale.scale;
  const double unit = before.sd / scale.sd * ratio;
  const double mean = (prediction.moments.mean * before.sd + before.mean) * ratio;
  const double residual = std::abs(y / scale.scale - mean) / scale.sd;
  const double variance = prediction.moments.variance * unit * unit;
  // A value of another order of magnitude must not make the losses and their sums infinite.
  constexpr double kLargestRatio = 1e150;
  const double standardised =
      std::min(residual / (root_beta * std::sqrt(variance + s2)), kLargestRatio);

  Feedback feedback;
  feedback.sharpness_loss =
      std::log1p(std::min(variance / s2, std::numeric_limits<double>::max())) /
      std::log1p(prediction.prior_variance / s2);
  feedback.calibration_loss = std::pow(standardised, exponent) - 1.0;
  feedback.covered =
      std::abs(before.to_z(y) - prediction.moments.mean) <= root_beta * prediction.observation_sd();
  return feedback;
}

}  // namespace oscbo
