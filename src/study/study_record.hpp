// What a study is and where it is kept: the same for all that is done with it.
#pragma once

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
};

/// find_study throws Error (unknown_name) naming the studies there are.
[[nodiscard]] storage::StudyRow find_study(storage::Reader& reader, const std::string& name);

/// find_trial throws Error (unknown_name) for a number that has not been handed out.
[[nodiscard]] storage::TrialRow find_trial(const StudyRecord& record, storage::Reader& reader,
                                           TrialNumber number);

/// accepts returns whether outcomes are within their limits.
[[nodiscard]] bool accepts(const SpaceDeclaration& space, const std::vector<double>& outcomes);

/// end_without_value ends a pending trial that has failed or was abandoned, and says so in the log.
void end_without_value(storage::Writer& writer, storage::TrialRow trial, StudyTrialState state,
                       const std::string& reason);

/// deadline_after returns the time in so many seconds, by the clock of the database.
[[nodiscard]] storage::Time deadline_after(storage::Reader& reader, double seconds);

}  // namespace oscbo::study
