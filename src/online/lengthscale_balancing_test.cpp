#include "online/lengthscale_balancing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "numeric/random_stream.hpp"
#include "online/balancing_options.hpp"
#include "online/schedule_options.hpp"
#include "online/width_options.hpp"

namespace oscbo::online {
namespace {

constexpr double kNu = 2.5;
constexpr double kNobodyLeaves = 1e6;  // a width with which no candidate is eliminated

/// Plays rounds with theta_0 = 1, so that candidate i is exp(-i/d), and keeps their rewards.
class Rounds {
 public:
  explicit Rounds(const Config& config, Index dimension = 1, double theta_0 = 1.0,
                  std::optional<double> nu = kNu)
      : balancing_(config, nu, dimension, theta_0) {}

  /// Plays the next candidate, and returns its lengthscale.
  double play(double reward = 0.0, double width = kNobodyLeaves) {
    const double theta = balancing_.next_lengthscale();
    complete(theta, reward, width);
    return theta;
  }

  void complete(double theta, double reward, double width) {
    rewards_.conservativeResize(rewards_.size() + 1);
    rewards_[rewards_.size() - 1] = reward;
    balancing_.complete_round({.theta = theta, .point = rewards_.size() - 1, .width = width},
                              rewards_);
  }

  void play_until(int t) {
    while (rewards_.size() < t) play();
  }

  [[nodiscard]] std::vector<double> thetas() const {
    std::vector<double> list;
    for (const Candidate& candidate : balancing_.candidates()) list.push_back(candidate.theta);
    return list;
  }

  [[nodiscard]] std::size_t size() const { return balancing_.candidates().size(); }
  [[nodiscard]] const LengthscaleBalancing& balancing() const { return balancing_; }
  [[nodiscard]] const Vector& rewards() const { return rewards_; }

