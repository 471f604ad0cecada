#include "study/insight.hpp"

#include <cmath>
#include <functional>

#include "study/study_test_support.hpp"

namespace oscbo::study {
namespace {

/// mean_of evaluates f at many points.
MeanAt mean_of(const std::function<double(const std::vector<double>&)>& f) {
  return [f](const std::vector<std::vector<double>>& points) {
    std::vector<double> values;
    for (const std::vector<double>& x : points) values.push_back(f(x));
    return values;
  };
}

Space square() { return Space::of_box(std::vector<Bounds>{{0.0, 1.0}, {0.0, 1.0}}); }

TEST(Importance, IsTheShareOfTheVariance) {
  // Var(3 x) : Var(y) = 9 : 1, and the parameters do not interact.
  const auto shares = shares_of_variance(
      square(), mean_of([](const auto& x) { return 3.0 * x[0] + x[1]; }), 4000, 1);
  EXPECT_NEAR(shares[0], 0.9, 0.03);
  EXPECT_NEAR(shares[1], 0.1, 0.01);
  // All of (x - 1/2)(y - 1/2) depends on both parameters.
  const auto together = shares_of_variance(
      square(), mean_of([](const auto& x) { return (x[0] - 0.5) * (x[1] - 0.5); }), 4000, 1);
  EXPECT_NEAR(together[0], 1.0, 0.05);
  EXPECT_NEAR(together[1], 1.0, 0.05);
  EXPECT_EQ(shares_of_variance(square(), mean_of([](const auto&) { return 2.0; }), 100, 1),
            (std::vector{0.0, 0.0}));
}

TEST(Importance, KnowsCategoriesConditionsAndConstraints) {
  SpaceDeclaration declaration = test::declaration().space;
  declaration.parameters.push_back({.name = "only_b", .when = Condition{"kind", {"b"}}});
  declaration.parameters.push_back(
      {.name = "fixed", .kind = ParameterKind::fixed, .levels = {2.0}});
  declaration.constraints = {parse_constraint("x <= 0.5")};
  const Space space(declaration);
  const auto shares = shares_of_variance(space, mean_of([&](const std::vector<double>& x) {
                                           space.check(x);
                                           return x[1] == 1.0 ? 1.0 + x[2] : 0.0;
                                         }),
                                         2000, 1);
  EXPECT_EQ(shares[0], 0.0);
  EXPECT_GT(shares[1], 0.8);
  EXPECT_GT(shares[2], 0.01);
  EXPECT_LT(shares[2], 0.1);
  EXPECT_EQ(shares[3], 0.0);
}

TEST(Importance, OfAMixtureIsWhatMovesWithItsParts) {
  const Space space({.parameters = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "t"}},
                     .mixtures = {{.parameters = {"a", "b", "c"}}}});
  const auto shares = shares_of_variance(space, mean_of([&](const std::vector<double>& x) {
                                           space.check(x);
                                           return x[0] + 0.01 * x[3];
                                         }),
                                         2000, 1);
  EXPECT_NEAR(shares[0], 1.0, 0.1) << "a causes all of the variance";
  EXPECT_GT(shares[1], 0.1) << "b moves a";
  EXPECT_LT(shares[1], shares[0]);
  EXPECT_LT(shares[3], 0.01);
}

TEST(Importance, ByLengthscaleIsOneInAll) {
  const std::vector<double> weights = by_lengthscale(square(), std::vector{0.5, 1.5});
  EXPECT_DOUBLE_EQ(weights[0], 0.75);
  EXPECT_DOUBLE_EQ(weights[1], 0.25);
  EXPECT_EQ(by_lengthscale(square(), std::vector{0.3}), (std::vector{0.5, 0.5}));
}

TEST(Distance, CountsInLengthscales) {
  SpaceDeclaration declaration = test::declaration().space;
  declaration.parameters.push_back({.name = "only_b", .when = Condition{"kind", {"b"}}});
  const Space space(declaration);
  const std::vector<double> l = {0.5, 2.0, 4.0};
  const double nan = std::nan("");
  const auto between = [&](std::vector<double> a, std::vector<double> b) {
    return distance(space, l, a, b);
  };
  EXPECT_DOUBLE_EQ(between({0.25, 0.0, nan}, {0.75, 0.0, nan}), 1.0);
  EXPECT_DOUBLE_EQ(between({0.25, 0.0, nan}, {0.25, 2.0, nan}), 0.5);
  EXPECT_DOUBLE_EQ(between({0.25, 1.0, 0.0}, {0.25, 1.0, 1.0}), 0.25);
  EXPECT_DOUBLE_EQ(between({0.0, 0.0, nan}, {0.0, 1.0, 0.5}), std::hypot(0.5, 0.25));
}

