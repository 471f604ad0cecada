// The strategies pfn and tabicl. What holds for every strategy is tested in registry_test.cpp.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "in_context/embedded_weights.hpp"
#include "in_context/ensemble_predictor.hpp"
#include "in_context/in_context_options.hpp"
#include "model/model_test_support.hpp"
#include "oscbo/error.hpp"

namespace oscbo::model {
namespace {

using in_context::EnsembleOptions;
using in_context::EnsemblePredictor;
using in_context::FeatureRange;
using in_context::PfnOptions;
using test::Data;
using test::smooth_data;

using Indices = std::vector<Index>;

const std::vector<double> kPoint = {0.35, 0.6};

Config pfn_with(const std::function<void(PfnOptions&)>& change) {
  Config config = test::config_of("pfn");
  change(config.edit<PfnOptions>());
  return config;
}

/// A strategy and the observations that it is told.
class Told {
 public:
  Told(const Config& config, Data data, const gp::Layout& layout = gp::Layout::plain(2))
      : strategy(make_strategy(config, layout, test::kSeed)),
        data_(std::move(data)),
        inputs_(data_.inputs()) {}

  /// next fits the model of a round and keeps it.
  const ModelDescription& next() {
    fit();
    strategy->keep_fit(0.0);
    return strategy->model(Scope::round);
  }
  void fit() { strategy->fit(observations(), 1); }
  void fit_all() { strategy->fit_all(observations(), 1); }

  [[nodiscard]] Observations observations() const { return {.inputs = inputs_, .y = data_.y}; }
  [[nodiscard]] prediction::Moments at(const std::vector<double>& x) {
    return strategy->predictor(Scope::round).at(x);
  }

  StrategyHandle strategy;

