#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "report/report.hpp"
#include "report/report_columns.hpp"

namespace oscbo::report {
namespace {

/// markdown_cell returns `text` on one line, with escaped bars, because a bar would end the cell.
std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char character : text) {
    if (character == '|') cell += '\\';
    cell += character == '\n' ? ' ' : character;
  }
  return cell;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += fmt::format(" {} |", markdown_cell(cell));
  return row + '\n';
}

std::string markdown_table(const ReportTable& table) {
  std::vector<std::string> alignments;
  for (const bool numeric : numeric_columns(table))
    alignments.emplace_back(numeric ? "---:" : "---");
  std::string text = markdown_row(table.header) + markdown_row(alignments);
  for (const std::vector<std::string>& row : table.rows) text += markdown_row(row);
  return text;
}

/// link_target returns a path in the form that a link needs.
std::string link_target(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/";
  std::string target;
  for (const char character : path) {
    const auto byte = static_cast<unsigned char>(character);
    const bool plain = std::isalnum(byte) != 0 || kPlain.find(character) != std::string_view::npos;
    target += plain ? std::string(1, character) : fmt::format("%{:02X}", byte);
  }
  return target;
}

/// markdown_block returns `text` with an empty line before it, or nothing if the text is empty.
std::string markdown_block(std::string_view text) {
  return text.empty() ? std::string{} : fmt::format("\n{}\n", text);
}

std::string markdown_figure(const Figure& figure, const std::string& figures) {
  const std::string target = link_target(fmt::format("{}/{}.svg", figures, figure.name));
  return markdown_block("### " + figure.title) +
         fmt::format("\n![{}]({})\n", figure.title, target) + markdown_block(figure.caption);
}

}  // namespace

std::string report_markdown(const Report& report, const std::string& figures) {
  std::string text = fmt::format("# {}\n", report.title) + markdown_block(report.subtitle);
  for (const ReportSection& section : report.sections) {
    text += markdown_block("## " + section.title) + markdown_block(section.text);
    for (const ReportTable& table : section.tables) {
      text += markdown_block("### " + table.title) + markdown_block(table.note) + '\n' +
              markdown_table(table);
    }
    for (const Figure& figure : section.figures) text += markdown_figure(figure, figures);
  }
  return text;
}

}  // namespace oscbo::report
