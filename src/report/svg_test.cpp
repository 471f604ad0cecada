#include "report/svg.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "experiment/test_support.hpp"
#include "oscbo/experiment.hpp"
#include "oscbo/report.hpp"

namespace oscbo::report {
namespace {

using Numbers = std::vector<double>;

TEST(Ticks, AreRoundNumbersInsideTheRange) {
  EXPECT_EQ(nice_ticks(0.0, 10.0, 5), (Numbers{0.0, 2.0, 4.0, 6.0, 8.0, 10.0}));
  EXPECT_EQ(nice_ticks(1.0, 110.5, 10),
            (Numbers{10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0, 110.0}));
  EXPECT_EQ(nice_ticks(-3.0, 1.0, 4), (Numbers{-3.0, -2.0, -1.0, 0.0, 1.0}));
}

TEST(Ticks, ExistForAnyRange) {
  for (const double scale : {1e-300, 1e-9, 1.0, 1e12, 1e300}) {
    for (const double offset : {-1.0, 0.0, 0.3}) {
      const Numbers ticks = nice_ticks(offset * scale, (offset + 1.0) * scale, 6);
      EXPECT_GE(ticks.size(), 3U) << scale << ' ' << offset;
      EXPECT_LE(ticks.size(), 13U) << scale << ' ' << offset;
      EXPECT_TRUE(std::ranges::is_sorted(ticks));
    }
  }
  EXPECT_EQ(nice_ticks(2.0, 2.0, 6), Numbers{2.0});
}

TEST(Svg, EscapesText) {
  Svg svg(100.0, 50.0, "a < b");
  svg.text({.x = 1.0, .y = 2.0}, "\"x\" & y > z", {});
  const std::string text = svg.finish();
  EXPECT_NE(text.find("<title>a &lt; b</title>"), std::string::npos);
  EXPECT_NE(text.find("&quot;x&quot; &amp; y &gt; z"), std::string::npos);
  EXPECT_TRUE(text.ends_with("</svg>\n"));
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t number = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++number;
  }
  return number;
}

Problem line() {
  return {.name = "line",
          .space = Space::of_box(std::vector<Bounds>{{}}),
          .value = {},
          .maximum = 1.0,
          .maximiser = {1.0}};
}

std::vector<RunRow> ten_rows(double y) {
  std::vector<RunRow> rows(10);
  for (int i = 0; i < 10; ++i) {
    RunRow& row = rows[static_cast<std::size_t>(i)];
    row.step = i - 3;
    row.y = y;
    row.best = y;
    row.simple_regret = 1.0 - y;
    if (row.step <= 0) continue;
    row.prediction = prediction(y, 0.1, 0.4);
    row.feedback = Feedback{.covered = i != 9};
  }
  return rows;
}

TEST(ConvergenceSvg, ShowsEveryEvaluationAndTheCoverage) {
  const std::string text = convergence_svg(line(), Config{}, ten_rows(0.5));
  EXPECT_NE(text.find("oscbo on line"), std::string::npos);
  EXPECT_NE(text.find("covered 5 of 6; nominal 84 %, beta = 2"), std::string::npos);
  // There are two dots per evaluation and three in the legends.
  EXPECT_EQ(count(text, "<circle"), 23U);
  EXPECT_EQ(count(text, "nan"), 0U);
  EXPECT_EQ(count(text, "inf"), 0U);
}

TEST(ConvergenceSvg, LeavesFailedEvaluationsOut) {
  std::vector<RunRow> rows = ten_rows(0.5);
  for (RunRow* const row : {&rows.front(), &rows.back()}) {
    row->y = std::numeric_limits<double>::quiet_NaN();
    row->feedback.reset();
  }
  const std::string text = convergence_svg(line(), Config{}, rows);
  EXPECT_EQ(count(text, "<circle"), 19U);
  EXPECT_EQ(count(text, "nan"), 0U);
}

TEST(ConvergenceSvg, DrawsTheExactOptimumAndNoRowsAtAll) {
  const std::string perfect = convergence_svg(line(), Config{}, ten_rows(1.0));
  EXPECT_NE(perfect.find("1e-12"), std::string::npos) << "regret 0 is clamped";
  EXPECT_EQ(count(perfect, "nan"), 0U);
  EXPECT_TRUE(convergence_svg(line(), Config{}, {}).ends_with("</svg>\n"));
}

}  // namespace
}  // namespace oscbo::report
