// How trials of a study are handed out.
//
// While suggestions are fast, an ask is one transaction. When they are slow, a tell should not have
// to wait for them: the ask is first written to the log without its point. This fixes its place,
// and tells that arrive while the point is being computed come after it. Only one such ask is open
// at a time; others wait. If its process dies, any other process can compute the point, because it
// follows from the log.
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
  /// The record must outlive it.
  explicit Asking(const StudyRecord& record) : record_(record) {}

  [[nodiscard]] std::optional<StudySuggestion> ask(const AskRequest& request);

  /// with_model calls `look` with an optimizer that knows all of the log but an ask that is open.
  void with_model(const std::function<void(LogFollower&)>& look);

 private:
  /// An ask under way.
  struct Ask {
    const AskRequest& request;
    std::string token;                                 // of the trial that answers it
    std::optional<TrialNumber> opened = std::nullopt;  // the trial, once it is in the log
  };

  /// What an ask has to do next.
  struct Step {
    enum class Kind { hand_out, work_out, wait, again, used_up };
    Kind kind = Kind::wait;
    storage::TrialRow trial = {};
  };

  /// A suggestion, and which trials were pending when it was made.
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
  std::mutex mutex_;  // of what follows
  std::optional<LogFollower> follower_;
  bool is_ahead_ = false;  // the follower knows of an answer that may not be in the log
  std::optional<double> last_suggestion_;  // what it took, in seconds
};

}  // namespace oscbo::study
