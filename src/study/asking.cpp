#include "study/asking.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "space/domain.hpp"
#include "study/process_identity.hpp"
#include "study/rows.hpp"

namespace oscbo::study {

using storage::EventRow;
using storage::Lease;
using storage::Reader;
using storage::TrialRow;
using storage::Writer;

namespace {

using Clock = std::chrono::steady_clock;

/// restart_lease makes the lease begin now, when the point is available, and not when it was asked
/// for.
void restart_lease(Reader& reader, TrialRow& trial) {
  if (trial.created == 0 || !trial.lease || !trial.lease->deadline) return;
  *trial.lease->deadline += reader.now() - trial.created;
}

/// is_lost returns whether the holder's lease has run out or its process has ended.
bool is_lost(const TrialRow& trial, storage::Time now) {
  return *trial.lease->deadline < now || has_ended(trial.lease->process);
}

Lease new_lease(Reader& reader, const AskRequest& request, const std::string& token) {
  Lease lease{.worker = request.worker, .token = token};
  if (request.lease_seconds) lease.deadline = deadline_after(reader, *request.lease_seconds);
  if (request.ends_with_process) lease.process = this_process();
  return lease;
}

}  // namespace

std::optional<StudySuggestion> Asking::ask(const AskRequest& request) {
  constexpr std::chrono::milliseconds kShortestWait(1);
  constexpr std::chrono::milliseconds kLongestWait(50);
  std::chrono::milliseconds wait = kShortestWait;
  if (request.worker.empty()) {
    throw Error(ErrorCode::invalid_value, "worker", "is empty; name who asks");
  }
  check_given(request.given);
  Ask ask{.request = request, .token = {}};
  record_.storage->read([&](Reader& reader) { ask.token = reader.new_token(); });
  while (true) {
    const Step step = next_step(ask);
    switch (step.kind) {
      case Step::Kind::hand_out: return suggestion_of(step.trial);
      case Step::Kind::used_up: return std::nullopt;
      case Step::Kind::work_out: work_out(step.trial, ask); break;
      case Step::Kind::again: break;
      case Step::Kind::wait:
        std::this_thread::sleep_for(wait);
        wait = std::min(2 * wait, kLongestWait);
        break;
    }
  }
}

/// check_given refuses values that are not in the space. Every process that reads the log must be
/// able to answer the asks in it, so invalid values must not get there.
void Asking::check_given(const std::vector<Given>& given) const {
  for (const auto& [parameter, value] : given) {
    const space::Axis& axis = record_.space.domain().axis(record_.space.index(parameter));
    if (std::isfinite(value) && axis.accepts(value)) continue;
    throw Error(ErrorCode::invalid_value, "given." + parameter,
                fmt::format("{} is not accepted; it must be {}", value, axis.accepted()));
  }
}

Asking::Step Asking::next_step(Ask& ask) {
  const std::lock_guard lock(mutex_);
  std::vector<EventRow> entries;
  follow_log(entries);  // leaves little to do in the transaction
  const std::optional<TrialNumber> opened = ask.opened;
  Step step;
  try {
    record_.storage->write([&](Writer& writer) { step = step_in(writer, ask); });
  } catch (...) {
    ask.opened = opened;
    if (is_ahead_) follower_.reset();
    throw;
  }
  is_ahead_ = false;
  return step;
}

/// is_quick returns whether a suggestion may be computed while others wait for the database. Until
/// one has been measured, this is allowed only without a model.
bool Asking::is_quick() const {
  constexpr double kQuick = 0.02;  // seconds
  return last_suggestion_ ? *last_suggestion_ < kQuick : follower_->optimizer().rounds() == 0;
}

Asking::Step Asking::step_in(Writer& writer, Ask& ask) {
  const storage::StudyKey study = record_.row.key;
  if (find_study(writer, record_.row.name).key != study) {
    throw Error(ErrorCode::unknown_name, "study",
                fmt::format("'{}' was deleted; there is another one now", record_.row.name));
  }
  if (auto step = step_for_known(writer, ask)) return std::move(*step);
  if (end_lost_trials(writer)) return {.kind = Step::Kind::again};
  if (auto lost = take_lost(writer, ask)) {
    return {.kind = Step::Kind::hand_out, .trial = std::move(*lost)};
  }
  if (auto open = writer.trials_without_point(study); !open.empty()) {
    return step_for_open_ask(writer, std::move(open.front()));
  }
  return open_ask(writer, ask);
}

/// known_trial returns the trial of an ask that was opened before or whose request was made before.
/// The trial no longer exists if the process that computed its point had to refuse the ask.
std::optional<TrialRow> Asking::known_trial(Reader& reader, Ask& ask) const {
  const AskRequest& request = ask.request;
  if (!request.request.empty()) {
    const auto known = reader.handout(record_.row.key, request.worker, request.request);
    if (!known) return std::nullopt;
    ask.token = known->token;
    return reader.trial(record_.row.key, known->trial);
  }
  if (!ask.opened) return std::nullopt;
  std::optional<TrialRow> trial = reader.trial(record_.row.key, *ask.opened);
  const bool is_its = trial && trial->lease && trial->lease->token == ask.token;
  return is_its ? trial : std::nullopt;
}

std::optional<Asking::Step> Asking::step_for_known(Writer& writer, Ask& ask) const {
  std::optional<TrialRow> trial = known_trial(writer, ask);
  ask.opened = trial ? std::optional(trial->number) : std::nullopt;
  if (!trial) return std::nullopt;
  if (!trial->x) return Step{.kind = Step::Kind::work_out, .trial = std::move(*trial)};
  const bool is_held = trial->lease->token == ask.token;
  if (is_held && trial->state == TrialState::pending) {
    trial->lease = new_lease(writer, ask.request, ask.token);
    writer.update(*trial);
  }
  trial->lease->token = ask.token;  // a late token if another worker holds the trial now
  return Step{.kind = Step::Kind::hand_out, .trial = std::move(*trial)};
}

std::vector<TrialRow> Asking::lost_trials(Reader& reader) const {
  std::vector<TrialRow> trials = reader.leased_trials(record_.row.key);
  const storage::Time now = reader.now();
  std::erase_if(trials, [&](const TrialRow& trial) { return !is_lost(trial, now); });
  return trials;
}

/// end_lost_trials ends trials that have been lost again and again. Such a trial counts as failed,
/// because it may be what kills its workers.
bool Asking::end_lost_trials(Writer& writer) const {
  constexpr int kMostLosses = 3;
  bool has_ended_one = false;
  for (TrialRow& trial : lost_trials(writer)) {
    if (trial.attempts - trial.failures <= kMostLosses) continue;
    end_without_value(writer, std::move(trial), TrialState::failed,
                      "its workers were lost again and again");
    has_ended_one = true;
  }
  return has_ended_one;
}

/// take_lost takes over a lost trial with a new lease. An ask without given values takes any lost
/// trial.
std::optional<TrialRow> Asking::take_lost(Writer& writer, const Ask& ask) const {
  for (TrialRow& trial : lost_trials(writer)) {
    const std::optional<EventRow> asked = writer.ask_of(record_.row.key, trial.number);
    const std::vector<Given>& given = ask.request.given;
    const bool suits = given.empty() || (asked && asked->text == given_to_text(given));
    if (!suits) continue;
    trial.lease = new_lease(writer, ask.request, ask.token);
    ++trial.attempts;
    writer.update(trial);
    writer.remove_reports(record_.row.key, trial.number);  // they belong to another attempt
    remember(writer, ask, trial.number);
    return trial;
  }
  return std::nullopt;
}

void Asking::remember(Writer& writer, const Ask& ask, TrialNumber number) const {
  writer.add(record_.row.key, storage::HandoutRow{.trial = number,
                                                  .token = ask.token,
                                                  .worker = ask.request.worker,
                                                  .request = ask.request.request});
}

/// step_for_open_ask waits for the ask of another process, unless it has been open for so long that
/// the process must be gone.
Asking::Step Asking::step_for_open_ask(Reader& reader, TrialRow open) const {
  constexpr double kPatience = 0.25;   // seconds, or
  constexpr double kTimesUsual = 4.0;  // times as long as the last suggestion took here
  constexpr double kMillisecondsPerSecond = 1000.0;
  const double age = static_cast<double>(reader.now() - open.created) / kMillisecondsPerSecond;
  // The age is negative if the clock has been set back.
  const bool is_late =
      age < 0.0 || age > std::max(kPatience, kTimesUsual * last_suggestion_.value_or(0.0));
  return {.kind = is_late ? Step::Kind::work_out : Step::Kind::wait, .trial = std::move(open)};
}

Asking::Step Asking::open_ask(Writer& writer, Ask& ask) {
  if (ask.request.within_budget &&
      writer.counts(record_.row.key).asked >= record_.declaration.budget) {
    return {.kind = Step::Kind::used_up};
  }
  TrialRow trial{
      .study = record_.row.key, .lease = new_lease(writer, ask.request, ask.token), .attempts = 1};
  trial.number = writer.add(trial);
  remember(writer, ask, trial.number);
  writer.append({.study = record_.row.key,
                 .kind = "ask",
                 .trial = trial.number,
                 .text = given_to_text(ask.request.given)});
  ask.opened = trial.number;
  if (!is_quick()) return {.kind = Step::Kind::work_out, .trial = std::move(trial)};
  const std::vector<EventRow> entries = writer.events(record_.row.key, follower_->sequence());
  store_answer(writer, trial, answer(*follower_->follow(entries)));
  return {.kind = Step::Kind::hand_out, .trial = std::move(trial)};
}

Asking::Answer Asking::answer(const EventRow& ask) {
  std::vector<std::int64_t> pending = follower_->pending();
  const Clock::time_point start = Clock::now();
  Suggestion suggestion = follower_->answer(ask);
  is_ahead_ = true;
  last_suggestion_ = std::chrono::duration<double>(Clock::now() - start).count();
  return {.suggestion = std::move(suggestion), .pending = std::move(pending)};
}

void Asking::store_answer(Writer& writer, TrialRow& trial, const Answer& answer) const {
  trial.x = answer.suggestion.x;
  restart_lease(writer, trial);
  writer.update(trial);
  storage::SuggestionRow row =
      suggestion_row(record_.declaration, answer.suggestion, answer.pending);
  row.trial = trial.number;
  writer.add(record_.row.key, row);
}

/// work_out computes and stores the point of an open ask, whichever process made it. If the ask
/// cannot be answered, it is closed and its maker is told why. Only a temporary failure of the
/// database leaves it open for another attempt.
void Asking::work_out(const TrialRow& asked, const Ask& ask) {
  const std::lock_guard lock(mutex_);
  std::vector<EventRow> entries;
  const EventRow* const open = follow_log(entries);
  if (open == nullptr || open->trial != asked.number) return;  // another process was faster
  try {
    store_worked_out(asked.number, answer(*open));
  } catch (const std::exception& failure) {
    if (std::exchange(is_ahead_, false)) follower_.reset();
    const auto* const error = dynamic_cast<const Error*>(&failure);
    if (error != nullptr && error->code() == ErrorCode::io) throw;
    close_ask(*open);
    if (ask.opened == asked.number) throw;
  }
}

void Asking::store_worked_out(TrialNumber number, const Answer& found) {
  bool is_same = true;
  record_.storage->write([&](Writer& writer) {
    std::optional<TrialRow> trial = writer.trial(record_.row.key, number);
    if (trial && !trial->x) {
      store_answer(writer, *trial, found);
    } else {
      is_same = trial && is_same_point(*trial->x, found.suggestion.x);
    }
  });
  is_ahead_ = false;
  if (!is_same) follower_.reset();  // another kind of processor may have found another point
}

/// close_ask removes a refused ask from the log, for example if the space is exhausted.
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
    result.prediction =
        study_trial(record_.declaration, trial, reader.suggestion(record_.row.key, trial.number))
            .prediction();
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

/// follow_log reads the new entries of the log into `entries` and follows them. It returns an open
/// ask, or nullptr.
const EventRow* Asking::follow_log(std::vector<EventRow>& entries) {
  if (!follower_) follower_.emplace(record_.declaration);
  record_.storage->read(
      [&](Reader& reader) { entries = reader.events(record_.row.key, follower_->sequence()); });
  return follower_->follow(entries);
}

}  // namespace oscbo::study
