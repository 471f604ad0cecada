#include "paper/illustration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "experiment/plan.hpp"
#include "experiment/statistics.hpp"
#include "oscbo/experiment.hpp"
#include "report/report_figures.hpp"

namespace oscbo::paper {
namespace {

constexpr std::array kIllustrated = {"gp-ucb-mll", "ocbo", "a-gp-ucb", "oscbo"};
constexpr int kIllustratedRounds = 15;
constexpr int kIllustrationDesign = 4;
constexpr int kIllustrationIntervals = 200;
constexpr std::uint64_t kIllustrationSeed = 0;

double illustrated_value(std::span<const double> x) {
  const double u = 1.2 * x[0];
  return (1.4 - 3.0 * u) * std::sin(18.0 * u);
}

std::vector<double> illustrated_function() {
  std::vector<double> values;
  for (const double x : illustration_grid()) values.push_back(illustrated_value({&x, 1}));
  return values;
}

void record_model(IllustrationRun& run, Optimizer& optimizer) {
  std::vector<std::vector<double>> points;
  for (const double x : illustration_grid()) points.push_back({x});
  for (const Prediction& prediction : optimizer.predict(points)) {
    run.mean.push_back(prediction.mean);
    run.lower.push_back(prediction.mean - prediction.width / 2.0);
    run.upper.push_back(prediction.mean + prediction.width / 2.0);
  }
}

/// record_rounds compares the coverage with `nominal`, the level of beta. The intervals use beta
/// even if a method queries with its own multiplier.
void record_rounds(IllustrationRun& run, const std::vector<Trial>& trials, double nominal) {
  double predicted = 0.0;
  double covered = 0.0;
  double width = 0.0;
  for (const Trial& trial : trials) {
    if (!trial.prediction()) continue;
    predicted += 1.0;
    covered += trial.feedback()->covered ? 1.0 : 0.0;
    width += trial.prediction()->width;
    run.mean_width.push_back(width / predicted);
    run.coverage_gap.push_back(covered / predicted - nominal);
    run.lengthscale.push_back(trial.prediction()->lengthscales.front());
  }
}

std::vector<double> rounds_axis(std::size_t rounds) {
  std::vector<double> axis;
  for (std::size_t round = 1; round <= rounds; ++round) axis.push_back(static_cast<double>(round));
  return axis;
}

/// model_panel labels the marks only in the last panel, so that the legend lists the methods first.
report::Panel model_panel(const IllustrationRun& run, bool names_marks) {
  report::Panel panel{.title = run.method, .x = {.title = "x"}, .y = {.title = "f(x)"}};
  report::Series model = report::method_series(run.method);
  model.x = illustration_grid();
  model.y = run.mean;
  model.lower = run.lower;
  model.upper = run.upper;
  const double bottom = *std::ranges::min_element(run.lower);
  const double top = *std::ranges::max_element(run.upper);
  panel.series = {std::move(model),
                  {.label = names_marks ? "function" : "",
                   .colour = "#000000",
                   .dash = report::Dash::dotted,
                   .x = illustration_grid(),
                   .y = illustrated_function()},
                  {.label = names_marks ? "next query" : "",
                   .colour = "#666666",
                   .dash = report::Dash::dashed,
                   .x = {run.next_query, run.next_query},
                   .y = {bottom, top}},
                  {.label = names_marks ? "observations" : "",
                   .colour = "#000000",
                   .mark = report::Mark::points,
                   .x = run.x,
                   .y = run.y}};
  return panel;
}

/// zero_line draws the nominal coverage, from the smallest to the largest mean width.
report::Series zero_line(std::span<const IllustrationRun> runs) {
  std::vector<double> widths;
  for (const IllustrationRun& run : runs) {
    widths.insert(widths.end(), run.mean_width.begin(), run.mean_width.end());
  }
  const auto [narrowest, widest] = std::ranges::minmax(widths);
  return {
      .colour = "#999999", .dash = report::Dash::dashed, .x = {narrowest, widest}, .y = {0.0, 0.0}};
}

report::Panel plane_panel(std::span<const IllustrationRun> runs) {
  report::Panel panel{.title = "Sharpness and calibration",
                      .x = {.title = "mean width so far"},
                      .y = {.title = "coverage so far - nominal"},
                      .series = {zero_line(runs)}};
  for (const IllustrationRun& run : runs) {
    report::Series path = report::method_series(run.method);
    path.x = run.mean_width;
    path.y = run.coverage_gap;
    report::Series end = report::method_series(run.method);
    end.mark = report::Mark::points;
    end.size = 1.6;
    end.x = {run.mean_width.back()};
    end.y = {run.coverage_gap.back()};
    panel.series.push_back(std::move(path));
    panel.series.push_back(std::move(end));
  }
  return panel;
}

report::Panel lengthscale_panel(std::span<const IllustrationRun> runs) {
  report::Panel panel{.title = "Lengthscale",
                      .x = {.title = "round"},
                      .y = {.title = "lengthscale", .logarithmic = true}};
  for (const IllustrationRun& run : runs) {
    report::Series path = report::method_series(run.method);
    path.x = rounds_axis(run.lengthscale.size());
    path.y = run.lengthscale;
    panel.series.push_back(std::move(path));
  }
  return panel;
}

}  // namespace

Problem illustration_problem() {
  return {.name = "illustration",
          .space = Space::of_box(std::vector<Bounds>{{0.0, 1.0}}),
          .value = illustrated_value,
          .maximum = 1.4890725386896042,
          .maximiser = {0.8050715031890425},
          .source = {}};
}

std::vector<double> illustration_grid() {
  std::vector<double> grid;
  for (int i = 0; i <= kIllustrationIntervals; ++i) {
    grid.push_back(static_cast<double>(i) / kIllustrationIntervals);
  }
  return grid;
}

IllustrationRun run_illustration(const std::string& method, int rounds) {
  const Problem problem = illustration_problem();
  const Config config =
      run_config(method, rounds, {fmt::format("init.points={}", kIllustrationDesign)}).optimizer;
  Optimizer optimizer(problem.space, config, kIllustrationSeed);
  IllustrationRun run{.method = method};
  for (int evaluation = 0; evaluation < kIllustrationDesign + rounds; ++evaluation) {
    const Suggestion next = optimizer.ask();
    const double y = problem.value(next.x);
    optimizer.tell(next.trial, y);
    run.x.push_back(next.x.front());
    run.y.push_back(y);
  }
  record_model(run, optimizer);
  record_rounds(run, optimizer.trials(), experiment::nominal_coverage(config.beta));
  run.next_query = optimizer.ask().x.front();
  return run;
}

report::Figure illustration_figure() {
  std::vector<IllustrationRun> runs;
  runs.reserve(kIllustrated.size());
  for (const char* method : kIllustrated) {
    runs.push_back(run_illustration(method, kIllustratedRounds));
  }
  report::Figure figure{
      .name = "illustration",
      .title = "Four ways to learn a lengthscale",
      .caption = fmt::format(
          "The first four panels show models of (1.4 - 3u) sin(18u), u = 1.2 x, after an initial "
          "design of {} points and {} rounds (seed {}): the mean, the interval predicted for an "
          "observation, and the point that the method would query next. The fifth panel plots the "
          "coverage gap (coverage minus its nominal level) against the mean interval width: one "
          "path per run, with a mark at its end. The last panel shows the lengthscale by round. "
          "With one run of each method, this is an illustration, not a comparison.",
          kIllustrationDesign, kIllustratedRounds, kIllustrationSeed),
      .columns = 3};
  for (const IllustrationRun& run : runs) {
    figure.panels.push_back(model_panel(run, &run == &runs.back()));
  }
  // Solid lines come first, so a dashed line on the same path stays visible.
  std::ranges::reverse(runs);
  figure.panels.push_back(plane_panel(runs));
  figure.panels.push_back(lengthscale_panel(runs));
  return figure;
}

}  // namespace oscbo::paper
