// The lengthscale rules: `game` (OSCBO) and `likelihood` (GP-UCB-MLL).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "learners/lengthscale_rule.hpp"
#include "learners/solver.hpp"
#include "online/play_recovery.hpp"

namespace oscbo::learners {

using numeric::Purpose;
using numeric::RandomStream;
using online::PointUtility;

namespace {

/// Lengthscale before any fit: softplus(0), the value that GPyTorch starts from.
constexpr double kFirstLengthscale = std::numbers::ln2;

/// What the rules share: solver, objective workspace and the likelihood fit.
class Fitter {
 public:
  Fitter(const Config& config, Index dimension, std::uint64_t seed)
      : config_(config),
        seed_(seed),
        first_(Vector::Constant(
            gp::parameter_count(config.kernel, dimension),
            std::clamp(kFirstLengthscale, config.learner.theta_min, config.learner.theta_max))),
        solver_(config.learner),
        likelihood_solver_(config.learner),
        objective_(gp::make_kernel(config.kernel), config.noise_variance) {
    objective_.reserve(expected_points(config));
  }

  /// Minimises sum of terms - <eta, theta> over the lengthscales.
  Vector minimise(const gp::Inputs& inputs, const Vector& y, const gp::ObjectiveTerms& terms,
                  const Vector& eta, const Vector& start, int round) {
    return minimise_with(solver_, inputs, y, terms, eta, start, round);
  }

  Vector maximise_likelihood(const Observations& observations, const Vector& start, int round) {
    return minimise_with(likelihood_solver_, observations.inputs, observations.y,
                         gp::likelihood_terms(observations.inputs.size()), Vector(), start, round);
  }

  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] const Vector& first() const { return first_; }
  [[nodiscard]] int evaluations() const { return objective_.evaluations(); }

 private:
  Vector minimise_with(LengthscaleSolver& solver, const gp::Inputs& inputs, const Vector& y,
                       const gp::ObjectiveTerms& terms, const Vector& eta, const Vector& start,
                       int round) {
    objective_.set_data(inputs, y);
    objective_.set_terms(terms);
    PerturbedObjective perturbed(objective_, eta, config_.primal.perturbed_space,
                                 solver.transform());
    return solver.minimise(
        perturbed, start,
        RandomStream(seed_, Purpose::lengthscale_starts, static_cast<std::uint64_t>(round)));
  }

  Config config_;
  std::uint64_t seed_;
  Vector first_;
  LengthscaleSolver solver_;
  LengthscaleSolver likelihood_solver_;  // Adam's moments of one objective mean nothing to another
  gp::LengthscaleObjective objective_;
};

/// Refits by maximum likelihood before every query.
class LikelihoodRule final : public LengthscaleRule {
 public:
  LikelihoodRule(const Config& config, Index dimension, std::uint64_t seed)
      : fitter_(config, dimension, seed), lengthscales_(fitter_.first()) {}

  [[nodiscard]] std::unique_ptr<LengthscaleRule> clone() const override {
    return std::make_unique<LikelihoodRule>(*this);
  }

  const Vector& next_lengthscales(const Observations& observations, int round) override {
    const bool warm = fitter_.config().learner.start != StartRule::cold;
    lengthscales_ =
        fitter_.maximise_likelihood(observations, warm ? lengthscales_ : fitter_.first(), round);
    return lengthscales_;
  }

  [[nodiscard]] int evaluations() const override { return fitter_.evaluations(); }

 private:
  Fitter fitter_;
  Vector lengthscales_;
};

/// The sharpness-calibration game of the paper.
class GameRule final : public LengthscaleRule {
 public:
  GameRule(const Config& config, Index dimension, std::uint64_t seed)
      : fitter_(config, dimension, seed),
        game_(config, fitter_.first()),
        likelihood_lengthscales_(fitter_.first()) {}

  [[nodiscard]] std::unique_ptr<LengthscaleRule> clone() const override {
    return std::make_unique<GameRule>(*this);
  }

  const Vector& next_lengthscales(const Observations& observations, int round) override {
    const PrimalConfig& primal = fitter_.config().primal;
    game_.begin_round(round);
    if (round == 1 && primal.first == FirstFit::likelihood && game_.primal().utilities().empty()) {
      game_.start_from(fitter_.maximise_likelihood(observations, fitter_.first(), 1));
    }
    const Vector eta = online::draw_perturbation(
        fitter_.first().size(), primal.law, primal.perturbation_sd,
        RandomStream(fitter_.seed(), Purpose::perturbation, static_cast<std::uint64_t>(round)));
    return game_.next_lengthscales(
        [&](const std::vector<PointUtility>& utilities, const Vector& perturbation,
            const Vector& previous) {
          return round == 1
                     ? first_lengthscales(observations, utilities, perturbation)
                     : perturbed_leader(observations, utilities, perturbation, previous, round);
        },
        eta);
  }

