// Reads what is stored about a study. Each function sees a single state of the database. The class
// Study documents what the functions return.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "study/study_record.hpp"

namespace oscbo::study {

class Looking {
 public:
  /// `record` must outlive this object.
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

  /// verify computes every suggestion again from the log before it. Suggestions by this build must
  /// match to the last bit, and suggestions by other builds to 1e-9.
  [[nodiscard]] std::vector<Study::Mismatch> verify(
      const std::function<void(std::size_t, std::size_t)>& progress) const;

 private:
  void add_neighbour(Study::Explanation& explanation, const storage::EventRow& told) const;

  const StudyRecord& record_;
};

}  // namespace oscbo::study
