#include "experiment/result_cells.hpp"

#include <optional>
#include <vector>

#include <fmt/format.h>

#include "experiment/calibration_figures.hpp"
#include "text/csv.hpp"

namespace oscbo::experiment {
namespace {

using text::csv_cell;
using text::joined;
using text::number;

std::string prediction_cells(const std::optional<Prediction>& prediction) {
  if (!prediction) return ",,";
  return fmt::format("{},{},{}", number(prediction->mean), number(prediction->sd),
                     number(prediction->width));
}

std::string feedback_cells(const std::optional<Feedback>& feedback) {
  if (!feedback) return ",,,";
  std::vector<std::string> cells;
  for_each_field<Feedback>([&](const auto& field) {
    cells.push_back(number(static_cast<double>(field.of(*feedback))));
  });
  return fmt::format("{}", fmt::join(cells, ","));
}

std::string learner_cells(const std::optional<Prediction>& prediction) {
  if (!prediction) return ",,";
  return fmt::format("{},{},{}", prediction->multiplier ? number(*prediction->multiplier) : "",
                     joined(prediction->lengthscales, "|"),
                     prediction->phase ? to_string(*prediction->phase) : "");
}

}  // namespace

std::string run_cells(const RunRow& row) {
  return fmt::format("{},{},{},{},{},{},{},{}", row.step, number(row.y), number(row.best),
                     number(row.simple_regret), number(row.cumulative_regret),
                     prediction_cells(row.prediction), feedback_cells(row.feedback),
                     learner_cells(row.prediction));
}

std::string timing_cells(const RunRow& row) {
  return fmt::format("{},{},{}", row.step, number(row.fit_seconds),
                     number(row.acquisition_seconds));
}

std::string query_cells(const RunRow& row) {
  std::vector<std::string> values = row.names;
  values.resize(row.x.size());
  for (std::size_t k = 0; k < row.x.size(); ++k) {
    if (values[k].empty()) values[k] = number(row.x[k]);
  }
  return fmt::format("{},{}", row.step, csv_cell(fmt::format("{}", fmt::join(values, "|"))));
}

std::string calibration_cells(const CalibrationFigures& figures) {
  return joined(to_columns(figures), ",");
}

std::string summary_line(const SummaryRow& row) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(row.method), csv_cell(row.task),
                     row.seeds, number(row.simple_regret), number(row.simple_regret_se),
                     number(row.cumulative_regret), number(row.cumulative_regret_se),
                     number(row.coverage), number(row.mean_width), number(row.simple_rank),
                     number(row.cumulative_rank));
}

}  // namespace oscbo::experiment
