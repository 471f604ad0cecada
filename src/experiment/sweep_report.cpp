#include "experiment/sweep_report.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "experiment/comparison.hpp"
#include "experiment/report_figures.hpp"
#include "experiment/report_tables.hpp"
#include "experiment/statistics.hpp"

namespace oscbo::experiment {
namespace {

constexpr std::array kSweptMethods = {"oscbo", "oscbo-l1"};
constexpr const char* kWarmLikelihood = "gp-ucb-mll";
constexpr const char* kColdLikelihood = "gp-ucb-mll+fit.start=cold";

std::string point_label(const SweepPoint& point) {
  return fmt::format("{} {}", point.multiplier, point.start);
}

/// One dot per combination, moved sideways by `offset` so that methods lie beside each other.
Series variants_series(const RunGroups& sweep, const std::string& task, const std::string& method,
                       Quantity regret, double offset) {
  Series series{.label = method, .colour = method_style(method).colour, .mark = Mark::points};
  for (std::size_t i = 0; i < sweep_points().size(); ++i) {
    const RunGroup* group = sweep.find(task, sweep_points()[i].variant(method));
    if (group == nullptr) continue;
    const std::vector<double> values = final_values(*group, regret);
    const double centre = mean(values);
    const double error = standard_error(values);
    series.x.push_back(static_cast<double>(i) + offset);
    series.y.push_back(centre);
    series.lower.push_back(centre - error);
    series.upper.push_back(centre + error);
  }
  return series;
}

/// gp-ucb-mll has no multiplier: one level across the combinations that share its start.
Series likelihood_level(const RunGroups& sweep, const std::string& task, const std::string& variant,
                        Quantity regret) {
  const RunGroup* group = sweep.find(task, variant);
  const bool cold = variant == kColdLikelihood;
  const double count = static_cast<double>(sweep_points().size()) / 2.0;
  const double first = cold ? count : 0.0;
  Series series{.label = "gp-ucb-mll", .colour = method_style("gp-ucb-mll").colour};
  if (group == nullptr) return series;
  const double level = mean(final_values(*group, regret));
  series.x = {first - 0.4, first + count - 0.6};
  series.y = {level, level};
  return series;
}

Panel sweep_panel(const RunGroups& sweep, const std::string& task, Quantity regret) {
  const bool simple = regret == Quantity::simple_regret;
  Panel panel{
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

/// The variants by name, ranked and normalised over the tasks that all of them have.
std::map<std::string, RankedMethod> ranked_variants(const RunGroups& sweep, Quantity regret) {
  const FinalScores scores = final_scores(sweep, methods_with_runs(sweep), regret);
  std::map<std::string, RankedMethod> ranked;
  for (RankedMethod& method : rank_methods(scores, sweep, regret)) {
    ranked[method.method] = std::move(method);
  }
  return ranked;
}

std::string percent(double fraction) {
  return std::isnan(fraction) ? "" : fmt::format("{:.0f} %", 100.0 * fraction);
}

}  // namespace

Figure sweep_figure(const RunGroups& sweep) {
  Figure figure{.name = "open-choices",
                .title = "The first multiplier and the start of each fit",
                .caption =
                    "Final regrets by dual.lambda0 (mll, 0.5, one, cap) and fit.start (warm, "
                    "cold), mean and standard error over seeds; the line is gp-ucb-mll with "
                    "the same start. The defaults are mll and warm.",
                .columns = 4};
  for (const std::string& task : sweep.tasks) {
    for (const Quantity regret : {Quantity::simple_regret, Quantity::cumulative_regret}) {
      figure.panels.push_back(sweep_panel(sweep, task, regret));
    }
  }
  return figure;
}

ReportTable sweep_table(const RunGroups& sweep) {
  ReportTable table{
      .title = "The open choices over all tasks",
      .note =
          "Ranks among all rows, mean and standard error over tasks; regrets in units of the "
          "regret after the initial design, the cumulative one per round. The last three "
          "columns say how far the mean curve is from that of gp-ucb-mll with the same start, "
          "sum |a - b| / sum |b|, averaged over tasks: small where a variant tracks it. Only seeds "
          "that all variants have count, on the lander fewer than in the tables above.",
      .header = {"variant", "simple rank", "simple regret", "cumulative rank", "cumulative regret",
                 "simple: distance", "cumulative: distance", "lengthscale: distance"}};
  const auto simple = ranked_variants(sweep, Quantity::simple_regret);
  const auto cumulative = ranked_variants(sweep, Quantity::cumulative_regret);
  for (const std::string& variant : methods_with_runs(sweep)) {
    if (!simple.contains(variant)) continue;
    table.rows.push_back({variant});
    for (const RankedMethod& ranked : {simple.at(variant), cumulative.at(variant)}) {
      table.rows.back().push_back(with_error(ranked.ranks.mean, ranked.ranks.error));
      table.rows.back().push_back(fmt::format("{:.3g}", ranked.normalised_regret));
    }
    const bool cold = variant.ends_with("fit.start=cold");
    const std::string reference = cold ? kColdLikelihood : kWarmLikelihood;
    for (const Quantity quantity :
         {Quantity::simple_regret, Quantity::cumulative_regret, Quantity::lengthscale}) {
      const double distance = mean_relative_distance(sweep, variant, reference, quantity);
      table.rows.back().push_back(variant == reference ? "" : percent(distance));
    }
  }
  return table;
}

}  // namespace oscbo::experiment
