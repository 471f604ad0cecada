#include "study/study_record.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.hpp"

namespace oscbo::study {

using storage::StudyRow;
using storage::TrialRow;

StudyRow find_study(storage::Reader& reader, const std::string& name) {
  if (std::optional<StudyRow> row = reader.study(name)) return *row;
  std::vector<std::string> names;
  for (const StudyRow& row : reader.studies()) names.push_back(row.name);
  throw Error(ErrorCode::unknown_name, "study",
              names.empty()
                  ? fmt::format("'{}' is not there; there are no studies yet", name)
                  : fmt::format("'{}' is not there; there are {}", name, fmt::join(names, ", ")));
}

void check_values(const Quantities& declared, TrialNumber number, TrialState state,
                  std::size_t values) {
  const bool is_complete = state == TrialState::complete;
  if (values == (is_complete ? declared.objectives : 0)) return;
  throw Error(ErrorCode::invalid_value, "objectives",
              fmt::format("exactly one objective is accepted, but trial {} is {} and has {}",
                          number, to_string(state), base::counted(values, "value")));
}

TrialRow find_trial(const StudyRecord& record, storage::Reader& reader, TrialNumber number) {
  std::optional<TrialRow> trial = reader.trial(record.row.key, number);
  if (!trial || !trial->x) {
    const std::optional<StudyRow> study = reader.study(record.row.name);
    if (!study || study->key != record.row.key) {
      throw Error(ErrorCode::unknown_name, "study",
                  fmt::format("'{}' was deleted", record.row.name));
    }
    throw Error(ErrorCode::unknown_name, "trial",
                fmt::format("'{}' has no trial {}", record.row.name, number));
  }
  check_values(record.declaration.quantities(), number, trial->state, trial->objectives.size());
  return *trial;
}

bool accepts(const SpaceDeclaration& space, const std::vector<double>& outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!space.outcomes[i].accepts(outcomes[i])) return false;
  }
  return true;
}

void end_without_value(storage::Writer& writer, TrialRow trial, TrialState state,
                       const std::string& reason) {
  trial.state = state;
  trial.reason = reason;
  writer.update(trial);
  writer.append({.study = trial.study,
                 .kind = state == TrialState::failed ? "fail" : "withdraw",
                 .trial = trial.number});
}

storage::Time deadline_after(storage::Reader& reader, double seconds) {
  constexpr double kMillisecondsPerSecond = 1000.0;
  constexpr double kLongest = 1e9;
  if (!(seconds >= 0.0 && seconds <= kLongest)) {
    throw Error(
        ErrorCode::invalid_value, "lease",
        fmt::format("{} s is not accepted; use a number in [0, {:.0e}]", seconds, kLongest));
  }
  return reader.now() + static_cast<storage::Time>(seconds * kMillisecondsPerSecond);
}

}  // namespace oscbo::study
