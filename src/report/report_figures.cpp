#include "report/report_figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <ranges>
#include <string_view>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "experiment/statistics.hpp"
#include "report/figure_layout.hpp"
#include "report/paired_runs.hpp"
#include "report/rank_panel.hpp"

namespace oscbo::report {
namespace {

constexpr std::size_t kBestMethods = 3;
constexpr double kLowestShareOfMean =
    0.1;  // a band on a logarithmic axis does not go below this share of the mean

// Each method has one unit on the axis. Seeds are to the left of its tick, and the mean is to the
// right.
constexpr double kSeedsOffset = -0.12;
constexpr double kSeedsWidth = 0.4;
constexpr double kFinalMeanOffset = 0.28;
constexpr double kSeedSize = 0.5;
constexpr double kFinalMeanSize = 1.4;
constexpr double kPathEndSize = 1.2;
constexpr double kReferenceLineSize = 0.6;

constexpr std::string_view kReferenceColour = "#808080";
constexpr std::string_view kStepsTitle = "evaluations";  // after the initial design

/// The title of a quantity on an axis, and the kind of that axis.
struct QuantityAxis {
  std::string_view title;
  bool logarithmic;
};

QuantityAxis axis_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::simple_regret: return {.title = "simple regret", .logarithmic = true};
    case Quantity::cumulative_regret: return {.title = "cumulative regret", .logarithmic = false};
    case Quantity::seconds: return {.title = "seconds so far", .logarithmic = true};
    case Quantity::coverage: return {.title = "coverage so far", .logarithmic = false};
    case Quantity::width: return {.title = "interval width", .logarithmic = true};
    case Quantity::mean_width: return {.title = "mean width so far", .logarithmic = true};
    case Quantity::positive_violation: return {.title = "positive violation", .logarithmic = true};
    case Quantity::lengthscale_path: return {.title = "lengthscale path", .logarithmic = false};
    case Quantity::lengthscale: break;
  }
  return {.title = "lengthscale", .logarithmic = true};
}

Axis make_axis(Quantity quantity) {
  const QuantityAxis axis = axis_of(quantity);
  return {.title = std::string(axis.title), .logarithmic = axis.logarithmic};
}

/// shown_mean puts a regret of zero at the bottom of a logarithmic axis. It omits sums that are
/// still zero and times too short for the clock.
double shown_mean(double mean, Quantity quantity) {
  if (!axis_of(quantity).logarithmic) return mean;
  if (mean <= 0.0 && quantity != Quantity::simple_regret) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::max(mean, kLowestLogValue);
}

/// shown_lower returns the lower end of an error bar. On a logarithmic axis it stays above zero,
/// even if the standard error is as large as the mean.
double shown_lower(double mean, double error, bool logarithmic) {
  return logarithmic ? std::max(mean - error, kLowestShareOfMean * mean) : mean - error;
}

/// first_shown_step returns the first step of a curve. Regrets begin with the initial design, other
/// quantities with the first suggestion of a model.
int first_shown_step(Quantity quantity) {
  const bool regret =
      quantity == Quantity::simple_regret || quantity == Quantity::cumulative_regret;
  return regret ? 0 : 1;
}

/// reference_line returns a dashed grey line at height `y`.
Series reference_line(double y, const std::vector<double>& x) {
  return {.colour = std::string(kReferenceColour),
          .dash = Dash::dashed,
          .size = kReferenceLineSize,
          .x = x,
          .y = std::vector<double>(x.size(), y)};
}

/// jitter spreads dots evenly. The fractional parts of multiples of the golden ratio fill the unit
/// interval evenly for any count, and neighbours never coincide.
double jitter(std::size_t index) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  const double multiple = kGoldenRatio * static_cast<double>(index + 1);
  return multiple - std::floor(multiple) - 0.5;
}

Series seed_dots(const std::vector<double>& values, const std::string& colour, double position) {
  Series dots{.colour = colour, .mark = Mark::points, .size = kSeedSize, .y = values};
  for (std::size_t seed = 0; seed < values.size(); ++seed) {
    dots.x.push_back(position + kSeedsOffset + kSeedsWidth * jitter(seed));
  }
  return dots;
}

