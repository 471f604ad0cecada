#include "report/report_figures.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "report/figure_layout.hpp"
#include "report/run_groups_test_support.hpp"

namespace oscbo::report {
namespace {

using Numbers = std::vector<double>;
using Names = std::vector<std::string>;

const Names& four_methods() {
  static const Names names = {"oscbo", "ocbo", "scgp", "random"};
  return names;
}

/// sample_groups has two finished tasks and one without a run. "random" has no model, and no runs
/// on "second".
RunGroups sample_groups() {
  RunGroups groups = hand_groups(
      {"first", "second", "waiting"}, four_methods(),
      {with_model(hand_group("first", "oscbo", {1.0, 3.0})),
       with_model(hand_group("first", "ocbo", {0.1, 0.3})),
       with_model(hand_group("first", "scgp", {4.0})), hand_group("first", "random", {2.0, 2.5}),
       with_model(hand_group("second", "oscbo", {1.0, 2.0, 3.0})),
       with_model(hand_group("second", "ocbo", {1.0, 1.0})),
       with_model(hand_group("second", "scgp", {2.0}))});
  groups.nominal_coverage = 0.75;
  return groups;
}

TEST(FinalScores, AreMeansOnTasksThatAllMethodsHaveRun) {
  const RunGroups groups = sample_groups();
  const FinalScores simple = final_scores(groups, {"scgp", "oscbo"}, Quantity::simple_regret);
  EXPECT_EQ(simple.tasks, (Names{"first", "second"}));
  EXPECT_EQ(simple.methods, (Names{"scgp", "oscbo"}));
  EXPECT_EQ(simple.scores, (ScoreTable{{4.0, 2.0}, {2.0, 2.0}}));
  const FinalScores all = final_scores(groups, four_methods(), Quantity::cumulative_regret);
  EXPECT_EQ(all.tasks, Names{"first"}) << "random has not run on the second task";
  EXPECT_EQ(all.scores.front().front(), 20.0);
}

TEST(MethodsWithRuns, LeavesOutThoseThatAreStillWaiting) {
  RunGroups groups = sample_groups();
  groups.methods.insert(groups.methods.begin(), "gp-ucb");
  EXPECT_EQ(methods_with_runs(groups), four_methods());
}

TEST(CurveSeries, BeginsAfterTheInitialDesign) {
  const RunGroup group = with_model(hand_group("task", "ocbo", {3.0}));
  const Series cumulative = curve_series(group, Quantity::cumulative_regret);
  EXPECT_EQ(cumulative.x, (Numbers{0.0, 1.0, 2.0}));
  EXPECT_EQ(cumulative.y, (Numbers{4.0, 2.0, 3.0}));
  EXPECT_EQ(cumulative.lower, (Numbers{3.0, 1.0, 2.0}));
  EXPECT_EQ(cumulative.upper, (Numbers{5.0, 3.0, 4.0}));
  EXPECT_EQ(cumulative.label, "ocbo");
  EXPECT_EQ(cumulative.colour, method_style("ocbo").colour);
  EXPECT_EQ(curve_series(group, Quantity::seconds).x, (Numbers{1.0, 2.0}));
}

TEST(CurveSeries, KeepsLogarithmicBandsAboveATenthOfTheMean) {
  RunGroup group = hand_group("task", "oscbo", {0.0});
  set_curve(group, Quantity::simple_regret,
            {.steps = {0, 1, 2}, .mean = {4.0, 0.5, 0.0}, .error = {1.0, 1.0, 0.0}});
  const Series series = curve_series(group, Quantity::simple_regret);
  EXPECT_EQ(series.y, (Numbers{4.0, 0.5, 1e-12})) << "no regret is at the foot of the axis";
  EXPECT_DOUBLE_EQ(series.lower[0], 3.0);
  EXPECT_DOUBLE_EQ(series.lower[1], 0.05);
  EXPECT_EQ(series.upper[1], 1.5);
}

TEST(CurveSeries, LeavesAGapBeforeTheFirstViolation) {
  const RunGroup group = with_model(hand_group("task", "oscbo", {1.0}));
  const Series series = curve_series(group, Quantity::positive_violation);
  ASSERT_EQ(series.y.size(), 2U);
  EXPECT_TRUE(std::isnan(series.y[0]));
  EXPECT_EQ(series.y[1], 2.0);
}

TEST(CurveSeries, OfOneSeedHasNoBand) {
  RunGroup group = hand_group("task", "oscbo", {1.0});
  set_curve(group, Quantity::simple_regret,
            {.steps = {0, 1}, .mean = {4.0, 1.0}, .error = {NAN, NAN}});
  const Series series = curve_series(group, Quantity::simple_regret);
  EXPECT_EQ(series.y, (Numbers{4.0, 1.0}));
  EXPECT_TRUE(series.lower.empty());
  EXPECT_TRUE(series.upper.empty());
}

TEST(CurvePanel, TellsVariantsOfOneMethodApart) {
  const Names variants = {"oscbo", "oscbo+beta=1", "oscbo+beta=3", "oscbo+beta=4", "ocbo"};
  std::vector<RunGroup> runs;
  for (const std::string& variant : variants) runs.push_back(hand_group("task", variant, {1.0}));
  const Panel panel =
      curve_panel(hand_groups({"task"}, variants, runs), "task", variants, Quantity::simple_regret);
  ASSERT_EQ(panel.series.size(), variants.size());
  EXPECT_EQ(panel.series[0].colour, method_style("oscbo").colour);
  EXPECT_EQ(panel.series[4].colour, method_style("ocbo").colour);
  std::set<std::string> colours;
  for (const Series& series : panel.series) colours.insert(series.colour);
  EXPECT_EQ(colours.size(), variants.size());
  ASSERT_EQ(method_style("oscbo").colour, "#0072B2");
  EXPECT_EQ(panel.series[1].colour, "#66AAD1") << "two fifths white: 102, 170.4 and 208.8";
  EXPECT_EQ(panel.series[2].colour, "#00446B") << "two fifths black: 0, 68.4 and 106.8";
}

TEST(RegretFigure, AVariantHasOneColourInAllPanels) {
  const Names variants = {"oscbo+beta=2", "oscbo", "oscbo+beta=1"};
  const RunGroups groups =
      hand_groups({"task"}, variants,
                  {hand_group("task", variants[1], {1.0}), hand_group("task", variants[2], {2.0})});
  const Figure figure = regret_figure(groups, Quantity::simple_regret);
  ASSERT_EQ(figure.panels.size(), 3U) << "curves, final values and ranks";
  const std::string colour = figure.panels[0].series[1].colour;
  EXPECT_NE(colour, method_style("oscbo").colour);
  for (const std::size_t panel : {1U, 2U}) {
    EXPECT_EQ(figure.panels[panel].x.categories[1], variants[2]);
    EXPECT_EQ(figure.panels[panel].series[2].colour, colour) << panel;
    EXPECT_EQ(figure.panels[panel].series[3].colour, colour) << panel;
  }
}

TEST(RegretFigure, TheCaptionCountsTheFinishedSeeds) {
  const auto caption = [](const std::vector<double>& a, const std::vector<double>& b) {
    return time_figure(hand_groups({"task"}, {"oscbo", "ocbo"},
                                   {hand_group("task", "oscbo", a), hand_group("task", "ocbo", b)}))
        .caption;
  };
  EXPECT_NE(caption({1.0}, {1.0}).find("means over one seed with"), std::string::npos);
  EXPECT_NE(caption({1, 2}, {1, 2}).find("means over 2 seeds with"), std::string::npos);
  EXPECT_NE(caption({1, 2, 3}, {1}).find("means over 1 to 3 seeds with"), std::string::npos);
}

TEST(FinalPanel, ShowsTheThreeBestMethodsSeedBySeed) {
  const Panel panel = final_panel(sample_groups(), "first", Quantity::simple_regret);
  EXPECT_EQ(panel.x.categories, (Names{"ocbo", "oscbo", "random"}));
  EXPECT_TRUE(panel.y.logarithmic);
  ASSERT_EQ(panel.series.size(), 6U) << "seeds and mean of each";
  const Series& seeds = panel.series[2];
  EXPECT_EQ(seeds.y, (Numbers{1.0, 3.0}));
  EXPECT_NE(seeds.x[0], seeds.x[1]);
  for (const double x : seeds.x) EXPECT_LT(std::abs(x - 1.0), 0.5) << "within its own unit";
  const Series& mean = panel.series[3];
  EXPECT_EQ(mean.y, Numbers{2.0});
  EXPECT_DOUBLE_EQ(mean.lower[0], 1.0) << "the standard error of 1 and 3 is 1";
  EXPECT_DOUBLE_EQ(mean.upper[0], 3.0);
  EXPECT_GT(mean.size, seeds.size);
}

TEST(FinalPanel, ShowsAllOfFewerMethodsAndNoErrorOfOneSeed) {
  const RunGroups groups =
      hand_groups({"task"}, {"oscbo", "ocbo"}, {hand_group("task", "oscbo", {1.0})});
  const Panel panel = final_panel(groups, "task", Quantity::cumulative_regret);
  EXPECT_EQ(panel.x.categories, Names{"oscbo"});
  EXPECT_FALSE(panel.y.logarithmic);
  ASSERT_EQ(panel.series.size(), 2U);
  EXPECT_EQ(panel.series[1].y, Numbers{10.0});
  EXPECT_TRUE(panel.series[1].lower.empty());
}

TEST(FinalPanel, TheBestAreThoseOfTheRegretItShows) {
  RunGroups groups =
      hand_groups({"task"}, {"oscbo", "ocbo"},
                  {hand_group("task", "oscbo", {1.0}), hand_group("task", "ocbo", {2.0})});
  groups.groups[0].runs[0].totals.cumulative_regret = 90.0;  // the other run has 20
  EXPECT_EQ(final_panel(groups, "task", Quantity::simple_regret).x.categories,
            (Names{"oscbo", "ocbo"}));
  EXPECT_EQ(final_panel(groups, "task", Quantity::cumulative_regret).x.categories,
            (Names{"ocbo", "oscbo"}));
}

TEST(RegretFigure, HasTwoPanelsPerTaskAndTheRanks) {
  const Figure figure = regret_figure(sample_groups(), Quantity::simple_regret);
  check_figure(figure);
  EXPECT_EQ(figure.name, "simple-regret");
  ASSERT_EQ(figure.panels.size(), 5U) << "two tasks have runs";
  EXPECT_EQ(figure.panels[2].title, "second");
  EXPECT_EQ(figure.panels[0].series.size(), 4U);
  EXPECT_EQ(figure.panels[2].series.size(), 3U) << "random has no run on the second task";
  EXPECT_EQ(figure.panels[4].x.categories, (Names{"ocbo", "oscbo", "random", "scgp"}))
      << "mean regrets 0.2, 2, 2.25 and 4 on the one task that all have run";
}

TEST(RegretFigure, OfOneMethodHasNoRanks) {
  const RunGroups groups =
      hand_groups({"task"}, {"oscbo"}, {hand_group("task", "oscbo", {1.0, 2.0})});
  EXPECT_EQ(regret_figure(groups, Quantity::cumulative_regret).panels.size(), 2U);
}

const Series* grey_line(const Panel& panel) {
  const auto line = std::ranges::find_if(panel.series, [](const Series& series) {
    return series.label.empty() && series.mark == Mark::line;
  });
  return line == panel.series.end() ? nullptr : &*line;
}

TEST(DiagnosticsFigure, HasARowOfSevenPanelsPerTask) {
  const Figure figure = diagnostics_figure(sample_groups());
  check_figure(figure);
  EXPECT_EQ(figure.columns, 7);
  ASSERT_EQ(figure.panels.size(), 14U);
  EXPECT_EQ(figure.panels[1].series.size(), 4U);
  for (const std::size_t with_model_only : {2U, 3U, 4U, 5U, 6U}) {
    for (const Series& series : figure.panels[with_model_only].series) {
      EXPECT_NE(series.label, "random");
    }
  }
  const Series* nominal = grey_line(figure.panels[2]);
  ASSERT_NE(nominal, nullptr);
  EXPECT_EQ(nominal->y, (Numbers{0.75, 0.75}));
}

TEST(DiagnosticsFigure, DrawsThePathToItsEnd) {
  const Panel path = diagnostics_figure(sample_groups()).panels[5];
  const auto series = std::ranges::find(path.series, "ocbo", &Series::label);
  ASSERT_NE(series, path.series.end());
  EXPECT_EQ(series->x, (Numbers{1.0, 3.0}));
  EXPECT_EQ(series->y, (Numbers{-0.75, -0.25})) << "coverage 0 and 0.5 at a level of 0.75";
  const Series& end = path.series.back();
  EXPECT_EQ(end.mark, Mark::points);
  EXPECT_EQ(end.x, Numbers{3.0});
  EXPECT_EQ(end.y, Numbers{-0.25});
}

TEST(DiagnosticsFigure, ThePathBeginsAfterATenthOfTheRun) {
  RunGroups groups =
      hand_groups({"task"}, {"oscbo"}, {with_model(hand_group("task", "oscbo", {1.0}))});
  Curve curve;
  for (int step = 1; step <= 20; ++step) {
    curve.steps.push_back(step);
    curve.mean.push_back(step);
    curve.error.push_back(0.0);
  }
  set_curve(groups.groups[0], Quantity::coverage, curve);
  set_curve(groups.groups[0], Quantity::mean_width, curve);
  const Series path = diagnostics_figure(groups).panels[5].series.front();
  EXPECT_EQ(path.x.size(), 18U);
  EXPECT_EQ(path.x.front(), 3.0) << "two of twenty are left out";
}

TEST(DiagnosticsFigure, ShowsCoverageItselfWithoutACommonLevel) {
  RunGroups groups = sample_groups();
  groups.nominal_coverage = NAN;
  const Figure figure = diagnostics_figure(groups);
  EXPECT_EQ(grey_line(figure.panels[2]), nullptr);
  EXPECT_EQ(grey_line(figure.panels[5]), nullptr);
  EXPECT_EQ(figure.panels[5].series.front().y, (Numbers{0.0, 0.5}));
  EXPECT_EQ(figure.caption.find("nominal"), std::string::npos);
}

TEST(TimeFigure, HasAPanelPerTask) {
  const Figure figure = time_figure(sample_groups());
  check_figure(figure);
  ASSERT_EQ(figure.panels.size(), 2U);
  EXPECT_TRUE(figure.panels[0].y.logarithmic);
  EXPECT_EQ(figure.panels[0].series[0].y, (Numbers{0.5, 1.5}));
}

}  // namespace
}  // namespace oscbo::report
