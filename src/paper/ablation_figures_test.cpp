#include "paper/ablation_figures.hpp"

#include <gtest/gtest.h>

#include "report/figure_layout.hpp"
#include "report/run_groups_test_support.hpp"

namespace oscbo::paper {
namespace {

using Numbers = std::vector<double>;

/// groups_ending_with gives oscbo and oscbo-l1 regrets of 5 and 4 in the initial design, then 2 and
/// `last`.
report::RunGroups groups_ending_with(double last) {
  return report::hand_groups(
      {"a", "b"}, {"oscbo", "oscbo-l1"},
      {report::hand_group("a", "oscbo", {last}), report::hand_group("a", "oscbo-l1", {last}),
       report::hand_group("b", "oscbo", {last + 2.0}),
       report::hand_group("b", "oscbo-l1", {last + 2.0})});
}

PaperResults regime_results() {
  PaperResults results{.main = groups_ending_with(1.0)};
  results.regimes = {{.regime = {.name = "other",
                                 .title = "Other",
                                 .setting = "kernel.ard=true",
                                 .methods = {"oscbo", "oscbo-l1"}},
                      .groups = groups_ending_with(0.5)}};
  return results;
}

TEST(AblationFigures, RanksAreFollowedByTheMeanOverTasksInUnitsOfTheInitialRegret) {
  const report::Figure figure = ablation_ranks_figure(regime_results());
  report::check_figure(figure);
  ASSERT_EQ(figure.panels.size(), 3U);
  EXPECT_EQ(figure.panels[0].title, "Other");
  const report::Series& simple = figure.panels[1].series.front();
  EXPECT_EQ(simple.label, "oscbo");
  EXPECT_EQ(simple.x, (Numbers{1.0, 2.0}));
  // In units of 4: both tasks have 2, then 1 and 3 with a standard error of 1.
  EXPECT_EQ(simple.y, (Numbers{0.5, 0.5}));
  EXPECT_EQ(simple.lower, (Numbers{0.5, 0.25}));
  EXPECT_EQ(simple.upper, (Numbers{0.5, 0.75}));
  const report::Series& cumulative = figure.panels[2].series.front();
  EXPECT_EQ(cumulative.x, (Numbers{1.0, 2.0}));
  EXPECT_EQ(cumulative.y, (Numbers{0.5, 0.25})) << "by the rounds so far";
}

TEST(AblationFigures, CurvesAreThoseOfTheRegimeAndCumulativeOnesOfTheMainExperiment) {
  const report::Figure figure = ablation_curves_figure(regime_results());
  report::check_figure(figure);
  EXPECT_EQ(figure.columns, 2);
  ASSERT_EQ(figure.panels.size(), 4U);
  EXPECT_EQ(figure.panels[0].title, "a");
  EXPECT_EQ(figure.panels[0].y.title, "Other: simple regret");
  EXPECT_EQ(figure.panels[0].series.front().y, (Numbers{4.0, 2.0, 0.5}));
  EXPECT_EQ(figure.panels[1].series.front().y, (Numbers{4.0, 2.0, 2.5}));
  const report::Panel& cumulative = figure.panels[2];
  EXPECT_EQ(cumulative.title, "a");
  EXPECT_EQ(cumulative.y.title, "cumulative regret");
  EXPECT_TRUE(cumulative.y.logarithmic);
  EXPECT_EQ(cumulative.series.front().x, (Numbers{1.0, 2.0})) << "the sum begins with round 1";
  EXPECT_EQ(cumulative.series.front().y, (Numbers{2.0, 1.0}));
  EXPECT_EQ(cumulative.series.front().upper, (Numbers{3.0, 2.0}));
}

}  // namespace
}  // namespace oscbo::paper
