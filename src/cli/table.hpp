// The one way in which commands print rows: for people, for programs, or for a page of the manual.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace oscbo::cli {

enum class Format { table, json, csv, markdown };

/// parse_format returns the format called `name`. Throws Error (invalid_value).
[[nodiscard]] Format parse_format(std::string_view name);

/// A cell is text, a number, or nothing; NaN counts as nothing.
using Cell = std::variant<std::monostate, std::string, double, std::int64_t>;

class Table {
 public:
  explicit Table(std::vector<std::string> columns);

  /// add appends a row with a cell for every column.
  void add(std::vector<Cell> row);

  /// render returns the whole table, ending in a newline. Numbers round-trip in json and csv; the
  /// other formats show five significant digits.
  [[nodiscard]] std::string render(Format format) const;

 private:
  [[nodiscard]] std::string render_table() const;
  [[nodiscard]] std::string render_json() const;
  [[nodiscard]] std::string render_csv() const;
  [[nodiscard]] std::string render_markdown() const;

  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace oscbo::cli
