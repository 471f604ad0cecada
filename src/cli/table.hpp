// Prints rows for all commands: for people, for programs, or for a documentation page.
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

/// A number shown with all of its digits in every format, because people may have to type it.
struct Exact {
  double number = 0.0;
};

/// A cell is text, a number, a boolean, or empty. NaN counts as empty.
using Cell = std::variant<std::monostate, std::string, double, std::int64_t, bool, Exact>;

class Table {
 public:
  explicit Table(std::vector<std::string> columns);

  /// add appends a row with a cell for every column.
  void add(std::vector<Cell> row);

  /// render returns the whole table, ending in a newline. Numbers round-trip in json and csv; the
  /// other formats show five significant digits, or all digits of an Exact number.
  [[nodiscard]] std::string render(Format format) const;

  /// render_facts renders a table of names and values. In json it is one object.
  [[nodiscard]] std::string render_facts(Format format) const;

 private:
  [[nodiscard]] std::string render_table() const;
  [[nodiscard]] std::string render_json() const;
  [[nodiscard]] std::string render_csv() const;
  [[nodiscard]] std::string render_markdown() const;

  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace oscbo::cli
