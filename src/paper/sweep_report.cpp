#include "paper/sweep_report.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "experiment/statistics.hpp"
#include "report/comparison.hpp"
#include "report/report_figures.hpp"
#include "report/report_tables.hpp"

namespace oscbo::paper {
namespace {

constexpr std::array kSweptMethods = {"oscbo", "oscbo-l1"};
constexpr const char* kWarmLikelihood = "gp-ucb-mll";
constexpr const char* kColdLikelihood = "gp-ucb-mll+fit.start=cold";

std::string point_label(const SweepPoint& point) {
  return fmt::format("{} {}", point.multiplier, point.start);
}

/// variants_series returns one dot per combination, shifted by `offset` so that the methods are
/// side by side.
report::Series variants_series(const report::RunGroups& sweep, const std::string& task,
                               const std::string& method, report::Quantity regret, double offset) {
  report::Series series{
      .label = method, .colour = report::method_style(method).colour, .mark = report::Mark::points};
  for (std::size_t i = 0; i < sweep_points().size(); ++i) {
    const report::RunGroup* group = sweep.find(task, sweep_points()[i].variant(method));
    if (group == nullptr) continue;
    const std::vector<double> values = report::final_values(*group, regret);
    const double centre = experiment::mean(values);
    const double error = experiment::standard_error(values);
    series.x.push_back(static_cast<double>(i) + offset);
    series.y.push_back(centre);
    series.lower.push_back(centre - error);
    series.upper.push_back(centre + error);
  }
  return series;
}

/// likelihood_level returns one line across the combinations with the same start, because
/// gp-ucb-mll has no multiplier.
report::Series likelihood_level(const report::RunGroups& sweep, const std::string& task,
                                const std::string& variant, report::Quantity regret) {
  const report::RunGroup* group = sweep.find(task, variant);
  const bool cold = variant == kColdLikelihood;
  const double count = static_cast<double>(sweep_points().size()) / 2.0;
  const double first = cold ? count : 0.0;
  report::Series series{.label = "gp-ucb-mll", .colour = report::method_style("gp-ucb-mll").colour};
  if (group == nullptr) return series;
  const double level = experiment::mean(report::final_values(*group, regret));
  series.x = {first - 0.4, first + count - 0.6};
  series.y = {level, level};
  return series;
}

report::Panel sweep_panel(const report::RunGroups& sweep, const std::string& task,
                          report::Quantity regret) {
  const bool simple = regret == report::Quantity::simple_regret;
  report::Panel panel{
      .title = fmt::format("{}: {}", task, simple ? "simple" : "cumulative"),
      .y = {.title = simple ? "final simple regret" : "cumulative regret", .logarithmic = simple}};
  for (const SweepPoint& point : sweep_points()) panel.x.categories.push_back(point_label(point));
  double offset = -0.12;
  for (const char* method : kSweptMethods) {
    panel.series.push_back(variants_series(sweep, task, method, regret, offset));
    offset = -offset;
  }
  for (const char* variant : {kWarmLikelihood, kColdLikelihood}) {
    panel.series.push_back(likelihood_level(sweep, task, variant, regret));
  }
  return panel;
}

/// ranked_variants returns the variants by name, ranked and normalised over the tasks that all
/// variants have.
std::map<std::string, report::RankedMethod> ranked_variants(const report::RunGroups& sweep,
                                                            report::Quantity regret) {
  const report::FinalScores scores =
      report::final_scores(sweep, report::methods_with_runs(sweep), regret);
  std::map<std::string, report::RankedMethod> ranked;
  for (report::RankedMethod& method : report::rank_methods(scores, sweep, regret)) {
    ranked[method.method] = std::move(method);
  }
  return ranked;
}

std::string percent(double fraction) {
  return std::isnan(fraction) ? "" : fmt::format("{:.0f} %", 100.0 * fraction);
}

}  // namespace

report::Figure sweep_figure(const report::RunGroups& sweep) {
  report::Figure figure{
      .name = "open-choices",
      .title = "The first multiplier and the start of each fit",
      .caption =
          "Final regrets by dual.lambda0 (mll, 0.5, one, cap) and fit.start (warm, "
          "cold), mean and standard error over seeds; the line is gp-ucb-mll with "
          "the same start. The defaults of oscbo are mll and warm.",
      .columns = 4};
  for (const std::string& task : sweep.tasks) {
    for (const report::Quantity regret :
         {report::Quantity::simple_regret, report::Quantity::cumulative_regret}) {
      figure.panels.push_back(sweep_panel(sweep, task, regret));
    }
  }
  return figure;
}

report::ReportTable sweep_table(const report::RunGroups& sweep) {
  report::ReportTable table{
      .title = "The open choices over all tasks",
      .note =
          "On each task, all rows are ranked; the table shows the mean rank and its standard error "
          "over tasks. Regrets are in units of the regret after the initial design; cumulative "
          "regret is per round. The last three columns give the distance between the mean curve a "
          "of the variant and the mean curve b of gp-ucb-mll with the same `fit.start`: sum |a - "
          "b| / sum |b|, averaged over tasks. The distance is small if the variant tracks "
          "gp-ucb-mll. A seed counts only if every variant has been run with it. For the lander, "
          "there are fewer such seeds than in the tables above.",
      .header = {"variant", "simple rank", "simple regret", "cumulative rank", "cumulative regret",
                 "simple: distance", "cumulative: distance", "lengthscale: distance"}};
  const auto simple = ranked_variants(sweep, report::Quantity::simple_regret);
  const auto cumulative = ranked_variants(sweep, report::Quantity::cumulative_regret);
  for (const std::string& variant : report::methods_with_runs(sweep)) {
    if (!simple.contains(variant)) continue;
    table.rows.push_back({variant});
    for (const report::RankedMethod& ranked : {simple.at(variant), cumulative.at(variant)}) {
      table.rows.back().push_back(report::with_error(ranked.ranks.mean, ranked.ranks.error));
      table.rows.back().push_back(fmt::format("{:.3g}", ranked.normalised_regret));
    }
    const bool cold = variant.ends_with("fit.start=cold");
    const std::string reference = cold ? kColdLikelihood : kWarmLikelihood;
    for (const report::Quantity quantity :
         {report::Quantity::simple_regret, report::Quantity::cumulative_regret,
          report::Quantity::lengthscale}) {
      const double distance = mean_relative_distance(sweep, variant, reference, quantity);
      table.rows.back().push_back(variant == reference ? "" : percent(distance));
    }
  }
  return table;
}

}  // namespace oscbo::paper
