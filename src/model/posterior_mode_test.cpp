#include "model/posterior_mode.hpp"

#include <gtest/gtest.h>

#include "gp/kernel_options.hpp"
#include "gp/posterior.hpp"
#include "model/model_test_support.hpp"

namespace oscbo::model {
namespace {

using test::auto_settings;
using test::noisy_data;

FittedModel fit(const Config& config, const test::Data& data, gp::KnownNoise known_noise = {}) {
  PosteriorMode mode(config, gp::Layout::plain(data.X.cols()));
  Vector previous;
  const gp::Inputs inputs = data.inputs();
  return mode.find({.inputs = inputs, .y = data.y, .known_noise = known_noise},
                   Vector::Ones(data.X.cols()), previous);
}

TEST(PosteriorMode, LearnsTheNoise) {
  const FittedModel clean = fit(auto_settings(), noisy_data(60, 0.0));
  EXPECT_LT(std::sqrt(clean.noise_variance) * clean.affine.scale, 1e-3);
  const FittedModel noisy = fit(auto_settings(), noisy_data(60, 0.3));
  EXPECT_NEAR(std::sqrt(noisy.noise_variance) * noisy.affine.scale, 0.3, 0.1);
}

TEST(PosteriorMode, IsTheSameModelWhateverTheUnits) {
  const test::Data data = noisy_data(30, 0.1);
  test::Data other = data;
  other.y = 1e6 + 250.0 * data.y.array();
  const FittedModel a = fit(auto_settings(), data);
  const FittedModel b = fit(auto_settings(), other);
  EXPECT_LT((a.theta - b.theta).cwiseQuotient(a.theta).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_NEAR(b.affine.location, 1e6 + 250.0 * a.affine.location, 1.0);
  EXPECT_NEAR(b.affine.scale, 250.0 * a.affine.scale, 1.0);
  EXPECT_NEAR(a.relative_scale, b.relative_scale, 1e-3);
}

TEST(PosteriorMode, SeesThatAFunctionIsASumOfFunctionsOfSingleParameters) {
  test::Data sum = test::smooth_data(40, 3, 1);
  test::Data product = sum;
  for (Index i = 0; i < 40; ++i) {
    const Vector x = sum.point(i);
    sum.y[i] = std::sin(9.0 * x[0]) + std::cos(7.0 * x[1]) + x[2];
    product.y[i] = std::sin(4.0 * x[0]) * std::cos(4.0 * x[1]) * (x[2] + 1.0);
  }
  EXPECT_GT(fit(auto_settings(), sum).theta[6], 3.0);
  EXPECT_LT(fit(auto_settings(), product).theta[6], 1.0);
}

TEST(PosteriorMode, ContinuesFromThePreviousFitWhenThatIsBetter) {
  const test::Data data = noisy_data(30, 0.1);
  const gp::Inputs inputs = data.inputs();
  PosteriorMode mode(auto_settings(), gp::Layout::plain(2));
  Vector previous;
  mode.find({.inputs = inputs, .y = data.y}, Vector::Ones(2), previous);
  const int first = mode.evaluations();
  const Vector kept = previous;
  mode.find({.inputs = inputs, .y = data.y}, Vector::Ones(2), previous);
  EXPECT_LT((previous - kept).cwiseAbs().maxCoeff(), 0.5);
  EXPECT_LT(mode.evaluations() - first, first + 20) << "the second search begins at its end";
}

// All values of a view may be equal even if the values of all observations are not.
TEST(PosteriorMode, TakesThePlateauOfAFunctionInTheUnitsOfAllObservations) {
  test::Data data = test::smooth_data(7, 2, 1);
  data.y.setConstant(0.1);  // the mean of seven times 0.1 is not exactly 0.1
  const FittedModel model = fit(auto_settings(), data);
  EXPECT_NEAR(model.affine.location, 0.1, 1e-12);
  EXPECT_GT(model.affine.scale, 1e-2);
}

/// Values of a smooth function and their known noise. Every second value has noise of sd 1.
struct UnequalNoise {
  explicit UnequalNoise(Index n) : clean(test::smooth_data(n, 2, 1)), noisy(clean) {
    numeric::RandomStream stream(2, numeric::Purpose::observation_noise);
    for (Index i = 0; i < n; ++i) {
      noise.push_back(i % 2 == 0 ? 0.0 : 1.0);
      noisy.y[i] += std::sqrt(noise.back()) * stream.normal();
    }
  }

  /// error_of returns the error of the model's predictions at noisy observations.
  [[nodiscard]] double error_of(const FittedModel& model, gp::KnownNoise known) const {
    gp::Posterior posterior(
        gp::make_kernel(auto_settings().get<gp::KernelOptions>(), gp::Layout::plain(2)),
        model.noise_variance);
    const Vector z = (noisy.y.array() - model.affine.location) / model.affine.scale;
    EXPECT_TRUE(
        posterior.fit(noisy.inputs(), z, model.theta, gp::noise_in_units(known, model.affine.scale))
            .ok);
    const Vector means =
        model.affine.location + model.affine.scale * posterior.fitted_means().array();
    return (means - clean.y).norm() / std::sqrt(static_cast<double>(means.size()));
  }

  test::Data clean;
  test::Data noisy;
  std::vector<double> noise;
};

TEST(PosteriorMode, BelievesObservationsByTheNoiseThatIsKnownOfThem) {
  const UnequalNoise data(60);
  const FittedModel known = fit(auto_settings(), data.noisy, data.noise);
  const FittedModel unknown = fit(auto_settings(), data.noisy);
  EXPECT_LT(data.error_of(known, data.noise), 0.05);
  EXPECT_GT(data.error_of(unknown, {}), 0.2);
}

// Known noise of the same variance everywhere gives the same model as learned noise, whatever the
// scale.
TEST(PosteriorMode, TakesKnownNoiseInUnitsOfTheObservations) {
  for (const double unit : {1.0, 250.0}) {
    test::Data data = noisy_data(60, 0.3);
    data.y *= unit;
    const FittedModel learned = fit(auto_settings(), data);
    const double variance = learned.noise_variance * learned.affine.scale * learned.affine.scale;
    const FittedModel known = fit(auto_settings(), data, test::known_noise(60, variance));
    EXPECT_LT((known.theta.array() / learned.theta.array()).log().abs().segment(2, 2).maxCoeff(),
              0.3)
        << "the function is a sum of functions of single parameters";
    EXPECT_NEAR(known.affine.scale / learned.affine.scale, 1.0, 0.15);
  }
}

}  // namespace
}  // namespace oscbo::model
