#include "points.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace oscbo::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t comma = line.find(','); comma != std::string_view::npos;
       comma = line.find(',')) {
    fields.push_back(trimmed(line.substr(0, comma)));
    line.remove_prefix(comma + 1);
  }
  fields.push_back(trimmed(line));
  return fields;
}

/// number returns the finite double that all of `text` spells.
std::optional<double> number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

class PointReader {
 public:
  PointReader(std::string name, const Problem& problem)
      : name_(std::move(name)), bounds_(problem.bounds), point_(problem.bounds.size()) {}

  /// take returns whether the line, which is the next of the file, holds a point.
  bool take(std::string_view line) {
    ++line_;
    if (line_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    if (trimmed(line).empty()) return false;
    const std::vector<std::string_view> fields = split(line);
    if (fields.size() != bounds_.size()) {
      refuse(fmt::format("line {}: {} columns where the task has {} parameters", line_,
                         fields.size(), bounds_.size()));
    }
    if (header_.empty()) {
      take_header(fields);
      return false;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) point_[i] = coordinate(fields[i], i);
    return true;
  }

  [[nodiscard]] std::span<const double> point() const { return point_; }

  void finish() const {
    if (header_.empty()) refuse("has no header row");
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw Error(ErrorCode::invalid_value, name_, message);
  }

  /// A file without a header would silently lose its first point.
  void take_header(const std::vector<std::string_view>& fields) {
    if (std::ranges::all_of(fields,
                            [](std::string_view field) { return number(field).has_value(); })) {
      refuse(fmt::format("line {}: holds numbers where the header row should be", line_));
    }
    header_.assign(fields.begin(), fields.end());
  }

  [[nodiscard]] double coordinate(std::string_view field, std::size_t column) const {
    const std::optional<double> value = number(field);
    const Bounds& bounds = bounds_[column];
    if (value && *value >= bounds.lower && *value <= bounds.upper) return *value;
    const std::string accepted =
        value ? fmt::format("is outside [{}, {}]", bounds.lower, bounds.upper)
              : std::string("is not a finite number");
    refuse(fmt::format("line {}, column {} ({}): '{}' {}", line_, column + 1, header_[column],
                       field, accepted));
  }

  std::string name_;
  std::vector<Bounds> bounds_;
  std::vector<std::string> header_;
  std::vector<double> point_;
  std::size_t line_ = 0;
};

}  // namespace

void read_points(std::istream& stream, const std::string& name, const Problem& problem,
                 const std::function<void(std::span<const double>)>& on_point) {
  PointReader reader(name, problem);
  std::string line;
  while (std::getline(stream, line)) {
    if (reader.take(line)) on_point(reader.point());
  }
  if (stream.bad()) throw Error(ErrorCode::io, name, "cannot be read");
  reader.finish();
}

}  // namespace oscbo::cli
