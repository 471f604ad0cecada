#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/figure_layout.hpp"
#include "report/report.hpp"
#include "report/report_assets.hpp"
#include "report/report_columns.hpp"

namespace oscbo::report {
namespace {

using Json = nlohmann::json;

/// rounded_json keeps five significant digits. More are not visible in a chart, and the page is a
/// third of the size.
Json rounded_json(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

Json shown_column(const std::vector<double>& values, const Axis& axis) {
  Json column = Json::array();
  for (const double value : values) column.push_back(rounded_json(shown_value(value, axis)));
  return column;
}

Json range_json(Range range) {
  if (range.empty()) return nullptr;
  return {range.low, range.high};
}

std::string_view dash_name(Dash dash) {
  switch (dash) {
    case Dash::dashed: return "dashed";
    case Dash::dotted: return "dotted";
    case Dash::solid: break;
  }
  return "solid";
}

/// style_json returns the part of a series that a legend shows.
Json style_json(const Series& series) {
  return {{"label", series.label},
          {"colour", series.colour},
          {"mark", series.mark == Mark::points ? "points" : "line"},
          {"dash", dash_name(series.dash)},
          {"size", series.size}};
}

Json series_json(const Series& series, const Panel& panel) {
  Json json = style_json(series);
  json["x"] = shown_column(series.x, panel.x);
  json["y"] = shown_column(series.y, panel.y);
  json["range"] = range_json(y_range(series, panel.y));
  if (!series.lower.empty()) {
    json["lower"] = shown_column(series.lower, panel.y);
    json["upper"] = shown_column(series.upper, panel.y);
  }
  return json;
}

Json axis_json(const Axis& axis) {
  return {
      {"title", axis.title}, {"logarithmic", axis.logarithmic}, {"categories", axis.categories}};
}

Json panel_json(const Panel& panel) {
  Json json = {{"title", panel.title},
               {"x", axis_json(panel.x)},
               {"y", axis_json(panel.y)},
               {"series", Json::array()}};
  json["x"]["range"] = range_json(x_range(panel));
  for (const Series& series : panel.series) json["series"].push_back(series_json(series, panel));
  return json;
}

Json figure_json(const Figure& figure) {
  check_figure(figure);
  Json json = {{"name", figure.name},       {"title", figure.title},
               {"caption", figure.caption}, {"columns", std::max(figure.columns, 1)},
               {"legend", Json::array()},   {"panels", Json::array()}};
  for (const Series& entry : legend_entries(figure)) json["legend"].push_back(style_json(entry));
  for (const Panel& panel : figure.panels) json["panels"].push_back(panel_json(panel));
  return json;
}

Json table_json(const ReportTable& table) {
  return {{"title", table.title},
          {"note", table.note},
          {"header", table.header},
          {"rows", table.rows},
          {"numeric", numeric_columns(table)}};
}

Json section_json(const ReportSection& section) {
  Json json = {{"title", section.title},
               {"text", section.text},
               {"tables", Json::array()},
               {"figures", Json::array()}};
  for (const ReportTable& table : section.tables) json["tables"].push_back(table_json(table));
  for (const Figure& figure : section.figures) json["figures"].push_back(figure_json(figure));
  return json;
}

Json report_json(const Report& report) {
  Json json = {{"title", report.title}, {"subtitle", report.subtitle}, {"sections", Json::array()}};
  for (const ReportSection& section : report.sections) {
    json["sections"].push_back(section_json(section));
  }
  return json;
}

/// with_replaced returns `text` with every `character` replaced.
std::string with_replaced(std::string_view text, char character, std::string_view replacement) {
  std::string result;
  for (const char each : text) {
    if (each == character) {
      result += replacement;
    } else {
      result += each;
    }
  }
  return result;
}

/// script_safe returns JSON that is safe in a script element, where "</script>" and "<!--" are
/// special. A "<" occurs only in strings, so it can be written as its code.
std::string script_safe(const Json& json) {
  return with_replaced(json.dump(-1, ' ', false, Json::error_handler_t::replace), '<', "\\u003c");
}

std::string html_text(std::string_view text) {
  return with_replaced(with_replaced(text, '&', "&amp;"), '<', "&lt;");
}

/// filled_template replaces each {{name}} in the template by its entry in `parts`. It makes only
/// one pass, because the inserted text may contain braces.
std::string filled_template(std::string_view page,
                            const std::vector<std::pair<std::string_view, std::string>>& parts) {
  std::string result;
  for (const auto& [name, text] : parts) {
    const std::string place = fmt::format("{{{{{}}}}}", name);
    const std::size_t at = page.find(place);
    result += page.substr(0, at);
    result += text;
    page.remove_prefix(at + place.size());
  }
  return result += page;
}

}  // namespace

std::string report_html(const Report& report) {
  return filled_template(report_page_template(), {{"title", html_text(report.title)},
                                                  {"style", report_page_style()},
                                                  {"data", script_safe(report_json(report))},
                                                  {"chart_library", chart_library()},
                                                  {"script", report_page_script()}});
}

}  // namespace oscbo::report
