#include "online/ftpl.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace oscbo::online {
namespace {

using numeric::Purpose;
using numeric::RandomStream;

constexpr std::uint64_t kSeed = 3;

/// The loss slope w + curvature (w - centre)^2 on [-1, 1].
struct Loss {
  double slope = 0.0;
  double curvature = 0.0;
  double centre = 0.0;

  [[nodiscard]] double operator()(double w) const {
    return slope * w + curvature * (w - centre) * (w - centre);
  }
};

using Leader = FollowThePerturbedLeader<Loss>;

constexpr int kGrid = 201;
double grid(int i) { return -1.0 + 2.0 * i / (kGrid - 1); }

/// Sums of the losses on a grid of [-1, 1], updated one loss at a time.
class GridOracle {
 public:
  Vector operator()(const std::vector<Loss>& losses, const Vector& eta, const Vector& /*start*/) {
    for (; seen_ < losses.size(); ++seen_) {
      for (int i = 0; i < kGrid; ++i) sums_[static_cast<std::size_t>(i)] += losses[seen_](grid(i));
    }
    int best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kGrid; ++i) {
      const double value = sums_[static_cast<std::size_t>(i)] - eta[0] * grid(i);
      if (value < least) {
        least = value;
        best = i;
      }
    }
    return Vector::Constant(1, grid(best));
  }

 private:
  std::array<double, kGrid> sums_{};
  std::size_t seen_ = 0;
};

/// The average regret of the perturbed leader on losses that may depend on its decisions.
template <class Adversary>
double average_regret(int rounds, PrimalOptions::Law law, double scale,
                      const Adversary& adversary) {
  GridOracle oracle;
  Leader leader(Vector::Zero(1));
  const Leader::Oracle reference = std::ref(oracle);
  double loss = 0.0;
  for (int t = 1; t <= rounds; ++t) {
    const Vector eta = draw_perturbation(
        1, law, scale, RandomStream(kSeed, Purpose::perturbation, static_cast<std::uint64_t>(t)));
    const double w = leader.next_element(reference, eta)[0];
    const Loss current = adversary(t, w);
    loss += current(w);
    leader.observe_utility(current);
  }
  const double best = leader.next_element(reference, Vector::Zero(1))[0];
  double best_loss = 0.0;
  for (const Loss& past : leader.utilities()) best_loss += past(best);
  return (loss - best_loss) / rounds;
}

/// w/2, -w, w, -w, ...: the unperturbed leader chooses the wrong end every time.
Loss alternating(int t, double /*w*/) {
  return {.slope = t == 1 ? 0.5 : (t % 2 == 0 ? -1.0 : 1.0)};
}

TEST(PerturbedLeader, SurvivesLossesThatDefeatTheUnperturbedLeader) {
  constexpr int kRounds = 1000;
  const double scale = std::sqrt(kRounds);
  EXPECT_GT(average_regret(kRounds, PrimalOptions::Law::normal, 0.0, alternating), 0.95);
  EXPECT_LT(average_regret(kRounds, PrimalOptions::Law::normal, scale, alternating), 0.05);
  EXPECT_LT(average_regret(kRounds, PrimalOptions::Law::exponential, scale, alternating), 0.05);
}

TEST(PerturbedLeader, AverageRegretFallsWithTheHorizonOnAdaptiveLosses) {
  // Linear losses that oppose the sign of the last decision, mixed with parabolas centred
  // elsewhere.
  double last = 0.0;
  const auto adversary = [&](int t, double w) {
    const double away = last > 0.0 ? -1.0 : 1.0;
    last = w;
    return t % 3 == 0 ? Loss{.curvature = 0.5, .centre = away} : Loss{.slope = -away};
  };
  const double early = average_regret(100, PrimalOptions::Law::normal, 10.0, adversary);
  const double late = average_regret(2500, PrimalOptions::Law::normal, 50.0, adversary);
  EXPECT_LT(late, 0.1);
  EXPECT_LT(late, 0.5 * early);  // a regret proportional to sqrt(T) would give 1/5
}

