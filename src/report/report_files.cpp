#include "experiment/files.hpp"
#include "report/gnuplot.hpp"
#include "report/report.hpp"

namespace oscbo::report {
namespace {

constexpr const char* kFiguresDirectory = "figures";

Report without_figures(Report report) {
  for (ReportSection& section : report.sections) section.figures.clear();
  return report;
}

}  // namespace

ReportPaths::ReportPaths(const std::filesystem::path& directory)
    : page(directory / "report.html"),
      markdown(directory / "report.md"),
      figures(directory / kFiguresDirectory) {}

void write_report_files(const Report& report, const std::filesystem::path& directory, bool figures,
                        const std::function<void(std::size_t, std::size_t)>& progress) {
  if (figures) require_gnuplot();
  const ReportPaths paths(directory);
  experiment::write_text(paths.page, report_html(report));
  experiment::write_text(paths.markdown, report_markdown(figures ? report : without_figures(report),
                                                         kFiguresDirectory));
  if (figures) draw_figures(report, paths.figures, progress);
}

}  // namespace oscbo::report
