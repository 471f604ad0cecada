#include "study/asking.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "study/rows.hpp"

namespace oscbo::study {

using storage::EventRow;
using storage::Lease;
using storage::Reader;
using storage::TrialRow;
using storage::Writer;

namespace {

using Clock = std::chrono::steady_clock;

/// A lease begins when the point is there.
void restart_lease(Reader& reader, TrialRow& trial) {
  if (trial.created == 0 || !trial.lease || !trial.lease->deadline) return;
  *trial.lease->deadline += reader.now() - trial.created;
}

Lease new_lease(Writer& writer, const AskRequest& request) {
  Lease lease{.worker = request.worker, .request = request.request, .token = writer.new_token()};
  if (request.lease_seconds) lease.deadline = deadline_after(writer, *request.lease_seconds);
  return lease;
}

}  // namespace

std::optional<StudySuggestion> Asking::ask(AskRequest request) {
  constexpr std::chrono::milliseconds kShortestWait(1);
  constexpr std::chrono::milliseconds kLongestWait(50);
  std::chrono::milliseconds wait = kShortestWait;
  if (request.request.empty()) {
    record_.storage->read([&](Reader& reader) { request.request = reader.new_token(); });
  }
  while (true) {
    const Step step = next_step(request);
    switch (step.kind) {
      case Step::Kind::hand_out: return suggestion_of(step.trial);
      case Step::Kind::used_up: return std::nullopt;
      case Step::Kind::work_out: work_out(step.trial, request); break;
      case Step::Kind::again: break;
      case Step::Kind::wait:
        std::this_thread::sleep_for(wait);
        wait = std::min(2 * wait, kLongestWait);
        break;
    }
  }
}

Asking::Step Asking::next_step(const AskRequest& request) {
  const std::lock_guard lock(mutex_);
  std::vector<EventRow> entries;
  follow_log(entries);  // so that little is left to do in the transaction
  Step step;
  try {
    record_.storage->write([&](Writer& writer) { step = step_in(writer, request); });
  } catch (...) {
    follower_.reset();  // it may know of an ask that the log does not have
    throw;
  }
  return step;
}

/// Whether a suggestion may be worked out while others wait for the database. Before one has been
/// measured, only without a model.
bool Asking::is_quick() const {
  constexpr double kQuick = 0.02;  // seconds
  return last_suggestion_ ? *last_suggestion_ < kQuick : follower_->optimizer().rounds() == 0;
}

Asking::Step Asking::step_in(Writer& writer, const AskRequest& request) {
  const storage::StudyKey study = record_.row.key;
  if (find_study(writer, record_.row.name).key != study) {
    throw Error(ErrorCode::unknown_name, "study",
                fmt::format("'{}' was deleted; there is another one now", record_.row.name));
  }
  if (auto known = writer.trial_of_request(study, request.worker, request.request)) {
    const auto kind = known->x ? Step::Kind::hand_out : Step::Kind::work_out;
    return {.kind = kind, .trial = std::move(*known)};
  }
  if (end_lost_trials(writer)) return {.kind = Step::Kind::again};
  if (auto expired = take_expired(writer, request)) {
    return {.kind = Step::Kind::hand_out, .trial = std::move(*expired)};
  }
  if (auto open = writer.trials_without_point(study); !open.empty()) {
    return step_for_open_ask(writer, std::move(open.front()));
  }
  return open_ask(writer, request);
}

/// A trial that has been lost again and again has failed: it may be what kills its workers.
bool Asking::end_lost_trials(Writer& writer) const {
  constexpr int kMostLosses = 3;
  bool has_ended = false;
  for (TrialRow& trial : writer.expired_trials(record_.row.key)) {
    if (trial.attempts <= record_.declaration.program.retries + kMostLosses) continue;
    end_without_value(writer, std::move(trial), StudyTrialState::failed,
                      "its workers were lost again and again");
    has_ended = true;
  }
  return has_ended;
}

/// A trial whose worker has let the lease run out, with a new lease; whoever gives nothing takes
/// any.
std::optional<TrialRow> Asking::take_expired(Writer& writer, const AskRequest& request) const {
  for (TrialRow& trial : writer.expired_trials(record_.row.key)) {
    const std::optional<EventRow> ask = writer.ask_of(record_.row.key, trial.number);
    const bool suits = request.given.empty() || (ask && ask->text == given_to_text(request.given));
    if (!suits) continue;
    trial.lease = new_lease(writer, request);
    ++trial.attempts;
    writer.update(trial);
    writer.remove_reports(record_.row.key, trial.number);  // they were those of another attempt
    return trial;
  }
  return std::nullopt;
}

/// Waits for the ask of another process, unless it has been open for so long that the process
/// must be gone.
Asking::Step Asking::step_for_open_ask(Reader& reader, TrialRow open) const {
  constexpr double kPatience = 0.25;   // seconds, or
  constexpr double kTimesUsual = 4.0;  // so many times what the last suggestion took here
  constexpr double kMillisecondsPerSecond = 1000.0;
  const double age = static_cast<double>(reader.now() - open.created) / kMillisecondsPerSecond;
  // Somebody may have set the clock back.
  const bool is_late =
      age < 0.0 || age > std::max(kPatience, kTimesUsual * last_suggestion_.value_or(0.0));
  return {.kind = is_late ? Step::Kind::work_out : Step::Kind::wait, .trial = std::move(open)};
}

Asking::Step Asking::open_ask(Writer& writer, const AskRequest& request) {
  if (request.within_budget) {
    const StudyCounts counts = writer.counts(record_.row.key);
    const std::int64_t used = counts.pending + counts.complete + counts.failed;
    if (used >= record_.declaration.budget) return {.kind = Step::Kind::used_up};
  }
  TrialRow trial{.study = record_.row.key, .lease = new_lease(writer, request), .attempts = 1};
  trial.number = writer.add(trial);
  writer.append({.study = record_.row.key,
                 .kind = "ask",
                 .trial = trial.number,
                 .text = given_to_text(request.given)});
  if (!is_quick()) return {.kind = Step::Kind::work_out, .trial = std::move(trial)};
  const std::vector<EventRow> entries = writer.events(record_.row.key, follower_->sequence());
  store_answer(writer, trial, answer(*follower_->follow(entries)));
  return {.kind = Step::Kind::hand_out, .trial = std::move(trial)};
}

Asking::Answer Asking::answer(const EventRow& ask) {
  std::vector<std::int64_t> pending = follower_->pending();
  const Clock::time_point start = Clock::now();
  Suggestion suggestion = follower_->answer(ask);
  last_suggestion_ = std::chrono::duration<double>(Clock::now() - start).count();
  return {.suggestion = std::move(suggestion), .pending = std::move(pending)};
}

void Asking::store_answer(Writer& writer, TrialRow& trial, const Answer& answer) const {
  trial.x = answer.suggestion.x;
  restart_lease(writer, trial);
  writer.update(trial);
  storage::SuggestionRow row =
      suggestion_row(answer.suggestion, sign_of(record_.declaration.goal), answer.pending);
  row.trial = trial.number;
  writer.add(record_.row.key, row);
}

/// Works out the point of an open ask, for whomever it is, and stores it. That it is refused
/// concerns whoever asked.
void Asking::work_out(const TrialRow& asked, const AskRequest& request) {
  const std::lock_guard lock(mutex_);
  std::vector<EventRow> entries;
  const EventRow* const open = follow_log(entries);
  if (open == nullptr || open->trial != asked.number) return;  // another process was faster
  try {
    const Answer found = answer(*open);
    record_.storage->write([&](Writer& writer) {
      std::optional<TrialRow> trial = writer.trial(record_.row.key, asked.number);
      if (trial && !trial->x) {
        store_answer(writer, *trial, found);
      } else if (!trial || !is_same_point(*trial->x, found.suggestion.x)) {
        follower_.reset();  // another kind of processor may have found another point
      }
    });
  } catch (const Error& error) {
    follower_.reset();  // it may know of an ask that the log does not have
    if (error.code() == ErrorCode::io) throw;
    close_ask(*open);
    const bool is_own = asked.lease && asked.lease->worker == request.worker &&
                        asked.lease->request == request.request;
    if (is_own) throw;
  } catch (...) {
    follower_.reset();
    throw;
  }
}

/// An ask that is refused (the space is exhausted, say) leaves the log.
void Asking::close_ask(const EventRow& ask) const {
  record_.storage->write([&](Writer& writer) {
    const TrialNumber number = ask.trial.value();
    const std::optional<TrialRow> trial = writer.trial(record_.row.key, number);
    const std::optional<EventRow> stored = writer.ask_of(record_.row.key, number);
    const bool is_still_open = trial && !trial->x && stored && stored->sequence == ask.sequence;
    if (!is_still_open) return;
    writer.remove_event(record_.row.key, ask.sequence);
    writer.remove_trial(record_.row.key, number);
  });
}

StudySuggestion Asking::suggestion_of(const TrialRow& trial) const {
  StudySuggestion result{.number = trial.number,
                         .token = trial.lease ? trial.lease->token : std::string(),
                         .x = *trial.x,
                         .attempt = trial.attempts};
  record_.storage->read([&](Reader& reader) {
    result.prediction = study_trial(record_.declaration.space, trial,
                                    reader.suggestion(record_.row.key, trial.number))
                            .prediction;
  });
  return result;
}

void Asking::with_model(const std::function<void(LogFollower&)>& look) {
  const std::lock_guard lock(mutex_);
  std::vector<EventRow> entries;
  if (follow_log(entries) == nullptr) {
    look(*follower_);
    return;
  }
  LogFollower ahead = *follower_;
  ahead.follow_past_open_asks(entries);
  look(ahead);
}

/// Follows the log by `entries`, which are those that are new. Returns an ask that is open.
const EventRow* Asking::follow_log(std::vector<EventRow>& entries) {
  if (!follower_) follower_.emplace(record_.declaration);
  record_.storage->read(
      [&](Reader& reader) { entries = reader.events(record_.row.key, follower_->sequence()); });
  return follower_->follow(entries);
}

}  // namespace oscbo::study
