#include "oscbo/table.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"

namespace oscbo {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool is_control(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte < 0x20 || byte == 0x7F;
}

/// Returns text of a file for a message: short, and with control characters escaped.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  const bool cut = text.size() > kLongest;
  if (cut) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // UTF-8
    text = text.substr(0, end);
  }
  std::string result;
  for (const char character : text) {
    result += is_control(character)
                  ? fmt::format("\\x{:02x}", static_cast<unsigned char>(character))
                  : std::string(1, character);
  }
  return cut ? result + "..." : result;
}

/// Removes quotes around a number. Some programs quote every cell.
std::string_view without_quotes(std::string_view cell) {
  const bool quoted = cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"');
  return quoted ? trimmed(cell.substr(1, cell.size() - 2)) : cell;
}

/// Parses all of `text` as a finite double.
std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::size_t count_cells(std::string_view line) {
  return static_cast<std::size_t>(std::ranges::count(line, ',')) + 1;
}

std::string place(std::size_t line, std::size_t column, std::string_view name) {
  return fmt::format("line {}, column {} ({})", line, column + 1, shown(name));
}

/// Splits a row into texts. Inside quotes a comma is part of the text, and "" is one quote.
std::vector<std::string> split_texts(std::string_view line) {
  std::vector<std::string> texts(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char character = line[i];
    if (character == '"' && quoted && line.substr(i + 1).starts_with('"')) {
      texts.back() += '"';
      ++i;
    } else if (character == '"') {
      quoted = !quoted;
    } else if (character == ',' && !quoted) {
      texts.emplace_back();
    } else {
      texts.back() += character;
    }
  }
  for (std::string& text : texts) text = std::string(trimmed(text));
  return texts;
}

/// Tells whether a text ends inside quotes.
bool has_open_quote(std::string_view text) { return std::ranges::count(text, '"') % 2 == 1; }

template <class Cell>
class TableReader {
 public:
  explicit TableReader(const std::string& name) { table_.name = name; }

