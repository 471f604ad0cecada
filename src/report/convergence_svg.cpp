#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "oscbo/report.hpp"
#include "report/svg.hpp"

namespace oscbo {
namespace {

using report::Anchor;
using report::Box;
using report::kGrid;
using report::kInk;
using report::kMuted;
using report::Point;
using report::Scale;
using report::Svg;
using report::TextStyle;

constexpr double kWidth = 960.0;
constexpr double kHeight = 660.0;
constexpr Box kRegretPanel{.left = 76.0, .top = 106.0, .width = 860.0, .height = 200.0};
constexpr Box kIntervalPanel{.left = 76.0, .top = 364.0, .width = 860.0, .height = 236.0};
constexpr double kLowestRegret = 1e-12;

constexpr std::string_view kShade = "#f3f5f7";
constexpr std::string_view kLine = "#1b4f8a";
constexpr std::string_view kCovered = "#2a8c82";
constexpr std::string_view kMissed = "#d9480f";

constexpr TextStyle kTickStyle{.size = 11.5, .colour = kMuted, .anchor = Anchor::end};

/// A chart area: its position, and the mapping from data to it.
struct Panel {
  Box box;
  Scale x;
  Scale y;

  [[nodiscard]] Point at(double x_value, double y_value) const {
    return {.x = x(x_value), .y = y(y_value)};
  }
};

double log_regret(double regret) { return std::log10(std::max(regret, kLowestRegret)); }

Panel make_panel(const Box& box, std::size_t evaluations, double low, double high) {
  return {
      .box = box,
      .x = {.data_low = 0.5,
            .data_high = static_cast<double>(evaluations) + 0.5,
            .pixel_low = box.left,
            .pixel_high = box.right()},
      .y = {.data_low = low, .data_high = high, .pixel_low = box.bottom(), .pixel_high = box.top}};
}

/// evaluation_regret returns the regret of an evaluation, or NaN if it failed or is not acceptable.
double evaluation_regret(const Problem& problem, const RunRow& row) {
  const bool counts = !problem.outcomes || problem.accepts(problem.outcomes(row.x));
  return counts ? problem.maximum - row.y : std::numeric_limits<double>::quiet_NaN();
}

Panel regret_panel(const Problem& problem, std::span<const RunRow> rows) {
  double low = log_regret(rows.front().simple_regret);
  double high = low;
  for (const RunRow& row : rows) {
    for (const double regret : {row.simple_regret, evaluation_regret(problem, row)}) {
      if (std::isnan(regret)) continue;
      low = std::min(low, log_regret(regret));
      high = std::max(high, log_regret(regret));
    }
  }
  low = std::floor(low);
  return make_panel(kRegretPanel, rows.size(), low, std::max(std::ceil(high), low + 1.0));
}

Panel interval_panel(const Problem& problem, std::span<const RunRow> rows) {
  double low = problem.maximum;
  double high = problem.maximum;
  for (const RunRow& row : rows) {
    if (std::isnan(row.y)) continue;
    const double mean = row.prediction ? row.prediction->mean : row.y;
    const double half = row.prediction ? 0.5 * row.prediction->width : 0.0;
    low = std::min({low, row.y, mean - half});
    high = std::max({high, row.y, mean + half});
  }
  const double margin = high > low ? 0.04 * (high - low) : std::max(1.0, std::abs(high));
  return make_panel(kIntervalPanel, rows.size(), low - margin, high + margin);
}

void draw_frame(Svg& svg, const Panel& panel, std::span<const RunRow> rows) {
  const auto initial = std::ranges::count_if(rows, [](const RunRow& row) { return row.step <= 0; });
  const double edge = panel.x(static_cast<double>(initial) + 0.5);
  svg.rectangle({.left = panel.box.left,
                 .top = panel.box.top,
                 .width = edge - panel.box.left,
                 .height = panel.box.height},
                {.fill = kShade});
  svg.line({.x = panel.box.left, .y = panel.box.bottom()},
           {.x = panel.box.right(), .y = panel.box.bottom()}, {.stroke = kMuted});
}

void draw_gridline(Svg& svg, const Panel& panel, double value, double stroke_width = 1.0) {
  svg.line({.x = panel.box.left, .y = panel.y(value)},
           {.x = panel.box.right(), .y = panel.y(value)},
           {.stroke = kGrid, .stroke_width = stroke_width});
}

void draw_tick(Svg& svg, const Panel& panel, double value, const std::string& label) {
  draw_gridline(svg, panel, value);
  svg.text({.x = panel.box.left - 8.0, .y = panel.y(value) + 4.0}, label, kTickStyle);
}

void draw_decades(Svg& svg, const Panel& panel) {
  const double decades = panel.y.data_high - panel.y.data_low;
  for (const double tick : report::nice_ticks(panel.y.data_low, panel.y.data_high, 6)) {
    if (tick == std::round(tick)) {
      draw_tick(svg, panel, tick, fmt::format("{:g}", std::pow(10.0, tick)));
    }
  }
  if (decades > 3.0) return;
  for (double decade = panel.y.data_low; decade < panel.y.data_high; decade += 1.0) {
    for (int digit = 2; digit <= 9; ++digit) {
      draw_gridline(svg, panel, decade + std::log10(digit), 0.5);
    }
  }
}

void draw_evaluation_axis(Svg& svg, const Panel& panel) {
  TextStyle style = kTickStyle;
  style.anchor = Anchor::middle;
  for (const double tick : report::nice_ticks(1.0, panel.x.data_high, 10)) {
    const double x = panel.x(tick);
    svg.line({.x = x, .y = panel.box.bottom()}, {.x = x, .y = panel.box.bottom() + 5.0},
             {.stroke = kMuted});
    svg.text({.x = x, .y = panel.box.bottom() + 20.0}, fmt::format("{:g}", tick), style);
  }
}

enum class Symbol { line, dot, interval, dashes };

struct LegendEntry {
  Symbol symbol;
  std::string_view colour;
  std::string_view label;
};

void draw_symbol(Svg& svg, Point at, const LegendEntry& entry) {
  const Point left{.x = at.x, .y = at.y - 4.0};
  const Point middle{.x = at.x + 9.0, .y = at.y - 4.0};
  const Point right{.x = at.x + 18.0, .y = at.y - 4.0};
  switch (entry.symbol) {
    case Symbol::line: svg.line(left, right, {.stroke = entry.colour, .stroke_width = 2.2}); break;
    case Symbol::dot: svg.circle(middle, 3.0, {.fill = entry.colour, .opacity = 0.45}); break;
    case Symbol::dashes:
      svg.line(left, right, {.stroke = entry.colour, .stroke_width = 1.2, .dashes = "5 4"});
      break;
    case Symbol::interval:
      svg.line({.x = middle.x, .y = at.y + 3.0}, {.x = middle.x, .y = at.y - 11.0},
               {.stroke = entry.colour, .stroke_width = 5.0, .opacity = 0.35});
      svg.circle(middle, 2.6, {.fill = entry.colour});
      break;
  }
}

/// draw_heading draws the heading of a panel: its title, then the legend in one line.
void draw_heading(Svg& svg, const Panel& panel, std::string_view title, double title_width,
                  std::initializer_list<LegendEntry> legend) {
  constexpr double kCharacterWidth = 6.2;
  const double y = panel.box.top - 14.0;
  svg.text({.x = panel.box.left, .y = y}, title, {.size = 14.0, .colour = kInk, .bold = true});
  double x = panel.box.left + title_width;
  for (const LegendEntry& entry : legend) {
    draw_symbol(svg, {.x = x, .y = y}, entry);
    svg.text({.x = x + 24.0, .y = y}, entry.label, {.size = 12.0, .colour = kMuted});
    x += 46.0 + kCharacterWidth * static_cast<double>(entry.label.size());
  }
}

void draw_regret(Svg& svg, const Problem& problem, std::span<const RunRow> rows) {
  const Panel panel = regret_panel(problem, rows);
  draw_frame(svg, panel, rows);
  draw_decades(svg, panel);
  draw_heading(svg, panel, "Regret", 72.0,
               {{Symbol::line, kLine, "best point so far (simple regret)"},
                {Symbol::dot, kLine, "each evaluation"}});
  std::vector<Point> steps;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto evaluation = static_cast<double>(i + 1);
    const double regret = evaluation_regret(problem, rows[i]);
    if (!std::isnan(regret)) {
      svg.circle(panel.at(evaluation, log_regret(regret)), 2.6, {.fill = kLine, .opacity = 0.32});
    }
    if (i > 0) steps.push_back(panel.at(evaluation, log_regret(rows[i - 1].simple_regret)));
    steps.push_back(panel.at(evaluation, log_regret(rows[i].simple_regret)));
  }
  svg.polyline(steps, {.stroke = kLine, .stroke_width = 2.2});
  svg.text({.x = panel.box.left + 6.0, .y = panel.box.bottom() - 8.0}, "initial design",
           {.size = 11.0, .colour = kMuted});
}

void draw_interval(Svg& svg, const Panel& panel, double evaluation, const RunRow& row) {
  const double bar_width = std::clamp(0.6 * (panel.x(1.0) - panel.x(0.0)), 1.0, 9.0);
  std::string_view colour = kMuted;
  if (row.prediction && row.feedback) {
    colour = row.feedback->covered ? kCovered : kMissed;
    const double half = 0.5 * row.prediction->width;
    svg.line(panel.at(evaluation, row.prediction->mean - half),
             panel.at(evaluation, row.prediction->mean + half),
             {.stroke = colour, .stroke_width = bar_width, .opacity = 0.35});
  }
  if (!std::isnan(row.y)) svg.circle(panel.at(evaluation, row.y), 2.6, {.fill = colour});
}

std::string coverage_text(const Config& config, std::span<const RunRow> rows) {
  const Coverage coverage = measure_coverage(rows);
  if (coverage.predicted == 0) return "no intervals: the method has no model";
  return fmt::format("covered {} of {}; nominal {:.0f} %, beta = {:.3g}", coverage.covered,
                     coverage.predicted, 100.0 * coverage.nominal, config.beta);
}

void draw_intervals(Svg& svg, const Problem& problem, const Config& config,
                    std::span<const RunRow> rows) {
  const Panel panel = interval_panel(problem, rows);
  draw_frame(svg, panel, rows);
  for (const double tick : report::nice_ticks(panel.y.data_low, panel.y.data_high, 6)) {
    draw_tick(svg, panel, tick, fmt::format("{:g}", tick));
  }
  draw_heading(svg, panel, "Predicted interval and observation", 296.0,
               {{Symbol::interval, kCovered, "inside"},
                {Symbol::interval, kMissed, "outside"},
                {Symbol::dashes, kInk, "optimum"}});
  svg.text({.x = panel.box.right(), .y = panel.box.top - 14.0}, coverage_text(config, rows),
           {.size = 12.0, .colour = kInk, .anchor = Anchor::end});
  svg.line({.x = panel.box.left, .y = panel.y(problem.maximum)},
           {.x = panel.box.right(), .y = panel.y(problem.maximum)},
           {.stroke = kInk, .stroke_width = 1.2, .dashes = "5 4"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    draw_interval(svg, panel, static_cast<double>(i + 1), rows[i]);
  }
  draw_evaluation_axis(svg, panel);
  svg.text({.x = panel.box.left + 0.5 * panel.box.width, .y = panel.box.bottom() + 44.0},
           "evaluation", {.size = 12.5, .colour = kInk, .anchor = Anchor::middle});
}

}  // namespace

std::string convergence_svg(const Problem& problem, const Config& config,
                            std::span<const RunRow> rows) {
  const std::string title = fmt::format("{} on {}", config.method, problem.name);
  Svg svg(kWidth, kHeight, title);
  svg.rectangle({.width = kWidth, .height = kHeight}, {.fill = "#ffffff"}, 8.0);
  svg.text({.x = kRegretPanel.left, .y = 38.0}, title,
           {.size = 19.0, .colour = kInk, .bold = true});
  if (rows.empty()) return svg.finish();
  svg.text({.x = kRegretPanel.left, .y = 61.0},
           fmt::format("{}, {}: best {:.6g}, optimum {:.6g}",
                       base::counted(problem.space.dimension(), "parameter"),
                       base::counted(rows.size(), "evaluation"), rows.back().best, problem.maximum),
           {.size = 13.0, .colour = kMuted});
  draw_regret(svg, problem, rows);
  draw_intervals(svg, problem, config, rows);
  return svg.finish();
}

}  // namespace oscbo
