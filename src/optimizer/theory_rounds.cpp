#include "optimizer/theory_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "acquisition/acquisition_options.hpp"
#include "gp/kernel_options.hpp"
#include "gp/posterior.hpp"
#include "learners/fitter.hpp"
#include "learners/learner_options.hpp"
#include "model/registry.hpp"
#include "numeric/normal.hpp"
#include "online/coverage_evidence.hpp"
#include "online/game_options.hpp"
#include "online/width_options.hpp"

namespace oscbo {

using gp::Index;
using gp::Vector;

namespace {

/// L^s and L^c of every predicted round for a model that always uses `theta`. One factorization
/// gives all of them: pivot j and residual j predict observation j from the earlier observations.
struct Losses {
  std::vector<double> sharpness;
  std::vector<double> calibration;
};

Losses losses_under(const RunRecord& record, const Vector& theta) {
  const Config& config = record.config;
  gp::Posterior posterior(gp::make_kernel(config.get<gp::KernelOptions>(),
                                          gp::Layout::plain(record.inputs.dimension())),
                          config.noise_variance);
  Losses losses;
  if (!posterior.fit(record.inputs, record.z, theta).ok) {
    losses.sharpness.assign(record.rounds.size(), std::numeric_limits<double>::quiet_NaN());
    losses.calibration = losses.sharpness;
    return losses;
  }
  const double normaliser = std::log1p(1.0 / config.noise_variance);
  for (const PredictedRound& round : record.rounds) {
    const double log_pivot = -2.0 * std::log(posterior.inverse_pivots()[round.point]);
    const double residual = std::abs(posterior.residuals()[round.point]) / std::sqrt(round.beta);
    losses.sharpness.push_back((log_pivot - std::log(config.noise_variance)) / normaliser);
    losses.calibration.push_back(std::pow(residual, config.get<online::PrimalOptions>().exponent) -
                                 1.0);
  }
  return losses;
}

/// admissible_theta returns the hyperparameters over which the margin is taken, apart from the
/// reference.
std::vector<Vector> admissible_theta(const RunRecord& record, const Vector& reference) {
  constexpr int kGrid = 24;
  const Config& config = record.config;
  std::vector<Vector> list;
  const bool learns_lengthscales =
      !model::model_of(config).traits.kernel_is_known && has_lengthscales(config);
  const auto& learner = config.get<learners::LearnerOptions>();
  for (int i = 0; learns_lengthscales && i < kGrid; ++i) {
    const double ratio = learner.theta_max / learner.theta_min;
    list.emplace_back(
        Vector::Constant(reference.size(), learner.theta_min * std::pow(ratio, i / (kGrid - 1.0))));
  }
  return list;
}

Vector reference_theta(const RunRecord& record, std::optional<double> lengthscale) {
  const Index dimension = record.inputs.dimension();
  const auto& kernel = record.config.get<gp::KernelOptions>();
  if (lengthscale) {
    return Vector::Constant(gp::parameter_count(kernel, dimension), *lengthscale);
  }
  if (model::model_of(record.config).traits.kernel_is_known) {
    return gp::given_theta(kernel, dimension);
  }
  Config config = record.config;
  config.edit<learners::LearnerOptions>().solver = learners::LearnerOptions::Solver::exact;
  learners::Fitter fitter(config, gp::Layout::plain(dimension), record.seed);
  return fitter.maximise_likelihood({.inputs = record.inputs, .y = record.z}, fitter.first(), 1);
}

/// raise_margins raises each entry to the mean of -L^c up to that round if that mean is larger.
void raise_margins(const Losses& losses, std::vector<double>& margins) {
  double sum = 0.0;
  for (std::size_t t = 0; t < margins.size(); ++t) {
    sum -= losses.calibration[t];
    margins[t] = std::max(margins[t], sum / static_cast<double>(t + 1));
  }
}

/// The claim that the observations test, round by round.
class CoverageClaim {
 public:
  explicit CoverageClaim(const Config& config) : config_(config), evidence_(miss_probability()) {}

  void observe(const PredictedRound& round) { evidence_.observe(is_miss(round)); }
  [[nodiscard]] double log_evidence() const { return evidence_.log_evidence(); }

  /// The claim of the theory holds only if its band holds. The band fails with probability delta /
  /// 6, so the level of the test is the rest of delta.
  [[nodiscard]] bool is_contradicted() const {
    return evidence_.contradicts(is_theory() ? config_.delta * 5.0 / 6.0 : config_.delta);
  }

