#include "in_context/weights.hpp"

#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "in_context/ensemble.hpp"
#include "in_context/random_model_test_support.hpp"

namespace oscbo::in_context {
namespace {

std::string model_refusal(const std::vector<std::byte>& bytes) {
  const TensorFile file(bytes, "f");
  return error_of([&] { static_cast<void>(Weights<float>::read(file)); }).what();
}

TEST(Weights, AreReadFromAFile) {
  const std::vector<std::byte> bytes = ModelFile().bytes();
  const auto weights = Weights<float>::read(TensorFile(bytes, "f"));
  EXPECT_EQ(weights.column_blocks.size(), 2U);
  EXPECT_EQ(weights.icl_blocks.front().head_width(), 4);
  EXPECT_FALSE(weights.row_blocks.front().scaling.has_value());
  EXPECT_EQ(weights.row_norm.offset.size(), 0);
}

TEST(Weights, MayHaveNormsWithOffsets) {
  ModelFile model;
  model.add("row_interactor.out_ln.bias", {8});
  const std::vector<std::byte> bytes = model.bytes();
  EXPECT_EQ(Weights<float>::read(TensorFile(bytes, "f")).row_norm.offset.size(), 8);
}

TEST(Weights, RefuseATensorThatTheModelLacks) {
  ModelFile model;
  model.add("icl_predictor.tf_icl.blocks.2.linear1.bias", {8});
  EXPECT_EQ(model_refusal(model.bytes()),
            "f: tensor 'icl_predictor.tf_icl.blocks.2.linear1.bias': does not belong to the model "
            "that __metadata__ describes");
}

TEST(Weights, RefuseAConfigurationThatTheTensorsDoNotFit) {
  std::vector<std::byte> bytes = ModelFile().bytes();
  // The number of quantiles is a digit of the header.
  std::string text(bytes.size(), '\0');
  std::memcpy(text.data(), bytes.data(), bytes.size());
  const std::string key = R"("num_quantiles": "5")";
  bytes[text.find(key) + key.size() - 2] = std::byte('6');
  EXPECT_EQ(
      model_refusal(bytes),
      "f: tensor 'icl_predictor.decoder.2.weight': shape (5, 32) is not accepted; use (6, 32)");
}

TEST(Weights, RefuseNumbersThatAreNotFinite) {
  std::vector<std::byte> bytes = ModelFile().bytes();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bytes.data() + bytes.size() - sizeof(float), &nan, sizeof(float));
  EXPECT_EQ(model_refusal(bytes),
            "f: tensor 'icl_predictor.decoder.2.bias': has entries that are not finite numbers");
}

/// Three observations of two parameters, of which the members of an ensemble have several views.
class SmallEnsemble : public testing::Test {
 protected:
  SmallEnsemble() : X_(3, 2), query_(2, 2) {
    const std::vector<double> x{0.1, 0.9, 0.4, 0.3, 0.8, 0.5};
    std::copy(x.begin(), x.end(), X_.data());
    const std::vector<double> points{0.2, 0.6, 0.7, 0.1};
    std::copy(points.begin(), points.end(), query_.data());
  }

  template <class Scalar>
  [[nodiscard]] Ensemble<Scalar> ensemble(const Rows<double>& X, const std::vector<double>& y,
                                          const EnsembleOptions& options = {}) const {
    const std::vector<std::byte> bytes = ModelFile().bytes();
    return Ensemble<Scalar>(
        std::make_shared<Weights<Scalar>>(Weights<Scalar>::read(TensorFile(bytes, "f"))), X, y,
        options);
  }

  [[nodiscard]] const Rows<double>& X() const { return X_; }
  [[nodiscard]] const Rows<double>& query() const { return query_; }

 private:
  Rows<double> X_;
  Rows<double> query_;
};

TEST_F(SmallEnsemble, PredictsTheSameInSingleAndDoublePrecision) {
  const std::vector<double> y{1.0, 3.0, 2.0};
  const EnsembleMoments single = ensemble<float>(X(), y).moments(query());
  const EnsembleMoments exact = ensemble<double>(X(), y).moments(query());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(single.means[i], exact.means[i], 1e-5);
    EXPECT_NEAR(single.variances[i], exact.variances[i], 1e-5);
    EXPECT_GT(exact.variances[i], 0.0);
  }
}

