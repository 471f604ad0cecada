#include "oscbo/theory.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "gp/kernel_options.hpp"
#include "numeric/random_stream.hpp"
#include "online/width_options.hpp"
#include "optimizer/confidence_width.hpp"
#include "optimizer/optimizer_test_support.hpp"

namespace oscbo {
namespace {

std::vector<Bounds> square() { return {{-1.0, 1.0}, {-1.0, 1.0}}; }

double ridge(const std::vector<double>& x) {
  return std::exp(-4.0 * (x[0] - 0.2) * (x[0] - 0.2)) + 0.5 * std::cos(3.0 * x[1]);
}

Optimizer run(const Config& config, int rounds) {
  Optimizer optimizer(square(), config, 3);
  while (optimizer.rounds() < rounds) {
    const Suggestion next = optimizer.ask();
    optimizer.tell(next.trial, ridge(next.x));
  }
  return optimizer;
}

Config known_kernel() {
  Config config = method_config("gp-ucb");
  config.budget = 15;
  return config;
}

TEST(Theory, HasARoundForEveryPredictionWithItsObservation) {
  Optimizer optimizer = run(method_config("oscbo"), 6);
  EXPECT_EQ(theory(optimizer).rounds.size(), 6U);
  const Suggestion pending = optimizer.ask();
  EXPECT_EQ(theory(optimizer).rounds.size(), 6U);
  optimizer.tell(pending.trial, 0.3);
  EXPECT_EQ(theory(optimizer).rounds.size(), 7U);
  EXPECT_EQ(theory(optimizer).rounds.back().round, 7);
}

TEST(Theory, OfNothingIsNothing) {
  EXPECT_TRUE(theory(Optimizer(square())).rounds.empty());
  Optimizer random(square(), method_config("random"), 1);
  for (int i = 0; i < 15; ++i) random.tell(random.ask().trial, 0.1 * i);
  EXPECT_TRUE(theory(random).rounds.empty());
}

TEST(Theory, SumsWhatTheTrialsSay) {
  for (const char* method : {"oscbo", "gp-ucb", "scgp", "ocbo"}) {
    const Optimizer optimizer = run(method_config(method), 8);
    const TheoryReport report = theory(optimizer);
    double widths = 0.0;
    double squares = 0.0;
    double covered = 0.0;
    std::size_t t = 0;
    for (const Trial& trial : optimizer.trials()) {
      if (!trial.prediction()) continue;
      const Prediction& p = *trial.prediction();
      const TheoryRound& round = report.rounds.at(t++);
      widths += 2.0 * std::sqrt(p.beta) * p.sd;
      // observation_sd^2 - sd^2 = noise variance * unit^2
      const double unit_squared = (p.observation_sd * p.observation_sd - p.sd * p.sd) / 0.01;
      squares += 4.0 * p.beta * trial.feedback()->sharpness_loss * unit_squared;
      covered += trial.feedback()->covered ? 1.0 : 0.0;
      EXPECT_DOUBLE_EQ(round.beta, p.beta);
      EXPECT_NEAR(round.sum_of_widths, widths, 1e-9 * widths);
      const double bound = std::sqrt(static_cast<double>(t) * squares);
      EXPECT_NEAR(round.regret_bound, bound, 1e-6 * bound);
      EXPECT_DOUBLE_EQ(round.coverage, covered / static_cast<double>(t));
      EXPECT_DOUBLE_EQ(round.violation, trial.feedback()->violation);
      EXPECT_GE(round.regret_bound, round.sum_of_widths) << "what Corollary 1 bounds";
    }
    EXPECT_EQ(t, report.rounds.size());
  }
}

// auto multiplies all its variances, including the prior variance.
TEST(Theory, BoundsTheWidthsOfAutoWhateverItsMultiplier) {
  Optimizer optimizer(square(), method_config("auto"), 1);
  numeric::RandomStream stream(1, numeric::Purpose::observation_noise);
  for (int i = 0; i < 50; ++i) optimizer.tell(optimizer.ask().trial, stream.normal());
  double largest_multiplier = 0.0;
  for (const Trial& trial : optimizer.trials()) {
    if (!trial.prediction()) continue;
    largest_multiplier = std::max(largest_multiplier, *trial.prediction()->multiplier);
  }
  ASSERT_GT(largest_multiplier, 1.5);
  for (const TheoryRound& round : theory(optimizer).rounds) {
    EXPECT_GE(round.regret_bound, round.sum_of_widths);
  }
}

TEST(Theory, GapIsZeroAgainstTheLengthscaleThatWasUsed) {
  const TheoryReport report = theory(run(known_kernel(), 12));
  EXPECT_EQ(report.reference, std::vector{0.5});
  for (const TheoryRound& round : report.rounds) EXPECT_NEAR(round.optimality_gap, 0.0, 1e-9);
}

TEST(Theory, GapHasTheSignOfTheDifferenceInSharpness) {
  // Longer lengthscales give sharper models, because they leave less variance.
  const Optimizer optimizer = run(known_kernel(), 12);
  EXPECT_GT(theory(optimizer, 2.0).rounds.back().optimality_gap, 0.0);
  EXPECT_LT(theory(optimizer, 0.1).rounds.back().optimality_gap, 0.0);
}

TEST(Theory, MarginOfAFixedKernelIsItsOwnMeanCalibration) {
  for (const TheoryRound& round : theory(run(known_kernel(), 12)).rounds) {
    EXPECT_NEAR(round.margin, -round.violation / round.round, 1e-9);
  }
}

TEST(Theory, MarginOverAGridIsAtLeastThatOfEachOfItsLengthscales) {
  Config config = known_kernel();
  config.edit<gp::KernelOptions>().lengthscale =
      config.get<learners::LearnerOptions>().theta_max;  // a point of the grid
  const TheoryReport fixed = theory(run(config, 12));
  // A rule that may choose sees the same data. The points are told, not asked, so that they agree.
  Config game = config;
  game.learner = "game";
  const Optimizer original = run(config, 12);
  std::vector<Event> log = original.log();
  const TheoryReport learned = theory(Optimizer::replay(Space::of_box(square()), game, 3, log));
  ASSERT_EQ(learned.rounds.size(), fixed.rounds.size());
  // beta differs by the covering number, which only enlarges the margin.
  EXPECT_GE(learned.rounds.back().margin, fixed.rounds.back().margin - 1e-9);
}

TEST(Theory, InformationBoundIsThatOfTheWidthAndAboveTheRealisedGain) {
  const Config config = known_kernel();
  ConfidenceWidth width(config, 2);
  for (const TheoryRound& round : theory(run(config, 12)).rounds) {
    const int observations = config.initial_points + round.round - 1;
    EXPECT_DOUBLE_EQ(round.information_bound.value(),
                     width.information_bound(observations).value());
    EXPECT_DOUBLE_EQ(round.beta, width.beta(observations));
    EXPECT_EQ(width.information_bound(observations, 1e6), 1e6) << "at least what is realised";
  }
  EXPECT_FALSE(theory(run(method_config("oscbo"), 2)).rounds.back().information_bound);
}

TEST(Certificate, IsOneOnlyForAKnownKernelWithItsOwnWidth) {
  const auto status = [](const Config& config) {
    return theory(run(config, 4)).rounds.back().status;
  };
  EXPECT_EQ(status(known_kernel()), CertificateStatus::certified);
  Config constant = known_kernel();
  constant.edit<online::WidthOptions>().kind = online::WidthOptions::Kind::constant;
  EXPECT_EQ(status(constant), CertificateStatus::heuristic);
  Config learned = known_kernel();
  learned.learner = "mll";
  EXPECT_EQ(status(learned), CertificateStatus::heuristic);
  Config improvement = known_kernel();
  improvement.edit<acquisition::AcquisitionOptions>().kind =
      acquisition::AcquisitionOptions::Kind::logei;
  EXPECT_EQ(status(improvement), CertificateStatus::heuristic);
}

TEST(Theory, RefusesAReferenceThatIsNoLengthscale) {
  const Optimizer optimizer = run(method_config("oscbo"), 2);
  for (const double reference : {0.0, -1.0, std::nan(""), 1e-300, 1e300}) {
    EXPECT_THROW((void)theory(optimizer, reference), Error) << reference;
  }
  Config network = method_config("oscbo");
  network.edit<gp::KernelOptions>().family = gp::KernelOptions::Family::network;
  EXPECT_THROW((void)theory(run(network, 2), 0.5), Error);
}

TEST(Theory, WidthRefusesWhatItIsNotAbout) {
  Config moving = known_kernel();
  moving.edit<DataOptions>().inputs = DataOptions::Inputs::data;
  EXPECT_THROW(validate(moving), Error);
  Config raw = known_kernel();
  raw.edit<gp::KernelOptions>().family = gp::KernelOptions::Family::network;
  EXPECT_NO_THROW(validate(raw));
  raw.edit<gp::KernelOptions>().normalised = false;
  EXPECT_THROW(validate(raw), Error);
  Config learned_noise = method_config("vanilla-bo");
  learned_noise.edit<learners::PriorOptions>().noise = learners::PriorOptions::Noise::learned;
  EXPECT_NO_THROW(validate(learned_noise));
  learned_noise.edit<online::WidthOptions>().kind = online::WidthOptions::Kind::theory;
  learned_noise.edit<DataOptions>().standardise = DataOptions::Standardise::none;
  EXPECT_THROW(validate(learned_noise), Error);
}

TEST(Certificate, NeedsPointsAskedOneAtATime) {
  Optimizer optimizer = run(known_kernel(), 3);
  const Suggestion first = optimizer.ask();
  const Suggestion second = optimizer.ask();
  optimizer.tell(first.trial, ridge(first.x));
  optimizer.tell(second.trial, ridge(second.x));
  EXPECT_EQ(theory(optimizer).rounds.back().status, CertificateStatus::heuristic);
}

TEST(Certificate, IsVoidOnceObservationsContradictItAndStaysSo) {
  Config config = method_config("oscbo");
  Optimizer optimizer = run(config, 1);
  std::size_t first_void = 0;
  for (int i = 0; i < 30; ++i) {
    const Suggestion next = optimizer.ask();
    // For a while all values lie far outside, then exactly on the mean.
    const Prediction& p = *next.prediction;
    optimizer.tell(next.trial, i < 8 ? p.mean + 3.0 * p.width : p.mean);
    const TheoryRound now = theory(optimizer).rounds.back();
    if (now.status == CertificateStatus::contradicted && first_void == 0) {
      first_void = static_cast<std::size_t>(now.round);
    }
    EXPECT_EQ(now.status == CertificateStatus::contradicted, first_void != 0) << "round " << i;
  }
  EXPECT_GT(first_void, 1U) << "one miss is no contradiction at beta = 2";
  EXPECT_LE(first_void, 6U);
  EXPECT_EQ(to_string(CertificateStatus::contradicted), "void");
}

TEST(Certificate, OfTheTheoryIsVoidWhenTheNormIsFarTooSmall) {
  // y| is about 1000, but B = 1 and R = 0.1 allow only a few units.
  Optimizer optimizer(square(), known_kernel(), 3);
  for (int i = 0; i < 25; ++i) {
    const Suggestion next = optimizer.ask();
    optimizer.tell(next.trial, 1000.0 * ridge(next.x));
  }
  EXPECT_EQ(theory(optimizer).rounds.back().status, CertificateStatus::contradicted);
}

}  // namespace
}  // namespace oscbo
