#include "problems/table_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "numeric/checksum.hpp"
#include "oscbo/table.hpp"
#include "problems/point_check.hpp"
#include "problems/problem_info.hpp"
#include "problems/table_oracle.hpp"

namespace oscbo::tables {
namespace {

using Names = std::vector<std::string_view>;  // alternative names; each is accepted

/// Turns the mean of a measured column into a value to maximise: constant + factor * mean.
struct Orientation {
  double constant = 0.0;
  double factor = 1.0;
};

constexpr Orientation kMaximise = {};
constexpr Orientation kMinimise = {.constant = 0.0, .factor = -1.0};

/// A table with its own task name. Files and columns have the names of the published table and
/// those of a tidied copy.
struct NamedTable {
  std::string_view name;
  std::string_view domain;
  std::string_view meaning;
  Names files;
  std::vector<Names> parameters;
  Names objective;
  Orientation orientation;
};

const std::vector<NamedTable>& named_tables() {
  static const std::vector<NamedTable> all = {
      {.name = "material5",
       .domain = "table, d = 5",
       .meaning = "silver nanoparticles by flow rates, 1 - mean loss; maximum 0.851639; --data",
       .files = {"material_agnp.csv", "AgNP_dataset.csv"},
       .parameters = {{"q_agno3", "QAgNO3(%)"},
                      {"q_pva", "Qpva(%)"},
                      {"q_tsc", "Qtsc(%)"},
                      {"q_seed", "Qseed(%)"},
                      {"q_total", "Qtot(uL/min)"}},
       .objective = {"loss"},
       .orientation = {.constant = 1.0, .factor = -1.0}},
      {.name = "concrete7",
       .domain = "table, d = 7",
       .meaning = "strength of concrete by its mixture; maximum 81.75; --data",
       .files = {"concrete.csv"},
       .parameters = {{"cement"},
                      {"slag"},
                      {"fly_ash", "ash"},
                      {"water"},
                      {"superplasticizer", "superplastic"},
                      {"coarse_aggregate", "coarseagg"},
                      {"fine_aggregate", "fineagg"}},
       .objective = {"strength"},
       .orientation = kMaximise},
      {.name = "crossbarrel4",
       .domain = "table, d = 4",
       .meaning = "toughness of printed crossed barrels; maximum 46.7114; --data",
       .files = {"crossed_barrel.csv", "Crossed barrel_dataset.csv"},
       .parameters = {{"n"}, {"theta"}, {"r"}, {"t"}},
       .objective = {"toughness"},
       .orientation = kMaximise},
  };
  return all;
}

/// Far above any measurement, and small enough that sums and squares of values stay finite.
constexpr double kLargestValue = 1e100;

/// A way to name any table. The last column is the objective, and the others are the parameters.
struct AnyTable {
  std::string_view prefix;
  std::string_view meaning;
  Orientation orientation;
};

constexpr std::array kAnyTables = {
    AnyTable{.prefix = "table:",
             .meaning = "your own table; maximises its last column",
             .orientation = kMaximise},
    AnyTable{.prefix = "table-min:",
             .meaning = "your own table; minimises its last column",
             .orientation = kMinimise},
};

[[noreturn]] void refuse(const NumericTable& table, const std::string& message) {
  throw Error(ErrorCode::invalid_value, table.name, message);
}

std::string quoted(const Names& names) { return fmt::format("'{}'", fmt::join(names, "' or '")); }

/// The columns of a table that are used, and the accepted names of the parameters.
struct Selection {
  std::vector<std::size_t> parameters;
  std::size_t objective = 0;
  std::vector<std::vector<std::string>> names;
};

std::size_t find_column(const NumericTable& table, const Names& names) {
  const auto column = std::ranges::find_first_of(table.columns, names);
  if (column == table.columns.end()) {
    refuse(table, fmt::format("line {}: no column is called {}", table.header_line, quoted(names)));
  }
  return static_cast<std::size_t>(column - table.columns.begin());
}

Selection select_named(const NumericTable& table, const NamedTable& definition) {
  Selection selection;
  for (const Names& names : definition.parameters) {
    selection.parameters.push_back(find_column(table, names));
    selection.names.emplace_back(names.begin(), names.end());
  }
  selection.objective = find_column(table, definition.objective);
  return selection;
}

Selection select_all(const NumericTable& table) {
  if (table.columns.size() < 2) {
    refuse(table,
           fmt::format("line {}: one column is not enough; the last column is the objective, "
                       "and the others are the parameters",
                       table.header_line));
  }
  Selection selection;
  for (std::size_t column = 0; column + 1 < table.columns.size(); ++column) {
    selection.parameters.push_back(column);
    selection.names.push_back({table.columns[column]});
  }
  selection.objective = table.columns.size() - 1;
  return selection;
}

/// Refuses a parameter that never varies, because it cannot be optimised, and one whose range
/// overflows.
void require_variation(const NumericTable& table, const Selection& selection) {
  for (const std::size_t column : selection.parameters) {
    const double first = table.row(0)[column];
    double lower = first;
    double upper = first;
    for (std::size_t row = 1; row < table.rows(); ++row) {
      lower = std::min(lower, table.row(row)[column]);
      upper = std::max(upper, table.row(row)[column]);
    }
    const std::string place = fmt::format("column {} ({})", column + 1, table.columns[column]);
    if (lower == upper) {
      refuse(table,
             fmt::format("{}: is {} in every row, so there is nothing to optimise; remove the "
                         "column",
                         place, first));
    }
    if (!std::isfinite(upper - lower)) {
      refuse(table, fmt::format("{}: the range from {} to {} is too wide", place, lower, upper));
    }
  }
}

void require_moderate_values(const NumericTable& table, const Selection& selection) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double value = table.row(row)[selection.objective];
    if (std::abs(value) <= kLargestValue) continue;
    refuse(table,
           fmt::format("{}: '{}' is not accepted; use a value from {} to {}",
                       table.cell(row, selection.objective), value, -kLargestValue, kLargestValue));
  }
}

