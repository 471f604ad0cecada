// Checks the guarantees of the theory by simulation. The confidence width and the certificate use
// functions of known norm. The coverage test uses observations drawn from a known Gaussian process.
#include <algorithm>
#include <cmath>

#include "gp/kernel_options.hpp"
#include "learners/learner_options.hpp"
#include "numeric/random_stream.hpp"
#include "online/width_options.hpp"
#include "oscbo/experiment.hpp"
#include "oscbo/paper.hpp"
#include "oscbo/theory.hpp"

namespace oscbo {
namespace {

using numeric::Purpose;
using numeric::RandomStream;

constexpr std::size_t kDimension = 2;
constexpr double kLengthscale = 0.3;
constexpr double kNorm = 2.0;     // B
constexpr double kNoiseSd = 0.1;  // R
constexpr int kRounds = 100;

using Coordinates = std::vector<double>;

std::vector<Bounds> unit_square() { return std::vector<Bounds>(kDimension); }

Coordinates random_point(RandomStream& stream) {
  Coordinates x(kDimension);
  for (double& u : x) u = stream.uniform();
  return x;
}

/// kernel is the Matern-5/2 kernel with lengthscale kLengthscale, implemented independently of the
/// model.
double kernel(const Coordinates& a, const Coordinates& b) {
  const double r = std::hypot(a[0] - b[0], a[1] - b[1]);
  const double s = std::sqrt(5.0) * r / kLengthscale;
  return (1.0 + s + s * s / 3.0) * std::exp(-s);
}

/// f = sum_i a_i k(c_i, .), whose norm in the kernel's space, sqrt(a^T K a), is kNorm.
class KnownNormFunction {
 public:
  explicit KnownNormFunction(std::uint64_t seed) {
    constexpr int kCentres = 20;
    RandomStream stream(seed, Purpose::simulated_function);
    for (int i = 0; i < kCentres; ++i) {
      centres_.push_back(random_point(stream));
      coefficients_.push_back(stream.normal());
    }
    double squared_norm = 0.0;
    for (std::size_t i = 0; i < centres_.size(); ++i) {
      squared_norm += coefficients_[i] * (*this)(centres_[i]);
    }
    for (double& a : coefficients_) a *= kNorm / std::sqrt(squared_norm);
  }

  double operator()(const Coordinates& x) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < centres_.size(); ++i) {
      sum += coefficients_[i] * kernel(centres_[i], x);
    }
    return sum;
  }

 private:
  std::vector<Coordinates> centres_;
  std::vector<double> coefficients_;
};

std::vector<Coordinates> grid(int side) {
  std::vector<Coordinates> points;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      points.push_back({i / (side - 1.0), j / (side - 1.0)});
    }
  }
  return points;
}

/// maximum returns the maximum over the square: the best point of a grid, refined with decreasing
/// steps.
double maximum(const KnownNormFunction& f) {
  Coordinates best{0.0, 0.0};
  for (const Coordinates& x : grid(101)) {
    if (f(x) > f(best)) best = x;
  }
  for (double step = 0.01; step > 1e-9; step *= 0.5) {
    for (const Coordinates& direction :
         {Coordinates{1, 0}, Coordinates{-1, 0}, Coordinates{0, 1}, Coordinates{0, -1}}) {
      const Coordinates x{std::clamp(best[0] + step * direction[0], 0.0, 1.0),
                          std::clamp(best[1] + step * direction[1], 0.0, 1.0)};
      if (f(x) > f(best)) best = x;
    }
  }
  return f(best);
}

/// known_kernel uses the true kernel, in the units of the function.
Config known_kernel() {
  Config config = method_config("gp-ucb");
  config.budget = kRounds;
  config.edit<gp::KernelOptions>().lengthscale = kLengthscale;
  config.noise_variance = kNoiseSd * kNoiseSd;
  config.edit<online::WidthOptions>().norm_bound = kNorm;
  config.edit<online::WidthOptions>().noise_bound = kNoiseSd;
  return config;
}

/// learned_kernel uses the same width for a method that learns its lengthscale in an interval
/// around the true one.
Config learned_kernel() {
  Config config = known_kernel();
  config.learner = "game";
  config.edit<learners::LearnerOptions>().theta_min = kLengthscale / 2.0;
  config.edit<learners::LearnerOptions>().theta_max = kLengthscale * 2.0;
  return config;
}

struct RunVerdict {
  bool band_held = true;         // |f - mean| <= sqrt(beta) sd on a grid, in every round
  bool certificate_held = true;  // cumulative regret <= bound, in every round
  bool marked_void = false;      // in some round
};

