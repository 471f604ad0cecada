// Spaces that leave little room: bounds that pin a mixture, ranges of a few numbers, and a few
// points among very many. Also tests of given values.
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "optimizer/optimizer_test_support.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo {
namespace {

using test::short_config;

Parameter whole(const std::string& name, double lower, double upper) {
  return {.name = name, .kind = ParameterKind::integer, .lower = lower, .upper = upper};
}

/// points_asked asks and tells until no point is left or `most` points have been asked. Each point
/// must be a new point of the space.
std::size_t points_asked(Optimizer& optimizer, std::size_t most) {
  std::set<std::vector<double>> seen;
  while (seen.size() < most) {
    try {
      const Suggestion next = optimizer.ask();
      EXPECT_NO_THROW(optimizer.space().check(next.x));
      EXPECT_TRUE(seen.insert(next.x).second) << next.x[0];
      optimizer.tell(next.trial, -std::abs(next.x[0] - optimizer.space().bounds()[0].lower));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::exhausted) << error.what();
      break;
    }
  }
  return seen.size();
}

TEST(LittleRoom, OfASinglePointIsExhaustedByIt) {
  const auto exhaustion = [](Optimizer optimizer) -> std::string {
    static_cast<void>(points_asked(optimizer, 3));
    try {
      static_cast<void>(optimizer.ask());
    } catch (const Error& error) {
      return error.message();
    }
    return "";
  };
  const auto among = [](const std::string& constraint) {
    const Space space = Space::from_json(
        R"({"parameters": {"k": {"type": "int", "lower": 1, "upper": 3}}, "constraints": [")" +
        constraint + R"("]})");
    return Optimizer(space, short_config("auto"), 0);
  };
  EXPECT_EQ(exhaustion(among("k <= 1")), "the only point that can be found has been asked or told");
  EXPECT_EQ(exhaustion(among("k <= 2")), "all 2 points that can be found have been asked or told");
}

TEST(LittleRoom, OfAPinnedMixtureIsWithinItsBounds) {
  const Space space({.parameters = {{.name = "a", .lower = 0.1, .upper = 0.3},
                                    {.name = "b", .lower = 0.2, .upper = 0.4},
                                    {.name = "c", .lower = 0.4, .upper = 0.5},
                                    whole("k", 0.0, 9.0)},
                     .mixtures = {{.parameters = {"a", "b", "c"}, .sum = 0.7}}});
  Optimizer optimizer(space, short_config("auto"), 0);
  EXPECT_EQ(points_asked(optimizer, 20), 10U);
  EXPECT_NO_THROW(
      static_cast<void>(Optimizer::replay(space, short_config("auto"), 0, optimizer.log())));
}

TEST(LittleRoom, OfFewNumbersIsUsedUp) {
  const double epsilon = std::numeric_limits<double>::epsilon();
  Optimizer four({{1.0, 1.0 + 3.0 * epsilon}}, short_config("auto"), 0);
  EXPECT_EQ(points_asked(four, 20), 4U);
  Optimizer one(Space({.parameters = {{.name = "a", .lower = 0.3, .upper = 0.3 + 1e-6},
                                      {.name = "b", .lower = 0.3, .upper = 0.3 + 1e-6},
                                      {.name = "c", .lower = 0.4, .upper = 0.5}},
                       .mixtures = {{.parameters = {"a", "b", "c"}}}}),
                short_config("auto"), 0);
  EXPECT_EQ(points_asked(one, 20), 1U);
}

TEST(LittleRoom, BesideALargeOffsetHasNoPointTwice) {
  for (const Bounds bounds : {Bounds{384230484.0, 384230485.0}, Bounds{1e6, 1e6 + 1e-3}}) {
    Optimizer optimizer({bounds}, short_config("auto"), 0);
    EXPECT_EQ(points_asked(optimizer, 40), 40U);
  }
}

// Of the 31^8 combinations, 1 + 8 + 36 miss the largest sum by at most two.
TEST(LittleRoomSlow, OfFewCombinationsAmongVeryManyIsFound) {
  SpaceDeclaration declaration;
  LinearConstraint constraint{.terms = {}, .limit = -238.0};
  for (int k = 0; k < 8; ++k) {
    const std::string name = "n" + std::to_string(k);
    declaration.parameters.push_back(whole(name, 0.0, 30.0));
    constraint.terms.push_back({.parameter = name, .coefficient = -1.0});
  }
  declaration.constraints = {constraint};
  Optimizer optimizer(Space(declaration), method_config("sobol"), 0);
  EXPECT_EQ(points_asked(optimizer, 100), 45U);
}

