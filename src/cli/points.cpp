#include "points.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "counted.hpp"

namespace oscbo::cli {
namespace {

[[noreturn]] void refuse(const TextTable& table, const std::string& message) {
  throw Error(ErrorCode::invalid_value, table.name, message);
}

/// Returns the column with one of these names, or the number of columns if there is none.
std::size_t find_column(const TextTable& table, const std::vector<std::string>& names) {
  const auto column = std::ranges::find_first_of(table.columns, names);
  return static_cast<std::size_t>(column - table.columns.begin());
}

/// Returns the column of each coordinate: by name if the header has all names of the task, by
/// position if it has no such name. A header with only some of the names is ambiguous and refused.
std::vector<std::size_t> coordinate_columns(const TextTable& table, const Problem& problem) {
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
                            "of the task, in any order, or no such name",
                            table.header_line, fmt::join(problem.parameters[missing], "' or '")));
}

/// Returns the value of a cell. Refuses a value that the parameter does not accept.
double value_of(const TextTable& table, std::size_t row, std::size_t column, const Space& space,
                std::size_t k) {
  try {
    return space.value(k, table.row(row)[column]);
  } catch (const Error& error) {
    const std::string message = std::string(error.what()).substr(error.field().size() + 2);
    refuse(table, fmt::format("{}: {}", table.cell(row, column), message));
  }
}

/// Returns a row as a point. A cell must be empty exactly if its parameter is inactive.
std::vector<double> point_of(const TextTable& table, std::size_t row,
                             const std::vector<std::size_t>& columns, const Space& space) {
  const std::span<const std::string> cells = table.row(row);
  std::vector<double> x(columns.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!cells[columns[k]].empty()) x[k] = value_of(table, row, columns[k], space, k);
  }
  for (std::size_t k = 0; k < x.size(); ++k) {
    const bool is_empty = cells[columns[k]].empty();
    const bool is_active = space.is_active(x, k);
    if (is_empty && is_active) x[k] = value_of(table, row, columns[k], space, k);  // refuses it
    if (is_empty || is_active) continue;
    refuse(table, fmt::format("{}: is not active in this row; leave the cell empty",
                              table.cell(row, columns[k])));
  }
  try {
    space.check(x, fmt::format("line {}", table.line(row)));
  } catch (const Error& error) {
    refuse(table, error.what());
  }
  return x;
}

}  // namespace

std::vector<std::vector<double>> points_of(const TextTable& table, const Problem& problem) {
  const std::size_t dimension = problem.space.dimension();
  if (table.columns.size() != dimension) {
    refuse(table,
           fmt::format("line {}: has {}; the task has {}", table.header_line,
                       counted(table.columns.size(), "column"), counted(dimension, "parameter")));
  }
  const std::vector<std::size_t> columns = coordinate_columns(table, problem);
  std::vector<std::vector<double>> points;
  points.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    points.push_back(point_of(table, row, columns, problem.space));
  }
  return points;
}

}  // namespace oscbo::cli
