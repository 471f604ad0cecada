#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "oscbo/latency.hpp"
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

constexpr double kChartWidth = 960.0;
constexpr double kChartHeight = 700.0;
constexpr Box kAskBox{.left = 76.0, .top = 108.0, .width = 750.0, .height = 330.0};
constexpr Box kTellBox{.left = 76.0, .top = 496.0, .width = 750.0, .height = 140.0};
constexpr double kBandShade = 0.16;
constexpr std::string_view kRefitDashes = "5 4";

// The colours are from Okabe and Ito. They are distinguishable with any kind of colour vision.
constexpr std::array<std::string_view, 5> kSeriesColours = {"#0072B2", "#D55E00", "#009E73",
                                                            "#CC79A7", "#E69F00"};

/// The rows of one dimension.
struct LatencySeries {
  std::span<const LatencyRow> rows;
  std::string_view colour;
  double exponent = 0.0;

  [[nodiscard]] int dimension() const { return rows.front().dimension; }
};

std::vector<LatencySeries> series_of(const LatencyReport& report) {
  std::vector<LatencySeries> all;
  std::span<const LatencyRow> rest = report.rows;
  for (const LatencyGrowth& growth : report.growth) {
    const auto count = static_cast<std::size_t>(
        std::ranges::count(rest, growth.dimension, &LatencyRow::dimension));
    if (count == 0) continue;
    all.push_back({.rows = rest.first(count),
                   .colour = kSeriesColours[all.size() % kSeriesColours.size()],
                   .exponent = growth.exponent});
    rest = rest.subspan(count);
  }
  return all;
}

/// The value of a row that is drawn, in seconds.
using Reading = std::function<double(const LatencyRow&)>;

double amortised(const LatencyRow& row) { return row.amortised; }
double refit(const LatencyRow& row) { return row.refit; }
double ask_median(const LatencyRow& row) { return row.ask.median; }
double ask_p99(const LatencyRow& row) { return row.ask.p99; }
double tell_median(const LatencyRow& row) { return row.tell.median; }
double tell_p99(const LatencyRow& row) { return row.tell.p99; }

struct LogRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    // The clock may measure a time of zero.
    const double logarithm = std::log10(std::max(value, 1e-9));
    low = std::min(low, logarithm);
    high = std::max(high, logarithm);
  }
};

/// A chart area with two logarithmic axes.
struct LogPanel {
  Box box;
  Scale x;
  Scale y;

  [[nodiscard]] Point at(double points, double seconds) const {
    return {.x = x(std::log10(points)), .y = y(std::log10(std::max(seconds, 1e-9)))};
  }
};

LogPanel log_panel(const Box& box, std::span<const LatencyRow> rows,
                   std::initializer_list<Reading> readings) {
  LogRange points;
  LogRange seconds;
  for (const LatencyRow& row : rows) {
    points.include(row.points);
    for (const Reading& reading : readings) seconds.include(reading(row));
  }
  const double margin = points.high > points.low ? 0.03 * (points.high - points.low) : 0.5;
  // Half a decade is a factor of 3.16.
  const double floor = std::floor(2.0 * seconds.low) / 2.0;
  const double ceiling = std::ceil(2.0 * seconds.high) / 2.0;
  return {.box = box,
          .x = {.data_low = points.low - margin,
                .data_high = points.high + margin,
                .pixel_low = box.left,
                .pixel_high = box.right()},
          .y = {.data_low = floor,
                .data_high = std::max(ceiling, floor + 1.0),  // ensures at least one tick
                .pixel_low = box.bottom(),
                .pixel_high = box.top}};
}

void draw_time_axis(Svg& svg, const LogPanel& panel) {
  for (double decade = std::ceil(panel.y.data_low); decade <= panel.y.data_high; decade += 1.0) {
    const double y = panel.y(decade);
    svg.line({.x = panel.box.left, .y = y}, {.x = panel.box.right(), .y = y}, {.stroke = kGrid});
    svg.text({.x = panel.box.left - 8.0, .y = y + 4.0}, readable_time(std::pow(10.0, decade)),
             {.size = 11.5, .colour = kMuted, .anchor = Anchor::end});
  }
}

