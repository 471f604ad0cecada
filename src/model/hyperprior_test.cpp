#include "model/hyperprior.hpp"

#include <gtest/gtest.h>

#include "gp/kernel_options.hpp"
#include "model/model_test_support.hpp"

namespace oscbo::model {
namespace {

Config auto_config() { return test::config_of("auto"); }

double penalty(const Hyperprior& prior, const Vector& log_theta) {
  Vector unused = Vector::Zero(log_theta.size());
  return prior.add_to(log_theta, unused);
}

TEST(Hyperprior, GradientMatchesDifferences) {
  for (const bool additive : {true, false}) {
    Config config = auto_config();
    config.edit<gp::KernelOptions>().additive = additive;
    Hyperprior prior(config, 3);
    prior.set_sides(Vector{{1.0, 0.5, 0.1}});
    numeric::RandomStream stream(1, numeric::Purpose::initial_design);
    const Vector at = Vector::NullaryExpr(prior.size(), [&] { return stream.normal(); });
    Vector gradient = Vector::Constant(prior.size(), 7.0);  // add_to must add to this
    prior.add_to(at, gradient);
    for (Index k = 0; k < at.size(); ++k) {
      Vector up = at;
      Vector down = at;
      up[k] += 1e-5;
      down[k] -= 1e-5;
      EXPECT_NEAR(gradient[k] - 7.0, (penalty(prior, up) - penalty(prior, down)) / 2e-5, 1e-7);
    }
  }
}

// The mode is l = sqrt(d) e^sqrt(2), a = e^-1.5, w = 1, s2 = e^-8.
TEST(Hyperprior, HasTheDocumentedMode) {
  const Hyperprior prior(auto_config(), 2);
  Vector mode(6);
  mode << Vector::Constant(2, std::sqrt(2.0) + 0.5 * std::log(2.0)), Vector::Constant(2, -1.5), 0.0,
      -8.0;
  Vector gradient = Vector::Zero(6);
  EXPECT_EQ(prior.add_to(mode, gradient), 0.0);
  EXPECT_LT(gradient.cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Hyperprior, ScalesWithTheSidesOfTheBox) {
  Hyperprior prior(auto_config(), 2);
  const Vector sides{{0.1, 0.4}};
  Vector lengths = prior.first();
  const double before = penalty(prior, lengths);
  prior.set_sides(sides);
  lengths.head(2) += sides.array().log().matrix();
  lengths.segment(2, 2) += sides.array().log().matrix();
  EXPECT_NEAR(penalty(prior, lengths), before, 1e-12);
  EXPECT_LT((prior.first() - lengths).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Hyperprior, FixesADeclaredNoise) {
  Config config = auto_config();
  config.edit<learners::PriorOptions>().noise = learners::PriorOptions::Noise::fixed;
  config.noise_variance = 0.25;
  const Hyperprior prior(config, 2);
  const Index last = prior.size() - 1;
  EXPECT_EQ(prior.lower()[last], std::log(0.25));
  EXPECT_EQ(prior.upper()[last], std::log(0.25));
  EXPECT_EQ(prior.first()[last], std::log(0.25));
}

}  // namespace
}  // namespace oscbo::model