Series final_mean_dot(const std::vector<double>& values, const std::string& colour, double position,
                      bool logarithmic) {
  const double centre = experiment::mean(values);
  const double error = experiment::standard_error(values);
  Series dot{.colour = colour,
             .mark = Mark::points,
             .size = kFinalMeanSize,
             .x = {position + kFinalMeanOffset},
             .y = {centre}};
  if (!std::isnan(error)) {
    dot.lower = {shown_lower(centre, error, logarithmic)};
    dot.upper = {centre + error};
  }
  return dot;
}

/// best_groups returns the groups of a task, lowest mean regret first. Ties are in the order of the
/// plan.
std::vector<const RunGroup*> best_groups(const RunGroups& groups, const std::string& task,
                                         Quantity regret) {
  std::vector<const RunGroup*> found;
  for (const std::string& method : groups.methods) {
    if (const RunGroup* group = groups.find(task, method)) found.push_back(group);
  }
  std::ranges::stable_sort(found, {}, [&](const RunGroup* group) {
    return experiment::mean(final_values(*group, regret));
  });
  return found;
}

std::vector<std::string> tasks_with_runs(const RunGroups& groups) {
  std::vector<std::string> tasks;
  std::ranges::copy_if(groups.tasks, std::back_inserter(tasks), [&](const std::string& task) {
    return std::ranges::find(groups.groups, task, &RunGroup::task) != groups.groups.end();
  });
  return tasks;
}

std::vector<double> rounds(const RunGroups& groups) {
  std::vector<double> x;
  for (int step = 1; step <= groups.steps; ++step) x.push_back(step);
  return x;
}

Panel coverage_panel(const RunGroups& groups, const std::string& task) {
  Panel panel = curve_panel(groups, task, groups.methods, Quantity::coverage);
  if (!std::isnan(groups.nominal_coverage)) {
    panel.series.insert(panel.series.begin(),
                        reference_line(groups.nominal_coverage, rounds(groups)));
  }
  return panel;
}

/// path_series returns the path of a method in the plane of mean width and coverage above `level`,
/// both averaged so far. It omits the first tenth of the run, because fractions of a few
/// observations jump across the panel.
Series path_series(const RunGroup& group, double level, std::span<const std::string> methods) {
  const Curve& width = group[Quantity::mean_width];
  const Curve& coverage = group[Quantity::coverage];
  Series path = method_series(group.method, methods);
  for (std::size_t i = coverage.steps.size() / 10; i < coverage.steps.size(); ++i) {
    path.x.push_back(width.mean[i]);
    path.y.push_back(coverage.mean[i] - level);
  }
  return path;
}

Series path_end(const Series& path) {
  return {.colour = path.colour,
          .mark = Mark::points,
          .size = kPathEndSize,
          .x = {path.x.back()},
          .y = {path.y.back()}};
}

/// A sharp and calibrated method is on the left, on the grey line.
Panel path_panel(const RunGroups& groups, const std::string& task) {
  const bool has_level = !std::isnan(groups.nominal_coverage);
  const double level = has_level ? groups.nominal_coverage : 0.0;
  Panel panel{.title = task, .x = make_axis(Quantity::mean_width), .y = {}};
  panel.y.title = has_level ? "coverage - nominal" : "coverage so far";
  std::vector<Series> ends;
  const std::vector<std::string> methods = methods_with_runs(groups);
  for (const std::string& method : methods) {
    const RunGroup* group = groups.find(task, method);
    if (group == nullptr || (*group)[Quantity::coverage].steps.empty()) continue;
    panel.series.push_back(path_series(*group, level, methods));
    ends.push_back(path_end(panel.series.back()));
  }
  panel.series.insert(panel.series.end(), ends.begin(), ends.end());
  if (has_level && !panel.series.empty()) {
    const Range range = x_range(panel);
    panel.series.insert(panel.series.begin(), reference_line(0.0, {range.low, range.high}));
  }
  return panel;
}