  /// take processes one row, which may span several lines of the file.
  void take(std::string_view line) {
    line_ = next_line_;
    next_line_ += static_cast<std::size_t>(std::ranges::count(line, '\n')) + 1;
    if (line_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    if (trimmed(line).empty()) return;
    const bool is_cut = std::is_same_v<Cell, std::string> && has_open_quote(line);
    if (is_cut) refuse(fmt::format("line {}: a quote is not closed", line_));
    if (table_.columns.empty()) {
      take_header(line);
    } else {
      take_row(line);
    }
  }

  BasicTable<Cell> finish() {
    if (table_.columns.empty()) refuse("has no header row");
    if (table_.values.empty()) refuse("has no rows below its header");
    return std::move(table_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw Error(ErrorCode::invalid_value, table_.name, message);
  }

  /// Refuses a header of numbers, because a file without a header would silently lose its first
  /// row.
  void take_header(std::string_view line) {
    std::vector<std::string> names = split_texts(line);
    if (std::ranges::all_of(
            names, [](const std::string& name) { return parse_number(name).has_value(); })) {
      refuse(fmt::format("line {}: holds numbers where the header row should be", line_));
    }
    for (std::size_t column = 0; column < names.size(); ++column) {
      if (names[column].empty()) {
        refuse(fmt::format("line {}, column {}: has no name", line_, column + 1));
      }
    }
    refuse_duplicates(names);
    table_.columns = std::move(names);
    table_.header_line = line_;
  }

  void refuse_duplicates(const std::vector<std::string>& names) const {
    std::map<std::string_view, std::size_t> seen;
    for (std::size_t column = 0; column < names.size(); ++column) {
      const auto [first, is_new] = seen.try_emplace(names[column], column);
      if (is_new) continue;
      refuse(fmt::format("{}: has the same name as column {}", place(line_, column, names[column]),
                         first->second + 1));
    }
  }

  void take_row(std::string_view line) {
    const std::size_t row = table_.rows();
    if constexpr (std::is_same_v<Cell, double>) {
      take_numbers(line);
    } else {
      take_texts(line);
    }
    if (row == 0 || line_ != table_.line(row - 1) + 1) {
      table_.stretches.push_back({.row = row, .line = line_});
    }
  }

  void take_numbers(std::string_view line) {
    const std::size_t width = table_.columns.size();
    if (count_cells(line) != width) refuse_length(count_cells(line));
    for (std::size_t column = 0; column < width; ++column) {
      const std::size_t comma = std::min(line.find(','), line.size());
      table_.values.push_back(number(trimmed(line.substr(0, comma)), column));
      line.remove_prefix(std::min(comma + 1, line.size()));
    }
  }

  void take_texts(std::string_view line) {
    std::vector<std::string> texts = split_texts(line);
    if (texts.size() != table_.columns.size()) refuse_length(texts.size());
    for (std::size_t column = 0; column < texts.size(); ++column) {
      const auto is_odd = [](char character) { return character != '\n' && is_control(character); };
      if (std::ranges::none_of(texts[column], is_odd)) continue;
      refuse(fmt::format("{}: '{}' has control characters",
                         place(line_, column, table_.columns[column]), shown(texts[column])));
    }
    std::ranges::move(texts, std::back_inserter(table_.values));
  }

  [[nodiscard]] double number(std::string_view cell, std::size_t column) const {
    const std::optional<double> value = parse_number(without_quotes(cell));
    if (!value) {
      refuse(fmt::format("{}: '{}' is not a finite number{}",
                         place(line_, column, table_.columns[column]), shown(cell),
                         separator_hint()));
    }
    return *value;
  }

  [[noreturn]] void refuse_length(std::size_t cells) const {
    const std::size_t width = table_.columns.size();
    std::string message = fmt::format("line {}: has {}; the header has {}", line_,
                                      base::counted(cells, "column"), width);
    if (cells < width) {
      message +=
          fmt::format("; column {} ({}) is missing", cells + 1, shown(table_.columns[cells]));
    }
    message += separator_hint();
    refuse(message);
  }

  /// In locales with a decimal comma, spreadsheets separate cells by semicolons.
  [[nodiscard]] std::string_view separator_hint() const {
    const bool semicolons =
        table_.columns.size() == 1 && table_.columns[0].find(';') != std::string::npos;
    return semicolons ? "; cells are separated by commas, not semicolons" : "";
  }

  BasicTable<Cell> table_;
  std::size_t line_ = 0;  // the line in which the row begins
  std::size_t next_line_ = 1;
};

/// Reads the next row. A quoted text may contain line ends.
bool read_row(std::istream& stream, std::string& row) {
  if (!std::getline(stream, row)) return false;
  std::string line;
  bool is_open = has_open_quote(row);
  while (is_open && std::getline(stream, line)) {
    is_open = !has_open_quote(line);
    row += '\n' + line;
  }
  return true;
}

template <class Cell>
BasicTable<Cell> read(std::istream& stream, std::string name) {
  TableReader<Cell> reader(name);
  std::string row;
  constexpr bool kHasTexts = std::is_same_v<Cell, std::string>;
  while (kHasTexts ? read_row(stream, row) : !std::getline(stream, row).fail()) reader.take(row);
  if (stream.bad()) throw Error(ErrorCode::io, std::move(name), "cannot be read");
  return reader.finish();
}

std::ifstream open(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(ErrorCode::io, path.string(),
                fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  }
  return file;
}

}  // namespace

template <class Cell>
std::size_t BasicTable<Cell>::line(std::size_t row) const {
  const auto next = std::ranges::upper_bound(stretches, row, {}, &Stretch::row);
  const Stretch& stretch = *std::prev(next);
  return stretch.line + (row - stretch.row);
}

template <class Cell>
std::string BasicTable<Cell>::cell(std::size_t row, std::size_t column) const {
  return place(line(row), column, columns[column]);
}

template struct BasicTable<double>;
template struct BasicTable<std::string>;

NumericTable read_table(std::istream& stream, std::string name) {
  return read<double>(stream, std::move(name));
}

NumericTable read_table(const std::filesystem::path& path) {
  std::ifstream file = open(path);
  return read_table(file, path.string());
}

TextTable read_text_table(std::istream& stream, std::string name) {
  return read<std::string>(stream, std::move(name));
}

TextTable read_text_table(const std::filesystem::path& path) {
  std::ifstream file = open(path);
  return read_text_table(file, path.string());
}

}  // namespace oscbo
