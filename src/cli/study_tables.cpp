#include "study_tables.hpp"

#include <type_traits>

#include "oscbo/serialisation.hpp"
#include "study_options.hpp"

namespace oscbo::cli {
namespace {

template <class Value>
Cell cell_of(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return std::string(to_string(value));
  } else if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
    return std::int64_t{value};
  } else {
    return value;
  }
}
Cell cell_of(const std::string& text) { return text.empty() ? Cell{} : Cell{text}; }
template <class Value>
Cell cell_of(const std::optional<Value>& value) {
  return value ? cell_of(*value) : Cell{};
}

/// Returns the cell of a column that all tables of trials have.
Cell trial_cell(const StudyTrial& trial, std::string_view column) {
  const auto& prediction = trial.prediction();
  if (column == "value") return cell_of(trial.y());
  if (column == "variance") return cell_of(trial.variance());
  if (column == "mean") return prediction ? Cell{prediction->mean} : Cell{};
  if (column == "sd") return prediction ? Cell{prediction->observation_sd} : Cell{};
  if (column == "covered") return cell_of(trial.covered());
  Cell cell;
  for_each_field<StudyTrial>([&](const auto& field) {
    using Value = std::remove_cvref_t<decltype(field.of(trial))>;
    constexpr bool is_list = std::is_same_v<Value, std::vector<double>> ||
                             std::is_same_v<Value, std::vector<QuantityRecord>>;
    if constexpr (!is_list) {
      if (field.stored == column) cell = cell_of(field.of(trial));
    }
  });
  return cell;
}

}  // namespace

Table trial_table(const Space& space, const std::vector<StudyTrial>& trials) {
  const std::vector<Outcome>& outcomes = space.declaration().outcomes;
  std::vector<std::string> columns(kFirstTrialColumns.begin(), kFirstTrialColumns.end());
  for (const Outcome& outcome : outcomes) columns.push_back(outcome.name);
  for (const std::string& name : parameter_names(space)) columns.push_back(name);
  columns.insert(columns.end(), kLastTrialColumns.begin(), kLastTrialColumns.end());
  Table table(columns);
  for (const StudyTrial& trial : trials) {
    std::vector<Cell> row;
    row.reserve(columns.size());
    for (const std::string_view column : kFirstTrialColumns) {
      row.push_back(trial_cell(trial, column));
    }
    for (const QuantityRecord& outcome : trial.outcomes) row.push_back(cell_of(outcome.value));
    for (const Cell& cell : parameter_cells(space, trial.x)) row.push_back(cell);
    for (const std::string_view column : kLastTrialColumns) {
      row.push_back(trial_cell(trial, column));
    }
    table.add(row);
  }
  return table;
}

}  // namespace oscbo::cli
