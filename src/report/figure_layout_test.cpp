#include "report/figure_layout.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "experiment/test_support.hpp"

namespace oscbo::report {
namespace {

const Axis kLinear{};
const Axis kLogarithmic{.logarithmic = true};

Figure figure_with(const Series& series) { return {.name = "f", .panels = {{.series = {series}}}}; }

TEST(FigureLayout, ALogarithmicAxisShowsZeroAtItsLowestValue) {
  EXPECT_EQ(shown_value(0.0, kLogarithmic), 1e-12);
  EXPECT_EQ(shown_value(-3.0, kLogarithmic), 1e-12);
  EXPECT_EQ(shown_value(0.5, kLogarithmic), 0.5);
  EXPECT_TRUE(std::isnan(shown_value(kNaN, kLogarithmic)));
  EXPECT_EQ(shown_value(-3.0, kLinear), -3.0);
}

TEST(FigureLayout, ARangeCoversValuesAndErrors) {
  const Series series{
      .x = {1, 2, 3}, .y = {2, kNaN, 4}, .lower = {1.5, -9, kNaN}, .upper = {2.5, 9, 6}};
  const Range linear = y_range(series, kLinear);
  EXPECT_EQ(linear.low, 1.5) << "the error of a missing value does not count";
  EXPECT_EQ(linear.high, 6.0);
  const Range horizontal = x_range({.series = {series}});
  EXPECT_EQ(horizontal.low, 1.0);
  EXPECT_EQ(horizontal.high, 3.0);
}

TEST(FigureLayout, ARangeIsFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Series series{.x = {1, 2, -kInfinity},
                      .y = {2, kInfinity, -kInfinity},
                      .lower = {-kInfinity, 0, 0},
                      .upper = {kInfinity, 0, 0}};
  EXPECT_EQ(y_range(series, kLinear).low, 2.0);
  EXPECT_EQ(y_range(series, kLinear).high, 2.0);
  EXPECT_EQ(x_range({.series = {series}}).low, 1.0);
}

TEST(FigureLayout, AnErrorDoesNotStretchALogarithmicAxisToZero) {
  const Range range = y_range({.x = {1}, .y = {3}, .lower = {-1}, .upper = {7}}, kLogarithmic);
  EXPECT_EQ(range.low, 1.0);
  EXPECT_EQ(range.high, 7.0);
}

TEST(FigureLayout, CategoriesHaveEqualRoom) {
  const Panel panel{.x = {.categories = {"a", "b", "c"}}, .y = {.categories = {"d"}}};
  EXPECT_EQ(x_range(panel).low, -0.5);
  EXPECT_EQ(x_range(panel).high, 2.5);
  EXPECT_EQ(y_range(panel).high, 0.5);
  EXPECT_EQ(padded(x_range(panel), panel.x, 0.1).high, 2.5);
}

TEST(FigureLayout, PaddingIsAShareOfTheLengthTheAxisShows) {
  const Range linear = padded({.low = 0.0, .high = 10.0}, kLinear, 0.1);
  EXPECT_DOUBLE_EQ(linear.low, -1.0);
  EXPECT_DOUBLE_EQ(linear.high, 11.0);
  const Range logarithmic = padded({.low = 1.0, .high = 100.0}, kLogarithmic, 0.5);
  EXPECT_DOUBLE_EQ(logarithmic.low, 0.1);
  EXPECT_DOUBLE_EQ(logarithmic.high, 1000.0);
}

TEST(FigureLayout, EveryPaddedRangeHasALength) {
  for (const Axis& axis : {kLinear, kLogarithmic}) {
    for (const double value : {1e-12, 0.3, 1.0, 1e9}) {
      const Range range = padded({.low = value, .high = value}, axis, 0.05);
      EXPECT_LT(range.low, value);
      EXPECT_GT(range.high, value);
    }
    const Range range = padded(y_range(Panel{}), axis, 0.05);
    EXPECT_LT(range.low, range.high);
  }
}

TEST(FigureLayout, TheLegendNamesEveryLabelOnce) {
  Figure figure{.name = "f"};
  figure.panels.push_back({.series = {{.label = "a", .x = {1}, .y = {1}}, {.label = ""}}});
  figure.panels.push_back({.series = {{.label = "b", .dash = Dash::dotted}, {.label = "a"}}});
  const std::vector<Series> entries = legend_entries(figure);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].label, "a");
  EXPECT_TRUE(entries[0].y.empty());
  EXPECT_EQ(entries[1].label, "b");
  EXPECT_EQ(entries[1].dash, Dash::dotted);
}

TEST(FigureLayout, RefusesWhatCannotBeDrawn) {
  const auto code_of = [](const Figure& figure) {
    return error_of([&] { check_figure(figure); }).code();
  };
  EXPECT_NO_THROW(check_figure(figure_with({.x = {1}, .y = {2}, .lower = {1}, .upper = {3}})));
  EXPECT_EQ(code_of(figure_with({.x = {1}, .y = {}})), ErrorCode::invalid_value);
  EXPECT_EQ(code_of(figure_with({.x = {1}, .y = {1}, .lower = {1}})), ErrorCode::invalid_value);
  EXPECT_EQ(code_of(figure_with({.x = {1, 2}, .y = {1, 2}, .lower = {1}, .upper = {1}})),
            ErrorCode::invalid_value);
  for (const std::string colour : {"red", "#12345", "#12345g", "'#1234"}) {
    EXPECT_EQ(code_of(figure_with({.colour = colour})), ErrorCode::invalid_value) << colour;
  }
  for (const std::string name : {"", ".", "../f", "a/b"}) {
    EXPECT_EQ(code_of({.name = name}), ErrorCode::invalid_value) << name;
  }
}

}  // namespace
}  // namespace oscbo::report