/// seeds_text returns the number of seeds behind a mean: "20 seeds", or "3 to 20 seeds" while runs
/// are missing.
std::string seeds_text(const RunGroups& groups) {
  const auto runs = [](const RunGroup& group) { return group.runs.size(); };
  if (groups.groups.empty()) return "no seed";
  const auto [fewest, most] = std::ranges::minmax(groups.groups | std::views::transform(runs));
  if (most == 1) return "one seed";
  return fewest == most ? base::counted(most, "seed") : fmt::format("{} to {} seeds", fewest, most);
}

std::string regret_caption(const RunGroups& groups, bool simple, bool ranked) {
  const std::string_view meaning =
      simple ? "how far the best value found so far lies below the known maximum"
             : "the sum, over the rounds after the initial design, of how far each value lies "
               "below the known maximum";
  std::string text = fmt::format(
      "{} regret: {}; lower is better. Lines are means over {}, bands one standard error. Beside "
      "the curves of each task are the final values of its three best methods: a small dot for "
      "each seed, and a large dot for their mean, with its standard error.",
      simple ? "Simple" : "Cumulative", meaning, seeds_text(groups));
  if (simple) text += " The axis is logarithmic, so bands are cut off below a tenth of the mean.";
  if (ranked) {
    text +=
        " Last panel: the rank of each method on every task (small dots), and its mean rank with "
        "the standard error over tasks (large dots).";
  }
  return text;
}

}  // namespace

double final_value(const experiment::RunTotals& totals, Quantity regret) {
  return regret == Quantity::simple_regret ? totals.simple_regret : totals.cumulative_regret;
}

std::vector<double> final_values(const RunGroup& group, Quantity regret) {
  return run_values(
      group, [&](const experiment::RunTotals& totals) { return final_value(totals, regret); });
}

std::vector<std::string> methods_with_runs(const RunGroups& groups) {
  std::vector<std::string> methods;
  std::ranges::copy_if(groups.methods, std::back_inserter(methods), [&](const std::string& method) {
    return std::ranges::find(groups.groups, method, &RunGroup::method) != groups.groups.end();
  });
  return methods;
}

FinalScores final_scores(const RunGroups& groups, const std::vector<std::string>& methods,
                         Quantity regret) {
  FinalScores result{.tasks = {}, .methods = methods, .scores = {}};
  for (const std::string& task : groups.tasks) {
    std::vector<double> scores;
    for (const std::string& method : methods) {
      const RunGroup* group = groups.find(task, method);
      if (group != nullptr) scores.push_back(experiment::mean(final_values(*group, regret)));
    }
    if (scores.size() < methods.size()) continue;
    result.tasks.push_back(task);
    result.scores.push_back(scores);
  }
  return result;
}

Series method_series(const std::string& method, std::span<const std::string> methods) {
  const MethodStyle style = style_among(method, methods);
  return {.label = method, .colour = style.colour, .dash = style.dash};
}

Series curve_series(const RunGroup& group, Quantity quantity,
                    std::span<const std::string> methods) {
  const Curve& curve = group[quantity];
  const bool logarithmic = axis_of(quantity).logarithmic;
  const bool has_band = std::ranges::none_of(curve.error, [](double e) { return std::isnan(e); });
  Series series = method_series(group.method, methods);
  for (std::size_t i = 0; i < curve.steps.size(); ++i) {
    if (curve.steps[i] < first_shown_step(quantity)) continue;
    const double value = shown_mean(curve.mean[i], quantity);
    series.x.push_back(curve.steps[i]);
    series.y.push_back(value);
    if (!has_band) continue;
    series.lower.push_back(shown_lower(value, curve.error[i], logarithmic));
    series.upper.push_back(value + curve.error[i]);
  }
  return series;
}

Panel curve_panel(const RunGroups& groups, const std::string& task,
                  const std::vector<std::string>& methods, Quantity quantity) {
  Panel panel{.title = task, .x = {.title = std::string(kStepsTitle)}, .y = make_axis(quantity)};
  const std::vector<std::string> shown_together = methods_with_runs(groups);
  for (const std::string& method : methods) {
    const RunGroup* group = groups.find(task, method);
    if (group == nullptr || (*group)[quantity].steps.empty()) continue;
    panel.series.push_back(curve_series(*group, quantity, shown_together));
  }
  return panel;
}

