#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "oscbo/error.hpp"
#include "oscbo/lander_search.hpp"
#include "problems/lander_problem.hpp"
#include "report/svg.hpp"

namespace oscbo::lander {
namespace {

using report::Anchor;
using report::Box;
using report::Point;
using report::Scale;
using report::Svg;

constexpr double kPictureWidth = 1000.0;
constexpr double kHeading = 64.0;  // height of the title and the legend
constexpr double kGap = 8.0;       // between panels
constexpr double kWorldWidth = 20.0;
constexpr double kWorldHeight = 15.5;  // a craft that is pushed upwards rises above the view
constexpr int kThinning = 4;           // every fourth step still makes a smooth curve
constexpr double kPadLeft = 8.0;
constexpr double kPadRight = 12.0;
constexpr double kPadTop = 3.3;

constexpr std::string_view kText = "#1f2933";
constexpr std::string_view kSky = "#f3f5f7";
constexpr std::string_view kGround = "#c9ced4";
constexpr std::string_view kPad = "#000000";

struct OutcomeColour {
  Landing outcome;
  std::string_view colour;
};

// The colours are from Okabe and Ito. They are distinguishable with any kind of colour vision.
constexpr std::array<OutcomeColour, 4> kColours = {{{Landing::rested, "#009E73"},
                                                    {Landing::crashed, "#D55E00"},
                                                    {Landing::left, "#0072B2"},
                                                    {Landing::timed_out, "#CC79A7"}}};

std::string_view colour_of(Landing outcome) {
  return std::ranges::find(kColours, outcome, &OutcomeColour::outcome)->colour;
}

/// One terrain with its flight.
struct FlownTerrain {
  std::vector<GroundVertex> ground;
  std::vector<Step> steps;
  Episode episode;
};

FlownTerrain fly_and_record(std::span<const double> weights, std::size_t terrain) {
  FlownTerrain flown;
  flown.ground = draw_terrain(terrain_draws(terrain));
  flown.episode = fly(weights, terrain_draws(terrain), kTaskPush,
                      [&](const Step& step) { flown.steps.push_back(step); });
  return flown;
}

/// The area in which the world is drawn.
struct Panel {
  Box box;

