#include "points.hpp"

#include <fmt/format.h>

namespace oscbo::cli {

void require_points(const NumericTable& table, const Problem& problem) {
  if (table.columns.size() != problem.bounds.size()) {
    throw Error(ErrorCode::invalid_value, table.name,
                fmt::format("line {}: {} columns where the task has {} parameters",
                            table.header_line, table.columns.size(), problem.bounds.size()));
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const double value = table.row(row)[column];
      const auto [lower, upper] = problem.bounds[column];
      if (value >= lower && value <= upper) continue;
      throw Error(ErrorCode::invalid_value, table.name,
                  fmt::format("{}: '{}' is outside [{}, {}]", table.cell(row, column), value, lower,
                              upper));
    }
  }
}

}  // namespace oscbo::cli
