#include "paper/sweep_report.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "paper/paper_plan.hpp"
#include "report/figure_layout.hpp"
#include "report/run_groups_test_support.hpp"

namespace oscbo::paper {
namespace {

using Numbers = std::vector<double>;
using Row = std::vector<std::string>;

/// some_sweep has these final regrets: the i-th combination of oscbo has i and i + 2, and that of
/// oscbo-l1 has ten more. gp-ucb-mll has 30 and 32, and 40 and 42 from a cold start. Curves end
/// with the second number.
report::RunGroups some_sweep() {
  report::RunGroups groups = report::hand_groups({"task"}, swept_variants(), {});
  const auto add = [&](const std::string& method, double regret) {
    groups.groups.push_back(report::hand_group("task", method, {regret, regret + 2.0}));
  };
  for (std::size_t i = 0; i < sweep_points().size(); ++i) {
    add(sweep_points()[i].variant("oscbo"), static_cast<double>(i));
    add(sweep_points()[i].variant("oscbo-l1"), 10.0 + static_cast<double>(i));
  }
  add("gp-ucb-mll", 30.0);
  add("gp-ucb-mll+fit.start=cold", 40.0);
  return groups;
}

TEST(SweepReport, DrawsEveryCombinationAtItsPlace) {
  const report::Figure figure = sweep_figure(some_sweep());
  report::check_figure(figure);
  ASSERT_EQ(figure.panels.size(), 2U) << "simple and cumulative";
  const report::Panel& panel = figure.panels[0];
  ASSERT_EQ(panel.x.categories.size(), 8U);
  EXPECT_EQ(panel.x.categories[0], "mll warm");
  EXPECT_EQ(panel.x.categories[6], "one cold");
  ASSERT_EQ(panel.series.size(), 4U);
  const report::Series& dots = panel.series[0];
  for (std::size_t i = 0; i < 8; ++i) {
    const auto place = static_cast<double>(i);
    EXPECT_DOUBLE_EQ(dots.x[i], place - 0.12);
    EXPECT_DOUBLE_EQ(dots.y[i], place + 1.0);
    EXPECT_DOUBLE_EQ(dots.lower[i], place) << "the standard error of two values 2 apart is 1";
    EXPECT_DOUBLE_EQ(dots.upper[i], place + 2.0);
    EXPECT_DOUBLE_EQ(panel.series[1].x[i], place + 0.12);
    EXPECT_DOUBLE_EQ(panel.series[1].y[i], place + 11.0);
  }
  EXPECT_EQ(panel.series[2].x, (Numbers{-0.4, 3.4})) << "the four warm ones";
  EXPECT_EQ(panel.series[2].y, (Numbers{31.0, 31.0}));
  EXPECT_EQ(panel.series[3].x, (Numbers{3.6, 7.4})) << "the four cold ones";
  EXPECT_EQ(panel.series[3].y, (Numbers{41.0, 41.0}));
  EXPECT_DOUBLE_EQ(figure.panels[1].series[0].y[3], 40.0) << "ten times the simple regret";
}

TEST(SweepReport, MeasuresTheDistanceToTheLikelihoodWithTheSameStart) {
  report::RunGroups sweep = some_sweep();
  for (report::RunGroup& group : sweep.groups) {
    const bool likelihood = group.method.starts_with("gp-ucb-mll");
    const bool cold = group.method.ends_with("cold");
    const double level = likelihood ? (cold ? 8.0 : 4.0) : 2.0;
    report::set_curve(group, report::Quantity::lengthscale,
                      {.steps = {1}, .mean = {level}, .error = {0.0}});
  }
  const report::ReportTable table = sweep_table(sweep);
  ASSERT_EQ(table.rows.size(), 18U);
  const auto row = [&](const std::string& variant) {
    return *std::ranges::find(table.rows, variant, [](const Row& cells) { return cells[0]; });
  };
  // The ranks are out of 18. The regrets are 1 of 4, and 10 in two rounds. The curves are 2 and 2
  // against 2 and 32.
  EXPECT_EQ(row("oscbo"), (Row{"oscbo", "1", "0.25", "1", "1.25", "88 %", "88 %", "50 %"}));
  EXPECT_EQ(row("oscbo+fit.start=cold")[7], "75 %") << "2 against 8";
  EXPECT_EQ(row("gp-ucb-mll"), (Row{"gp-ucb-mll", "17", "7.75", "17", "38.8", "", "", ""}));
  EXPECT_EQ(row("gp-ucb-mll+fit.start=cold")[7], "");
}

}  // namespace
}  // namespace oscbo::paper
