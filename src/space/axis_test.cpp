#include "space/axis.hpp"

#include <cmath>
#include <limits>
#include <map>

#include "space/space_test_support.hpp"

namespace oscbo::space {
namespace {

using test::expect_refused;

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

Axis axis_of(Parameter parameter) { return {std::move(parameter), "p"}; }

std::vector<Axis> axes_of_every_kind() {
  std::vector<Axis> axes;
  for (Parameter parameter : test::every_kind().parameters) axes.push_back(axis_of(parameter));
  return axes;
}

TEST(Axis, LevelsSurviveARoundTripThroughCoordinatesExactly) {
  for (const Axis& axis : axes_of_every_kind()) {
    for (double level = 0.0; level < axis.levels(); ++level) {
      const double u = axis.coordinate_of_level(level);
      EXPECT_EQ(axis.level_at(u), level) << axis.name();
      const double value = axis.from_coordinate(u);
      EXPECT_TRUE(axis.accepts(value)) << axis.name() << ' ' << value;
      EXPECT_EQ(axis.to_coordinate(value), u) << axis.name();
      EXPECT_EQ(axis.value(axis.text(value)), value) << axis.name();
    }
  }
}

TEST(Axis, RealNumbersSurviveARoundTripUpToRounding) {
  for (const Axis& axis : axes_of_every_kind()) {
    if (!axis.is_continuous()) continue;
    for (const double u : {0.0, 0.001, 0.3, 0.5, 0.77, 1.0}) {
      const double value = axis.from_coordinate(u);
      EXPECT_TRUE(axis.accepts(value)) << axis.name();
      EXPECT_NEAR(axis.to_coordinate(value), u, 1e-14) << axis.name();
    }
    EXPECT_EQ(axis.from_coordinate(0.0), axis.parameter().lower);
    EXPECT_EQ(axis.from_coordinate(1.0), axis.parameter().upper);
  }
}

TEST(Axis, TakesBoundsOfAnySize) {
  for (const auto [lower, upper] : {Bounds{-kLargest, kLargest}, Bounds{0.0, kSmallest},
                                    Bounds{1e300, 1.1e300}, Bounds{-1e-300, 1e-300}}) {
    const Axis axis = axis_of({.name = "p", .lower = lower, .upper = upper});
    EXPECT_EQ(axis.to_coordinate(lower), 0.0);
    EXPECT_EQ(axis.to_coordinate(upper), 1.0);
    EXPECT_EQ(axis.from_coordinate(0.0), lower);
    EXPECT_EQ(axis.from_coordinate(1.0), upper);
  }
}

TEST(Axis, LogScaleIsUniformInFactors) {
  const Axis axis = axis_of({.name = "p", .lower = 1e-4, .upper = 1.0, .log = true});
  EXPECT_NEAR(axis.from_coordinate(0.25), 1e-3, 1e-15);
  EXPECT_NEAR(axis.to_coordinate(1e-2), 0.5, 1e-15);
}

TEST(Axis, UniformNumbersReachEveryLevelAsOftenAsItsShare) {
  for (const Axis& axis : axes_of_every_kind()) {
    if (axis.is_continuous()) continue;
    std::map<double, int> counts;
    constexpr int kDraws = 100000;
    for (int i = 0; i < kDraws; ++i) ++counts[axis.level_at(axis.from_uniform((i + 0.5) / kDraws))];
    EXPECT_EQ(static_cast<double>(counts.size()), axis.levels()) << axis.name();
    for (const auto& [level, count] : counts) {
      const double value = axis.from_coordinate(axis.coordinate_of_level(level));
      const double share = axis.parameter().log
                               ? std::log((value + 0.5) / (value - 0.5)) / std::log(1024.5 / 0.5)
                               : 1.0 / axis.levels();
      EXPECT_NEAR(count, share * kDraws, 2.0) << axis.name() << ' ' << level;
    }
    EXPECT_EQ(axis.level_at(axis.from_uniform(1.0)), axis.levels() - 1.0);
  }
}

TEST(Axis, OrdinalValuesAreEvenlySpaced) {
  const Axis axis =
      axis_of({.name = "p", .kind = ParameterKind::ordinal, .levels = {16.0, 32.0, 256.0}});
  EXPECT_EQ(axis.to_coordinate(32.0), 0.5);
  EXPECT_EQ(axis.from_coordinate(0.6), 32.0);
}

TEST(Axis, StepThatDoesNotDivideTheRangeEndsBelowTheUpperBound) {
  const Axis axis = axis_of({.name = "p", .lower = 0.0, .upper = 1.0, .step = 0.3});
  EXPECT_EQ(axis.levels(), 4.0);
  EXPECT_FALSE(axis.accepts(1.0));
  EXPECT_NEAR(axis.from_coordinate(1.0), 0.9, 1e-15);
  EXPECT_EQ(axis_of({.name = "p", .lower = 0.0, .upper = 0.3, .step = 0.1}).levels(), 4.0);
}

TEST(Axis, DescribesWhatItAccepts) {
  std::map<std::string, std::string> accepted;
  for (const Axis& axis : axes_of_every_kind()) accepted[axis.name()] = axis.accepted();
  EXPECT_EQ(accepted["temperature"], "in [20, 120]");
  EXPECT_EQ(accepted["stages"], "an integer in [1, 8]");
  EXPECT_EQ(accepted["dose"], "in [0, 1], in steps of 0.25");
  EXPECT_EQ(accepted["batch"], "one of 16, 32, 256");
  EXPECT_EQ(accepted["solvent"], "one of water, ethanol, none");
  EXPECT_EQ(accepted["stir"], "one of false, true");
}

TEST(Axis, RefusesValuesBetweenLevels) {
  for (const Axis& axis : axes_of_every_kind()) {
    if (axis.is_continuous()) continue;
    const double value = axis.from_coordinate(axis.coordinate_of_level(0.0));
    EXPECT_FALSE(axis.accepts(value + 0.07)) << axis.name();
    EXPECT_FALSE(axis.accepts(value - 1.0)) << axis.name();
    EXPECT_FALSE(axis.accepts(std::nan(""))) << axis.name();
    EXPECT_FALSE(axis.accepts(std::numeric_limits<double>::infinity())) << axis.name();
    EXPECT_FALSE(axis.value("nonsense")) << axis.name();
  }
}

TEST(Axis, RefusesContradictoryParameters) {
  const auto refused = [](Parameter parameter, const std::string& field, const std::string& text) {
    expect_refused([&] { axis_of(parameter); }, field, text);
  };
  const double inf = std::numeric_limits<double>::infinity();
  using enum ParameterKind;
  refused({.name = "p", .lower = 1.0, .upper = 1.0}, "p", "use type fixed");
  refused({.name = "p", .lower = 0.0, .upper = inf}, "p", "inf");
  refused({.name = "p", .lower = std::nan(""), .upper = 1.0}, "p", "nan");
  refused({.name = "p", .step = -1.0}, "p.step", "-1");
  refused({.name = "p", .log = true}, "p.lower", "0 is not accepted");
  refused({.name = "p", .lower = 1.0, .upper = 2.0, .step = 0.1, .log = true}, "p.step", "log");
  refused({.name = "p", .values = {"a"}}, "p.values", "bounds");
  refused({.name = "p", .kind = integer, .lower = 0.5, .upper = 2.0}, "p", "0.5");
  refused({.name = "p", .kind = integer, .lower = 0.0, .upper = 1e17}, "p", "1e+17");
  refused({.name = "p", .lower = 0.0, .upper = 1.0, .step = 1e-300}, "p.step", "too small");
  refused({.name = "p", .kind = categorical}, "p.values", "needed");
  refused({.name = "p", .kind = categorical, .values = {"a"}}, "p.values", "two");
  refused({.name = "p", .kind = categorical, .values = {"a", "a"}}, "p.values", "twice");
  refused({.name = "p", .kind = categorical, .levels = {1.0, 2.0}}, "p.values", "needs values");
  refused({.name = "p", .kind = ordinal, .levels = {2.0, 1.0}}, "p.values", "increasing");
  refused({.name = "p", .kind = ordinal, .levels = {2.0, 3.0}, .values = {"a"}}, "p.values",
          "needs values");
  refused({.name = "p", .kind = boolean, .values = {"a", "b"}}, "p.values", "bool");
  refused({.name = "p", .kind = fixed, .levels = {2.0, 3.0}}, "p.values", "has exactly one");
}

}  // namespace
}  // namespace oscbo::space