TEST(Lengthscales, OfANetworkAreNone) {
  StudyDeclaration study = test::declaration("gp-ucb-mll");
  const Prediction prediction{.lengthscales = {0.3, 0.4}};
  EXPECT_EQ(lengthscales_of(study, prediction).size(), 2U);
  study.options = {"kernel=ibnn"};
  EXPECT_TRUE(lengthscales_of(study, prediction).empty()) << "they are variances";
  for (const double weight : by_lengthscale(square(), {})) EXPECT_TRUE(std::isnan(weight));
  EXPECT_DOUBLE_EQ(distance(square(), {}, std::vector{0.0, 0.0}, std::vector{0.3, 0.4}), 0.5);
}

TEST(ExplorationShare, IsWhatComesFromNotKnowing) {
  Prediction prediction;
  prediction.mean = 1.0;
  prediction.sd = 0.5;
  EXPECT_EQ(exploration_share(prediction, 2.0, Goal::maximize), 1.0);
  EXPECT_LT(exploration_share(prediction, 0.0, Goal::maximize), 0.1);
  EXPECT_EQ(exploration_share(prediction, 0.0, Goal::minimize), 1.0);
  // If the mean is one sd beyond the best, the share is phi(1) / (Phi(1) + phi(1)).
  EXPECT_NEAR(exploration_share(prediction, 0.5, Goal::maximize), 0.241971 / (0.841345 + 0.241971),
              1e-6);
  prediction.sd = 0.0;
  EXPECT_EQ(exploration_share(prediction, 0.5, Goal::maximize), 0.0);
}

using Explained = test::StudyTest;

TEST_F(Explained, TrialsShowWhatWasKnownWhenTheyWereAsked) {
  Study study = create(test::declaration("auto", 20));
  for (int i = 0; i < 12; ++i) {
    const auto next = study.ask({.worker = "w"});
    study.tell(next->number, next->token, {.y = test::hill(next->x)});
  }
  const auto first = study.ask({.worker = "w"});
  const auto second = study.ask({.worker = "w"});
  study.tell(first->number, first->token, {.y = 5.0});
  const Study::Explanation explanation = study.explain(second->number);
  EXPECT_EQ(explanation.pending_seen, std::vector<TrialNumber>{first->number});
  ASSERT_TRUE(explanation.best_before);
  EXPECT_LT(*explanation.best_before, 1.0) << "the 5 was not known then";
  EXPECT_GT(*explanation.expected_gain, 0.0);
  ASSERT_EQ(explanation.nearest.size(), 5U);
  EXPECT_LE(explanation.nearest[0].distance, explanation.nearest[1].distance);
  EXPECT_LE(explanation.nearest[4].number, 12);
  using ChosenBy = Study::Explanation::ChosenBy;
  EXPECT_EQ(study.explain(1).chosen_by, ChosenBy::design);
  EXPECT_EQ(explanation.chosen_by, ChosenBy::model);
  const std::vector<Study::Importance> importance = study.importance();
  EXPECT_EQ(importance[0].parameter, "x");
  EXPECT_GT(importance[0].share + importance[1].share, 0.5);
  EXPECT_NEAR(importance[0].sensitivity + importance[1].sensitivity, 1.0, 1e-12);
}

TEST_F(Explained, TrialsSayWhoChoseThem) {
  using ChosenBy = Study::Explanation::ChosenBy;
  Study study = create(test::declaration("auto", 20));
  const std::vector<double> x = {0.5, 1.0};
  study.queue(x);
  const auto given = study.ask({.worker = "w", .given = {{"x", 0.25}}});
  const auto queued = study.ask({.worker = "w"});
  const auto drawn = study.ask({.worker = "w"});
  EXPECT_EQ(queued->x, x);
  EXPECT_EQ(study.explain(queued->number).chosen_by, ChosenBy::queue);
  EXPECT_TRUE(study.explain(queued->number).given.empty());
  EXPECT_EQ(study.explain(drawn->number).chosen_by, ChosenBy::design);
  const Study::Explanation explanation = study.explain(given->number);
  EXPECT_EQ(explanation.chosen_by, ChosenBy::design);
  ASSERT_EQ(explanation.given.size(), 1U);
  EXPECT_EQ(explanation.given[0].parameter, "x");
  EXPECT_EQ(explanation.given[0].value, 0.25);
}

}  // namespace
}  // namespace oscbo::study
