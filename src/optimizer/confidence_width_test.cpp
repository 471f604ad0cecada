#include "optimizer/confidence_width.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "gp/kernel_cover.hpp"
#include "gp/kernel_options.hpp"
#include "learners/learner_options.hpp"
#include "online/width_options.hpp"
#include "optimizer/data_options.hpp"
#include "optimizer/optimizer_test_support.hpp"

namespace oscbo {
namespace {

using gp::Index;
using gp::Vector;

constexpr Index kDimension = 3;

/// theory returns the width of Theorem 1 for a rule, with B = 0.7, R = 0.2, s2 = 0.04, delta =
/// 0.05.
Config theory(const std::string& rule) {
  Config config;
  config.learner = rule;
  config.edit<online::WidthOptions>() = {
      .kind = online::WidthOptions::Kind::theory, .norm_bound = 0.7, .noise_bound = 0.2};
  config.noise_variance = 0.04;
  config.delta = 0.05;
  config.budget = 30;
  config.edit<DataOptions>().standardise = DataOptions::Standardise::none;
  return config;
}

double bound_at(const Config& config, const Vector& theta, Index n) {
  return gp::InformationGain(
             gp::make_kernel(config.get<gp::KernelOptions>(), gp::Layout::plain(kDimension)),
             kDimension, config.noise_variance, theta)
      .upper_bound(n);
}

/// beta_by_hand returns (B + R/sqrt(s2) sqrt(2 (Gamma + 1 + log(6/delta) + log N)))^2 with the
/// numbers of `theory`.
double beta_by_hand(double information, double log_cover) {
  const double root =
      0.7 + 0.2 / 0.2 * std::sqrt(2.0 * (information + 1.0 + std::log(6.0 / 0.05) + log_cover));
  return root * root;
}

TEST(ConfidenceWidth, IsWhatTheUserSaysWhenConstant) {
  Config config;
  config.beta = 1.7;
  ConfidenceWidth width(config, kDimension);
  for (const Index n : {0, 1, 10, 1000}) {
    EXPECT_EQ(width.beta(n), 1.7);
    EXPECT_FALSE(width.information_bound(n));
  }
}

// Zero observations have no information, and one observation has at most log(1 + 1/s2) / 2.
TEST(ConfidenceWidth, OfAKnownKernelStartsWithNumbersThatAreKnown) {
  Config config = theory("fixed");
  config.edit<online::WidthOptions>() = {
      .kind = online::WidthOptions::Kind::theory, .norm_bound = 1.0, .noise_bound = 0.1};
  config.noise_variance = 0.01;
  config.delta = 0.1;
  ConfidenceWidth width(config, kDimension);
  EXPECT_NEAR(std::sqrt(width.beta(0)), 4.1919726, 1e-7);  // 1 + sqrt(2 (1 + log 60))
  EXPECT_NEAR(width.information_bound(1).value(), 0.5 * std::log(101.0), 1e-12);
}

TEST(ConfidenceWidth, OfAKnownKernelFollowsTheFormula) {
  for (const bool ard : {false, true}) {
    Config config = theory("fixed");
    config.edit<gp::KernelOptions>().ard = ard;
    config.edit<gp::KernelOptions>().lengthscale = 0.3;
    ConfidenceWidth width(config, kDimension);
    for (const Index n : {0, 1, 5, 40}) {
      const double information = bound_at(config, Vector::Constant(ard ? kDimension : 1, 0.3), n);
      EXPECT_NEAR(width.information_bound(n).value(), information, 1e-12);
      EXPECT_NEAR(width.beta(n), beta_by_hand(information, 0.0), 1e-10);
    }
  }
}

TEST(ConfidenceWidth, OfAKnownNetworkUsesItsVariances) {
  Config config = theory("fixed");
  config.edit<gp::KernelOptions>().family = gp::KernelOptions::Family::network;
  ConfidenceWidth width(config, kDimension);
  EXPECT_NEAR(width.beta(12), beta_by_hand(bound_at(config, Vector{{10.0, 1.3}}, 12), 0.0), 1e-10);
}

TEST(ConfidenceWidth, OfLearnedLengthscalesHoldsForAllOfThemAndCountsTheirCover) {
  for (const bool ard : {false, true}) {
    Config config = theory("game");
    config.edit<gp::KernelOptions>().ard = ard;
    config.edit<learners::LearnerOptions>().theta_min = 0.1;
    config.edit<learners::LearnerOptions>().theta_max = 2.5;
    const double log_cover = gp::log_covering_number(config.get<gp::KernelOptions>(), kDimension,
                                                     0.1, 2.5, 1.0 / (30.0 * 30.0 * 30.0 * 30.0));
    ASSERT_GT(log_cover, 0.0);
    ConfidenceWidth width(config, kDimension);
    for (const Index n : {0, 1, 5, 40}) {
      double information = 0.0;
      for (const double theta : {0.1, 0.5, 2.5}) {  // both ends, and their geometric mean
        const Vector all = Vector::Constant(ard ? kDimension : 1, theta);
        information = std::max(information, bound_at(config, all, n));
      }
      EXPECT_NEAR(width.beta(n), beta_by_hand(information, log_cover), 1e-9);
    }
  }
}

TEST(ConfidenceWidth, GrowsWithTheObservations) {
  for (const char* rule : {"fixed", "game"}) {
    ConfidenceWidth width(theory(rule), kDimension);
    for (Index n = 0; n < 60; ++n) EXPECT_GT(width.beta(n + 1), width.beta(n)) << rule << ' ' << n;
  }
}

TEST(ConfidenceWidth, IsLargerWhenTheLengthscaleIsNotKnown) {
  Config fixed = theory("fixed");
  fixed.edit<gp::KernelOptions>().lengthscale = 0.2;
  for (const char* rule : {"game", "mll", "prior", "recalibrated"}) {
    Config learned = theory(rule);
    learned.edit<learners::LearnerOptions>().theta_min = 0.19;
    learned.edit<learners::LearnerOptions>().theta_max = 0.21;
    for (const Index n : {0, 1, 10, 50}) {
      EXPECT_GT(ConfidenceWidth(learned, kDimension).beta(n),
                ConfidenceWidth(fixed, kDimension).beta(n));
    }
  }
}

TEST(ConfidenceWidth, IsFiniteInEveryDimension) {
  for (Index dimension = 1; dimension <= 12; ++dimension) {
    for (const char* rule : {"fixed", "game"}) {
      for (const bool ard : {false, true}) {
        Config config = theory(rule);
        config.edit<gp::KernelOptions>().ard = ard;
        ConfidenceWidth width(config, dimension);
        for (const Index n : {0, 10, 110}) {
          EXPECT_TRUE(std::isfinite(width.beta(n))) << rule << ' ' << dimension << ' ' << n;
          EXPECT_GT(width.beta(n), 0.7 * 0.7);
        }
      }
    }
  }
}

// There may be more observations than candidate points, because observations may repeat a point.
TEST(ConfidenceWidth, IsDefinedForMoreObservationsThanTheDesignHasPoints) {
  Config config = theory("fixed");
  config.edit<gp::KernelOptions>().lengthscale = 1.0;
  ConfidenceWidth width(config, 1);
  EXPECT_GT(width.beta(700), width.beta(600));
  EXPECT_TRUE(std::isfinite(width.beta(700)));
}

}  // namespace
}  // namespace oscbo