/// draw_points_axis draws a tick at every measured number of points, and labels if there is room.
void draw_points_axis(Svg& svg, const LogPanel& panel, std::span<const LatencyRow> rows) {
  std::set<int> measured;
  for (const LatencyRow& row : rows) measured.insert(row.points);
  const double bottom = panel.box.bottom();
  svg.line({.x = panel.box.left, .y = bottom}, {.x = panel.box.right(), .y = bottom},
           {.stroke = kMuted});
  double room_from = panel.box.left;
  for (const int points : measured) {
    const double x = panel.x(std::log10(points));
    svg.line({.x = x, .y = panel.box.top}, {.x = x, .y = bottom},
             {.stroke = kGrid, .stroke_width = 0.5});
    svg.line({.x = x, .y = bottom}, {.x = x, .y = bottom + 5.0}, {.stroke = kMuted});
    const std::string label = std::to_string(points);
    const double half_width = 4.0 * static_cast<double>(label.size());
    if (x - half_width < room_from) continue;
    svg.text({.x = x, .y = bottom + 20.0}, label,
             {.size = 11.5, .colour = kMuted, .anchor = Anchor::middle});
    room_from = x + half_width;
  }
}

std::vector<Point> curve(const LogPanel& panel, std::span<const LatencyRow> rows,
                         const Reading& reading) {
  std::vector<Point> points;
  points.reserve(rows.size());
  for (const LatencyRow& row : rows) points.push_back(panel.at(row.points, reading(row)));
  return points;
}

void draw_band(Svg& svg, const LogPanel& panel, const LatencySeries& series, const Reading& low,
               const Reading& high) {
  std::vector<Point> outline = curve(panel, series.rows, low);
  const std::vector<Point> upper = curve(panel, series.rows, high);
  outline.insert(outline.end(), upper.rbegin(), upper.rend());
  svg.polyline(outline, {.fill = series.colour, .opacity = kBandShade});
}

void draw_curve(Svg& svg, const LogPanel& panel, const LatencySeries& series,
                const Reading& reading) {
  const std::vector<Point> points = curve(panel, series.rows, reading);
  svg.polyline(points, {.stroke = series.colour, .stroke_width = 2.2});
  for (const Point& point : points) svg.circle(point, 3.0, {.fill = series.colour});
}

/// draw_refits draws refits only if they are scheduled. Otherwise every ask is a refit.
void draw_refits(Svg& svg, const LogPanel& panel, const LatencySeries& series) {
  std::vector<LatencyRow> scheduled;
  std::ranges::copy_if(series.rows, std::back_inserter(scheduled),
                       [](const LatencyRow& row) { return row.refit_share < 1.0; });
  const std::vector<Point> points = curve(panel, scheduled, refit);
  svg.polyline(points, {.stroke = series.colour, .stroke_width = 1.4, .dashes = kRefitDashes});
  for (const Point& point : points) {
    svg.circle(point, 2.6, {.fill = "#ffffff", .stroke = series.colour, .stroke_width = 1.4});
  }
}

struct EndLabel {
  Point at;
  std::string text;
  std::string_view colour;
};

/// draw_end_labels writes the names of the curves at their ends, moved apart as far as necessary.
void draw_end_labels(Svg& svg, std::vector<EndLabel> labels) {
  constexpr double kLineHeight = 16.0;
  std::ranges::sort(labels, {}, [](const EndLabel& label) { return label.at.y; });
  double lowest = -std::numeric_limits<double>::infinity();
  for (const EndLabel& label : labels) {
    const double y = std::max(label.at.y, lowest + kLineHeight);
    svg.text({.x = label.at.x + 10.0, .y = y + 4.0}, label.text,
             {.size = 12.5, .colour = label.colour, .bold = true});
    lowest = y;
  }
}

std::string growth_label(const LatencySeries& series) {
  const std::string name = fmt::format("d = {}", series.dimension());
  return std::isnan(series.exponent) ? name : fmt::format("{}: n^{:.2f}", name, series.exponent);
}

enum class Sample { line, band, dashes };

struct Explanation {
  Sample sample;
  std::string_view label;
};

void draw_sample(Svg& svg, Point at, Sample sample) {
  const Point left{.x = at.x, .y = at.y - 4.0};
  const Point right{.x = at.x + 20.0, .y = at.y - 4.0};
  switch (sample) {
    case Sample::line: svg.line(left, right, {.stroke = kMuted, .stroke_width = 2.2}); break;
    case Sample::band:
      svg.line(left, right, {.stroke = kMuted, .stroke_width = 11.0, .opacity = 2.0 * kBandShade});
      break;
    case Sample::dashes:
      svg.line(left, right, {.stroke = kMuted, .stroke_width = 1.4, .dashes = kRefitDashes});
      break;
  }
}

