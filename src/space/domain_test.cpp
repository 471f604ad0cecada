#include "space/domain.hpp"

#include <cmath>
#include <set>

#include "space/space_test_support.hpp"

namespace oscbo::space {
namespace {

using numeric::Purpose;
using numeric::RandomStream;
using test::every_kind;
using test::expect_refused;
using test::random_point;

TEST(Domain, PointsSurviveARoundTripThroughCoordinates) {
  const Domain domain(every_kind());
  RandomStream stream(1, Purpose::simulated_function);
  for (int i = 0; i < 2000; ++i) {
    const Coordinates u = random_point(domain, stream);
    const std::vector<double> x = domain.from_coordinates(u);
    EXPECT_NO_THROW(domain.check(x, "x"));
    const Coordinates back = domain.to_coordinates(x);
    for (std::size_t k = 0; k < u.size(); ++k) {
      EXPECT_NEAR(back[k], u[k], 1e-14) << domain.axis(k).name();
      EXPECT_EQ(std::isnan(x[k]), !domain.is_active(u, k)) << domain.axis(k).name();
    }
  }
}

TEST(Domain, InactiveParametersHaveNoInfluence) {
  const Domain domain(every_kind());
  const std::size_t solvent = *domain.find("solvent");
  const std::size_t reflux = *domain.find("reflux");
  RandomStream stream(2, Purpose::simulated_function);
  std::vector<double> x = domain.from_coordinates(random_point(domain, stream));
  x[solvent] = 2.0;
  x[reflux] = 0.3;
  std::vector<double> y = x;
  y[reflux] = std::nan("");
  EXPECT_EQ(domain.to_coordinates(x), domain.to_coordinates(y));
  EXPECT_TRUE(std::isnan(domain.tidy(x)[reflux]));
}

TEST(Domain, ConditionsAreTransitive) {
  const Domain domain(every_kind());
  const std::size_t stir = *domain.find("stir");
  const std::size_t mode = *domain.find("mode");
  const std::size_t speed = *domain.find("speed");
  Coordinates u(domain.size(), 0.0);
  u[stir] = 1.0;
  u[mode] = 1.0;
  EXPECT_TRUE(domain.is_active(u, speed));
  u[stir] = 0.0;
  EXPECT_FALSE(domain.is_active(u, speed));
  domain.settle(u);
  EXPECT_EQ(u[mode], 2.0) << "inactive is an extra category";
}

// The inactive state has the same distance from all active values. The distance of two active
// values is nearly their difference.
TEST(Domain, ConditionalNumbersLieOnAnArc) {
  const Domain domain({.parameters = {{.name = "on", .kind = ParameterKind::boolean},
                                      {.name = "v", .when = Condition{"on", {"true"}}}}});
  const auto columns_at = [&](double on, double v) {
    Coordinates u = {on, v};
    domain.settle(u);
    return domain.to_columns(u);
  };
  const auto distance = [&](const Columns& a, const Columns& b) {
    return std::hypot(a[1] - b[1], a[2] - b[2]);
  };
  EXPECT_EQ(columns_at(0.0, 0.2), columns_at(0.0, 0.9));
  for (const double v : {0.0, 0.2, 0.9, 1.0}) {
    EXPECT_NEAR(distance(columns_at(0.0, 0.0), columns_at(1.0, v)), 1.0, 1e-15);
    EXPECT_NEAR(distance(columns_at(1.0, 0.0), columns_at(1.0, v)), 2.0 * std::sin(0.5 * v), 1e-15);
  }
}

TEST(Domain, PullsGradientsBackToContinuousParameters) {
  const Domain domain(every_kind());
  RandomStream stream(3, Purpose::simulated_function);
  const auto function = [&](const Coordinates& u) {
    const Columns columns = domain.to_columns(u);
    double sum = 0.0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      sum += std::sin(columns[c] + static_cast<double>(c));
    }
    return sum;
  };
  for (int i = 0; i < 50; ++i) {
    const Coordinates u = random_point(domain, stream);
    const Columns columns = domain.to_columns(u);
    std::vector<double> slopes(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      slopes[c] = std::cos(columns[c] + static_cast<double>(c));
    }
    std::vector<double> gradient(domain.size());
    domain.pull_back(u, slopes, gradient);
    for (std::size_t k = 0; k < u.size(); ++k) {
      if (!domain.axis(k).is_continuous() || !domain.is_active(u, k)) {
        EXPECT_EQ(gradient[k], 0.0);
        continue;
      }
      constexpr double kStep = 1e-6;
      Coordinates up = u;
      Coordinates down = u;
      up[k] += kStep;
      down[k] -= kStep;
      EXPECT_NEAR(gradient[k], (function(up) - function(down)) / (2.0 * kStep), 1e-8);
    }
  }
}

TEST(Domain, TakesTheColumnsOfABoxForItsCoordinates) {
  const Domain box({.parameters = {{.name = "a"}, {.name = "b"}}});
  const Coordinates u = {0.25, 0.75};
  EXPECT_EQ(box.from_columns(box.to_columns(u)), u);
  EXPECT_EQ(box.from_columns({-1e-17, 1.0 + 1e-15}), (Coordinates{0.0, 1.0})) << "rounding";
}

TEST(Domain, CountsThePointsOfFiniteSpaces) {
  using enum ParameterKind;
  const Parameter three{.name = "c", .kind = categorical, .values = {"x", "y", "z"}};
  const Parameter four{.name = "n", .kind = integer, .lower = 1.0, .upper = 4.0};
  EXPECT_EQ(Domain({.parameters = {three, four}}).points(), 12.0);
  Parameter conditional = four;
  conditional.when = Condition{"c", {"x"}};
  EXPECT_EQ(Domain({.parameters = {conditional, three}}).points(), 6.0);
  Parameter deeper{.name = "b", .kind = boolean, .when = Condition{"n", {"1", "2"}}};
  EXPECT_EQ(Domain({.parameters = {deeper, conditional, three}}).points(), 2.0 + (2.0 * 2.0 + 2.0));
  EXPECT_FALSE(Domain({.parameters = {three, {.name = "r"}}}).points());
}

TEST(Domain, RefusesPointsOutside) {
  const Domain domain(
      {.parameters = {{.name = "t", .lower = -1.0, .upper = 1.0},
                      {.name = "n", .kind = ParameterKind::integer, .lower = 0.0, .upper = 5.0}}});
  const auto check = [&](std::vector<double> x) { return [&domain, x] { domain.check(x, "x"); }; };
  expect_refused(check({0.0}), "x", "has length 1; must have length 2");
  expect_refused(check({-1.5, 0.0}), "x[0]", "t must be in [-1, 1]");
  expect_refused(check({std::nan(""), 0.0}), "x[0]", "nan");
  expect_refused(check({0.0, 2.5}), "x[1]", "an integer");
  EXPECT_NO_THROW(domain.check(std::vector{-1.0, 5.0}, "x"));
}

TEST(Domain, RefusesPointsThatViolateConstraints) {
  const Domain domain({.parameters = {{.name = "a"}, {.name = "b"}, {.name = "c"}},
                       .mixtures = {{.parameters = {"a", "b", "c"}, .sum = 1.0}},
                       .constraints = {parse_constraint("a + b <= 0.9")}});
  EXPECT_NO_THROW(domain.check(std::vector{0.2, 0.3, 0.5}, "x"));
  expect_refused([&] { domain.check(std::vector{0.2, 0.3, 0.6}, "x"); }, "x", "sum to 1");
  expect_refused([&] { domain.check(std::vector{0.5, 0.45, 0.05}, "x"); }, "x", "a + b <= 0.9");
}

TEST(Domain, RecordedPointsMayMissBoundsByRounding) {
  const Domain domain({.parameters = {{.name = "a", .lower = 0.1, .upper = 0.3},
                                      {.name = "k", .kind = ParameterKind::boolean}}});
  const double below = 0.1 - 1e-16;
  EXPECT_THROW(domain.check(std::vector{below, 1.0}, "x"), Error);
  EXPECT_NO_THROW(domain.check_recorded(std::vector{below, 1.0}, "x"));
  EXPECT_THROW(domain.check_recorded(std::vector{0.0999, 1.0}, "x"), Error);
  EXPECT_THROW(domain.check_recorded(std::vector{0.2, 0.5}, "x"), Error);
  EXPECT_THROW(domain.check_recorded(std::vector{0.2}, "x"), Error);
}

TEST(Domain, RefusesInvalidDeclarations) {
  const auto refused = [](SpaceDeclaration declaration, const std::string& field,
                          const std::string& text) {
    expect_refused([&] { Domain{declaration}; }, field, text);
  };
  using enum ParameterKind;
  const Parameter a{.name = "a"};
  const Parameter b{.name = "b"};
  const Parameter log{.name = "l", .lower = 1.0, .upper = 2.0, .log = true};
  refused({}, "parameters", "empty");
  refused({.parameters = {a, a}}, "parameters.a", "twice");
  refused({.parameters = {{.name = ""}}}, "parameters[0].name", "missing");
  refused({.parameters = {{.name = "a\nb"}}}, "parameters[0].name", "control character");
  refused({.parameters = {{.name = "f", .kind = fixed, .levels = {1.0}}}}, "parameters", "fixed");
  refused({.parameters = {{.name = "p", .when = Condition{"q", {"1"}}}}}, "parameters.p.when",
          "'q'");
  refused({.parameters = {a, {.name = "p", .when = Condition{"a", {"1"}}}}}, "parameters.p.when",
          "is continuous");
  refused({.parameters = {{.name = "p", .kind = boolean, .when = Condition{"q", {"true"}}},
                          {.name = "q", .kind = boolean, .when = Condition{"p", {"true"}}}}},
          "parameters.p.when", "itself");
  refused({.parameters = {{.name = "q", .kind = boolean},
                          {.name = "p", .when = Condition{"q", {"maybe"}}}}},
          "parameters.p.when", "one of false, true");
  refused({.parameters = {a, b}, .mixtures = {{.parameters = {"a"}}}}, "mixtures[0]", "two");
  refused({.parameters = {a, log}, .mixtures = {{.parameters = {"a", "l"}}}}, "mixtures[0]", "'l'");
  refused({.parameters = {a, b}, .mixtures = {{.parameters = {"a", "a"}}}}, "mixtures[0]", "twice");
  refused({.parameters = {a, log}, .constraints = {parse_constraint("a + l <= 2")}},
          "constraints[0]", "'l'");
  refused({.parameters = {a}, .constraints = {parse_constraint("a + z <= 2")}}, "constraints[0]",
          "'z'");
  refused({.parameters = {a}, .outcomes = {{.name = "cost"}}}, "outcomes.cost", "no limit");
  refused({.parameters = {a}, .outcomes = {{.name = "c", .lower = 2.0, .upper = 1.0}}},
          "outcomes.c", "below");
}

}  // namespace
}  // namespace oscbo::space
