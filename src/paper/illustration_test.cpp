#include "paper/illustration.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "experiment/statistics.hpp"
#include "oscbo/experiment.hpp"
#include "report/figure_layout.hpp"

namespace oscbo::paper {
namespace {

TEST(Illustration, KnowsItsMaximum) {
  const Problem problem = illustration_problem();
  EXPECT_NEAR(problem.value(problem.maximiser), problem.maximum, 1e-14);
  const double by_hand = (1.4 - 3.0 * 0.6) * std::sin(18.0 * 0.6);  // at x = 0.5
  EXPECT_DOUBLE_EQ(problem.value(std::array{0.5}), by_hand);
  for (int i = 0; i <= 100000; ++i) {
    ASSERT_LE(problem.value(std::array{i / 100000.0}), problem.maximum + 1e-15) << i;
  }
}

TEST(Illustration, SameBitsEveryTime) {
  const IllustrationRun first = run_illustration("oscbo", 4);
  const IllustrationRun second = run_illustration("oscbo", 4);
  EXPECT_EQ(first.x, second.x);
  EXPECT_EQ(first.mean, second.mean);
  EXPECT_EQ(first.upper, second.upper);
  EXPECT_EQ(first.next_query, second.next_query);
}

TEST(Illustration, ModelPassesNearItsObservationsInsideItsBand) {
  const IllustrationRun run = run_illustration("gp-ucb-mll", 6);
  ASSERT_EQ(run.x.size(), 10U);
  const std::vector<double> grid = illustration_grid();
  ASSERT_EQ(run.mean.size(), grid.size());
  for (std::size_t i = 0; i < grid.size(); ++i) {
    EXPECT_LT(run.lower[i], run.mean[i]);
    EXPECT_NEAR(run.upper[i] - run.mean[i], run.mean[i] - run.lower[i], 1e-12);
  }
  ASSERT_EQ(run.lengthscale.size(), 6U);
  for (const double gap : run.coverage_gap) {
    EXPECT_GE(gap, -experiment::nominal_coverage(2.0));
    EXPECT_LE(gap, 1.0 - experiment::nominal_coverage(2.0));
  }
}

TEST(Illustration, FollowsTheRunThatAnExperimentWouldMake) {
  constexpr int kFewRounds = 5;
  const IllustrationRun run = run_illustration("gp-ucb-mll", kFewRounds);
  ASSERT_EQ(run.mean_width.size(), 5U);
  double width = 0.0;
  double covered = 0.0;
  const auto check = [&](const RunRow& row) {
    EXPECT_EQ(row.x.front(), run.x[static_cast<std::size_t>(row.step + 3)]);
    if (!row.prediction) return true;
    const auto round = static_cast<std::size_t>(row.step - 1);
    width += row.prediction->width;
    covered += row.feedback->covered ? 1.0 : 0.0;
    EXPECT_DOUBLE_EQ(run.mean_width[round], width / row.step);
    EXPECT_NEAR(run.coverage_gap[round], covered / row.step - 0.8427007929497149, 1e-12);
    EXPECT_EQ(run.lengthscale[round], row.prediction->lengthscales.front());
    return true;
  };
  run_once(illustration_problem(), run_config("gp-ucb-mll", kFewRounds, {"init.points=4"}), 0,
           check);
  EXPECT_EQ(run.next_query, run_illustration("gp-ucb-mll", kFewRounds + 1).x.back());
}

TEST(Illustration, HasAPanelPerMethodThenPlaneAndLengthscale) {
  const report::Figure figure = illustration_figure();
  ASSERT_EQ(figure.panels.size(), 6U);
  EXPECT_EQ(figure.panels[0].title, "gp-ucb-mll");
  EXPECT_EQ(figure.panels[3].title, "oscbo");
  EXPECT_EQ(figure.panels[5].series.size(), 4U);
  for (const report::Series& path : figure.panels[5].series) EXPECT_EQ(path.x.size(), 15U);
}

TEST(Illustration, HasALegendOfMethodsThenMarksAsTheyAreDrawn) {
  const report::Figure figure = illustration_figure();
  std::vector<std::string> labels;
  for (const report::Series& entry : report::legend_entries(figure)) labels.push_back(entry.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"gp-ucb-mll", "ocbo", "a-gp-ucb", "oscbo", "function",
                                              "next query", "observations"}));
  for (std::size_t panel = 0; panel < 4; ++panel) {
    const report::Series& model = figure.panels[panel].series.front();
    EXPECT_EQ(model.dash, report::method_style(model.label).dash) << model.label;
  }
  EXPECT_EQ(figure.panels[4].series.front().y, (std::vector<double>{0.0, 0.0}));
}

}  // namespace
}  // namespace oscbo::paper