// Computed by this implementation when it agreed with all reference numbers to 1e-14.
TEST_F(SmallEnsemble, PredictsWhatItPredictedBefore) {
  const EnsembleMoments moments = ensemble<double>(X(), {1.0, 3.0, 2.0}).moments(query());
  EXPECT_NEAR(moments.means[0], 1.9574434626, 1e-7);
  EXPECT_NEAR(moments.means[1], 1.9578145398, 1e-7);
  EXPECT_NEAR(moments.variances[0], 0.0393910712, 1e-7);
  EXPECT_NEAR(moments.variances[1], 0.0388526956, 1e-7);
}

TEST_F(SmallEnsemble, HasTheGradientsOfItsDifferences) {
  constexpr double kStep = 1e-6;
  const Ensemble<double> model = ensemble<double>(X(), {1.0, 3.0, 2.0});
  const EnsembleMoments moments = model.moments_with_gradients(query());
  for (Index j = 0; j < 2; ++j) {
    Rows<double> above = query();
    Rows<double> below = query();
    for (Index i = 0; i < 2; ++i) {
      above(i, j) += kStep;
      below(i, j) -= kStep;
    }
    const EnsembleMoments high = model.moments(above);
    const EnsembleMoments low = model.moments(below);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto row = static_cast<Index>(i);
      EXPECT_NEAR(moments.mean_gradients(row, j), (high.means[i] - low.means[i]) / (2.0 * kStep),
                  1e-7);
      EXPECT_NEAR(moments.variance_gradients(row, j),
                  (high.variances[i] - low.variances[i]) / (2.0 * kStep), 1e-7);
    }
  }
}

TEST_F(SmallEnsemble, FollowsTheScaleOfTheTarget) {
  const EnsembleMoments plain = ensemble<double>(X(), {1.0, 3.0, 2.0}).moments(query());
  const EnsembleMoments scaled = ensemble<double>(X(), {12.0, 16.0, 14.0}).moments(query());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(scaled.means[i], 10.0 + 2.0 * plain.means[i], 1e-5);
    EXPECT_NEAR(scaled.variances[i], 4.0 * plain.variances[i], 1e-5);
  }
}

TEST_F(SmallEnsemble, AddsTheMissingTailsOfFewQuantiles) {
  const std::vector<double> y{1.0, 3.0, 2.0};
  const EnsembleMoments plain = ensemble<double>(X(), y).moments(query());
  const EnsembleMoments with_tails =
      ensemble<double>(X(), y, {.members = 8, .adds_tails = true}).moments(query());
  EXPECT_EQ(with_tails.means, plain.means);
  EXPECT_NEAR(with_tails.variances[0], plain.variances[0] / normal_quantile_variance(5), 1e-12);
}

TEST_F(SmallEnsemble, CountsTheMemoryOfItsMembers) {
  const std::vector<double> y{1.0, 3.0, 2.0};
  const Index exact = ensemble<double>(X(), y).doubles_held();
  const Index single = ensemble<float>(X(), y).doubles_held();
  EXPECT_GT(single, 0);
  EXPECT_LE(single, exact);  // small heads are padded to whole packets
  EXPECT_EQ(ensemble<double>(X(), y, {.members = 1, .adds_tails = false}).doubles_held(),
            exact / 4);
}

TEST_F(SmallEnsemble, AcceptsOneObservationAndEqualOnes) {
  Rows<double> single(1, 2);
  std::copy_n(X().data(), 2, single.data());
  const EnsembleMoments from_one = ensemble<float>(single, {1.0}).moments(query());
  EXPECT_TRUE(std::isfinite(from_one.means[0]));
  EXPECT_GT(from_one.variances[0], 0.0);
  Rows<double> equal(2, 2);
  std::copy_n(X().data(), 2, equal.row(0));
  std::copy_n(X().data(), 2, equal.row(1));
  const EnsembleMoments from_equal =
      ensemble<float>(equal, {1.0, 2.0}).moments_with_gradients(query());
  EXPECT_TRUE(std::isfinite(from_equal.means[0]));
  EXPECT_EQ(from_equal.mean_gradients(0, 1), 0.0) << "a column that does not vary is left out";
}

}  // namespace
}  // namespace oscbo::in_context