TEST(PerturbedLeader, PlaysTheFirstDecisionUntilAUtilityIsObserved) {
  Leader leader(Vector::Constant(2, 0.7));
  const Leader::Oracle never = [](const auto&, const Vector&, const Vector&) -> Vector {
    ADD_FAILURE() << "there is nothing to minimise yet";
    return Vector::Zero(2);
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(leader.next_element(never, Vector::Ones(2)), Vector::Constant(2, 0.7));
  }
}

TEST(PerturbedLeader, MovesOnlyOnNewUtilities) {
  int calls = 0;
  const Leader::Oracle oracle = [&](const std::vector<Loss>& losses, const Vector& eta,
                                    const Vector& start) -> Vector {
    ++calls;
    return start + static_cast<double>(losses.size()) * eta;
  };
  Leader leader(Vector::Ones(1));
  leader.observe_utility({.slope = 1.0});
  leader.observe_utility({.slope = 2.0});
  EXPECT_EQ(leader.next_element(oracle, Vector::Constant(1, 10.0))[0], 21.0);
  EXPECT_EQ(leader.next_element(oracle, Vector::Constant(1, 99.0))[0], 21.0);
  EXPECT_EQ(calls, 1);
  leader.observe_utility({.slope = 3.0});
  EXPECT_EQ(leader.next_element(oracle, Vector::Constant(1, 1.0))[0], 24.0);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(leader.decision()[0], 24.0);
}

struct SampleMoments {
  double mean = 0.0;
  double variance = 0.0;
};

/// Moments of eta over many rounds. Each round has its own stream.
SampleMoments perturbation_moments(PrimalOptions::Law law, double scale, int rounds) {
  SampleMoments moments;
  for (int t = 0; t < rounds; ++t) {
    const double eta = draw_perturbation(
        1, law, scale,
        RandomStream(kSeed, Purpose::perturbation, static_cast<std::uint64_t>(t)))[0];
    moments.mean += eta / rounds;
    moments.variance += eta * eta / rounds;
  }
  moments.variance -= moments.mean * moments.mean;
  return moments;
}

// The tolerances are four standard errors. The fourth central moments are 3 sd^4 and 9 mean^4.
TEST(Perturbation, NormalHasMeanZeroAndTheGivenSd) {
  constexpr int kRounds = 20000;
  const auto [mean, variance] = perturbation_moments(PrimalOptions::Law::normal, 0.1, kRounds);
  EXPECT_NEAR(mean, 0.0, 4.0 * 0.1 / std::sqrt(kRounds));
  EXPECT_NEAR(variance, 0.01, 4.0 * 0.01 * std::sqrt(2.0 / kRounds));
}

TEST(Perturbation, ExponentialHasTheGivenMean) {
  constexpr int kRounds = 20000;
  const auto [mean, variance] = perturbation_moments(PrimalOptions::Law::exponential, 0.1, kRounds);
  EXPECT_NEAR(mean, 0.1, 4.0 * 0.1 / std::sqrt(kRounds));
  EXPECT_NEAR(variance, 0.01, 4.0 * 0.01 * std::sqrt(8.0 / kRounds));
}

TEST(Perturbation, DependsOnItsStreamOnly) {
  const auto draw = [](Eigen::Index dimension, std::uint64_t step) {
    return draw_perturbation(dimension, PrimalOptions::Law::normal, 0.1,
                             RandomStream(kSeed, Purpose::perturbation, step));
  };
  EXPECT_EQ(draw(3, 8), draw(3, 8));
  EXPECT_EQ(draw(3, 8).head(2), draw(2, 8));
  EXPECT_NE(draw(1, 8), draw(1, 9));
  EXPECT_NE(draw(2, 8)[0], draw(2, 8)[1]);
}

TEST(Perturbation, OfScaleZeroIsZero) {
  for (const auto law : {PrimalOptions::Law::normal, PrimalOptions::Law::exponential}) {
    EXPECT_EQ(draw_perturbation(2, law, 0.0, RandomStream(kSeed, Purpose::perturbation)),
              Vector::Zero(2));
  }
}

}  // namespace
}  // namespace oscbo::online
