// What is stored of a study. Each function sees one state of the database; Study says what they
// return.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "study/study_record.hpp"

namespace oscbo::study {

class Looking {
 public:
  /// The record must outlive it.
  explicit Looking(const StudyRecord& record) : record_(record) {}

  [[nodiscard]] std::optional<std::string> ended() const;
  [[nodiscard]] std::optional<StopReason> stop_reason(double run_seconds) const;
  [[nodiscard]] StudyCounts counts() const;
  [[nodiscard]] std::vector<StudyTrial> trials(std::optional<std::int64_t> last) const;
  [[nodiscard]] StudyTrial trial(TrialNumber number) const;
  [[nodiscard]] std::vector<Study::Report> reports() const;
  [[nodiscard]] std::vector<Study::Attribute> attributes() const;
  [[nodiscard]] std::vector<ProgramOutput> outputs(TrialNumber number) const;
  [[nodiscard]] std::string to_json() const;

  [[nodiscard]] std::optional<StudyTrial> best_observed() const;
  [[nodiscard]] CalibrationReport calibration(std::size_t quantity) const;
  [[nodiscard]] Study::Explanation explain(TrialNumber number) const;

  /// verify computes every suggestion again from the log before it. What this very build computed
  /// must come out to the last bit, and what another one did to 1e-9.
  [[nodiscard]] std::vector<Study::Mismatch> verify(
      const std::function<void(std::size_t, std::size_t)>& progress) const;

 private:
  void add_neighbour(Study::Explanation& explanation, const storage::EventRow& told) const;

  const StudyRecord& record_;
};

}  // namespace oscbo::study
