// A report like the report of an experiment, made from formulas, and a function that finds its
// sections.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/report.hpp"

namespace oscbo::report {

/// section_called returns the section with this title. The test fails if there is none.
inline ReportSection section_called(const Report& report, const std::string& title) {
  for (const ReportSection& section : report.sections) {
    if (section.title == title) return section;
  }
  ADD_FAILURE() << "no section is called " << title;
  return {};
}

inline const std::vector<std::string>& sample_methods() {
  static const std::vector<std::string> names = {"oscbo",    "oscbo-l1",  "gp-ucb-mll", "ocbo",
                                                 "a-gp-ucb", "lb-gp-ucb", "scgp"};
  return names;
}

/// A curve that falls at its own pace. Its band widens until the lower edge reaches zero.
inline Series sample_curve(const std::string& method, int rate, int steps) {
  const MethodStyle style = method_style(method);
  Series series{.label = method, .colour = style.colour, .dash = style.dash};
  for (int step = 0; step <= steps; ++step) {
    const double mean = std::exp(-0.01 * (2 + rate) * step) * (1.2 + std::sin(0.2 * step + rate));
    const double error = mean * (0.1 + 0.01 * step);
    series.x.push_back(step);
    series.y.push_back(mean);
    series.lower.push_back(mean - error);
    series.upper.push_back(mean + error);
  }
  return series;
}

inline Figure sample_curves(const std::string& name, int panels, int steps, bool logarithmic) {
  Figure figure{.name = name,
                .title = "Curves of " + name,
                .caption = "Mean over seeds; bands are one standard error.",
                .columns = 4};
  for (int task = 0; task < panels; ++task) {
    Panel panel{.title = "task_" + std::to_string(task),
                .x = {.title = "step"},
                .y = {.title = "simple regret", .logarithmic = logarithmic}};
    for (std::size_t i = 0; i < sample_methods().size(); ++i) {
      panel.series.push_back(sample_curve(sample_methods()[i], static_cast<int>(i) + task, steps));
    }
    figure.panels.push_back(panel);
  }
  return figure;
}

/// One dot with an error bar per method; the last has no known error.
inline Figure sample_ranks() {
  Figure figure{
      .name = "ranks", .title = "Mean ranks", .caption = "Lower is better.", .columns = 2};
  for (const bool logarithmic : {false, true}) {
    Panel panel{.title = logarithmic ? "seconds" : "rank",
                .x = {.categories = sample_methods()},
                .y = {.title = "value", .logarithmic = logarithmic}};
    for (std::size_t i = 0; i < sample_methods().size(); ++i) {
      const auto x = static_cast<double>(i);
      const double error = i + 1 == sample_methods().size()
                               ? std::numeric_limits<double>::quiet_NaN()
                               : 0.3 + 0.05 * x;
      panel.series.push_back({.label = sample_methods()[i],
                              .colour = method_style(sample_methods()[i]).colour,
                              .mark = Mark::points,
                              .x = {x},
                              .y = {1.0 + x},
                              .lower = {1.0 + x - error},
                              .upper = {1.0 + x + error}});
    }
    figure.panels.push_back(panel);
  }
  return figure;
}

inline Report sample_report(int panels, int steps) {
  Report report{.title = "Comparison <of> methods & tasks",
                .subtitle = "7 tasks, 7 methods, 20 seeds",
                .sections = {}};
  report.sections.push_back(
      {.title = "Summary",
       .text = "The first paragraph has `code`.\n\n- one thing\n- another </script> thing",
       .tables = {{.title = "Final regret",
                   .note = "Mean and standard error.",
                   .header = {"method", "regret", "rank"},
                   .rows = {{"oscbo", "0.12 ± 0.03", "1.5"},
                            {"ocbo", "10.3 ± 2", "3"},
                            {"scgp", "–", "2.5"}}}},
       .figures = {sample_ranks()}});
  report.sections.push_back({.title = "Curves",
                             .figures = {sample_curves("simple-regret", panels, steps, true),
                                         sample_curves("coverage", panels, steps, false)}});
  return report;
}

}  // namespace oscbo::report
