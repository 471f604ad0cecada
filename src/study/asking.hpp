// Hands out the trials of a study.
//
// While suggestions are fast, an ask is one transaction. When they are slow, a tell should not have
// to wait for them. The ask is then first written to the log without its point, which fixes its
// place in the log: tells that arrive while the point is being computed come after it. An ask
// without its point is open. Only one ask is open at a time; other asks wait. If the process of an
// open ask dies, any other process can compute the point, because the point follows from the log.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "study/log_follower.hpp"
#include "study/study_record.hpp"

namespace oscbo::study {

class Asking {
 public:
  /// `record` must outlive this object.
  explicit Asking(const StudyRecord& record) : record_(record) {}

  [[nodiscard]] std::optional<StudySuggestion> ask(const AskRequest& request);

  /// with_model calls `look` with an optimizer that has seen the whole log except an open ask.
  void with_model(const std::function<void(LogFollower&)>& look);

 private:
  /// An ask in progress.
  struct Ask {
    const AskRequest& request;
    std::string token;                                 // the token of the trial that answers it
    std::optional<TrialNumber> opened = std::nullopt;  // the trial, once it is in the log
  };

  /// The next step of an ask.
  struct Step {
    enum class Kind { hand_out, work_out, wait, again, used_up };
    Kind kind = Kind::wait;
    storage::TrialRow trial = {};
  };

  /// A suggestion and the trials that were pending when it was made.
  struct Answer {
    Suggestion suggestion;
    std::vector<std::int64_t> pending;
  };

  void check_given(const std::vector<Given>& given) const;
  [[nodiscard]] Step next_step(Ask& ask);
  [[nodiscard]] Step step_in(storage::Writer& writer, Ask& ask);
  [[nodiscard]] std::optional<storage::TrialRow> known_trial(storage::Reader& reader,
                                                             Ask& ask) const;
  [[nodiscard]] std::optional<Step> step_for_known(storage::Writer& writer, Ask& ask) const;
  [[nodiscard]] std::vector<storage::TrialRow> lost_trials(storage::Reader& reader) const;
  [[nodiscard]] bool end_lost_trials(storage::Writer& writer) const;
  [[nodiscard]] std::optional<storage::TrialRow> take_lost(storage::Writer& writer,
                                                           const Ask& ask) const;
  [[nodiscard]] Step step_for_open_ask(storage::Reader& reader, storage::TrialRow open) const;
  [[nodiscard]] Step open_ask(storage::Writer& writer, Ask& ask);
  void remember(storage::Writer& writer, const Ask& ask, TrialNumber number) const;

  [[nodiscard]] bool is_quick() const;
  Answer answer(const storage::EventRow& ask);
  void store_answer(storage::Writer& writer, storage::TrialRow& trial, const Answer& answer) const;
  void work_out(const storage::TrialRow& asked, const Ask& ask);
  void store_worked_out(TrialNumber number, const Answer& found);
  void close_ask(const storage::EventRow& ask) const;
  [[nodiscard]] StudySuggestion suggestion_of(const storage::TrialRow& trial) const;

  const storage::EventRow* follow_log(std::vector<storage::EventRow>& entries);

  const StudyRecord& record_;
  std::mutex mutex_;  // guards the members below
  std::optional<LogFollower> follower_;
  bool is_ahead_ = false;                  // the follower has an answer that may not be in the log
  std::optional<double> last_suggestion_;  // how long the last suggestion took, in seconds
};

}  // namespace oscbo::study
