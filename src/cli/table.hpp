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

/// A number that people, too, see with all of its digits: what they read they may have to type.
struct Exact {
  double number = 0.0;
};

/// A cell is text, a number, yes or no, or nothing; NaN counts as nothing.
using Cell = std::variant<std::monostate, std::string, double, std::int64_t, bool, Exact>;

class Table {
 public:
  explicit Table(std::vector<std::string> columns);

  /// add appends a row with a cell for every column.
  void add(std::vector<Cell> row);

  /// render returns the whole table, ending in a newline. Numbers round-trip in json and csv; the
  /// other formats show five significant digits.
  [[nodiscard]] std::string render(Format format) const;

  /// render_facts does so for a table of names and their values, which is one object in json.
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
