#include "report/svg.hpp"

#include <cmath>

#include <fmt/format.h>

namespace oscbo::report {
namespace {

constexpr std::string_view kFonts =
    "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    switch (character) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += character;
    }
  }
  return result;
}

std::string attributes(const Paint& paint) {
  std::string text = fmt::format(R"(fill="{}")", paint.fill.empty() ? "none" : paint.fill);
  if (!paint.stroke.empty()) {
    text += fmt::format(R"( stroke="{}" stroke-width="{:.4g}")", paint.stroke, paint.stroke_width);
  }
  if (paint.opacity < 1.0) text += fmt::format(R"( opacity="{:.4g}")", paint.opacity);
  if (!paint.dashes.empty()) text += fmt::format(R"( stroke-dasharray="{}")", paint.dashes);
  return text;
}

std::string_view anchor_name(Anchor anchor) {
  switch (anchor) {
    case Anchor::middle: return "middle";
    case Anchor::end: return "end";
    case Anchor::start: break;
  }
  return "start";
}

std::string attributes(const TextStyle& style) {
  return fmt::format(R"(font-size="{:.4g}" fill="{}" text-anchor="{}" font-weight="{}")",
                     style.size, style.colour, anchor_name(style.anchor),
                     style.bold ? "600" : "400");
}

}  // namespace

Svg::Svg(double width, double height, std::string_view description) {
  add(fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" )"
                  R"(width="{0:.0f}" height="{1:.0f}" role="img" font-family="{2}">)",
                  width, height, kFonts));
  add(fmt::format("<title>{}</title>", escaped(description)));
}

void Svg::add(std::string_view element) {
  body_ += element;
  body_ += '\n';
}

void Svg::rectangle(const Box& box, const Paint& paint, double corner_radius) {
  add(fmt::format(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" rx="{:.4g}" {}/>)",
                  box.left, box.top, box.width, box.height, corner_radius, attributes(paint)));
}

void Svg::line(Point from, Point to, const Paint& paint) {
  add(fmt::format(R"(<line x1="{:.2f}" y1="{:.2f}" x2="{:.2f}" y2="{:.2f}" {}/>)", from.x, from.y,
                  to.x, to.y, attributes(paint)));
}

void Svg::polyline(const std::vector<Point>& points, const Paint& paint) {
  std::string list;
  for (const Point& point : points) list += fmt::format("{:.2f},{:.2f} ", point.x, point.y);
  add(fmt::format(R"(<polyline points="{}" stroke-linejoin="round" {}/>)", list,
                  attributes(paint)));
}

void Svg::circle(Point centre, double radius, const Paint& paint) {
  add(fmt::format(R"(<circle cx="{:.2f}" cy="{:.2f}" r="{:.4g}" {}/>)", centre.x, centre.y, radius,
                  attributes(paint)));
}

void Svg::text(Point at, std::string_view content, const TextStyle& style) {
  add(fmt::format(R"(<text x="{:.2f}" y="{:.2f}" {}>{}</text>)", at.x, at.y, attributes(style),
                  escaped(content)));
}

std::string Svg::finish() const { return body_ + "</svg>\n"; }

std::vector<double> nice_ticks(double low, double high, int count) {
  if (!(low < high)) return {low};
  const double raw = (high - low) / count;
  const double decade = std::pow(10.0, std::floor(std::log10(raw)));
  const double ratio = raw / decade;
  const double step = decade * (ratio <= 1.5   ? 1.0
                                : ratio <= 3.5 ? 2.0
                                : ratio <= 7.5 ? 5.0
                                               : 10.0);
  const double first = std::ceil(low / step);
  std::vector<double> ticks;
  for (int i = 0; i <= 2 * count; ++i) {
    // Ticks are multiples, not repeated sums, so that rounding errors do not add up. Adding 0 turns
    // -0 into 0.
    const double tick = (first + i) * step + 0.0;
    if (tick > high) break;
    ticks.push_back(tick);
  }
  return ticks;
}

}  // namespace oscbo::report