RunVerdict run_on_known_norm(const Config& config, std::uint64_t seed) {
  static const std::vector<Coordinates> points = grid(21);
  const KnownNormFunction f(seed);
  const double highest = maximum(f);
  RandomStream noise(seed, Purpose::observation_noise);
  Optimizer optimizer(unit_square(), config, seed);
  RunVerdict outcome;
  std::vector<double> regrets;
  while (optimizer.rounds() < config.budget) {
    optimizer.fit();
    if (optimizer.trials().size() >= static_cast<std::size_t>(config.initial_points)) {
      const std::vector<Prediction> predictions = optimizer.predict(points);
      for (std::size_t i = 0; i < points.size(); ++i) {
        const Prediction& p = predictions[i];
        if (std::abs(f(points[i]) - p.mean) > std::sqrt(p.beta) * p.sd) outcome.band_held = false;
      }
    }
    const Suggestion next = optimizer.suggest();
    optimizer.tell(next.trial, f(next.x) + kNoiseSd * noise.normal());
    if (next.prediction) {
      regrets.push_back((regrets.empty() ? 0.0 : regrets.back()) + highest - f(next.x));
    }
  }
  const TheoryReport report = theory(optimizer);
  for (std::size_t t = 0; t < regrets.size(); ++t) {
    if (regrets[t] > report.rounds[t].regret_bound) outcome.certificate_held = false;
  }
  outcome.marked_void = report.rounds.back().status == CertificateStatus::contradicted;
  return outcome;
}

/// raises_alarm does a run in which every observation is drawn from the prediction of a Gaussian
/// process with the true lengthscale. The lengthscale of the model may differ. It returns whether
/// the test rejected the coverage of the beta = 2 intervals in any round.
bool raises_alarm(double model_lengthscale, std::uint64_t seed) {
  Config truth_config = known_kernel();
  truth_config.initial_points = 1;  // it predicts from the second observation
  Config config = known_kernel();
  config.edit<online::WidthOptions>().kind = online::WidthOptions::Kind::constant;
  config.edit<gp::KernelOptions>().lengthscale = model_lengthscale;
  Optimizer truth(unit_square(), truth_config, seed);
  Optimizer optimizer(unit_square(), config, seed);
  RandomStream draws(seed, Purpose::simulated_function);
  while (optimizer.rounds() < config.budget) {
    const Suggestion next = optimizer.ask();
    double mean = 0.0;
    double sd = std::sqrt(1.0 + config.noise_variance);
    if (!truth.trials().empty()) {
      const Prediction prediction = truth.predict(std::vector<Coordinates>{next.x}).front();
      mean = prediction.mean;
      sd = prediction.observation_sd;
    }
    const double y = mean + sd * draws.normal();
    optimizer.tell(next.trial, y);
    truth.tell(next.x, y);
  }
  return theory(optimizer).rounds.back().status == CertificateStatus::contradicted;
}

}  // namespace

bool TheoryCheck::holds() const {
  const double fraction = static_cast<double>(count) / runs;
  return at_least ? fraction >= limit : fraction <= limit;
}

std::vector<TheoryCheck> check_theory(int runs, std::uint64_t first_seed,
                                      const std::function<void(int, int)>& progress) {
  const double delta = known_kernel().delta;
  TheoryCheck band{.claim = "width=theory, known kernel: the band holds everywhere, every round",
                   .limit = 1.0 - delta};
  TheoryCheck certificate{.claim = "certificate: bounds the cumulative regret, every round",
                          .limit = 1.0 - delta};
  TheoryCheck falsely_void{
      .claim = "certificate: marked void at some round", .limit = delta, .at_least = false};
  TheoryCheck learned{.claim = "width=theory, lengthscale learned by the game: the band holds",
                      .limit = 1.0 - delta};
  TheoryCheck false_alarm{.claim = "coverage test, calibrated predictions: alarm at some round",
                          .limit = delta,
                          .at_least = false};
  TheoryCheck alarm{.claim = "coverage test, lengthscale ten times too long: alarm at some round",
                    .limit = 0.5};
  for (int run = 0; run < runs; ++run) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(run);
    if (progress) progress(run, runs);
    const RunVerdict known = run_on_known_norm(known_kernel(), seed);
    band.count += known.band_held ? 1 : 0;
    certificate.count += known.certificate_held ? 1 : 0;
    falsely_void.count += known.marked_void ? 1 : 0;
    learned.count += run_on_known_norm(learned_kernel(), seed).band_held ? 1 : 0;
    false_alarm.count += raises_alarm(kLengthscale, seed) ? 1 : 0;
    alarm.count += raises_alarm(10.0 * kLengthscale, seed) ? 1 : 0;
  }
  std::vector<TheoryCheck> checks{band, certificate, falsely_void, learned, false_alarm, alarm};
  for (TheoryCheck& check : checks) check.runs = runs;
  return checks;
}

}  // namespace oscbo
