#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "oscbo/experiment.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct CalibrationArguments {
  std::string directory;
  std::string format = "table";
};

/// The table for people shows percentages with one decimal; a few hundred rounds do not support
/// more. Programs get the columns of calibration.csv.
Table means_table(const std::vector<CalibrationRow>& rows, bool for_people) {
  std::vector<std::string> columns = {"task", "method", "seeds", "predictions"};
  for (const double level : kCoverageLevels) {
    columns.push_back(for_people ? fmt::format("{:.3g} %", 100.0 * level)
                                 : fmt::format("coverage{:.0f}", 100.0 * level));
  }
  columns.insert(columns.end(), {"pit_distance", "mean_width", "log_score", "crps"});
  Table table(columns);
  for (const auto& [task, method, seeds, mean] : rows) {
    std::vector<Cell> cells = {task, method, std::int64_t{seeds}, mean.predictions};
    for (const double coverage : mean.coverage) {
      cells.emplace_back(for_people ? std::round(1000.0 * coverage) / 10.0 : coverage);
    }
    cells.insert(cells.end(), {mean.pit_distance, mean.mean_width, mean.log_score, mean.crps});
    table.add(cells);
  }
  return table;
}

void run_calibration(const CalibrationArguments& arguments) {
  const std::vector<CalibrationRow> rows = read_calibration(arguments.directory);
  if (rows.empty()) {
    throw Error(ErrorCode::conflict, arguments.directory,
                "has no finished run yet; start one with 'oscbo bench run'");
  }
  const Format format = parse_format(arguments.format);
  print(means_table(rows, format == Format::table).render(format));
}

}  // namespace

void add_bench_calibration(CLI::App& bench) {
  CLI::App* command =
      bench.add_subcommand("calibration", "Show how far the predictions of runs could be trusted");
  auto arguments = std::make_shared<CalibrationArguments>();
  add_results(*command, arguments->directory);
  add_format(*command, arguments->format);
  command->footer(
      "Prints means over the finished seeds of every (task, method): the percentage of "
      "observations\n"
      "inside the central interval of each level, the distance of the PIT values from uniform, "
      "the\n"
      "interval width, the log score (higher is better) and the CRPS (lower is better). The\n"
      "experiment may still be running.\n\n"
      "Examples:\n"
      "  oscbo bench calibration results\n"
      "  oscbo bench calibration results --format json");
  command->callback([arguments] { run_calibration(*arguments); });
}

}  // namespace oscbo::cli
