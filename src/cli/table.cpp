#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "oscbo/error.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

constexpr std::string_view kColumnGap = "  ";

/// text returns the cell with `digits` significant digits. An exact number gets the fewest digits
/// that distinguish it from all other numbers.
std::string text(const Cell& cell, int digits) {
  if (const auto* words = std::get_if<std::string>(&cell)) return *words;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* is_so = std::get_if<bool>(&cell)) return *is_so ? "true" : "false";
  if (const auto* exact = std::get_if<Exact>(&cell)) return fmt::format("{}", exact->number);
  const auto* real = std::get_if<double>(&cell);
  if (real == nullptr || std::isnan(*real)) return {};
  return fmt::format("{:.{}g}", *real, digits);
}

std::string shown(const Cell& cell) { return on_one_line(text(cell, 5)); }

nlohmann::ordered_json json_value(const Cell& cell) {
  if (const auto* words = std::get_if<std::string>(&cell)) return *words;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return *integer;
  if (const auto* is_so = std::get_if<bool>(&cell)) return *is_so;
  if (const auto* exact = std::get_if<Exact>(&cell)) return json_value(exact->number);
  const auto* real = std::get_if<double>(&cell);
  if (real == nullptr || std::isnan(*real)) return nullptr;
  return *real;
}

bool is_number(const Cell& cell) {
  return std::holds_alternative<double>(cell) || std::holds_alternative<std::int64_t>(cell) ||
         std::holds_alternative<Exact>(cell);
}

void replace_all(std::string& where, std::string_view what, std::string_view with) {
  for (std::size_t at = where.find(what); at != std::string::npos;
       at = where.find(what, at + with.size())) {
    where.replace(at, what.size(), with);
  }
}

std::string csv_field(std::string field) {
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  replace_all(field, "\"", "\"\"");
  return fmt::format("\"{}\"", field);
}

std::string markdown_field(std::string field) {
  replace_all(field, "|", "\\|");
  return field;
}

/// fields returns the cells of a row as text, each made by `field`.
template <typename Function>
std::vector<std::string> fields(const std::vector<Cell>& row, const Function& field) {
  std::vector<std::string> result;
  std::ranges::transform(row, std::back_inserter(result), field);
  return result;
}

/// Returns the number of columns on a terminal: continuation bytes of UTF-8 take no space.
std::size_t display_width(std::string_view field) {
  return static_cast<std::size_t>(std::ranges::count_if(
      field, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& field, std::size_t width, bool to_the_right) {
  const std::string padding(width - display_width(field), ' ');
  return to_the_right ? padding + field : field + padding;
}

/// The layout of one column in Format::table.
struct ColumnLayout {
  std::size_t width = 0;
  bool numeric = true;
};

std::string table_line(const std::vector<std::string>& row,
                       const std::vector<ColumnLayout>& layout) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += kColumnGap;
    line += padded(row[i], layout[i].width, layout[i].numeric);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

Format parse_format(std::string_view name) {
  if (name == "table") return Format::table;
  if (name == "json") return Format::json;
  if (name == "csv") return Format::csv;
  if (name == "markdown") return Format::markdown;
  throw Error(ErrorCode::invalid_value, "--format", fmt::format("'{}' is not accepted", name));
}

Table::Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<Cell> row) {
  row.resize(columns_.size());
  rows_.push_back(std::move(row));
}

std::string Table::render(Format format) const {
  switch (format) {
    case Format::json: return render_json();
    case Format::csv: return render_csv();
    case Format::markdown: return render_markdown();
    case Format::table: break;
  }
  return render_table();
}

std::string Table::render_table() const {
  std::vector<ColumnLayout> layout(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    layout[i].width = display_width(columns_[i]);
    for (const std::vector<Cell>& row : rows_) {
      layout[i].width = std::max(layout[i].width, display_width(shown(row[i])));
      layout[i].numeric = layout[i].numeric && !std::holds_alternative<std::string>(row[i]);
    }
  }
  std::vector<std::string> rule(layout.size());
  std::ranges::transform(layout, rule.begin(),
                         [](const ColumnLayout& column) { return std::string(column.width, '-'); });
  std::string result = table_line(columns_, layout) + table_line(rule, layout);
  for (const std::vector<Cell>& row : rows_) result += table_line(fields(row, shown), layout);
  return result;
}

std::string Table::render_json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::vector<Cell>& row : rows_) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < columns_.size(); ++i) object[columns_[i]] = json_value(row[i]);
    list.push_back(std::move(object));
  }
  // Text may come from any program. Bytes that are not UTF-8 become U+FFFD.
  return list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::string Table::render_facts(Format format) const {
  if (format != Format::json) return render(format);
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const std::vector<Cell>& row : rows_) object[text(row[0], 17)] = json_value(row[1]);
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::string Table::render_csv() const {
  std::vector<std::string> header;
  std::ranges::transform(columns_, std::back_inserter(header), csv_field);
  std::string result = fmt::format("{}\n", fmt::join(header, ","));
  const auto field = [](const Cell& cell) { return csv_field(text(cell, 17)); };
  for (const std::vector<Cell>& row : rows_) {
    result += fmt::format("{}\n", fmt::join(fields(row, field), ","));
  }
  return result;
}

std::string Table::render_markdown() const {
  std::string result = fmt::format("| {} |\n", fmt::join(columns_, " | "));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const bool numeric = !rows_.empty() && is_number(rows_.front()[i]);
    result += numeric ? "| ---: " : "| --- ";
  }
  result += "|\n";
  const auto field = [](const Cell& cell) { return markdown_field(shown(cell)); };
  for (const std::vector<Cell>& row : rows_) {
    result += fmt::format("| {} |\n", fmt::join(fields(row, field), " | "));
  }
  return result;
}

}  // namespace oscbo::cli
