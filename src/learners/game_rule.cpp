// OSCBO: the lengthscales as the primal player of the sharpness-calibration game.
#include <cmath>
#include <numeric>

#include "learners/fitter.hpp"
#include "learners/learner_options.hpp"
#include "learners/point_subset.hpp"
#include "learners/rule_factories.hpp"
#include "online/game_options.hpp"
#include "online/play_recovery.hpp"

namespace oscbo::learners {

using numeric::Purpose;
using numeric::RandomStream;
using online::PointUtility;

namespace {

class GameRule final : public LengthscaleRule {
 public:
  GameRule(const Config& config, const gp::Layout& layout, std::uint64_t seed)
      : fitter_(config, layout, seed),
        game_(config, fitter_.first()),
        settings_{.theta = fitter_.first()},
        likelihood_lengthscales_(fitter_.first()) {}

  [[nodiscard]] std::unique_ptr<LengthscaleRule> clone() const override {
    return std::make_unique<GameRule>(*this);
  }

  const ModelSettings& next_settings(const Observations& observations, int round) override {
    const auto& primal = fitter_.config().get<online::PrimalOptions>();
    game_.begin_round(round);
    if (round == 1 && primal.first == online::PrimalOptions::First::likelihood &&
        game_.primal().utilities().empty()) {
      game_.start_from(likelihood_fit(observations, fitter_.first(), 1));
    }
    const Vector eta = online::draw_perturbation(
        fitter_.first().size(), primal.law, primal.perturbation_sd,
        RandomStream(fitter_.seed(), Purpose::perturbation, static_cast<std::uint64_t>(round)));
    settings_.theta = game_.next_lengthscales(
        [&](const std::vector<PointUtility>& utilities, const Vector& perturbation,
            const Vector& previous) {
          return round == 1
                     ? first_lengthscales(observations, utilities, perturbation)
                     : perturbed_leader(observations, utilities, perturbation, previous, round);
        },
        eta);
    return settings_;
  }

  void observe_initial(Index point, double beta) override {
    remember_beta(point, beta);
    game_.observe_initial(point);
  }
  void observe_unasked(Index point, double beta) override {
    remember_beta(point, beta);
    game_.observe_unasked(point);
  }
  void observe_prediction(const PredictionFeedback& feedback) override {
    remember_beta(feedback.point, feedback.beta);
    game_.recalibrate(feedback.point, feedback.dual_multiplier, feedback.calibration_loss);
  }

  [[nodiscard]] std::optional<double> multiplier() const override { return game_.multiplier(); }
  [[nodiscard]] std::optional<double> violation() const override { return game_.violation(); }
  [[nodiscard]] std::optional<Phase> phase() const override { return game_.phase(); }
  [[nodiscard]] int evaluations() const override { return fitter_.evaluations(); }

 private:
  void remember_beta(Index point, double beta) {
    const auto entry = static_cast<std::size_t>(point);
    if (betas_.size() <= entry) betas_.resize(entry + 1, fitter_.config().beta);
    betas_[entry] = beta;
  }

  Vector likelihood_fit(const Observations& observations, const Vector& start, int round) {
    return fitter_.maximise_likelihood(observations, start, round);
  }

  Vector first_lengthscales(const Observations& observations,
                            const std::vector<PointUtility>& utilities, const Vector& eta) {
    switch (fitter_.config().get<online::PrimalOptions>().first) {
      case online::PrimalOptions::First::objective:
        return perturbed_leader(observations, utilities, eta, fitter_.first(), 1);
      case online::PrimalOptions::First::likelihood:
        return likelihood_fit(observations, fitter_.first(), 1);
      case online::PrimalOptions::First::fixed: break;
    }
    return fitter_.first();
  }

  Vector perturbed_leader(const Observations& observations,
                          const std::vector<PointUtility>& utilities, const Vector& eta,
                          const Vector& previous, int round) {
    const Vector start = start_for(observations, previous, round);
    if (fitter_.config().get<online::PrimalOptions>().initial_weight !=
        online::PrimalOptions::InitialWeight::prior_only) {
      return fitter_.minimise(observations, terms_of(utilities, observations.inputs.size(), 0), eta,
                              start, round);
    }
    // The Gram matrix omits the initial design too.
    const Index skip = observations.initial_points;
    std::vector<Index> asked(static_cast<std::size_t>(observations.inputs.size() - skip));
    std::iota(asked.begin(), asked.end(), skip);
    const ObservationSubset rounds(observations, asked);
    const auto count = static_cast<Index>(asked.size());
    return fitter_.minimise(rounds.get(), terms_of(utilities, count, skip), eta, start, round);
  }

  Vector start_for(const Observations& observations, const Vector& previous, int round) {
    switch (fitter_.config().get<LearnerOptions>().start) {
      case LearnerOptions::Start::warm: return previous;
      case LearnerOptions::Start::likelihood:
        likelihood_lengthscales_ = likelihood_fit(observations, likelihood_lengthscales_, round);
        return likelihood_lengthscales_;
      case LearnerOptions::Start::cold: break;
    }
    return fitter_.first();
  }

  // Proposition 1: with c = log(1 + 1/s2), the utility of point j is
  //   v L^s_j + w L^c_j = (v/c) (log L_jj^2 - log s2) + w beta_j^(-p/2) |z_j|^p - w.
  [[nodiscard]] gp::ObjectiveTerms terms_of(const std::vector<PointUtility>& utilities, Index n,
                                            Index skip) const {
    const Config& config = fitter_.config();
    const double c = std::log1p(1.0 / config.noise_variance);
    const double p = config.get<online::PrimalOptions>().exponent;
    gp::ObjectiveTerms terms{
        .log_pivot_weights = Vector::Zero(n), .residual_weights = Vector::Zero(n), .exponent = p};
    for (const PointUtility& utility : utilities) {
      const Index j = utility.point - skip;
      terms.log_pivot_weights[j] = utility.sharpness_weight / c;
      const double beta = betas_[static_cast<std::size_t>(utility.point)];
      terms.residual_weights[j] = utility.calibration_weight * std::pow(beta, -0.5 * p);
      terms.constant -=
          terms.log_pivot_weights[j] * std::log(config.noise_variance) + utility.calibration_weight;
    }
    return terms;
  }

  Fitter fitter_;
  online::PlayRecoveryGame game_;
  ModelSettings settings_;
  std::vector<double> betas_;       // beta of the interval of each point
  Vector likelihood_lengthscales_;  // start of the next likelihood fit, with
                                    // LearnerOptions::Start::likelihood
};

}  // namespace

std::unique_ptr<LengthscaleRule> make_game_rule(const Config& config, const gp::Layout& layout,
                                                std::uint64_t seed) {
  return std::make_unique<GameRule>(config, layout, seed);
}

}  // namespace oscbo::learners