  [[nodiscard]] Point at(double x, double y) const {
    const Scale across{.data_high = kWorldWidth, .pixel_low = box.left, .pixel_high = box.right()};
    const Scale up{.data_high = kWorldHeight, .pixel_low = box.bottom(), .pixel_high = box.top};
    return {.x = std::clamp(across(x), box.left, box.right()),
            .y = std::clamp(up(y), box.top, box.bottom())};
  }
};

void draw_ground(Svg& svg, const Panel& panel, const std::vector<GroundVertex>& ground) {
  std::vector<Point> outline = {panel.at(0.0, 0.0)};
  for (const GroundVertex& vertex : ground) outline.push_back(panel.at(vertex.x, vertex.y));
  outline.push_back(panel.at(kWorldWidth, 0.0));
  svg.polyline(outline, {.fill = kGround});
  svg.line(panel.at(kPadLeft, kPadTop), panel.at(kPadRight, kPadTop),
           {.stroke = kPad, .stroke_width = 2.0});
}

void draw_trajectory(Svg& svg, const Panel& panel, const FlownTerrain& flown) {
  std::vector<Point> points;
  for (const Step& step : flown.steps) {
    const bool last = step.number == flown.episode.steps;
    if (step.number % kThinning == 0 || last) points.push_back(panel.at(step.hull.x, step.hull.y));
  }
  svg.polyline(points, {.stroke = colour_of(flown.episode.outcome), .stroke_width = 1.5});
}

void draw_body(Svg& svg, const Panel& panel, const std::vector<GroundVertex>& outline,
               const Pose& pose, std::string_view colour) {
  const double s = std::sin(pose.angle);
  const double c = std::cos(pose.angle);
  std::vector<Point> corners;
  corners.reserve(outline.size());
  for (const GroundVertex& corner : outline) {
    corners.push_back(
        panel.at(pose.x + c * corner.x - s * corner.y, pose.y + s * corner.x + c * corner.y));
  }
  svg.polyline(corners, {.fill = colour});
}

void draw_terrain_panel(Svg& svg, const Panel& panel, std::size_t terrain,
                        const FlownTerrain& flown, double text_size) {
  svg.rectangle(panel.box, {.fill = kSky});
  draw_ground(svg, panel, flown.ground);
  draw_trajectory(svg, panel, flown);
  const std::string_view colour = colour_of(flown.episode.outcome);
  for (const Pose& leg : flown.steps.back().legs) {
    draw_body(svg, panel, leg_outline(), leg, colour);
  }
  draw_body(svg, panel, hull_outline(), flown.steps.back().hull, colour);
  const double baseline = panel.box.bottom() - text_size / 2.0;
  svg.text({.x = panel.box.left + text_size / 2.0, .y = baseline}, fmt::format("{}", terrain),
           {.size = text_size, .colour = kText});
  svg.text({.x = panel.box.right() - text_size / 2.0, .y = baseline},
           fmt::format("{:.0f}", flown.episode.reward),
           {.size = text_size, .colour = kText, .anchor = Anchor::end, .bold = true});
}

void draw_heading(Svg& svg, const std::vector<FlownTerrain>& flown, double mean) {
  svg.text({.x = kGap, .y = 26.0}, fmt::format("Lunar lander: mean return {:.2f}", mean),
           {.size = 18.0, .colour = kText, .bold = true});
  double x = kGap;
  for (const auto& [outcome, colour] : kColours) {
    const auto count =
        std::ranges::count(flown, outcome, [](const FlownTerrain& f) { return f.episode.outcome; });
    svg.line({.x = x, .y = 46.0}, {.x = x + 22.0, .y = 46.0},
             {.stroke = colour, .stroke_width = 3.0});
    svg.text({.x = x + 28.0, .y = 50.0}, fmt::format("{} {}", count, to_string(outcome)),
             {.size = 13.0, .colour = kText});
    x += 130.0;
  }
  svg.text({.x = kPictureWidth - kGap, .y = 50.0}, "terrain left, return right",
           {.size = 13.0, .colour = kText, .anchor = Anchor::end});
}

}  // namespace

DrawnFlights draw_flights(std::span<const double> weights, std::size_t count) {
  check_weights(weights, "weights");
  if (count == 0) throw Error(ErrorCode::invalid_value, "terrains", "there is nothing to draw");
  std::vector<FlownTerrain> flown;
  std::vector<Flight> flights;
  for (std::size_t terrain = 0; terrain < count; ++terrain) {
    flown.push_back(fly_and_record(weights, terrain));
    flights.push_back(flight_of(terrain, flown.back().episode));
  }
  const double mean = mean_return(flights);

  // There are about twice as many columns as rows: 10 x 5 for the 50 terrains of the task.
  const auto wanted = std::ceil(std::sqrt(2.0 * static_cast<double>(count)));
  const std::size_t columns = std::min(static_cast<std::size_t>(wanted), count);
  const std::size_t rows = (count + columns - 1) / columns;
  const double width = (kPictureWidth - kGap) / static_cast<double>(columns) - kGap;
  const double height = width * kWorldHeight / kWorldWidth;
  const double picture_height = kHeading + static_cast<double>(rows) * (height + kGap);
  Svg svg(
      kPictureWidth, picture_height,
      fmt::format("Lunar lander on {}, mean return {:.2f}", base::counted(count, "terrain"), mean));
  svg.rectangle({.width = kPictureWidth, .height = picture_height}, {.fill = "#ffffff"});
  draw_heading(svg, flown, mean);
  for (std::size_t i = 0; i < count; ++i) {
    const auto column = static_cast<double>(i % columns);
    const std::size_t rows_above = i / columns;
    const auto row = static_cast<double>(rows_above);
    const Panel panel{.box = {.left = kGap + column * (width + kGap),
                              .top = kHeading + row * (height + kGap),
                              .width = width,
                              .height = height}};
    draw_terrain_panel(svg, panel, i, flown[i], std::clamp(width / 12.0, 8.0, 14.0));
  }
  return {.flights = std::move(flights), .svg = svg.finish()};
}

}  // namespace oscbo::lander
