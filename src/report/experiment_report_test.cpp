#include "report/experiment_report.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "report/report_test_support.hpp"
#include "report/run_groups_test_support.hpp"

namespace oscbo::report {
namespace {

constexpr int kSteps = 101;
constexpr int kSeeds = 20;

/// long_curve has values without a short decimal form, which take the most room in a page.
Curve long_curve(int first_step, double level) {
  Curve curve;
  for (int step = first_step; step <= kSteps; ++step) {
    curve.steps.push_back(step);
    curve.mean.push_back(level / std::sqrt(step + 2.0));
    curve.error.push_back(0.1 * level / std::sqrt(step + 3.0));
  }
  return curve;
}

RunGroup full_group(const std::string& task, const std::string& method, double level) {
  std::vector<double> regrets;
  for (int seed = 0; seed < kSeeds; ++seed) regrets.push_back(level * std::sqrt(seed + 1.0));
  RunGroup group = with_model(hand_group(task, method, regrets));
  for (std::size_t quantity = 0; quantity < kQuantities; ++quantity) {
    const bool from_design = static_cast<Quantity>(quantity) < Quantity::coverage;
    group.curves[quantity] = long_curve(from_design ? 0 : 1, level);
  }
  return group;
}

/// ordered_groups has three methods in the same order on eight tasks. Cumulative regret reverses
/// the order.
RunGroups ordered_groups() {
  RunGroups groups = hand_groups({}, {"oscbo", "ocbo", "scgp"}, {});
  for (int task = 0; task < 8; ++task) {
    groups.tasks.push_back("task-" + std::to_string(task));
    for (std::size_t i = 0; i < groups.methods.size(); ++i) {
      const double regret = static_cast<double>(i) + 1.0;
      RunGroup group = hand_group(groups.tasks.back(), groups.methods[i], {regret, regret, regret});
      for (RunOutcome& run : group.runs) run.totals.cumulative_regret = 90.0 - regret;
      groups.groups.push_back(std::move(group));
    }
  }
  return groups;
}

TEST(ExperimentReport, NamesTheLeadersAndThoseAlikeThem) {
  // The mean ranks are 1, 2 and 3. The critical difference of three methods on eight tasks is 1.17.
  const Report report = experiment_report(ordered_groups(), "oscbo");
  const ReportSection summary = section_called(report, "Summary");
  EXPECT_NE(summary.text.find("in simple regret: `oscbo`, 1 ± 0 of 3, not told apart from 1 other"),
            std::string::npos)
      << summary.text;
  EXPECT_NE(
      summary.text.find("in cumulative regret: `scgp`, 1 ± 0 of 3, not told apart from 1 other"),
      std::string::npos)
      << summary.text;
  ASSERT_EQ(summary.tables.size(), 2U);
  EXPECT_EQ(summary.tables[0].rows[0][0], "oscbo");
  EXPECT_EQ(summary.tables[1].rows[0][0], "scgp");
}

TEST(ExperimentReport, ComparesBothRegretsWithTheReference) {
  const Report report = experiment_report(ordered_groups(), "ocbo");
  const ReportSection paired = section_called(report, "Paired comparisons");
  ASSERT_EQ(paired.tables.size(), 2U);
  EXPECT_EQ(paired.tables[0].title, "Simple regret against ocbo");
  EXPECT_EQ(paired.tables[1].title, "Cumulative regret against ocbo");
}

TEST(ExperimentReport, ThePageOfALargeGridIsSmallEnoughToSend) {
  const std::vector<std::string> methods = {"oscbo",    "oscbo-l1",  "gp-ucb-mll", "ocbo",
                                            "a-gp-ucb", "lb-gp-ucb", "scgp"};
  RunGroups groups{.methods = methods, .steps = kSteps, .seeds = kSeeds, .nominal_coverage = 0.95};
  for (int task = 0; task < 7; ++task) {
    groups.tasks.push_back("task-" + std::to_string(task));
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const double level = 0.123456 * (task + 1.0) * std::sqrt(static_cast<double>(i) + 2.0);
      groups.groups.push_back(full_group(groups.tasks.back(), methods[i], level));
    }
  }
  const Report report = experiment_report(groups, "oscbo");
  std::size_t panels = 0;
  for (const ReportSection& section : report.sections) {
    for (const Figure& figure : section.figures) panels += figure.panels.size();
  }
  EXPECT_EQ(panels, 2U * (2 * 7 + 1) + 7 * 7 + 7) << "regrets with ranks, diagnostics, times";
  const std::size_t size = report_html(report).size();
  EXPECT_GT(size, 1'000'000U) << "the curves are there";
  EXPECT_LT(size, 3'000'000U);
}

}  // namespace
}  // namespace oscbo::report
