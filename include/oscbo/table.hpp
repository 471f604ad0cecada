// File: oscbo/table.hpp
//
// Tables in CSV files: a header row with the names of the columns, then rows of numbers, or of any
// text.
//
//   const oscbo::NumericTable table = oscbo::read_table("experiments.csv");
//   const double first = table.row(0)[0];  // of the column table.columns[0]
#pragma once

#include <cstddef>
#include <filesystem>
#include <istream>
#include <span>
#include <string>
#include <vector>

#include "oscbo/error.hpp"

namespace oscbo {

template <class Cell>
struct BasicTable {
  /// From `row` on, lines follow each other: row + k lies in line + k.
  struct Stretch {
    std::size_t row = 0;
    std::size_t line = 0;
  };

  std::string name;  // of the file, for messages
  std::vector<std::string> columns;
  std::vector<Cell> values;        // row by row
  std::size_t header_line = 0;     // counted from 1
  std::vector<Stretch> stretches;  // ascending; the first begins with row 0

  [[nodiscard]] std::size_t rows() const noexcept {
    return columns.empty() ? 0 : values.size() / columns.size();
  }

  [[nodiscard]] std::span<const Cell> row(std::size_t index) const noexcept {
    return {values.data() + index * columns.size(), columns.size()};
  }

  /// line returns where in the file a row was, counted from 1.
  [[nodiscard]] std::size_t line(std::size_t row) const;

  /// cell returns "line 3, column 2 (speed)", for messages about a value of the table.
  [[nodiscard]] std::string cell(std::size_t row, std::size_t column) const;
};

using NumericTable = BasicTable<double>;  // all of them finite
using TextTable = BasicTable<std::string>;

/// read_table reads cells separated by commas. Blank lines, blanks around a cell and a byte order
/// mark are ignored, lines may end in CR LF, cells may be quoted. Throws Error that names `name`,
/// and line and column where there is one: invalid_value for a header that is missing or names two
/// columns alike, a row of another length, a cell that is no finite number, and a table without
/// rows; io when `stream` fails.
[[nodiscard]] NumericTable read_table(std::istream& stream, std::string name);

/// read_table reads the file at `path`. Throws Error as above, and (io) when it cannot be opened.
[[nodiscard]] NumericTable read_table(const std::filesystem::path& path);

/// read_text_table does so for cells that are any text, without the blanks around it; in quotes a
/// comma is part of it. Throws Error likewise, and (invalid_value) for control characters.
[[nodiscard]] TextTable read_text_table(std::istream& stream, std::string name);
[[nodiscard]] TextTable read_text_table(const std::filesystem::path& path);

}  // namespace oscbo