 private:
  LengthscaleBalancing balancing_;
  Vector rewards_;
};

/// The rounds t <= T after which a candidate is added.
std::vector<int> additions(const Config& config, Index dimension, int T) {
  Rounds rounds(config, dimension);
  std::vector<int> list;
  for (int t = 1; t <= T; ++t) {
    const std::size_t before = rounds.size();
    rounds.play();
    for (std::size_t i = before; i < rounds.size(); ++i) list.push_back(t);
  }
  return list;
}

// --- the candidate set -------------------------------------------------------------------------

// Candidate i is added once i <= d log g(t). For d = 1, log g(t) = log 5 = 1.609 at t = 6, and log
// sqrt(t) reaches 2 at t = 55 = ceil(e^4).
TEST(CandidateSet, GrowsWithTheGrowthFunction) {
  EXPECT_EQ(additions({}, 1, 100), (std::vector{6, 55}));
  EXPECT_EQ(additions({}, 2, 100), (std::vector{6, 7, 8, 55}));
  Config early;
  early.edit<BalancingOptions>().start_rounds = 1;  // g = sqrt(t): i <= log(t) / 2
  EXPECT_EQ(additions(early, 1, 100), (std::vector{8, 55}));
}

TEST(CandidateSet, CanAddAllAdmissibleCandidatesAtOnce) {
  Config config;
  config.edit<BalancingOptions>().add_per_round = BalancingOptions::AddCount::all;
  EXPECT_EQ(additions(config, 1, 100), (std::vector{6, 55}));
  EXPECT_EQ(additions(config, 2, 100), (std::vector{6, 6, 6, 55}));
}

TEST(CandidateSet, HasAllCandidatesDownToTheBoundAfterAHundredRounds) {
  for (const Index d : {3, 4, 5, 6}) {
    for (const BalancingOptions::AddCount count :
         {BalancingOptions::AddCount::one, BalancingOptions::AddCount::all}) {
      Config config;
      config.edit<BalancingOptions>().add_per_round = count;
      Rounds rounds(config, d);
      rounds.play_until(100);
      const std::vector<double> thetas = rounds.thetas();
      ASSERT_EQ(static_cast<double>(thetas.size()),
                std::floor(static_cast<double>(d) * std::log(10.0)) + 1.0);
      for (std::size_t i = 0; i < thetas.size(); ++i) {
        EXPECT_DOUBLE_EQ(thetas[i], std::exp(-static_cast<double>(i) / static_cast<double>(d)));
      }
    }
  }
}

TEST(CandidateSet, IsFinerOnTheGridOfTheAuthorsCode) {
  Config config;
  config.edit<BalancingOptions>().grid = BalancingOptions::Grid::code;
  config.edit<BalancingOptions>().add_per_round = BalancingOptions::AddCount::all;
  Rounds rounds(config, 2);
  rounds.play_until(6);
  EXPECT_EQ(rounds.size(), 12U) << "i <= (2 + 5) log 5 = 11.3";
  EXPECT_DOUBLE_EQ(rounds.thetas()[3], std::exp(-3.0 / 7.0));

  // The RBF kernel has no nu, so the paper's grid is used.
  Rounds rbf(config, 2, 1.0, std::nullopt);
  rbf.play_until(6);
  EXPECT_EQ(rbf.size(), 4U);
  EXPECT_DOUBLE_EQ(rbf.thetas()[3], std::exp(-1.5));
}

// As printed, the condition is i >= d log g(t). While g = 1, it holds for every i. At t = 6 it is 6
// >= 1.609 d for candidate 6, which is true for d <= 3 and false for d >= 4, and remains so.
TEST(CandidateSet, GrowsEveryRoundIfTheRuleIsTakenLiterally) {
  Config config;
  config.edit<BalancingOptions>().add_rule = BalancingOptions::AddRule::literal;
  std::vector<int> every_round;
  for (int t = 1; t <= 20; ++t) every_round.push_back(t);
  EXPECT_EQ(additions(config, 3, 20), every_round);
  EXPECT_EQ(additions(config, 4, 100), (std::vector{1, 2, 3, 4, 5}));
}

TEST(CandidateSet, EndsAtTheFloor) {
  Config config;
  config.edit<BalancingOptions>().add_rule = BalancingOptions::AddRule::literal;
  for (const BalancingOptions::AddCount count :
       {BalancingOptions::AddCount::one, BalancingOptions::AddCount::all}) {
    config.edit<BalancingOptions>().add_per_round = count;
    Rounds rounds(config);
    rounds.play_until(50);
    EXPECT_EQ(rounds.size(), 10U) << "exp(-9) = 1.23e-4 is above the floor of 1e-4";
    EXPECT_DOUBLE_EQ(rounds.thetas().back(), std::exp(-9.0));
  }
  config.edit<ScheduleOptions>().floor = 0.5;
  Rounds high_floor(config, 1, 0.3);
  high_floor.play_until(10);
  EXPECT_EQ(high_floor.thetas(), std::vector{0.5});
}

// --- regret balancing --------------------------------------------------------------------------

TEST(SuspectedRegret, HasTheReferenceValues) {
  struct Case {
    double theta, T;
    Index d;
    double matern, rbf;
  };
  // sqrt(T) (sqrt(gamma) + gamma), computed term by term in Python
  for (const Case& c : {Case{1.0, 7.0, 1, 12.644643746865572, 15.16670710242081},
                        Case{std::exp(-1.0), 4.0, 1, 15.211734183907257, 15.019279578557835},
                        Case{0.5, 10.0, 2, 96.54557079083162, 176.51927626028007},
                        Case{0.3, 25.0, 3, 3866.510170414075, 20195.5892180494}}) {
    Config config;
    const LengthscaleBalancing matern(config, kNu, c.d, 1.0);
    EXPECT_NEAR(std::exp(matern.log_suspected_regret(c.theta, c.T)) / c.matern, 1.0, 1e-12);
    config.edit<BalancingOptions>().regret_form = BalancingOptions::RegretForm::rbf;
    const LengthscaleBalancing rbf(config, kNu, c.d, 1.0);
    EXPECT_NEAR(std::exp(rbf.log_suspected_regret(c.theta, c.T)) / c.rbf, 1.0, 1e-12);
    const LengthscaleBalancing rbf_kernel({}, std::nullopt, c.d, 1.0);
    EXPECT_EQ(rbf_kernel.log_suspected_regret(c.theta, c.T), rbf.log_suspected_regret(c.theta, c.T))
        << "it always uses the RBF form";
  }
  const LengthscaleBalancing rough({}, 1.5, 3, 1.0);
  EXPECT_NEAR(std::exp(rough.log_suspected_regret(0.3, 25.0)) / 4510.955919799726, 1.0, 1e-12);
}

TEST(SuspectedRegret, GrowsWithTheNormBoundAndItsInflation) {
  Config config;
  config.edit<WidthOptions>().norm_bound = 2.0;
  const LengthscaleBalancing plain(config, kNu, 2, 1.0);
  EXPECT_EQ(plain.norm_bound(0.5), 2.0);
  EXPECT_NEAR(std::exp(plain.log_suspected_regret(0.5, 10.0)), 112.50877297715643, 1e-9);

  config.edit<WidthOptions>().norm_bound = 1.0;
  config.edit<BalancingOptions>().norm_inflation = true;
  const LengthscaleBalancing inflated(config, kNu, 2, 1.0);
  EXPECT_DOUBLE_EQ(inflated.norm_bound(0.5), 2.0);
  EXPECT_EQ(inflated.norm_bound(1.0), 1.0);
  EXPECT_DOUBLE_EQ(LengthscaleBalancing(config, kNu, 4, 3.0).norm_bound(1.0), 9.0);
  EXPECT_DOUBLE_EQ(inflated.log_suspected_regret(0.5, 10.0), plain.log_suspected_regret(0.5, 10.0));
}

TEST(SuspectedRegret, OrdersLengthscalesEvenIfItsValueOverflows) {
  const LengthscaleBalancing balancing({}, kNu, 1000, 1.0);
  EXPECT_TRUE(std::isfinite(balancing.log_suspected_regret(0.1, 5.0)));
  EXPECT_GT(balancing.log_suspected_regret(0.1, 5.0), balancing.log_suspected_regret(0.2, 5.0));
  EXPECT_EQ(balancing.log_suspected_regret(0.1, 1.0), -std::numeric_limits<double>::infinity());
}

// Candidate 0 plays six rounds. Then candidate 1 is added and plays next. After that, the smaller
// of R_0(|S_0| + 1) and R_1(|S_1| + 1) decides. By hand, for one parameter:
//
//   Matern   R_0(7, 8, ...) = 12.6, 14.6, 16.5, 18.5, 20.4   R_1(2, 3, ...) = 5.7, 10.4, 15.2, 20.0
//   RBF      R_0(7, 8, ...) = 15.2, 18.1, 21.1, 24.0         R_1(2, 3, ...) = 3.5, 8.8, 15.0, 21.7
TEST(Balancing, PlaysTheLeastSuspectedRegret) {
  const double shorter = std::exp(-1.0);
  const std::vector<double> matern{1,       1, 1, 1,       1, 1, shorter, shorter,
                                   shorter, 1, 1, shorter, 1, 1, shorter};
  const std::vector<double> rbf{1,       1,       1,       1, 1, 1, shorter,
                                shorter, shorter, shorter, 1, 1, 1, shorter};
  for (const auto& [form, expected] : {std::pair{BalancingOptions::RegretForm::matern, matern},
                                       std::pair{BalancingOptions::RegretForm::rbf, rbf}}) {
    Config config;
    config.edit<BalancingOptions>().regret_form = form;
    Rounds rounds(config);
    std::vector<double> played;
    for (std::size_t t = 1; t <= expected.size(); ++t) played.push_back(rounds.play());
    EXPECT_EQ(played, expected);
  }
}

TEST(Balancing, PlaysUnplayedCandidatesFirstStartingWithTheLongest) {
  Config config;
  config.edit<BalancingOptions>().add_per_round = BalancingOptions::AddCount::all;
  Rounds rounds(config, 2);
  rounds.play_until(6);
  for (const double i : {1.0, 2.0, 3.0}) EXPECT_DOUBLE_EQ(rounds.play(), std::exp(-i / 2.0));
}

// --- elimination -------------------------------------------------------------------------------

/// The remaining candidates after candidates 0 and 1 have played once each, with rewards 1 and 0.
std::vector<double> after_one_play_each(BalancingOptions::Elimination test, double width) {
  Config config;
  config.edit<BalancingOptions>().add_rule = BalancingOptions::AddRule::literal;
  config.edit<BalancingOptions>().elimination = test;
  config.edit<ScheduleOptions>().floor = 0.2;  // no third candidate
  Rounds rounds(config);
  rounds.play(1.0);
  rounds.play(0.0, width);
  return rounds.thetas();
}

// xi_2 = 0.02 log(2 pi^2 4 / 0.6) = 0.0975945 and sqrt(xi_2) = 0.312401, so L = 0.687599 and
// -0.312401. The second stays if
//
//   paper   -0.312401 + 2 width >= 0.687599, width >= 0.5
//   code     0.312401 +   width >= 0.687599, width >= 0.375198
TEST(Elimination, ComparesWidthsAndLowerBounds) {
  const std::vector<double> both{1.0, std::exp(-1.0)};
  const std::vector<double> first{1.0};
  EXPECT_EQ(after_one_play_each(BalancingOptions::Elimination::paper, 0.499), first);
  EXPECT_EQ(after_one_play_each(BalancingOptions::Elimination::paper, 0.501), both);
  EXPECT_EQ(after_one_play_each(BalancingOptions::Elimination::code, 0.3751), first);
  EXPECT_EQ(after_one_play_each(BalancingOptions::Elimination::code, 0.3753), both);
}

/// The remaining candidates after eight plays of candidate 0, with rewards around `mean` and widths
/// 0.1, 0.2, ..., 0.8, and one play of candidate 1.
std::vector<double> after_eight_plays_and_one(BalancingOptions::Elimination test, double mean,
                                              double reward, double width) {
  Config config;
  config.edit<BalancingOptions>().start_rounds = 1;
  config.edit<BalancingOptions>().elimination = test;
  Rounds rounds(config);
  for (int i = 1; i <= 8; ++i) rounds.play(mean + (i - 4.5), 0.1 * i);
  EXPECT_EQ(rounds.thetas(), (std::vector{1.0, std::exp(-1.0)}));
  rounds.play(reward, width);
  return rounds.thetas();
}

// xi_9 = 0.02 log(2 pi^2 81 / 0.6) = 0.1577576, sqrt(xi_9 / 8) = 0.140427 and sqrt(xi_9) =
// 0.397187.
TEST(Elimination, AveragesOverThePlaysOfACandidate) {
  using enum BalancingOptions::Elimination;
  const std::vector<double> both{1.0, std::exp(-1.0)};
  const std::vector<double> first{1.0};
  const std::vector<double> second{std::exp(-1.0)};
  // 0 - 0.397187 + 2 width >= 1 - 0.140427, width >= 0.628380
  EXPECT_EQ(after_eight_plays_and_one(paper, 1.0, 0.0, 0.6283), first);
  EXPECT_EQ(after_eight_plays_and_one(paper, 1.0, 0.0, 0.6285), both);
  // mean - 0.140427 + 0.9 >= 2 - 0.397187, mean >= 0.843240
  EXPECT_EQ(after_eight_plays_and_one(paper, 0.8432, 2.0, 0.0), second);
  EXPECT_EQ(after_eight_plays_and_one(paper, 0.8433, 2.0, 0.0), both);
  // 0 + width + 0.397187 >= 1 - 0.140427, width >= 0.462386
  EXPECT_EQ(after_eight_plays_and_one(code, 1.0, 0.0, 0.4623), first);
  EXPECT_EQ(after_eight_plays_and_one(code, 1.0, 0.0, 0.4625), both);
  // mean + 0.45 + 0.140427 >= 2 - 0.397187, mean >= 1.012386
  EXPECT_EQ(after_eight_plays_and_one(code, 1.0123, 2.0, 0.0), second);
  EXPECT_EQ(after_eight_plays_and_one(code, 1.0125, 2.0, 0.0), both);
}

TEST(Elimination, WaitsUntilEveryCandidateHasBeenPlayed) {
  Config config;
  config.edit<BalancingOptions>().add_per_round = BalancingOptions::AddCount::all;
  Rounds rounds(config, 2);
  rounds.play_until(6);
  rounds.play(1.0, 0.0);
  rounds.play(-9.0, 0.0);
  EXPECT_EQ(rounds.size(), 4U);
  rounds.play(2.0, 0.0);
  EXPECT_EQ(rounds.thetas(), (std::vector{1.0, std::exp(-1.5)}))
      << "candidate 0 has wide intervals, and candidate 3 has the best reward";
}

TEST(Elimination, IsPermanent) {
  Config config;
  config.edit<BalancingOptions>().add_rule = BalancingOptions::AddRule::literal;
  Rounds rounds(config, 3);
  for (int t = 1; t <= 20; ++t) rounds.play(t == 1 ? 100.0 : 0.0, 0.0);
  ASSERT_EQ(rounds.size(), 2U);
  EXPECT_EQ(rounds.thetas()[0], 1.0);
  EXPECT_DOUBLE_EQ(rounds.thetas()[1], std::exp(-20.0 / 3.0))
      << "must be the next index, not an old one";
}

TEST(Elimination, IgnoresAPlayOfAnEliminatedCandidate) {
  Config config;
  config.edit<BalancingOptions>().start_rounds = 1;
  Rounds rounds(config);
  rounds.play_until(8);
  rounds.play(1e9, 0.0);  // eliminates candidate 0
  ASSERT_EQ(rounds.thetas(), std::vector{std::exp(-1.0)});
  rounds.complete(1.0, 0.0, 0.0);
  ASSERT_EQ(rounds.thetas(), std::vector{std::exp(-1.0)});
  EXPECT_EQ(rounds.balancing().candidates()[0].points, std::vector<Index>{8});
  while (rounds.rewards().size() < 54) rounds.play();
  EXPECT_EQ(rounds.size(), 1U);
  rounds.play();
  EXPECT_EQ(rounds.size(), 2U) << "candidate 2 comes after 55 rounds, including the ignored one";
}

/// The candidate with the largest L(theta), computed from the recorded plays. All must have been
/// played.
double best_lower_bound(const std::vector<Candidate>& candidates, const Vector& rewards, double t) {
  const double xi = 0.02 * std::log(static_cast<double>(candidates.size()) * std::numbers::pi *
                                    std::numbers::pi * t * t / 0.6);
  const auto L = [&](const Candidate& candidate) {
    double sum = 0.0;
    for (const Index point : candidate.points) sum += rewards[point];
    const auto n = static_cast<double>(candidate.points.size());
    return sum / n - std::sqrt(xi / n);
  };
  return std::max_element(candidates.begin(), candidates.end(),
                          [&](const Candidate& a, const Candidate& b) { return L(a) < L(b); })
      ->theta;
}

TEST(Elimination, NeverRemovesTheBestCandidate) {
  int eliminations = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    numeric::RandomStream stream(seed, numeric::Purpose::initial_design, 3);
    Config config;
    config.edit<BalancingOptions>().start_rounds = 2;
    config.edit<BalancingOptions>().elimination =
        seed % 2 == 0 ? BalancingOptions::Elimination::paper : BalancingOptions::Elimination::code;
    config.edit<BalancingOptions>().add_per_round =
        seed % 3 == 0 ? BalancingOptions::AddCount::all : BalancingOptions::AddCount::one;
    Rounds rounds(config, 1 + static_cast<Index>(seed % 5));
    for (int t = 1; t <= 80; ++t) {
      std::vector<Candidate> before = rounds.balancing().candidates();
      const double theta = rounds.play(stream.normal(), 0.3 * stream.uniform());
      for (Candidate& candidate : before) {
        if (candidate.theta == theta) candidate.points.push_back(t - 1);
      }
      if (std::any_of(before.begin(), before.end(),
                      [](const Candidate& candidate) { return candidate.points.empty(); })) {
        continue;
      }
      const std::vector<double> left = rounds.thetas();
      EXPECT_EQ(std::count(left.begin(), left.end(), best_lower_bound(before, rounds.rewards(), t)),
                1);
      if (left.size() < before.size()) ++eliminations;
    }
  }
  EXPECT_GT(eliminations, 60);
}

}  // namespace
}  // namespace oscbo::online