 private:
  [[nodiscard]] bool is_theory() const {
    return config_.get<online::WidthOptions>().kind == online::WidthOptions::Kind::theory;
  }

  /// A constant width claims a miss probability of P(|Z| > sqrt(beta)) for Gaussian Z. The width of
  /// the theory claims that the function is within sqrt(beta) sd of the mean. The noise exceeds R
  /// sqrt(2 log(2 / delta)) with probability at most delta.
  [[nodiscard]] double miss_probability() const {
    return is_theory() ? config_.delta : 2.0 * numeric::normal_cdf(-std::sqrt(config_.beta));
  }

  [[nodiscard]] bool is_miss(const PredictedRound& round) const {
    if (!is_theory()) return !round.feedback.covered;
    const double noise = config_.get<online::WidthOptions>().noise_bound *
                         std::sqrt(2.0 * std::log(2.0 / config_.delta));
    return round.residual > std::sqrt(round.beta * round.variance) * round.unit + noise;
  }

  const Config& config_;
  online::CoverageEvidence evidence_;
};

/// is_certified returns whether Corollary 1 applies. It requires a known kernel with its own width,
/// the upper confidence bound, and points chosen one at a time.
bool is_certified(const RunRecord& record) {
  using acquisition::AcquisitionOptions;
  using online::WidthOptions;
  const Config& config = record.config;
  return config.get<WidthOptions>().kind == WidthOptions::Kind::theory &&
         model::model_of(config).traits.kernel_is_known &&
         config.get<AcquisitionOptions>().kind == AcquisitionOptions::Kind::ucb &&
         record.one_at_a_time;
}

}  // namespace

// Corollary 1 with s2 C = 1 / log(1 + 1/s2):  R_T <= sqrt(T sum_t 4 beta_t L^s_t), where each term
// is at least (2 sqrt(beta_t) sd_t)^2.
TheoryReport theory_report(const RunRecord& record, std::optional<double> reference_lengthscale) {
  TheoryReport report;
  if (record.rounds.empty()) return report;
  const Vector reference = reference_theta(record, reference_lengthscale);
  report.reference.assign(reference.begin(), reference.end());
  const Losses at_reference = losses_under(record, reference);
  std::vector<double> margin(record.rounds.size(), -std::numeric_limits<double>::infinity());
  raise_margins(at_reference, margin);
  for (const Vector& theta : admissible_theta(record, reference)) {
    raise_margins(losses_under(record, theta), margin);
  }
  CoverageClaim claim(record.config);
  const bool certified = is_certified(record);

  TheoryRound now;
  double sum_of_squares = 0.0;
  int covered = 0;
  for (std::size_t t = 0; t < record.rounds.size(); ++t) {
    const PredictedRound& round = record.rounds[t];
    const double squared_unit = round.unit * round.unit;
    now.round = static_cast<int>(t) + 1;
    now.beta = round.beta;
    now.information_gain += 0.5 * std::log1p(round.variance / round.noise_variance);
    now.information_bound = round.information_bound;
    now.margin = margin[t];
    now.optimality_gap += round.feedback.sharpness_loss - at_reference.sharpness[t];
    now.violation = round.feedback.violation;
    // L^s = log(1 + v/s2) / log(1 + prior/s2) is at least v / prior.
    sum_of_squares +=
        4.0 * round.beta * round.feedback.sharpness_loss * round.prior_variance * squared_unit;
    now.regret_bound = std::sqrt(now.round * sum_of_squares);
    now.sum_of_widths += 2.0 * std::sqrt(round.beta * round.variance * squared_unit);
    covered += round.feedback.covered ? 1 : 0;
    now.coverage = static_cast<double>(covered) / now.round;
    claim.observe(round);
    now.log_evidence = claim.log_evidence();
    now.status = claim.is_contradicted() ? CertificateStatus::contradicted
                 : certified             ? CertificateStatus::certified
                                         : CertificateStatus::heuristic;
    report.rounds.push_back(now);
  }
  return report;
}

std::string_view to_string(CertificateStatus status) noexcept {
  switch (status) {
    case CertificateStatus::certified: return "certified";
    case CertificateStatus::heuristic: return "heuristic";
    case CertificateStatus::contradicted: break;
  }
  return "void";
}

}  // namespace oscbo
