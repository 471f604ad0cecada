// A report as data, and its renderings: a self-contained page, Markdown, and figure files.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report/figure.hpp"

namespace oscbo::report {

struct ReportTable {
  std::string title = {};
  std::string note = {};  // how to read it
  std::vector<std::string> header = {};
  std::vector<std::vector<std::string>> rows = {};
};

/// A section shows its text, then its tables, then its figures. Empty lines separate the paragraphs
/// of the text. A paragraph with lines that start with "- " is a list. Words between backquotes are
/// code.
struct ReportSection {
  std::string title = {};
  std::string text = {};
  std::vector<ReportTable> tables = {};
  std::vector<Figure> figures = {};
};

struct Report {
  std::string title = {};
  std::string subtitle = {};  // what was run: "7 tasks, 7 methods, 20 seeds, 100 rounds"
  std::vector<ReportSection> sections = {};
};

/// report_html returns a self-contained page with interactive charts.
[[nodiscard]] std::string report_html(const Report& report);

/// report_markdown returns the report with its figures as links to `figures`/NAME.svg.
[[nodiscard]] std::string report_markdown(const Report& report, const std::string& figures);

/// draw_figures writes every figure of `report` as NAME.svg and NAME.pdf to `directory`, which it
/// creates if necessary. `progress` is called with the number of figures drawn and their total.
/// Each file is written atomically. Throws Error (io) if gnuplot is missing or fails.
void draw_figures(const Report& report, const std::filesystem::path& directory,
                  const std::function<void(std::size_t, std::size_t)>& progress = {});

/// The files of a report in a directory.
struct ReportPaths {
  explicit ReportPaths(const std::filesystem::path& directory);

  std::filesystem::path page;
  std::filesystem::path markdown;
  std::filesystem::path figures;
};

/// write_report_files writes the page and the Markdown to `directory`, and the figures if
/// requested. Without figures, the Markdown has no links to them. With figures, it throws the
/// errors of draw_figures, and writes nothing if gnuplot is missing.
void write_report_files(const Report& report, const std::filesystem::path& directory, bool figures,
                        const std::function<void(std::size_t, std::size_t)>& progress = {});

}  // namespace oscbo::report
