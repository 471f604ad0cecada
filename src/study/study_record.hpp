// A study and its storage. Everything that is done with a study shares this record.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "oscbo/study.hpp"
#include "storage/storage.hpp"

namespace oscbo::study {

struct StudyRecord {
  std::shared_ptr<storage::Storage> storage;
  storage::StudyRow row;
  StudyDeclaration declaration;
  Space space;
  bool is_noisy = false;  // declared by an option of earlier versions
};

/// find_study returns the row of the study of this name. If there is none, it throws Error
/// (unknown_name) that lists the existing studies.
[[nodiscard]] storage::StudyRow find_study(storage::Reader& reader, const std::string& name);

/// check_values throws Error (invalid_value) unless a complete trial has a value for each declared
/// objective, and every other trial has none.
void check_values(const Quantities& declared, TrialNumber number, TrialState state,
                  std::size_t values);

/// find_trial returns the row of a trial. Throws Error (unknown_name) if the study has no trial of
/// this number, or if the point of the trial is still being computed. Also throws the errors of
/// check_values.
[[nodiscard]] storage::TrialRow find_trial(const StudyRecord& record, storage::Reader& reader,
                                           TrialNumber number);

/// accepts returns whether all outcomes are within their limits.
[[nodiscard]] bool accepts(const SpaceDeclaration& space, const std::vector<double>& outcomes);

/// end_without_value ends a pending trial that failed or was abandoned, and adds this to the log.
void end_without_value(storage::Writer& writer, storage::TrialRow trial, TrialState state,
                       const std::string& reason);

/// deadline_after returns the time `seconds` from now by the clock of the database.
[[nodiscard]] storage::Time deadline_after(storage::Reader& reader, double seconds);

}  // namespace oscbo::study