 private:
  Data data_;
  gp::Inputs inputs_;
};

/// network_on returns the network whose context are these observations.
EnsemblePredictor network_on(const std::shared_ptr<const in_context::Weights<float>>& weights,
                             const Data& data, const Indices& points,
                             const EnsembleOptions& options) {
  in_context::Rows<double> X(static_cast<Index>(points.size()), data.X.cols());
  std::vector<double> y;
  for (const Index i : points) {
    for (Index k = 0; k < data.X.cols(); ++k) X(static_cast<Index>(y.size()), k) = data.X(i, k);
    y.push_back(data.y[i]);
  }
  return {weights, X, y, options};
}

EnsembleOptions pfn_options(std::vector<FeatureRange> ranges) {
  return {.members = 1, .adds_tails = true, .ranges = std::move(ranges)};
}

void expect_equal(const prediction::Moments& a, const prediction::Moments& b) {
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.variance, b.variance);
}

Indices all_of(Index count) {
  Indices all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

TEST(Pfn, IsItsNetworkOnTheUnitCube) {
  const Data data = smooth_data(12, 2, 1);
  Told told(test::config_of("pfn"), data);
  const ModelDescription& model = told.next();
  EnsemblePredictor network =
      network_on(in_context::embedded_weights(), data, all_of(12), pfn_options({{}, {}}));
  expect_equal(told.at(kPoint), network.at(kPoint));
  EXPECT_TRUE(model.lengthscales.empty());
  EXPECT_TRUE(model.points.empty());
  EXPECT_TRUE(model.plan.is_whole_box());
  double squares = 0.0;
  for (Index i = 0; i < 12; ++i) {
    const prediction::Moments here = told.at({data.X(i, 0), data.X(i, 1)});
    squares += std::pow(data.y[i] - here.mean, 2) + here.variance;
  }
  EXPECT_NEAR(model.noise_variance, squares / 12.0, 1e-12) << "what it leaves open where it looked";
  EXPECT_EQ(model.inflation, 1.0);
  EXPECT_EQ(model.notes,
            (std::vector<std::string>{"an in-context model that sees 12 of 12 observations"}));
  ASSERT_EQ(model.fitted_means.size(), 12);
  EXPECT_EQ(model.fitted_means[3], told.at({data.X(3, 0), data.X(3, 1)}).mean);
}

TEST(Pfn, FollowsASmoothFunction) {
  const Data all = smooth_data(70, 2, 1);
  const Data data{.X = all.X.topRows(60), .y = all.y.head(60)};
  Told told(test::config_of("pfn"), data);
  told.next();
  double squares = 0.0;
  for (Index i = 60; i < 70; ++i) {
    const prediction::Moments moments = told.at({all.X(i, 0), all.X(i, 1)});
    EXPECT_LT(std::abs(moments.mean - all.y[i]), 4.0 * std::sqrt(moments.variance)) << i;
    squares += std::pow(moments.mean - all.y[i], 2);
  }
  EXPECT_LT(squares / 10.0, 0.05) << "of a variance of 1";
}

TEST(Pfn, FindsNoiseInFitsOfTheWholeBoxThatWereKept) {
  Told smooth(test::config_of("pfn"), smooth_data(60, 2, 1));
  EXPECT_LT(std::sqrt(smooth.next().noise_variance), 0.2);
  EXPECT_FALSE(smooth.strategy->finds_noise());

  Told noisy(test::config_of("pfn"), test::noisy_data(60, 0.7));
  noisy.fit();
  EXPECT_FALSE(noisy.strategy->finds_noise()) << "nothing was kept";
  EXPECT_NEAR(std::sqrt(noisy.next().noise_variance), 0.7, 0.2);
  EXPECT_TRUE(noisy.strategy->finds_noise());
  noisy.next();
  EXPECT_TRUE(noisy.strategy->finds_noise()) << "rounds near the best point have no say";
}

TEST(Pfn, TellsValuesApartThatDifferLittleNearTheBestPoint) {
  Data data = smooth_data(40, 2, 1);
  Told told(pfn_with([](PfnOptions& options) { options.near_best_every = 1; }), data);
  const Indices near_best = told.next().points;
  constexpr double kFactor = 1e-9;  // brings the values near the best point closer together
  const double best = data.y.maxCoeff();
  for (const Index i : near_best) data.y[i] = best + kFactor * (data.y[i] - best);
  Told close(pfn_with([](PfnOptions& options) { options.near_best_every = 1; }), data);
  ASSERT_EQ(close.next().points, near_best);
  const prediction::Moments far = told.at(kPoint);
  const prediction::Moments here = close.at(kPoint);
  EXPECT_NEAR((here.mean - best) / kFactor, far.mean - best, 1e-3);
  EXPECT_EQ(here.variance, prediction::kMinimumVariance);
}

TEST(Pfn, LooksNearTheBestPointInEverySecondRoundThatWasKept) {
  const Data data = smooth_data(40, 2, 1);
  Told told(test::config_of("pfn"), data);
  for (int i = 0; i < 3; ++i) {
    told.fit();
    EXPECT_TRUE(told.strategy->model(Scope::round).points.empty()) << "nothing was kept";
  }
  EXPECT_TRUE(told.next().points.empty());
  const ModelDescription near_best = told.next();
  ASSERT_EQ(near_best.points.size(), 12U) << "0.3 n";
  Index best = 0;
  data.y.maxCoeff(&best);
  EXPECT_EQ(near_best.points.front(), best);
  EXPECT_EQ(near_best.notes.front(), "a model of the surroundings of the best point");
  EXPECT_EQ(near_best.notes.back(), "an in-context model that sees 12 of 40 observations");
  ASSERT_EQ(near_best.fitted_means.size(), 12);
  EXPECT_LT(near_best.plan.upper[0] - near_best.plan.lower[0], 0.9);

  EnsemblePredictor network =
      network_on(in_context::embedded_weights(), data, near_best.points,
                 pfn_options({{near_best.plan.lower[0], near_best.plan.upper[0]},
                              {near_best.plan.lower[1], near_best.plan.upper[1]}}));
  const std::vector<double> there = {data.X(best, 0), data.X(best, 1)};
  expect_equal(told.at(there), network.at(there));
  EXPECT_TRUE(told.next().points.empty()) << "the third round";

  told.next();
  told.fit_all();
  EXPECT_TRUE(told.strategy->model(Scope::all).points.empty());
  EXPECT_EQ(told.strategy->predictor(Scope::all).size(), 40);
  EXPECT_EQ(told.strategy->predictor(Scope::round).size(), 12);
}

TEST(Pfn, LooksNearTheBestPointAsOftenAsItIsTold) {
  const Data data = smooth_data(30, 2, 1);
  Told never(pfn_with([](PfnOptions& options) { options.near_best_every = 0; }), data);
  Told always(pfn_with([](PfnOptions& options) { options.near_best_every = 1; }), data);
  for (int round = 0; round < 4; ++round) {
    EXPECT_TRUE(never.next().points.empty());
    EXPECT_FALSE(always.next().points.empty());
  }
}

TEST(Pfn, LooksEverywhereAsTheModelOfAnOutcome) {
  Config config = test::config_of("pfn");
  model_of(config).compose_outcome(config);
  Told told(config, smooth_data(30, 2, 1));
  for (int round = 0; round < 3; ++round) EXPECT_TRUE(told.next().points.empty());
}

TEST(Pfn, SeesTheBestObservationsAndOthersOfTheWholeRunIfThereAreTooMany) {
  Data data = smooth_data(20, 2, 1);
  for (Index i = 0; i < 20; ++i) data.y[i] = -static_cast<double>(i);
  Told told(pfn_with([](PfnOptions& options) { options.context = 10; }), data);
  const ModelDescription& model = told.next();
  EnsemblePredictor network = network_on(in_context::embedded_weights(), data,
                                         {0, 1, 2, 3, 4, 5, 8, 11, 14, 17}, pfn_options({{}, {}}));
  expect_equal(told.at(kPoint), network.at(kPoint));
  EXPECT_TRUE(model.points.empty()) << "the model is about the whole box";
  EXPECT_EQ(model.fitted_means.size(), 20) << "also where the network did not look";
  EXPECT_EQ(model.notes.front(), "an in-context model that sees 10 of 20 observations");
}

TEST(Pfn, SeesNoMoreObservationsNearTheBestPointThanElsewhere) {
  Told told(pfn_with([](PfnOptions& options) {
              options.context = 10;
              options.near_best_every = 1;
            }),
            smooth_data(60, 2, 1));
  const ModelDescription& model = told.next();
  EXPECT_EQ(model.points.size(), 10U) << "not 0.3 n = 18";
  EXPECT_EQ(told.strategy->predictor(Scope::round).size(), 10);
  EXPECT_EQ(model.fitted_means.size(), 10);
}

TEST(Pfn, WidensItsIntervalsAfterAMissAndNarrowsThemALittleAfterAHit) {
  Told told(test::config_of("pfn"), smooth_data(12, 2, 1));
  told.next();
  const prediction::Moments before = told.at(kPoint);
  told.strategy->observe_prediction({.calibration_loss = 0.2});
  const double after_miss = std::exp(0.5 * 0.9);
  EXPECT_DOUBLE_EQ(*told.strategy->game().multiplier, after_miss);
  told.fit();
  EXPECT_DOUBLE_EQ(told.strategy->model(Scope::round).inflation, after_miss);
  told.fit_all();
  EXPECT_DOUBLE_EQ(told.strategy->model(Scope::all).inflation, after_miss);
  told.strategy->observe_prediction({.calibration_loss = -0.2});
  EXPECT_DOUBLE_EQ(*told.strategy->game().multiplier, after_miss * std::exp(-0.5 * 0.1));
  Told other(test::config_of("pfn"), smooth_data(12, 2, 1));
  other.strategy->observe_prediction({.calibration_loss = 0.2});
  other.next();
  expect_equal(other.at(kPoint), before);  // the search does not see it
}

TEST(Pfn, TakesNoNoticeOfPendingPointsInACopy) {
  Told told(test::config_of("pfn"), smooth_data(12, 2, 1));
  told.next();
  const prediction::Moments before = told.at(kPoint);
  StrategyHandle copy = told.strategy;
  copy->predictor(Scope::round).condition_on_pending(kPoint);
  EXPECT_EQ(copy->predictor(Scope::round).size(), 13);
  EXPECT_NE(copy->predictor(Scope::round).at(kPoint).variance, before.variance);
  expect_equal(told.at(kPoint), before);
}

TEST(Pfn, ReadsCategoriesAsCodesAndInactiveNumbersAsNothing) {
  const Data data = test::mixed_data(30);  // columns: x, category, cos u, sin u
  Told told(test::config_of("pfn"), data, test::mixed_layout());
  told.next();
  EnsemblePredictor network = network_on(in_context::embedded_weights(), data, all_of(30),
                                         pfn_options({{}, {.lower = 0.0, .upper = 2.0}, {}, {}}));
  const std::vector<double> active = {0.4, 0.0, std::cos(0.5), std::sin(0.5)};
  const std::vector<double> inactive = {0.4, 1.0, 0.0, 0.0};
  const std::vector<double> other = {0.4, 2.0, 0.0, 0.0};
  for (const std::vector<double>& x : {active, inactive, other}) {
    expect_equal(told.at(x), network.at(x));
    EXPECT_TRUE(std::isfinite(told.at(x).mean));
  }
  EXPECT_NE(told.at(inactive).mean, told.at(other).mean);

  const gp::Layout many(std::vector<gp::ParameterShape>{{gp::ParameterKind::numeric},
                                                        {gp::ParameterKind::categorical, 30},
                                                        {gp::ParameterKind::conditional}});
  Told few_of_many(test::config_of("pfn"), data, many);
  few_of_many.next();
  EnsemblePredictor wide = network_on(in_context::embedded_weights(), data, all_of(30),
                                      pfn_options({{}, {.lower = 0.0, .upper = 29.0}, {}, {}}));
  expect_equal(few_of_many.at(active), wide.at(active));

  const ModelDescription& near_best = told.next();
  EXPECT_EQ(near_best.plan.lower[1], 0.0) << "categories are not restricted";
  EXPECT_EQ(near_best.plan.upper[1], 1.0);
}

TEST(Pfn, SaysThatToldVariancesDoNotWeighTheObservations) {
  const Data data = smooth_data(12, 2, 1);
  Told without(test::config_of("pfn"), data);
  without.next();
  Told told(test::config_of("pfn"), data);
  const std::vector<double> variances(12, 0.3);
  Observations observations = told.observations();
  const Observations known{
      .inputs = observations.inputs, .y = observations.y, .known_noise = variances};
  told.strategy->fit(known, 1);
  EXPECT_EQ(told.strategy->model(Scope::round).notes.back(),
            "the network does not see the variances that were told");
  expect_equal(told.at(kPoint), without.at(kPoint));
}

TEST(Pfn, AveragesItsMembers) {
  const Data data = smooth_data(12, 2, 1);
  Told told(pfn_with([](PfnOptions& options) { options.members = 2; }), data);
  told.next();
  EnsembleOptions options = pfn_options({{}, {}});
  options.members = 2;
  EnsemblePredictor network = network_on(in_context::embedded_weights(), data, all_of(12), options);
  expect_equal(told.at(kPoint), network.at(kPoint));
  Told one(test::config_of("pfn"), data);
  one.next();
  EXPECT_NE(told.at(kPoint).mean, one.at(kPoint).mean);
}

TEST(Tabicl, IsItsNetworkOnAllObservations) {
  const Data data = smooth_data(150, 2, 1);
  Config config = test::config_of("tabicl");
  Told told(config, data);
  for (int round = 0; round < 3; ++round) {
    const ModelDescription& model = told.next();
    EXPECT_TRUE(model.points.empty()) << "every round looks everywhere";
    EXPECT_EQ(model.noise_variance, prediction::kMinimumVariance) << "it is in the quantiles";
    EXPECT_EQ(model.notes.front(), "an in-context model that sees 150 of 150 observations");
  }
  EnsemblePredictor network = network_on(in_context::random_weights(), data, all_of(150),
                                         {.members = 1, .adds_tails = false});
  expect_equal(told.at(kPoint), network.at(kPoint));
  config.edit<in_context::TabiclOptions>().members = 4;
  Told ensemble(config, data);
  ensemble.next();
  EXPECT_NE(ensemble.at(kPoint).mean, told.at(kPoint).mean);
}

TEST(Tabicl, DoesNotCalibrateItsIntervals) {
  Told told(test::config_of("tabicl"), smooth_data(12, 2, 1));
  told.strategy->observe_prediction({.calibration_loss = 0.2});
  EXPECT_EQ(told.next().inflation, 1.0);
  EXPECT_FALSE(told.strategy->game().multiplier);
}

TEST(Tabicl, NeedsWeightsThatWereLoaded) {
  Config config = test::config_of("tabicl");
  config.edit<in_context::LoadedWeights>().weights = nullptr;
  try {
    static_cast<void>(make_strategy(config, gp::Layout::plain(2), test::kSeed));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.field(), "tabicl.weights");
    EXPECT_NE(std::string(error.what()).find("load_weights"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace oscbo::model