TEST(WideRange, OnALogarithmicScaleIsUsedWhole) {
  Optimizer optimizer(
      Space({.parameters = {{.name = "a", .lower = 1e-300, .upper = 1e300, .log = true}}}),
      method_config("sobol"), 0);
  int below = 0;
  for (int i = 0; i < 64; ++i) {
    const Suggestion next = optimizer.ask();
    EXPECT_NO_THROW(optimizer.space().check(next.x));
    below += next.x[0] < 1e-150 ? 1 : 0;
  }
  EXPECT_EQ(below, 16) << "a quarter of the scale";
}

// --- given values --------------------------------------------------------------------------------

/// m is active with two of three categories, and n is active with one category of m.
Space conditional_space() {
  const auto category = [](const std::string& name, const std::vector<std::string>& values) {
    return Parameter{.name = name, .kind = ParameterKind::categorical, .values = values};
  };
  Parameter m = category("m", {"p", "q"});
  m.when = Condition{"c", {"x", "z"}};
  const Parameter n{.name = "n", .when = Condition{"m", {"q"}}};
  return Space({.parameters = {category("c", {"x", "y", "z"}), m, n}});
}

TEST(GivenValues, OfAConditionalParameterMakeItActive) {
  Optimizer optimizer(conditional_space(), short_config("auto"), 0);
  std::set<double> parents;
  for (int i = 0; i < 12; ++i) {
    const std::vector<Given> given = {{.parameter = "n", .value = 0.01 * i}};
    const Suggestion next = optimizer.ask(given);
    EXPECT_EQ(next.x[2], 0.01 * i) << "round " << i;
    EXPECT_EQ(next.x[1], 1.0);
    EXPECT_NE(next.x[0], 1.0);
    parents.insert(next.x[0]);
    optimizer.tell(next.trial, next.x[0]);
  }
  EXPECT_EQ(parents.size(), 2U) << "both categories with which it is active are looked at";
}

TEST(GivenValues, ThatContradictEachOtherAreRefused) {
  Optimizer optimizer(conditional_space(), short_config("auto"), 0);
  test::expect_refused(
      [&] {
        static_cast<void>(optimizer.ask(std::vector<Given>{{.parameter = "c", .value = 1.0},
                                                           {.parameter = "n", .value = 0.5}}));
      },
      ErrorCode::invalid_value, "given.n");
  EXPECT_TRUE(optimizer.log().empty());
}

TEST(GivenValues, OfAMixtureAreKeptToTheLastBit) {
  const Space space({.parameters = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}},
                     .mixtures = {{.parameters = {"a", "b", "c", "d"}}}});
  Optimizer optimizer(space, short_config("auto"), 0);
  for (int i = 0; i < 20; ++i) {
    const std::vector<Given> given = {{.parameter = "a", .value = 0.41 + 0.001 * i},
                                      {.parameter = "b", .value = 0.21},
                                      {.parameter = "c", .value = 0.03}};
    const Suggestion next = optimizer.ask(given);
    for (std::size_t k = 0; k < given.size(); ++k) EXPECT_EQ(next.x[k], given[k].value);
    EXPECT_NO_THROW(space.check(next.x));
    optimizer.tell(next.trial, next.x[3]);
  }
}

TEST(GivenValues, ThatMissTheSumOfAMixtureAreRefused) {
  const Space space({.parameters = {{.name = "a"}, {.name = "b"}, {.name = "c"}},
                     .mixtures = {{.parameters = {"a", "b", "c"}}}});
  Optimizer optimizer(space, short_config("auto"), 0);
  const std::vector<Given> given = {{.parameter = "a", .value = 0.6},
                                    {.parameter = "b", .value = 0.4 + 5e-9}};
  test::expect_refused([&] { static_cast<void>(optimizer.ask(given)); }, ErrorCode::invalid_value,
                       "given");
}

TEST(GivenValues, OfLevelsAreTheLevelsAndComeOutOfALogAgain) {
  const Space space({.parameters = {whole("n", 0.0, 1e6), {.name = "x"}}});
  Optimizer optimizer(space, short_config("auto"), 0);
  for (int i = 0; i < 8; ++i) {
    const std::vector<Given> given = {{.parameter = "n", .value = 3e5 * (i % 3) + 2.9995}};
    const Suggestion next = optimizer.ask(given);
    EXPECT_EQ(next.x[0], 3e5 * (i % 3) + 3.0);
    optimizer.tell(next.trial, next.x[1]);
  }
  Optimizer again = Optimizer::replay(space, short_config("auto"), 0, optimizer.log());
  EXPECT_EQ(again.ask().x, optimizer.ask().x);
}

}  // namespace
}  // namespace oscbo