/// draw_panel_heading draws the heading of a panel: its name, then the meaning of its curves.
void draw_panel_heading(Svg& svg, const LogPanel& panel, std::string_view name,
                        const std::vector<Explanation>& explanations) {
  constexpr double kLetter = 6.2;
  const double y = panel.box.top - 14.0;
  svg.text({.x = panel.box.left, .y = y}, name, {.size = 14.0, .colour = kInk, .bold = true});
  double x = panel.box.left + 54.0;
  for (const Explanation& explanation : explanations) {
    draw_sample(svg, {.x = x, .y = y}, explanation.sample);
    svg.text({.x = x + 26.0, .y = y}, explanation.label, {.size = 12.0, .colour = kMuted});
    x += 48.0 + kLetter * static_cast<double>(explanation.label.size());
  }
}

void draw_asks(Svg& svg, const LatencyReport& report, const std::vector<LatencySeries>& all) {
  const LogPanel panel = log_panel(kAskBox, report.rows, {amortised, refit, ask_median, ask_p99});
  draw_time_axis(svg, panel);
  draw_points_axis(svg, panel, report.rows);
  std::vector<Explanation> explanations = {{Sample::line, "amortised"},
                                           {Sample::band, "p50 to p99"}};
  if (std::ranges::any_of(report.rows, [](const auto& row) { return row.refit_share < 1.0; })) {
    explanations.push_back({Sample::dashes, "refit"});
  }
  draw_panel_heading(svg, panel, "ask", explanations);
  for (const LatencySeries& series : all) draw_band(svg, panel, series, ask_median, ask_p99);
  std::vector<EndLabel> labels;
  for (const LatencySeries& series : all) {
    draw_refits(svg, panel, series);
    draw_curve(svg, panel, series, amortised);
    const LatencyRow& last = series.rows.back();
    labels.push_back({.at = panel.at(last.points, last.amortised),
                      .text = growth_label(series),
                      .colour = series.colour});
  }
  draw_end_labels(svg, std::move(labels));
}

void draw_tells(Svg& svg, const LatencyReport& report, const std::vector<LatencySeries>& all) {
  const LogPanel panel = log_panel(kTellBox, report.rows, {tell_median, tell_p99});
  draw_time_axis(svg, panel);
  draw_points_axis(svg, panel, report.rows);
  draw_panel_heading(svg, panel, "tell", {{Sample::line, "p50"}, {Sample::band, "p50 to p99"}});
  for (const LatencySeries& series : all) draw_band(svg, panel, series, tell_median, tell_p99);
  std::vector<EndLabel> labels;
  for (const LatencySeries& series : all) {
    draw_curve(svg, panel, series, tell_median);
    const LatencyRow& last = series.rows.back();
    labels.push_back({.at = panel.at(last.points, last.tell.median),
                      .text = fmt::format("d = {}", series.dimension()),
                      .colour = series.colour});
  }
  draw_end_labels(svg, std::move(labels));
  svg.text({.x = panel.box.left + 0.5 * panel.box.width, .y = panel.box.bottom() + 44.0},
           "observations n", {.size = 12.5, .colour = kInk, .anchor = Anchor::middle});
}

}  // namespace

std::string latency_svg(const LatencyReport& report) {
  const std::string title = fmt::format("{}: how long ask and tell take", report.method);
  Svg svg(kChartWidth, kChartHeight, title);
  svg.rectangle({.width = kChartWidth, .height = kChartHeight}, {.fill = "#ffffff"}, 8.0);
  svg.text({.x = kAskBox.left, .y = 38.0}, title, {.size = 19.0, .colour = kInk, .bold = true});
  if (report.rows.empty()) return svg.finish();
  svg.text({.x = kAskBox.left, .y = 61.0},
           fmt::format("levy<d> in d dimensions, {}", base::counted(report.threads, "thread")),
           {.size = 13.0, .colour = kMuted});
  const std::vector<LatencySeries> all = series_of(report);
  draw_asks(svg, report, all);
  draw_tells(svg, report, all);
  return svg.finish();
}

}  // namespace oscbo
