// The optimizer behind a study. It sees only the log, in the order of the log, so every process
// that has read the same entries has the same optimizer.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "oscbo/optimizer.hpp"
#include "oscbo/study_declaration.hpp"
#include "storage/storage.hpp"

namespace oscbo::study {

/// Convert between the values given to an ask and the text that the log stores.
[[nodiscard]] std::string given_to_text(const std::vector<Given>& given);
[[nodiscard]] std::vector<Given> given_from_text(const std::string& text);

class LogFollower {
 public:
  explicit LogFollower(const StudyDeclaration& declaration);

  /// follow applies entries that continue the log and stops at an ask that has no answer yet. It
  /// returns that ask, or nullptr.
  const storage::EventRow* follow(std::span<const storage::EventRow> entries);

  /// follow_past_open_asks applies all entries except asks that have no answer. The result is good
  /// for inspection, but not for making suggestions.
  void follow_past_open_asks(std::span<const storage::EventRow> entries);

  /// answer computes the point for an unanswered ask, which must be the next entry of the log.
  /// If answer throws, the ask has had no effect.
  Suggestion answer(const storage::EventRow& ask);

  /// sequence returns the number of the last entry that has been applied.
  [[nodiscard]] std::int64_t sequence() const { return sequence_; }

  [[nodiscard]] Optimizer& optimizer() { return optimizer_; }
  [[nodiscard]] const Optimizer& optimizer() const { return optimizer_; }

  /// number_of returns the number that the study gives to a trial of the optimizer.
  [[nodiscard]] std::int64_t number_of(TrialId trial) const { return numbers_[trial]; }

  /// pending returns the numbers of the pending trials.
  [[nodiscard]] std::vector<std::int64_t> pending() const;

 private:
  [[nodiscard]] Event event_of(const storage::EventRow& row) const;
  void applied(const storage::EventRow& row);

  Optimizer optimizer_;
  std::int64_t sequence_ = 0;
  std::vector<std::int64_t> numbers_;                 // by trial of the optimizer
  std::unordered_map<std::int64_t, TrialId> trials_;  // by number in the study
};

}  // namespace oscbo::study
