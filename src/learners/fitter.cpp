#include "learners/fitter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gp/kernel_options.hpp"
#include "learners/learner_options.hpp"
#include "online/game_options.hpp"

namespace oscbo::learners {

Index expected_points(const Config& config) {
  constexpr Index kLimit = 256;
  return std::min<Index>(Index{config.initial_points} + config.budget, kLimit);
}

Fitter::Fitter(const Config& config, const gp::Layout& layout, std::uint64_t seed)
    : config_(config),
      seed_(seed),
      first_(Vector::Constant(
          gp::parameter_count(config.get<gp::KernelOptions>(), layout.parameters()),
          std::clamp(std::numbers::ln2, config.get<LearnerOptions>().theta_min,
                     config.get<LearnerOptions>().theta_max))),
      solver_(config.get<LearnerOptions>()),
      likelihood_solver_(config.get<LearnerOptions>()),
      objective_(gp::make_kernel(config.get<gp::KernelOptions>(), layout), config.noise_variance) {
  objective_.reserve(expected_points(config));
}

Vector Fitter::minimise(const Observations& observations, const gp::ObjectiveTerms& terms,
                        const Vector& eta, const Vector& start, int round) {
  return minimise_with(solver_, observations, terms, eta, {}, start, round);
}

Vector Fitter::maximise_likelihood(const Observations& observations, const Vector& start, int round,
                                   const ThetaPrior& prior) {
  return minimise_with(likelihood_solver_, observations,
                       gp::likelihood_terms(observations.inputs.size()), Vector(), prior, start,
                       round);
}

Vector Fitter::minimise_with(LengthscaleSolver& solver, const Observations& observations,
                             const gp::ObjectiveTerms& terms, const Vector& eta,
                             const ThetaPrior& prior, const Vector& start, int round) {
  objective_.set_data(observations.inputs, observations.y, observations.known_noise);
  objective_.set_terms(terms);
  PerturbedObjective perturbed(objective_, eta,
                               config_.get<online::PrimalOptions>().perturbed_space,
                               solver.transform(), prior);
  Vector theta = solver.minimise(perturbed, start,
                                 numeric::RandomStream(seed_, numeric::Purpose::lengthscale_starts,
                                                       static_cast<std::uint64_t>(round)));
  objective_.release();  // frees memory for the model
  return theta;
}

// log|A| is the sum of the log-pivots.
double Fitter::information_gain(const Observations& observations, const Vector& theta) {
  const Index n = observations.inputs.size();
  const gp::NoiseLogarithms noise(observations.known_noise, n);
  const Vector y = Vector::Zero(n);
  const gp::ObjectiveTerms terms{
      .log_pivot_weights = Vector::Constant(n, 0.5),
      .residual_weights = Vector::Zero(n),
      .constant =
          -0.5 * noise.unknown * std::log(config_.noise_variance) - 0.5 * noise.known_logarithms};
  objective_.set_data(observations.inputs, y, observations.known_noise);
  objective_.set_terms(terms);
  const double gain = objective_.value(theta);
  objective_.release();
  return gain;
}

}  // namespace oscbo::learners
