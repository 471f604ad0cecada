#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>

#include "experiment/plan.hpp"
#include "experiment/variant.hpp"
#include "numeric/random_stream.hpp"
#include "optimizer/data_options.hpp"
#include "oscbo/experiment.hpp"

namespace oscbo {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

/// The names of the values of x; empty if no parameter has names.
std::vector<std::string> value_names(const Space& space, std::span<const double> x) {
  const std::vector<Parameter>& parameters = space.declaration().parameters;
  const auto has_names = [](const Parameter& parameter) {
    return parameter.kind == ParameterKind::boolean || !parameter.values.empty();
  };
  if (std::ranges::none_of(parameters, has_names)) return {};
  std::vector<std::string> names(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (has_names(parameters[k]) && !std::isnan(x[k])) names[k] = space.text(k, x[k]);
  }
  return names;
}

struct Evaluated {
  int step = 0;
  double worth = 0.0;  // noiseless value, stored so that the task is evaluated once per point
};

/// One run: the optimizer and the values of its choices.
class Run {
 public:
  Run(const Problem& problem, const RunConfig& config, std::uint64_t seed)
      : problem_(problem),
        noise_sd_(config.observation_noise_sd),
        seed_(seed),
        optimizer_(problem.space, config.optimizer, seed) {}

  RunRow evaluate(int evaluation) {
    const Clock::time_point start = Clock::now();
    optimizer_.fit();
    const Clock::time_point fitted = Clock::now();
    Suggestion next = optimizer_.suggest();
    const Clock::time_point suggested = Clock::now();

    RunRow row;
    row.step = evaluation - optimizer_.config().initial_points + 1;
    row.fit_seconds = seconds_between(start, fitted);
    row.acquisition_seconds = seconds_between(fitted, suggested);
    observe(next, evaluation, row);
    row.names = value_names(problem_.space, next.x);
    row.x = std::move(next.x);
    row.prediction = std::move(next.prediction);
    return row;
  }

  [[nodiscard]] const Optimizer& optimizer() const { return optimizer_; }

 private:
  void observe(const Suggestion& next, int evaluation, RunRow& row) {
    const bool fails =
        problem_.fails && problem_.fails(next.x, seed_, static_cast<std::uint64_t>(evaluation));
    const double worth = fails ? tell_failed(next, row) : tell(next, evaluation, row);

    row.feedback = optimizer_.trials().back().feedback();
    const Evaluated recommended = recommendation(row.step);
    row.best = recommended.worth;
    row.best_step = recommended.step;
    row.simple_regret = problem_.maximum - row.best;
    if (row.step > 0) cumulative_regret_ += problem_.maximum - worth;
    row.cumulative_regret = cumulative_regret_;
  }

  double tell_failed(const Suggestion& next, RunRow& row) {
    row.y = std::numeric_limits<double>::quiet_NaN();
    optimizer_.tell_failed(next.trial);
    return problem_.worst;
  }

  /// Returns the noiseless value of the point, or the worst value if its outcomes are not
  /// acceptable.
  double tell(const Suggestion& next, int evaluation, RunRow& row) {
    const double value = problem_.value(next.x);
    row.y = value + observation_noise(evaluation);
    Measurement measurement{.y = row.y};
    if (problem_.outcomes) measurement.outcomes = problem_.outcomes(next.x);
    const double worth = problem_.accepts(measurement.outcomes) ? value : problem_.worst;
    evaluated_[next.trial] = {.step = row.step, .worth = worth};
    optimizer_.tell(next.trial, measurement);
    return worth;
  }

  [[nodiscard]] double observation_noise(int evaluation) const {
    if (noise_sd_ == 0.0) return 0.0;
    numeric::RandomStream stream(seed_, numeric::Purpose::observation_noise,
                                 static_cast<std::uint64_t>(evaluation));
    return noise_sd_ * stream.normal();
  }

  /// There is no recommendation until an evaluation succeeds.
  [[nodiscard]] Evaluated recommendation(int step) const {
    if (evaluated_.empty()) return {.step = step, .worth = problem_.worst};
    const Recommendation recommended =
        noise_sd_ > 0.0 ? optimizer_.recommendation_by_mean() : optimizer_.recommendation();
    return evaluated_.at(recommended.trial.id);
  }

  const Problem& problem_;
  double noise_sd_;  // of the observations
  std::uint64_t seed_;
  Optimizer optimizer_;
  std::map<TrialId, Evaluated> evaluated_;
  double cumulative_regret_ = 0.0;
};

}  // namespace

bool run_once(const Problem& problem, const RunConfig& config, std::uint64_t seed,
              const std::function<bool(const RunRow&)>& on_row,
              const std::function<void(const Optimizer&)>& on_end) {
  Run run(problem, config, seed);
  const int evaluations = config.optimizer.initial_points + config.optimizer.budget;
  for (int evaluation = 0; evaluation < evaluations; ++evaluation) {
    if (!on_row(run.evaluate(evaluation))) return false;
  }
  if (on_end) on_end(run.optimizer());
  return true;
}

}  // namespace oscbo
