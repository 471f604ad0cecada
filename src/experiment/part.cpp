#include "experiment/part.hpp"

#include <fstream>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiment/calibration_figures.hpp"
#include "experiment/result_cells.hpp"
#include "experiment/statistics.hpp"

namespace oscbo::experiment {
namespace {

constexpr std::string_view kFirstLine = "oscbo-part 3\n";
constexpr std::string_view kTotalsMark = "totals ";
constexpr std::string_view kEndMark = "end ";
constexpr std::size_t kLongestName = 200;  // file systems allow 255 bytes; a checksum may follow

std::string totals_text(const RunTotals& totals) {
  return nlohmann::json{{"rows", totals.rows},
                        {"covered", totals.covered},
                        {"width_sum", totals.width_sum},
                        {"initial_regret", totals.initial_regret},
                        {"simple_regret", totals.simple_regret},
                        {"cumulative_regret", totals.cumulative_regret},
                        {"lengthscale", totals.lengthscale},
                        {"calibration", to_columns(totals.calibration)}}
      .dump();
}

/// JSON has no NaN, so undefined figures are null.
double number_or_nan(const nlohmann::json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

CalibrationFigures parse_calibration(const nlohmann::json& list) {
  CalibrationColumns columns = {};
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = number_or_nan(list.at(i));
  return from_columns(columns);
}

std::optional<RunTotals> parse_totals(std::string_view text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    return RunTotals{.rows = json.at("rows"),
                     .covered = json.at("covered"),
                     .width_sum = json.at("width_sum"),
                     .initial_regret = json.at("initial_regret"),
                     .simple_regret = json.at("simple_regret"),
                     .cumulative_regret = json.at("cumulative_regret"),
                     .lengthscale = number_or_nan(json.at("lengthscale")),
                     .calibration = parse_calibration(json.at("calibration"))};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::optional<PartLine> split(std::string_view line) {
  const std::size_t first = line.find('\t');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = line.find('\t', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  return PartLine{.run = line.substr(0, first),
                  .timing = line.substr(first + 1, second - first - 1),
                  .query = line.substr(second + 1)};
}

/// Keeps letters, digits, '.' and '-' and writes everything else as %XX, so two different runs
/// never share a file name.
std::string file_name_text(std::string_view text) {
  std::string result;
  for (const char character : text) {
    const bool plain =
        (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
        (character >= '0' && character <= '9') || character == '.' || character == '-';
    result += plain ? std::string(1, character)
                    : fmt::format("%{:02X}", static_cast<unsigned char>(character));
  }
  return result;
}

}  // namespace

PartWriter::PartWriter(const std::filesystem::path& path) : file_(path) { write(kFirstLine); }

void PartWriter::write(std::string_view line) {
  checksum_.add(line);
  file_.write(line);
}

void PartWriter::add(const RunRow& row) {
  write(fmt::format("{}\t{}\t{}\n", run_cells(row), timing_cells(row), query_cells(row)));
  ++totals_.rows;
  if (row.step <= 0) totals_.initial_regret = row.simple_regret;
  totals_.simple_regret = row.simple_regret;
  totals_.cumulative_regret = row.cumulative_regret;
  if (!row.prediction || !row.feedback) return;
  totals_.covered += row.feedback->covered ? 1 : 0;
  totals_.width_sum += row.prediction->width;
  totals_.lengthscale = geometric_mean(row.prediction->lengthscales);
  forecasts_.push_back(make_forecast(*row.prediction, row.y));
}

void PartWriter::finish() {
  totals_.calibration = figures_of(calibration(forecasts_));
  write(fmt::format("{}{}\n", kTotalsMark, totals_text(totals_)));
  file_.write(fmt::format("{}{}\n", kEndMark, checksum_.hex()));
  file_.commit();
}

std::optional<RunTotals> read_part(const std::filesystem::path& path,
                                   const std::function<void(const PartLine&)>& on_line) {
  std::ifstream stream(path, std::ios::binary);
  std::optional<RunTotals> totals;
  numeric::Checksum checksum;
  std::size_t rows = 0;
  std::string line;
  while (std::getline(stream, line)) {
    line += '\n';
    const std::string_view text = line;
    if (text.starts_with(kEndMark)) {
      const bool intact = totals && totals->rows == rows && !stream.eof() &&
                          text == fmt::format("{}{}\n", kEndMark, checksum.hex());
      return intact ? totals : std::nullopt;
    }
    checksum.add(text);
    if (text == kFirstLine) continue;
    if (text.starts_with(kTotalsMark)) {
      totals = parse_totals(text.substr(kTotalsMark.size()));
      continue;
    }
    const std::optional<PartLine> cells = split(text.substr(0, text.size() - 1));
    if (!cells) return std::nullopt;
    ++rows;
    if (on_line) on_line(*cells);
  }
  return std::nullopt;
}

std::string part_name(std::string_view task, std::string_view method, int seed) {
  std::string name =
      fmt::format("{}~{}~{}.part", file_name_text(task), file_name_text(method), seed);
  if (name.size() <= kLongestName) return name;
  // The result is longer than any name that is not shortened, so it cannot equal the name of
  // another run.
  numeric::Checksum checksum;
  checksum.add(name);
  return fmt::format("{}~{}.part", std::string_view(name).substr(0, kLongestName), checksum.hex());
}

}  // namespace oscbo::experiment