Designs measured_designs(const NumericTable& table, const Selection& selection,
                         const Orientation& orientation) {
  std::vector<double> inputs;
  std::vector<double> values;
  inputs.reserve(table.rows() * selection.parameters.size());
  values.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::span<const double> cells = table.row(row);
    for (const std::size_t column : selection.parameters) inputs.push_back(cells[column]);
    values.push_back(cells[selection.objective]);
  }
  Designs designs = average_replicates(selection.parameters.size(), inputs, values);
  for (double& value : designs.values) {
    value = orientation.constant + orientation.factor * value;
  }
  return designs;
}

/// Identifies the data of the oracle, independently of the name and layout of the file.
std::string fingerprint(const Designs& designs) {
  numeric::Checksum checksum;
  for (const double input : designs.inputs) checksum.add(input);
  for (const double value : designs.values) checksum.add(value);
  return fmt::format("{} designs, checksum {}", designs.size(), checksum.hex());
}

/// Returns the bounding box of the measurements. Each parameter has the first of its names.
Space space_of(const TableOracle& oracle, const std::vector<std::vector<std::string>>& names) {
  SpaceDeclaration declaration;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto [lower, upper] = oracle.bounds()[k];
    declaration.parameters.push_back({.name = names[k].front(), .lower = lower, .upper = upper});
  }
  return Space(std::move(declaration));
}

Problem build(std::string_view name, const NumericTable& table, const Selection& selection,
              const Orientation& orientation) {
  if (table.rows() < 2) refuse(table, "has only one row; at least two are needed");
  require_variation(table, selection);
  require_moderate_values(table, selection);
  const Designs designs = measured_designs(table, selection, orientation);
  const auto oracle = std::make_shared<const TableOracle>(designs);
  const auto best = std::ranges::max_element(designs.values);
  const std::span<const double> maximiser =
      designs.at(static_cast<std::size_t>(best - designs.values.begin()));

  const auto value = [oracle, task = std::string(name)](std::span<const double> x) {
    require_coordinates(task, oracle->bounds().size(), x);
    return (*oracle)(x);
  };
  return {.name = std::string(name),
          .space = space_of(*oracle, selection.names),
          .value = value,
          .maximum = *best,
          .maximiser = {maximiser.begin(), maximiser.end()},
          .source = fingerprint(designs),
          .parameters = selection.names};
}

/// Returns the first of the accepted files that exists in the folder.
std::filesystem::path find_file(const NamedTable& definition, const std::filesystem::path& data) {
  if (data.empty()) {
    throw Error(ErrorCode::invalid_value, "--data",
                fmt::format("{} needs the folder with {}: set --data or OSCBO_DATA; docs/data.md "
                            "says where to download it",
                            definition.name, quoted(definition.files)));
  }
  std::error_code unreachable;
  if (!std::filesystem::is_directory(data, unreachable)) {
    throw Error(
        ErrorCode::io, data.string(),
        fmt::format("is not a folder; {} needs one: set --data or OSCBO_DATA", definition.name));
  }
  for (const std::string_view file : definition.files) {
    if (std::filesystem::exists(data / file, unreachable)) return data / file;
  }
  throw Error(ErrorCode::io, data.string(),
              fmt::format("has no file {}, which {} needs; docs/data.md says where to download it",
                          quoted(definition.files), definition.name));
}

}  // namespace

std::vector<ProblemInfo> table_problems() {
  std::vector<ProblemInfo> infos;
  for (const NamedTable& table : named_tables()) infos.push_back(info_of(table));
  for (const AnyTable& table : kAnyTables) {
    infos.push_back({.name = fmt::format("{}FILE.csv", table.prefix),
                     .domain = "box of the table",
                     .meaning = std::string(table.meaning)});
  }
  return infos;
}

std::optional<Problem> make_table_problem(std::string_view name,
                                          const std::filesystem::path& data) {
  for (const NamedTable& definition : named_tables()) {
    if (name != definition.name) continue;
    const NumericTable table = read_table(find_file(definition, data));
    return build(name, table, select_named(table, definition), definition.orientation);
  }
  for (const AnyTable& definition : kAnyTables) {
    if (!name.starts_with(definition.prefix)) continue;
    const std::filesystem::path path = name.substr(definition.prefix.size());
    if (path.empty()) {
      throw Error(ErrorCode::invalid_value, "task",
                  fmt::format("'{}' names no file; use {}FILE.csv", name, definition.prefix));
    }
    const NumericTable table = read_table(path);
    return build(name, table, select_all(table), definition.orientation);
  }
  return std::nullopt;
}

}  // namespace oscbo::tables
