#include "report/report_columns.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace oscbo::report {
namespace {

bool is_missing_cell(std::string_view cell) {
  return std::ranges::none_of(cell, [](unsigned char byte) { return std::isalnum(byte) != 0; });
}

/// starts_with_number accepts "0.12 ± 0.03" and "90 %", but not "3d-rosenbrock".
bool starts_with_number(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc::invalid_argument) return false;
  const std::string_view rest = cell.substr(static_cast<std::size_t>(end - cell.data()));
  return rest.empty() || (std::isalnum(static_cast<unsigned char>(rest.front())) == 0 &&
                          rest.front() != '-' && rest.front() != '_');
}

bool is_numeric_column(const ReportTable& table, std::size_t column) {
  bool has_number = false;
  for (const std::vector<std::string>& row : table.rows) {
    if (column >= row.size() || is_missing_cell(row[column])) continue;
    if (!starts_with_number(row[column])) return false;
    has_number = true;
  }
  return has_number;
}

}  // namespace

std::vector<bool> numeric_columns(const ReportTable& table) {
  std::vector<bool> numeric;
  for (std::size_t column = 0; column < table.header.size(); ++column) {
    numeric.push_back(is_numeric_column(table, column));
  }
  return numeric;
}

}  // namespace oscbo::report
