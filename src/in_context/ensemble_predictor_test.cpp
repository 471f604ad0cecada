#include "in_context/ensemble_predictor.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "in_context/random_model_test_support.hpp"

namespace oscbo::in_context {
namespace {

EnsemblePredictor predictor_of(const std::vector<std::byte>& file, const std::vector<double>& y) {
  auto weights = std::make_shared<Weights<float>>(Weights<float>::read(TensorFile(file, "f")));
  Rows<double> X(3, 2);
  const std::vector<double> x{0.1, 0.9, 0.4, 0.3, 0.8, 0.5};
  std::copy(x.begin(), x.end(), X.data());
  return {std::move(weights), X, y, {.members = 1, .adds_tails = false}};
}

EnsemblePredictor small_predictor() { return predictor_of(ModelFile().bytes(), {1.0, 3.0, 2.0}); }

/// A model whose weights are finite, but whose sums are not: the last layer has the largest
/// numbers.
std::vector<std::byte> overflowing_model() {
  std::vector<std::byte> bytes = ModelFile().bytes();
  constexpr std::size_t kLastLayer = 5 * 32 + 5;  // weights and biases
  const std::vector<float> largest(kLastLayer, std::numeric_limits<float>::max());
  const std::size_t size = kLastLayer * sizeof(float);
  std::memcpy(bytes.data() + bytes.size() - size, largest.data(), size);
  return bytes;
}

TEST(EnsemblePredictor, PredictsTheSameAloneInABatchAndWithGradients) {
  EnsemblePredictor predictor = small_predictor();
  prediction::PredictionBatch batch;
  batch.resize(3, 2);
  std::vector<prediction::LocalPrediction> local(3, prediction::LocalPrediction(2));
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 2; ++j) {
      batch.points(i, j) = 0.3 * static_cast<double>(i) + 0.1 * static_cast<double>(j);
      local[static_cast<std::size_t>(i)].x[j] = batch.points(i, j);
    }
  }
  numeric::PaddedMatrix covariance;
  predictor.joint_covariance(batch, covariance);
  predictor.predict(local);
  for (Index i = 0; i < 3; ++i) {
    const prediction::LocalPrediction& point = local[static_cast<std::size_t>(i)];
    const prediction::Moments alone = predictor.at(std::vector{point.x[0], point.x[1]});
    EXPECT_EQ(batch.means[i], alone.mean);
    EXPECT_EQ(batch.variances[i], alone.variance);
    EXPECT_EQ(point.moments.mean, alone.mean);
    EXPECT_EQ(point.moments.variance, alone.variance);
    EXPECT_EQ(covariance(i, i), alone.variance);
    EXPECT_TRUE(std::isfinite(point.mean_gradient[1]));
    EXPECT_NE(point.mean_gradient[1], 0.0);
  }
  EXPECT_EQ(covariance(1, 0), 0.0);
}

TEST(EnsemblePredictor, KnowsOnlyTheContextIfTheNetworkOverflows) {
  EnsemblePredictor predictor = predictor_of(overflowing_model(), {1.0, 4.0, 1.0});
  const std::vector<double> x{0.6, 0.6};
  Rows<double> origin(1, 2);
  origin.set_zero();
  EXPECT_FALSE(std::isfinite(predictor.ensemble().moments(origin).means.front()));
  EXPECT_DOUBLE_EQ(predictor.at(x).mean, 2.0);
  EXPECT_DOUBLE_EQ(predictor.at(x).variance, 2.0) << "(1 + 4 + 1) / 3";
  std::vector<prediction::LocalPrediction> local(1, prediction::LocalPrediction(2));
  local.front().x << 0.6, 0.6;
  predictor.predict(local);
  EXPECT_DOUBLE_EQ(local.front().moments.mean, 2.0);
  EXPECT_EQ(local.front().mean_gradient, (std::vector{0.0, 0.0}));
  EXPECT_EQ(local.front().variance_gradient, (std::vector{0.0, 0.0}));
  predictor.condition_on_pending(x);
  EXPECT_DOUBLE_EQ(predictor.at(x).variance, 1.5) << "(1 + 4 + 1 + 0) / 4";
}

TEST(EnsemblePredictor, HasVarianceOneAroundEqualValuesIfTheNetworkOverflows) {
  EnsemblePredictor predictor = predictor_of(overflowing_model(), {5.0, 5.0, 5.0});
  EXPECT_DOUBLE_EQ(predictor.at(std::vector{0.6, 0.6}).mean, 5.0);
  EXPECT_EQ(predictor.at(std::vector{0.6, 0.6}).variance, 1.0);
}

TEST(EnsemblePredictor, TakesPendingPointsIntoTheContext) {
  EnsemblePredictor predictor = small_predictor();
  const std::vector<double> x{0.6, 0.6};
  const double mean = predictor.at(x).mean;
  predictor.condition_on_pending(x);
  EXPECT_EQ(predictor.size(), 4);

  const std::vector<std::byte> bytes = ModelFile().bytes();
  auto weights = std::make_shared<Weights<float>>(Weights<float>::read(TensorFile(bytes, "f")));
  Rows<double> X(4, 2);
  const std::vector<double> all{0.1, 0.9, 0.4, 0.3, 0.8, 0.5, 0.6, 0.6};
  std::copy(all.begin(), all.end(), X.data());
  EnsemblePredictor expected(std::move(weights), X, {1.0, 3.0, 2.0, mean},
                             {.members = 1, .adds_tails = false});
  EXPECT_EQ(predictor.at(x).mean, expected.at(x).mean);
  EXPECT_EQ(predictor.at(x).variance, expected.at(x).variance);
}

}  // namespace
}  // namespace oscbo::in_context
