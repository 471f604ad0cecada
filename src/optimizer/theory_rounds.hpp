// Computes the quantities of the theory from the record of a run. oscbo/theory.hpp defines them.
#pragma once

#include <optional>
#include <vector>

#include "gp/inputs.hpp"
#include "oscbo/config.hpp"
#include "oscbo/theory.hpp"

namespace oscbo {

/// One observation that had a prediction.
struct PredictedRound {
  gp::Index point = 0;  // position among the observations
  double beta = 0.0;
  double variance = 0.0;        // latent, in the model's units
  double noise_variance = 0.0;  // in the model's units
  double prior_variance = 1.0;  // of the function before any data, in the model's units
  double unit = 1.0;            // one unit of the model in units of y
  double residual = 0.0;        // |y - mean| in units of y
  Feedback feedback = {};
  std::optional<double> information_bound = {};
};

/// The record of a run: the observations as the model sees them now, in the order of their tells,
/// and the rounds that had a prediction.
struct RunRecord {
  const Config& config;
  std::uint64_t seed = 0;
  const gp::Inputs& inputs;
  const gp::Vector& z;
  bool one_at_a_time = true;  // all earlier values were known at every ask
  std::vector<PredictedRound> rounds;
};

[[nodiscard]] TheoryReport theory_report(const RunRecord& record,
                                         std::optional<double> reference_lengthscale);

}  // namespace oscbo
