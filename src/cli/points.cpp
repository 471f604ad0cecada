#include "points.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace oscbo::cli {
namespace {

[[noreturn]] void refuse(const NumericTable& table, const std::string& message) {
  throw Error(ErrorCode::invalid_value, table.name, message);
}

/// The column that bears one of `names`; the number of columns when none does.
std::size_t find_column(const NumericTable& table, const std::vector<std::string>& names) {
  const auto column = std::ranges::find_first_of(table.columns, names);
  return static_cast<std::size_t>(column - table.columns.begin());
}

/// The column of each coordinate: by name when the header has the names of the task, by position
/// when it has none of them. With some of them nobody could tell what the others are.
std::vector<std::size_t> coordinate_columns(const NumericTable& table, const Problem& problem) {
  std::vector<std::size_t> by_position(table.columns.size());
  std::iota(by_position.begin(), by_position.end(), std::size_t{0});
  std::vector<std::size_t> by_name;
  by_name.reserve(problem.parameters.size());
  for (const std::vector<std::string>& names : problem.parameters) {
    by_name.push_back(find_column(table, names));
  }
  const auto nowhere = std::ranges::find(by_name, table.columns.size());
  if (!by_name.empty() && nowhere == by_name.end()) return by_name;
  if (std::ranges::all_of(by_name, [&](std::size_t j) { return j == table.columns.size(); })) {
    return by_position;
  }
  const auto missing = static_cast<std::size_t>(nowhere - by_name.begin());
  refuse(table, fmt::format("line {}: no column is called '{}'; use the names of all parameters "
                            "of the task, in any order, or of none",
                            table.header_line, fmt::join(problem.parameters[missing], "' or '")));
}

}  // namespace

std::vector<std::vector<double>> points_of(const NumericTable& table, const Problem& problem) {
  if (table.columns.size() != problem.bounds.size()) {
    refuse(table, fmt::format("line {}: {} columns where the task has {} parameters",
                              table.header_line, table.columns.size(), problem.bounds.size()));
  }
  const std::vector<std::size_t> columns = coordinate_columns(table, problem);
  std::vector<std::vector<double>> points(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double value = table.row(row)[columns[j]];
      const auto [lower, upper] = problem.bounds[j];
      if (value < lower || value > upper) {
        refuse(table, fmt::format("{}: '{}' is outside [{}, {}]", table.cell(row, columns[j]),
                                  value, lower, upper));
      }
      points[row].push_back(value);
    }
  }
  return points;
}

}  // namespace oscbo::cli
