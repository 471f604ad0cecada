#include "report/rank_panel.hpp"

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "experiment/test_support.hpp"

namespace oscbo::report {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<double>;

const Names kMethods = {"oscbo", "mll-gp-ucb", "random"};

// three_methods has mean ranks 7/3, 4/3 and 7/3.
std::vector<RankSummary> three_methods() {
  return summarise_ranks({{2.0, 1.0, 3.0}, {3.0, 1.0, 2.0}, {2.0, 1.5, 1.0}});
}

TEST(RankPanel, NamesTheMethodsFromTheBestOn) {
  const Panel panel = rank_panel("Simple regret", kMethods, three_methods());
  EXPECT_EQ(panel.title, "Simple regret");
  EXPECT_EQ(panel.x.categories, (Names{"mll-gp-ucb", "random", "oscbo"}));
  EXPECT_TRUE(panel.y.categories.empty());
}

TEST(RankPanel, DrawsTheTasksAndTheMeanOfEveryMethod) {
  const std::vector<RankSummary> ranks = three_methods();
  const Panel panel = rank_panel("Simple regret", kMethods, ranks);
  const std::vector<std::size_t> order = best_first(ranks);
  ASSERT_EQ(panel.series.size(), 6U);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const RankSummary& method = ranks[order[i]];
    const Series& tasks = panel.series[2 * i];
    const Series& mean = panel.series[2 * i + 1];
    EXPECT_EQ(tasks.y, method.ranks);
    EXPECT_EQ(mean.y, Numbers{method.mean});
    EXPECT_EQ(mean.lower, Numbers{method.mean - method.error});
    EXPECT_EQ(mean.upper, Numbers{method.mean + method.error});
    EXPECT_GT(mean.size, tasks.size);
    for (const Series* series : {&tasks, &mean}) {
      EXPECT_EQ(series->mark, Mark::points);
      EXPECT_EQ(series->colour, method_style(kMethods[order[i]]).colour);
      EXPECT_TRUE(series->label.empty()) << "the axis names the methods";
      ASSERT_EQ(series->x.size(), series->y.size());
      for (const double x : series->x) EXPECT_LT(std::abs(x - static_cast<double>(i)), 0.5);
    }
  }
}

TEST(RankPanel, EveryDotIsVisible) {
  for (const std::size_t tasks : {1U, 2U, 7U, 40U}) {
    // The first method wins on all tasks except one.
    ScoreTable scores(tasks, Numbers{1.0, 2.0});
    scores.front() = {2.0, 1.0};
    const Panel panel = rank_panel("", Names{"a", "b"}, summarise_ranks(scores));
    std::set<std::pair<double, double>> places;
    std::size_t dots = 0;
    for (const Series& series : panel.series) {
      for (std::size_t i = 0; i < series.x.size(); ++i, ++dots) {
        places.emplace(series.x[i], series.y[i]);
      }
    }
    EXPECT_EQ(dots, 2 * (tasks + 1));
    EXPECT_EQ(places.size(), dots) << tasks << " tasks";
    for (std::size_t method = 0; method < 2; ++method) {
      const auto position = static_cast<double>(method);
      const double mean_place = panel.series[2 * method + 1].x.front();
      for (const double x : panel.series[2 * method].x) {
        EXPECT_GT(x, position - 0.5);
        EXPECT_LT(x, mean_place);
      }
    }
  }
}

TEST(RankPanel, EqualRanksLieSideBySideAndOthersAbove) {
  const std::vector<RankSummary> ranks = {{.ranks = {1.0, 1.0, 2.0}, .mean = 4.0 / 3.0}};
  const Numbers x = rank_panel("", Names{"a"}, ranks).series.front().x;
  EXPECT_NEAR(x[1] - x[0], 0.08, 1e-15);
  EXPECT_NEAR(x[2], 0.5 * (x[0] + x[1]), 1e-15);
}

TEST(RankPanel, OneTaskHasNoErrorBar) {
  const Panel panel = rank_panel("", Names{"a", "b"}, summarise_ranks({{1.0, 2.0}}));
  EXPECT_TRUE(panel.series[1].lower.empty());
  EXPECT_TRUE(panel.series[1].upper.empty());
}

TEST(RankPanel, RefusesRanksThatAreNotThoseOfTheMethods) {
  const Error error = error_of([] { static_cast<void>(rank_panel("", kMethods, {})); });
  EXPECT_EQ(error.what(), std::string("ranks: 0 entries for 3 methods"));
}

}  // namespace
}  // namespace oscbo::report
