#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "oscbo/serialisation.hpp"
#include "oscbo/study_files.hpp"
#include "oscbo/table.hpp"

namespace oscbo {
namespace {

/// The columns of a row by their meaning.
struct Columns {
  std::vector<std::size_t> parameters;
  std::vector<std::size_t> outcomes;
  std::size_t value = 0;
  std::optional<std::size_t> variance = std::nullopt;
  std::optional<std::size_t> state = std::nullopt;
};

class CsvReader {
 public:
  CsvReader(const TextTable& table, const Space& space) : table_(table), space_(space) {
    find_columns();
  }

  [[nodiscard]] TableOfTrials read() const {
    TableOfTrials trials;
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      if (!is_complete(row)) {
        ++trials.left_out;
        continue;
      }
      trials.observations.push_back({.x = point(row), .measurement = measurement(row)});
      try {
        space_.check(trials.observations.back().x);
      } catch (const Error& error) {
        throw Error(error.code(), table_.name,
                    fmt::format("line {}: {}", table_.line(row), error.what()));
      }
    }
    return trials;
  }

 private:
  void find_columns() {
    const SpaceDeclaration& declaration = space_.declaration();
    std::vector<std::string> known(kFirstTrialColumns.begin(), kFirstTrialColumns.end());
    known.insert(known.end(), kLastTrialColumns.begin(), kLastTrialColumns.end());
    const auto find = [&](const std::string& name) -> std::optional<std::size_t> {
      known.push_back(name);
      const auto found = std::find(table_.columns.begin(), table_.columns.end(), name);
      if (found == table_.columns.end()) return std::nullopt;
      return static_cast<std::size_t>(found - table_.columns.begin());
    };
    const auto require = [&](const std::string& name) {
      if (const auto column = find(name)) return *column;
      throw Error(
          ErrorCode::invalid_value, table_.name,
          fmt::format("has no column '{}'; it has {}", name, fmt::join(table_.columns, ", ")));
    };
    for (const Parameter& parameter : declaration.parameters) {
      columns_.parameters.push_back(require(parameter.name));
    }
    for (const Outcome& outcome : declaration.outcomes) {
      columns_.outcomes.push_back(require(outcome.name));
    }
    columns_.value = require("value");
    columns_.variance = find("variance");
    columns_.state = find("state");
    for (const std::string& column : table_.columns) {
      if (std::find(known.begin(), known.end(), column) != known.end()) continue;
      throw Error(
          ErrorCode::invalid_value, table_.name,
          fmt::format("column '{}' is not known; known are {}", column, fmt::join(known, ", ")));
    }
  }

  [[nodiscard]] const std::string& cell(std::size_t row, std::size_t column) const {
    return table_.row(row)[column];
  }

  [[noreturn]] void refuse(std::size_t row, std::size_t column, const std::string& message) const {
    throw Error(ErrorCode::invalid_value, table_.name,
                fmt::format("{}: {}", table_.cell(row, column), message));
  }

  [[nodiscard]] bool is_complete(std::size_t row) const {
    if (!columns_.state) return true;
    const std::string& state = cell(row, *columns_.state);
    for (const TrialState each :
         {TrialState::pending, TrialState::complete, TrialState::failed, TrialState::abandoned}) {
      if (state == to_string(each)) return each == TrialState::complete;
    }
    refuse(row, *columns_.state,
           fmt::format("'{}' is not accepted; use complete, pending, failed or abandoned", state));
  }

  [[nodiscard]] std::vector<double> point(std::size_t row) const {
    std::vector<double> x;
    x.reserve(columns_.parameters.size());
    for (std::size_t k = 0; k < columns_.parameters.size(); ++k) {
      const std::size_t column = columns_.parameters[k];
      if (cell(row, column).empty()) {
        x.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      try {
        x.push_back(space_.value(k, cell(row, column)));
      } catch (const Error& error) {
        refuse(row, column, error.message());
      }
    }
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (!std::isnan(x[k]) || !space_.is_active(x, k)) continue;
      if (!has_empty_value(k)) {
        refuse(row, columns_.parameters[k], "is empty, but the parameter is active there");
      }
      x[k] = space_.value(k, "");
    }
    return x;
  }

  /// has_empty_value returns whether the empty string is one of the parameter's values.
  [[nodiscard]] bool has_empty_value(std::size_t k) const {
    const std::vector<std::string>& values = space_.declaration().parameters[k].values;
    return std::find(values.begin(), values.end(), "") != values.end();
  }

  [[nodiscard]] double number(std::size_t row, std::size_t column) const {
    const std::string& text = cell(row, column);
    const char* const end = text.data() + text.size();
    double number = 0.0;
    const auto [stop, code] = std::from_chars(text.data(), end, number);
    if (code != std::errc() || stop != end || !std::isfinite(number)) {
      refuse(row, column, fmt::format("'{}' is not a finite number", text));
    }
    return number;
  }

  [[nodiscard]] Measurement measurement(std::size_t row) const {
    Measurement measurement{.y = number(row, columns_.value)};
    if (columns_.variance && !cell(row, *columns_.variance).empty()) {
      const double variance = number(row, *columns_.variance);
      if (variance < 0.0) refuse(row, *columns_.variance, "a variance is not negative");
      measurement.variance = variance;
    }
    for (const std::size_t column : columns_.outcomes) {
      measurement.outcomes.push_back(number(row, column));
    }
    return measurement;
  }

  const TextTable& table_;
  const Space& space_;
  Columns columns_;
};

}  // namespace

TableOfTrials trials_from_csv(std::istream& stream, const std::string& name, const Space& space) {
  const TextTable table = read_text_table(stream, name);
  return CsvReader(table, space).read();
}

}  // namespace oscbo
