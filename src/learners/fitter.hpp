// The parts that lengthscale rules share: a solver, the workspace of the objective, and the
// likelihood fit.
#pragma once

#include "learners/learner_options.hpp"
#include "learners/lengthscale_rule.hpp"
#include "learners/solver.hpp"
#include "oscbo/config.hpp"

namespace oscbo::learners {

/// expected_points returns the number of points for which workspaces are reserved: the initial
/// points and the budget together, up to a limit. Beyond the limit, workspaces grow on demand.
[[nodiscard]] Index expected_points(const Config& config);

class Fitter {
 public:
  Fitter(const Config& config, const gp::Layout& layout, std::uint64_t seed);

  /// minimise returns the theta that minimises J(theta) - <eta, theta>. J is the
  /// gp::LengthscaleObjective with the weights and the exponent in `terms`, and eta is a
  /// perturbation.
  Vector minimise(const Observations& observations, const gp::ObjectiveTerms& terms,
                  const Vector& eta, const Vector& start, int round);

  /// maximise_likelihood returns the theta that maximises the marginal likelihood times `prior`.
  Vector maximise_likelihood(const Observations& observations, const Vector& start, int round,
                             const ThetaPrior& prior = {});

  /// information_gain returns the information gain of the observations
  /// (gp::Posterior::information_gain).
  double information_gain(const Observations& observations, const Vector& theta);

  /// learn_noise makes the noise variance the last entry of theta.
  void learn_noise() {
    objective_.learn_noise();
    likelihood_solver_.learn_noise();
  }

  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  /// start_at replaces the initial theta.
  void start_at(Vector first) { first_ = std::move(first); }

  /// first returns the initial theta: ln 2 = softplus(0), as in GPyTorch, unless start_at replaced
  /// it.
  [[nodiscard]] const Vector& first() const { return first_; }

  /// start returns the start of a fit: `previous`, or first() if fits start cold.
  [[nodiscard]] const Vector& start(const Vector& previous) const {
    return config_.get<LearnerOptions>().start == LearnerOptions::Start::cold ? first_ : previous;
  }

  [[nodiscard]] int evaluations() const { return objective_.evaluations(); }

 private:
  Vector minimise_with(LengthscaleSolver& solver, const Observations& observations,
                       const gp::ObjectiveTerms& terms, const Vector& eta, const ThetaPrior& prior,
                       const Vector& start, int round);

  Config config_;
  std::uint64_t seed_;
  Vector first_;
  LengthscaleSolver solver_;
  LengthscaleSolver likelihood_solver_;  // separate: Adam's moments belong to one objective
  gp::LengthscaleObjective objective_;
};

}  // namespace oscbo::learners
