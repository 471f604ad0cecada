#include "study_tables.hpp"

#include "study_options.hpp"

namespace oscbo::cli {
namespace {

/// Whether the value lay in the interval that had been predicted.
Cell covered_cell(const StudyTrial& trial) {
  const std::optional<bool> covered = trial.covered();
  return covered ? Cell{*covered} : Cell{};
}

}  // namespace

Table trial_table(const Space& space, const std::vector<StudyTrial>& trials) {
  std::vector<std::string> columns = {"trial", "state", "value", "variance"};
  for (const Outcome& outcome : space.declaration().outcomes) columns.push_back(outcome.name);
  for (const std::string& name : parameter_names(space)) columns.push_back(name);
  columns.insert(columns.end(), {"mean", "sd", "covered", "worker", "reason"});
  Table table(columns);
  for (const StudyTrial& trial : trials) {
    std::vector<Cell> row = {trial.number, std::string(to_string(trial.state)),
                             optional_cell(trial.y), optional_cell(trial.variance)};
    for (std::size_t i = 0; i < space.declaration().outcomes.size(); ++i) {
      row.push_back(i < trial.outcomes.size() ? Cell{trial.outcomes[i]} : Cell{});
    }
    for (const Cell& cell : parameter_cells(space, trial.x)) row.push_back(cell);
    row.push_back(trial.prediction ? Cell{trial.prediction->mean} : Cell{});
    row.push_back(trial.prediction ? Cell{trial.prediction->observation_sd} : Cell{});
    row.push_back(covered_cell(trial));
    row.push_back(trial.worker.empty() ? Cell{} : Cell{trial.worker});
    row.push_back(trial.reason.empty() ? Cell{} : Cell{trial.reason});
    table.add(row);
  }
  return table;
}

}  // namespace oscbo::cli