Panel final_panel(const RunGroups& groups, const std::string& task, Quantity regret) {
  Panel panel{.title = task + ", final", .x = {}, .y = make_axis(regret)};
  std::vector<const RunGroup*> best = best_groups(groups, task, regret);
  best.resize(std::min(best.size(), kBestMethods));
  const std::vector<std::string> methods = methods_with_runs(groups);
  for (const RunGroup* group : best) {
    const auto position = static_cast<double>(panel.x.categories.size());
    const std::string colour = style_among(group->method, methods).colour;
    const std::vector<double> values = final_values(*group, regret);
    panel.x.categories.push_back(group->method);
    panel.series.push_back(seed_dots(values, colour, position));
    panel.series.push_back(final_mean_dot(values, colour, position, panel.y.logarithmic));
  }
  return panel;
}

Figure regret_figure(const RunGroups& groups, Quantity regret) {
  const bool simple = regret == Quantity::simple_regret;
  const FinalScores scores = final_scores(groups, methods_with_runs(groups), regret);
  const bool ranked = !scores.tasks.empty() && scores.methods.size() > 1;
  Figure figure{.name = simple ? "simple-regret" : "cumulative-regret",
                .title = simple ? "Simple regret" : "Cumulative regret",
                .caption = regret_caption(groups, simple, ranked)};
  for (const std::string& task : tasks_with_runs(groups)) {
    figure.panels.push_back(curve_panel(groups, task, groups.methods, regret));
    figure.panels.push_back(final_panel(groups, task, regret));
  }
  if (ranked) {
    figure.panels.push_back(
        rank_panel("ranks over tasks", scores.methods, summarise_ranks(scores.scores)));
  }
  return figure;
}

Figure diagnostics_figure(const RunGroups& groups) {
  Figure figure{
      .name = "diagnostics",
      .title = "Diagnostics",
      .caption = fmt::format(
          "A row per task; means over {} with bands of one standard error. Coverage is the "
          "fraction of observations inside the intervals predicted for them. The width is the "
          "width of these intervals. The positive violation is the sum of max(L^c, 0) so far, "
          "where the calibration loss L^c is positive if an observation misses its interval; the "
          "curve starts at the first miss. The lengthscale refers to the scaled inputs. The panel "
          "that plots coverage against mean width shows one path per method. A point of a path is "
          "the mean width and the coverage over all steps so far. The path starts after the first "
          "tenth of the run and ends at the dot. A dot far left on the grey line means sharp and "
          "calibrated intervals.",
          seeds_text(groups)),
      .columns = 7};
  if (!std::isnan(groups.nominal_coverage)) {
    figure.caption += fmt::format(
        " Dashed grey line: the nominal level {:.1f} %, the coverage of calibrated Gaussian "
        "predictions at this beta.",
        100.0 * groups.nominal_coverage);
  }
  for (const std::string& task : tasks_with_runs(groups)) {
    const auto add = [&](Quantity quantity) {
      figure.panels.push_back(curve_panel(groups, task, groups.methods, quantity));
    };
    add(Quantity::simple_regret);
    add(Quantity::cumulative_regret);
    figure.panels.push_back(coverage_panel(groups, task));
    add(Quantity::width);
    add(Quantity::positive_violation);
    figure.panels.push_back(path_panel(groups, task));
    add(Quantity::lengthscale);
  }
  return figure;
}

Figure time_figure(const RunGroups& groups) {
  Figure figure{
      .name = "time",
      .title = "Computation time",
      .caption = fmt::format("Wall-clock seconds spent on suggestions so far, excluding the task "
                             "itself; means over {} with bands of one standard error.",
                             seeds_text(groups))};
  for (const std::string& task : tasks_with_runs(groups)) {
    figure.panels.push_back(curve_panel(groups, task, groups.methods, Quantity::seconds));
  }
  return figure;
}

}  // namespace oscbo::report
