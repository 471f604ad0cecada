// File: oscbo/table.hpp
//
// Tables in CSV files: a header row with the names of the columns, followed by rows of numbers or
// of strings.
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
  /// A run of rows in consecutive lines of the file: row + k is in line + k.
  struct Stretch {
    std::size_t row = 0;
    std::size_t line = 0;
  };

  std::string name;  // name of the file, for messages
  std::vector<std::string> columns;
  std::vector<Cell> values;        // row by row
  std::size_t header_line = 0;     // counted from 1
  std::vector<Stretch> stretches;  // ascending; the first starts with row 0

  [[nodiscard]] std::size_t rows() const noexcept {
    return columns.empty() ? 0 : values.size() / columns.size();
  }

  [[nodiscard]] std::span<const Cell> row(std::size_t index) const noexcept {
    return {values.data() + index * columns.size(), columns.size()};
  }

  /// line returns the line of a row in the file, counted from 1.
  [[nodiscard]] std::size_t line(std::size_t row) const;

  /// cell returns the place of a value for messages, e.g. "line 3, column 2 (speed)".
  [[nodiscard]] std::string cell(std::size_t row, std::size_t column) const;
};

using NumericTable = BasicTable<double>;  // all values are finite
using TextTable = BasicTable<std::string>;

/// read_table reads cells separated by commas. It ignores blank lines, blanks around cells and a
/// byte order mark. Lines may end in CR LF, and cells may be quoted. Throws Error naming `name`
/// and, if possible, the line and column: invalid_value for a missing header, two columns with the
/// same name, a row with a different number of cells, a cell that is not a finite number, or a
/// table without rows; io if `stream` fails.
[[nodiscard]] NumericTable read_table(std::istream& stream, std::string name);

/// read_table reads the file at `path`. Throws Error as above, and Error (io) if it cannot be
/// opened.
[[nodiscard]] NumericTable read_table(const std::filesystem::path& path);

/// read_text_table reads a table whose cells are strings. Blanks around a string are removed.
/// Inside quotes a comma is part of the string. Throws Error as read_table does, and Error
/// (invalid_value) for control characters.
[[nodiscard]] TextTable read_text_table(std::istream& stream, std::string name);
[[nodiscard]] TextTable read_text_table(const std::filesystem::path& path);

}  // namespace oscbo