  void observe_initial(Index point) override { game_.observe_initial(point); }
  void observe_unasked(Index point) override { game_.observe_unasked(point); }
  void observe_prediction(Index point, double multiplier, double calibration_loss) override {
    game_.recalibrate(point, multiplier, calibration_loss);
  }

  [[nodiscard]] std::optional<double> multiplier() const override { return game_.multiplier(); }
  [[nodiscard]] std::optional<double> violation() const override { return game_.violation(); }
  [[nodiscard]] std::optional<Phase> phase() const override { return game_.phase(); }
  [[nodiscard]] int evaluations() const override { return fitter_.evaluations(); }

 private:
  Vector first_lengthscales(const Observations& observations,
                            const std::vector<PointUtility>& utilities, const Vector& eta) {
    switch (fitter_.config().primal.first) {
      case FirstFit::objective:
        return perturbed_leader(observations, utilities, eta, fitter_.first(), 1);
      case FirstFit::likelihood:
        return fitter_.maximise_likelihood(observations, fitter_.first(), 1);
      case FirstFit::fixed: break;
    }
    return fitter_.first();
  }

  Vector perturbed_leader(const Observations& observations,
                          const std::vector<PointUtility>& utilities, const Vector& eta,
                          const Vector& previous, int round) {
    const Vector start = start_for(observations, previous, round);
    if (fitter_.config().primal.initial_weight != InitialWeight::prior_only) {
      return fitter_.minimise(observations.inputs, observations.y,
                              terms_of(utilities, observations.inputs.size(), 0), eta, start,
                              round);
    }
    // The initial design is left out of the Gram matrix too.
    const Index skip = observations.initial_points;
    gp::Inputs rounds(observations.inputs.dimension(), observations.inputs.size() - skip);
    std::vector<double> x(static_cast<std::size_t>(rounds.dimension()));
    for (Index i = skip; i < observations.inputs.size(); ++i) {
      for (Index k = 0; k < rounds.dimension(); ++k) {
        x[static_cast<std::size_t>(k)] = observations.inputs.X()(i, k);
      }
      rounds.append(x);
    }
    const Vector y = observations.y.segment(skip, rounds.size());
    return fitter_.minimise(rounds, y, terms_of(utilities, rounds.size(), skip), eta, start, round);
  }

  Vector start_for(const Observations& observations, const Vector& previous, int round) {
    switch (fitter_.config().learner.start) {
      case StartRule::warm: return previous;
      case StartRule::likelihood:
        likelihood_lengthscales_ =
            fitter_.maximise_likelihood(observations, likelihood_lengthscales_, round);
        return likelihood_lengthscales_;
      case StartRule::cold: break;
    }
    return fitter_.first();
  }

  // Proposition 1. With c = log(1 + 1/s2), the utility of point j is
  //   v L^s_j + w L^c_j = (v/c) (log L_jj^2 - log s2) + w beta^(-p/2) |z_j|^p - w.
  [[nodiscard]] gp::ObjectiveTerms terms_of(const std::vector<PointUtility>& utilities, Index n,
                                            Index skip) const {
    const Config& config = fitter_.config();
    const double c = std::log1p(1.0 / config.noise_variance);
    const double p = config.primal.exponent;
    const double residual_scale = std::pow(config.beta, -0.5 * p);
    gp::ObjectiveTerms terms{
        .log_pivot_weights = Vector::Zero(n), .residual_weights = Vector::Zero(n), .exponent = p};
    for (const PointUtility& utility : utilities) {
      const Index j = utility.point - skip;
      terms.log_pivot_weights[j] = utility.sharpness_weight / c;
      terms.residual_weights[j] = utility.calibration_weight * residual_scale;
      terms.constant -=
          terms.log_pivot_weights[j] * std::log(config.noise_variance) + utility.calibration_weight;
    }
    return terms;
  }

  Fitter fitter_;
  online::PlayRecoveryGame game_;
  Vector likelihood_lengthscales_;  // start of the next likelihood fit, when fits start from one
};

}  // namespace

Index expected_points(const Config& config) {
  constexpr Index kLimit = 256;
  return std::min<Index>(Index{config.data.initial_points} + config.budget, kLimit);
}

RuleHandle make_rule(const Config& config, Index dimension, std::uint64_t seed) {
  if (config.learner.rule == LengthscaleRuleKind::likelihood) {
    return RuleHandle(std::make_unique<LikelihoodRule>(config, dimension, seed));
  }
  return RuleHandle(std::make_unique<GameRule>(config, dimension, seed));
}

}  // namespace oscbo::learners
