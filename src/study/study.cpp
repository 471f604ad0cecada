#include "oscbo/study.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "optimizer/initial_design.hpp"
#include "optimizer/input_checks.hpp"
#include "oscbo/version.hpp"
#include "storage/storage.hpp"
#include "study/export_json.hpp"
#include "study/insight.hpp"
#include "study/log_follower.hpp"
#include "study/pruning.hpp"
#include "study/rows.hpp"
#include "study/stop_rules.hpp"

namespace oscbo {

using storage::EventRow;
using storage::Lease;
using storage::Reader;
using storage::Storage;
using storage::StudyRow;
using storage::TrialRow;
using storage::Writer;
using study::LogFollower;

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMillisecondsPerSecond = 1000.0;

storage::Time deadline_after(Reader& reader, double seconds) {
  return reader.now() + static_cast<storage::Time>(seconds * kMillisecondsPerSecond);
}

StudyRow find_study(Reader& reader, const std::string& name) {
  if (std::optional<StudyRow> row = reader.study(name)) return *row;
  std::vector<std::string> names;
  for (const StudyRow& row : reader.studies()) names.push_back(row.name);
  throw Error(ErrorCode::unknown_name, "study",
              names.empty()
                  ? fmt::format("'{}' is not there; there are no studies yet", name)
                  : fmt::format("'{}' is not there; there are {}", name, fmt::join(names, ", ")));
}

/// Whether value a is better than b.
bool is_better(Goal goal, double a, double b) { return goal == Goal::maximize ? a > b : a < b; }

}  // namespace

// --- the store -----------------------------------------------------------------------------------

StudyStore::StudyStore(const std::filesystem::path& file, Mode mode)
    : storage_(storage::open_sqlite(file, mode == Mode::create)) {}

std::vector<std::string> StudyStore::names() const {
  std::vector<std::string> names;
  storage_->read([&](Reader& reader) {
    for (const StudyRow& row : reader.studies()) names.push_back(row.name);
  });
  return names;
}

void StudyStore::remove(const std::string& name) {
  storage_->write([&](Writer& writer) { writer.remove_study(find_study(writer, name).key); });
}

// --- a study -------------------------------------------------------------------------------------

class Study::Impl {
 public:
  Impl(std::shared_ptr<Storage> storage, StudyRow row)
      : storage_(std::move(storage)),
        row_(std::move(row)),
        declaration_(study_from_json(row_.declaration)),
        space_(declaration_.space) {}

  [[nodiscard]] const StudyDeclaration& declaration() const { return declaration_; }
  [[nodiscard]] const Space& space() const { return space_; }

  // --- ask -----------------------------------------------------------------------------------
  //
  // While suggestions take no time worth mentioning, an ask is one transaction. Where they do,
  // nobody should have to wait for them with a tell: the ask is first written into the log without
  // its point. From then on its place is fixed, and tells that come while the point is worked out
  // stand behind it. One such ask is open at a time; others wait. Should its process die, any other
  // one can work the point out, since it follows from the log.

  std::optional<StudySuggestion> ask(AskRequest request) {
    constexpr std::chrono::milliseconds kShortestWait(1);
    constexpr std::chrono::milliseconds kLongestWait(50);
    std::chrono::milliseconds wait = kShortestWait;
    if (request.request.empty()) {
      storage_->read([&](Reader& reader) { request.request = reader.new_token(); });
    }
    while (true) {
      const Step step = next_step_prepared(request);
      switch (step.kind) {
        case Step::Kind::hand_out: return suggestion_of(step.trial);
        case Step::Kind::used_up: return std::nullopt;
        case Step::Kind::work_out: work_out(step.trial.number); break;
        case Step::Kind::wait:
          std::this_thread::sleep_for(wait);
          wait = std::min(2 * wait, kLongestWait);
          break;
      }
    }
  }

  bool renew(TrialNumber number, const std::string& token, double lease_seconds) {
    bool is_renewed = false;
    storage_->write([&](Writer& writer) {
      std::optional<TrialRow> trial = writer.trial(row_.key, number);
      if (!trial || !is_held(*trial, token)) return;
      trial->lease->deadline = deadline_after(writer, lease_seconds);
      writer.update(*trial);
      is_renewed = true;
    });
    return is_renewed;
  }

  // --- tell ----------------------------------------------------------------------------------

  Told tell(TrialNumber number, const std::string& token, const Measurement& measurement) {
    check_measurement(measurement, space_);
    Told told = Told::accepted;
    storage_->write([&](Writer& writer) {
      TrialRow trial = asked_trial(writer, number);
      if (trial.state == StudyTrialState::pending) {
        if (trial.lease && !token.empty()) trial.lease->token = token;  // who finished it
        finish(writer, std::move(trial), measurement);
        return;
      }
      if (token.empty()) refuse_finished(trial);
      const bool is_same = trial.lease && trial.lease->token == token && trial.y == measurement.y;
      told = is_same ? Told::again : Told::extra;
      if (!is_same) add_observation(writer, *trial.x, measurement);
    });
    return told;
  }

  bool tell_failed(TrialNumber number, const std::string& token, const std::string& reason) {
    bool is_tried_again = false;
    storage_->write([&](Writer& writer) {
      TrialRow trial = asked_trial(writer, number);
      const bool is_holder = trial.lease && trial.lease->token == token;
      if (trial.state != StudyTrialState::pending) {
        if (token.empty()) refuse_finished(trial);
        return;
      }
      if (!token.empty() && !is_holder) {
        is_tried_again = true;  // somebody else is at it
        return;
      }
      if (is_holder && trial.attempts <= declaration_.program.retries) {
        hand_back(writer, std::move(trial));
        is_tried_again = true;
        return;
      }
      end_without_value(writer, std::move(trial), StudyTrialState::failed, reason);
    });
    return is_tried_again;
  }

  void release(TrialNumber number, const std::string& token) {
    storage_->write([&](Writer& writer) {
      TrialRow trial = asked_trial(writer, number);
      if (!is_held(trial, token)) return;
      --trial.attempts;
      hand_back(writer, std::move(trial));
    });
  }

  void give_up(TrialNumber number, const std::string& token, const std::string& reason) {
    storage_->write([&](Writer& writer) {
      TrialRow trial = asked_trial(writer, number);
      if (!is_held(trial, token)) return;
      end_without_value(writer, std::move(trial), StudyTrialState::failed, reason);
    });
  }

  bool report(TrialNumber number, std::int64_t step, double value) {
    if (!std::isfinite(value)) {
      throw Error(ErrorCode::invalid_value, "value", fmt::format("{} is not finite", value));
    }
    if (step < 0) {
      throw Error(ErrorCode::invalid_value, "step", fmt::format("{} is negative", step));
    }
    bool should_end = false;
    storage_->write([&](Writer& writer) {
      static_cast<void>(asked_trial(writer, number));
      writer.set(row_.key, {.trial = number, .step = step, .value = value});
      if (declaration_.pruning.kind == PruningKind::none) return;
      should_end = study::should_give_up(declaration_.pruning, declaration_.goal,
                                         writer.reports(row_.key), number);
    });
    return should_end;
  }

  void set_attribute(TrialNumber number, const std::string& key, const std::string& value) {
    storage_->write([&](Writer& writer) {
      static_cast<void>(asked_trial(writer, number));
      writer.set(row_.key, storage::AttributeRow{.trial = number, .key = key, .value = value});
    });
  }

  void keep_output(TrialNumber number, const ProgramOutput& output) {
    storage_->write([&](Writer& writer) {
      static_cast<void>(asked_trial(writer, number));
      writer.add(row_.key, storage::OutputRow{.trial = number,
                                              .attempt = output.attempt,
                                              .output = output.output,
                                              .errors = output.errors,
                                              .ending = output.ending});
    });
  }

  void end(const std::optional<std::string>& reason) {
    storage_->write([&](Writer& writer) { writer.end_study(row_.key, reason); });
  }

  void add(std::span<const Observation> observations) {
    for (const Observation& observation : observations) {
      space_.check(observation.x);
      check_measurement(observation.measurement, space_);
    }
    storage_->write([&](Writer& writer) {
      for (const auto& [x, measurement] : observations) add_observation(writer, x, measurement);
    });
  }

  TrialNumber add(std::span<const double> x, const Measurement& measurement) {
    space_.check(x);
    check_measurement(measurement, space_);
    TrialNumber number = 0;
    storage_->write([&](Writer& writer) {
      number = add_observation(writer, {x.begin(), x.end()}, measurement);
    });
    return number;
  }

  void abandon(TrialNumber number, const std::string& reason) {
    storage_->write([&](Writer& writer) {
      TrialRow trial = asked_trial(writer, number);
      if (trial.state != StudyTrialState::pending) refuse_finished(trial);
      end_without_value(writer, std::move(trial), StudyTrialState::abandoned, reason);
    });
  }

  void queue(std::span<const double> x) {
    space_.check(x);
    storage_->write([&](Writer& writer) {
      writer.append(
          {.study = row_.key, .kind = "queue", .x = std::vector<double>(x.begin(), x.end())});
    });
  }

  // --- reading -------------------------------------------------------------------------------

  [[nodiscard]] std::optional<std::string> ended() const {
    std::optional<std::string> reason;
    storage_->read([&](Reader& reader) { reason = find_study(reader, row_.name).ended; });
    return reason;
  }

  [[nodiscard]] std::vector<Report> reports() const {
    std::vector<Report> result;
    storage_->read([&](Reader& reader) {
      for (const auto& [trial, step, value] : reader.reports(row_.key)) {
        result.push_back({.number = trial, .step = step, .value = value});
      }
    });
    return result;
  }

  [[nodiscard]] std::vector<Attribute> attributes() const {
    std::vector<Attribute> result;
    storage_->read([&](Reader& reader) {
      for (auto& [trial, key, value] : reader.attributes(row_.key)) {
        result.push_back({.number = trial, .key = std::move(key), .value = std::move(value)});
      }
    });
    return result;
  }

  [[nodiscard]] std::vector<ProgramOutput> outputs(TrialNumber number) const {
    std::vector<ProgramOutput> result;
    storage_->read([&](Reader& reader) {
      for (storage::OutputRow& row : reader.outputs(row_.key, number)) {
        result.push_back({.attempt = static_cast<int>(row.attempt),
                          .output = std::move(row.output),
                          .errors = std::move(row.errors),
                          .ending = std::move(row.ending)});
      }
    });
    return result;
  }

  [[nodiscard]] StudyCounts counts() const {
    StudyCounts counts;
    storage_->read([&](Reader& reader) { counts = reader.counts(row_.key); });
    return counts;
  }

  [[nodiscard]] std::vector<StudyTrial> trials(std::optional<std::int64_t> last) const {
    std::vector<StudyTrial> result;
    storage_->read([&](Reader& reader) {
      const auto rows = reader.trials(row_.key, {.last = last});
      if (rows.empty()) return;
      const auto suggestions = reader.suggestions(row_.key, rows.front().number);
      auto suggestion = suggestions.begin();
      for (const TrialRow& row : rows) {
        if (!row.x) continue;  // a suggestion that is being worked out is nobody's yet
        while (suggestion != suggestions.end() && suggestion->trial < row.number) ++suggestion;
        const bool is_its = suggestion != suggestions.end() && suggestion->trial == row.number;
        result.push_back(
            study::study_trial(row, is_its ? std::optional(*suggestion) : std::nullopt));
      }
    });
    return result;
  }

  [[nodiscard]] StudyTrial trial(TrialNumber number) const {
    StudyTrial trial;
    storage_->read([&](Reader& reader) {
      trial = study::study_trial(asked_trial(reader, number), reader.suggestion(row_.key, number));
    });
    return trial;
  }

  [[nodiscard]] Best best() {
    if (is_control(config_of(declaration_).acquisition.kind)) return best_observed();
    const std::lock_guard lock(mutex_);
    LogFollower& follower = follow_log();
    const Recommendation recommendation = follower.optimizer().recommendation();
    return {.trial = trial(follower.number_of(recommendation.trial.id)),
            .by = recommendation.by,
            .is_acceptable = recommendation.is_acceptable};
  }

  [[nodiscard]] std::vector<Prediction> predict(std::span<const std::vector<double>> points) {
    const std::lock_guard lock(mutex_);
    std::vector<Prediction> predictions = follow_log().optimizer().predict(points);
    for (Prediction& prediction : predictions) {
      prediction = study::in_user_units(std::move(prediction), study::sign_of(declaration_.goal));
    }
    return predictions;
  }

  [[nodiscard]] std::vector<Importance> importance() {
    constexpr int kSamples = 512;
    const std::lock_guard lock(mutex_);
    Optimizer& optimizer = follow_log().optimizer();
    std::vector<double> lengthscales;
    const std::vector<double> shares = study::shares_of_variance(
        space_,
        [&](const std::vector<std::vector<double>>& points) {
          std::vector<double> means;
          for (Prediction& prediction : optimizer.predict(points)) {
            means.push_back(prediction.mean);
            lengthscales = std::move(prediction.lengthscales);
          }
          return means;
        },
        kSamples, declaration_.seed);
    const std::vector<double> weights = study::by_lengthscale(space_, lengthscales);
    std::vector<Importance> result;
    for (std::size_t k = 0; k < space_.dimension(); ++k) {
      result.push_back({.parameter = space_.declaration().parameters[k].name,
                        .share = shares[k],
                        .sensitivity = weights[k]});
    }
    return result;
  }

  [[nodiscard]] Explanation explain(TrialNumber number) const {
    Explanation result;
    storage_->read([&](Reader& reader) {
      const auto suggestion = reader.suggestion(row_.key, number);
      result.trial = study::study_trial(asked_trial(reader, number), suggestion);
      if (!suggestion) {
        throw Error(ErrorCode::conflict, "trial",
                    fmt::format("{} was told without having been asked for", number));
      }
      result.pending_seen = suggestion->pending_seen;
      result.acceptable = suggestion->acceptable;
      result.succeeds = suggestion->succeeds;
      result.build = suggestion->build;
      for (const EventRow& event : reader.events(row_.key, 0)) {
        if (event.kind == "ask" && event.trial == number) break;
        if (!event.y || event.kind == "ask") continue;
        add_neighbour(result, event);
      }
    });
    constexpr std::size_t kMost = 5;
    std::sort(result.nearest.begin(), result.nearest.end(),
              [](const Neighbour& a, const Neighbour& b) { return a.distance < b.distance; });
    result.nearest.resize(std::min(result.nearest.size(), kMost));
    if (!result.trial.prediction || !result.best_before) return result;
    const Prediction& prediction = *result.trial.prediction;
    result.expected_gain = study::expected_gain(prediction, *result.best_before, declaration_.goal);
    result.exploration =
        study::exploration_share(prediction, *result.best_before, declaration_.goal);
    return result;
  }

  [[nodiscard]] std::string to_json() const {
    std::string text;
    storage_->read([&](Reader& reader) { text = study::study_to_json(reader, row_); });
    return text;
  }

  [[nodiscard]] CalibrationReport calibration() const {
    std::vector<Forecast> forecasts;
    for (const StudyTrial& trial : trials(std::nullopt)) {
      if (trial.y && trial.prediction) {
        forecasts.push_back(make_forecast(*trial.prediction, *trial.y));
      }
    }
    return oscbo::calibration(forecasts);
  }

  [[nodiscard]] std::vector<Mismatch> verify(
      const std::function<void(std::size_t, std::size_t)>& progress) const {
    std::vector<EventRow> log;
    std::vector<storage::SuggestionRow> suggestions;
    storage_->read([&](Reader& reader) {
      log = reader.events(row_.key, 0);
      suggestions = reader.suggestions(row_.key, 0);
    });
    std::vector<Mismatch> mismatches;
    LogFollower follower(declaration_);
    auto stored = suggestions.begin();
    for (std::size_t i = 0; i < log.size(); ++i) {
      if (progress) progress(i, log.size());
      if (log[i].kind != "ask" || !log[i].x) {
        follower.follow({&log[i], 1});
        continue;
      }
      while (stored != suggestions.end() && stored->trial < *log[i].trial) ++stored;
      const std::vector<std::int64_t> pending = follower.pending();
      const Suggestion again = follower.answer(log[i]);
      const std::string difference = stored == suggestions.end()
                                         ? "has no stored suggestion"
                                         : difference_of(again, pending, *log[i].x, *stored);
      if (difference.empty()) continue;
      mismatches.push_back({.number = *log[i].trial, .what = difference});
      follower = LogFollower(declaration_);  // what follows is compared with what was
      follower.follow({log.data(), i + 1});
    }
    return mismatches;
  }

 private:
  /// What an ask has to do next.
  struct Step {
    enum class Kind { hand_out, work_out, wait, used_up };
    Kind kind = Kind::wait;
    TrialRow trial = {};
  };

  [[nodiscard]] Step next_step_prepared(const AskRequest& request) {
    const std::lock_guard lock(mutex_);
    if (is_quick()) follow_log();  // so that little is left to do in the transaction
    try {
      return next_step(request);
    } catch (...) {
      follower_.reset();  // it may know of an ask that the log does not have
      throw;
    }
  }

  /// Whether a suggestion may be worked out while others wait for the database.
  [[nodiscard]] bool is_quick() const {
    constexpr double kQuick = 0.02;  // seconds
    return last_suggestion_ < kQuick;
  }

  [[nodiscard]] Step next_step(const AskRequest& request) {
    Step step;
    storage_->write([&](Writer& writer) {
      if (auto known = writer.trial_of_request(row_.key, request.worker, request.request)) {
        const auto kind = known->x ? Step::Kind::hand_out : Step::Kind::work_out;
        step = {.kind = kind, .trial = std::move(*known)};
      } else if (auto expired = take_expired(writer, request)) {
        step = {.kind = Step::Kind::hand_out, .trial = std::move(*expired)};
      } else if (auto open = writer.trials_without_point(row_.key); !open.empty()) {
        step = step_for_open_ask(writer, std::move(open.front()));
      } else {
        step = open_ask(writer, request);
      }
    });
    return step;
  }

  /// A trial whose worker has let the lease run out, with a new lease; whoever gives nothing takes
  /// any. One that has been lost again and again has failed: it may be what kills its workers.
  [[nodiscard]] std::optional<TrialRow> take_expired(Writer& writer, const AskRequest& request) {
    constexpr int kMostLosses = 3;
    for (TrialRow& trial : writer.expired_trials(row_.key)) {
      if (trial.attempts > declaration_.program.retries + kMostLosses) {
        end_without_value(writer, std::move(trial), StudyTrialState::failed,
                          "its workers were lost again and again");
        continue;
      }
      const std::optional<EventRow> ask = writer.ask_of(row_.key, trial.number);
      const bool suits =
          request.given.empty() || (ask && ask->text == study::given_to_text(request.given));
      if (!suits) continue;
      trial.lease = new_lease(writer, request);
      ++trial.attempts;
      writer.update(trial);
      return trial;
    }
    return std::nullopt;
  }

  /// Waits for the ask of another process, unless it has been open for so long that the process
  /// must be gone.
  [[nodiscard]] Step step_for_open_ask(Reader& reader, TrialRow open) const {
    constexpr double kPatience = 0.25;   // seconds, or
    constexpr double kTimesUsual = 4.0;  // so many times what the last suggestion took here
    const double age = static_cast<double>(reader.now() - open.created) / kMillisecondsPerSecond;
    const bool is_late = age > std::max(kPatience, kTimesUsual * last_suggestion_);
    return {.kind = is_late ? Step::Kind::work_out : Step::Kind::wait, .trial = std::move(open)};
  }

  [[nodiscard]] Step open_ask(Writer& writer, const AskRequest& request) {
    if (request.within_budget) {
      const StudyCounts counts = writer.counts(row_.key);
      const std::int64_t used = counts.pending + counts.complete + counts.failed;
      if (used >= declaration_.budget) return {.kind = Step::Kind::used_up};
    }
    TrialRow trial{.study = row_.key, .lease = new_lease(writer, request), .attempts = 1};
    trial.number = writer.add(trial);
    writer.append({.study = row_.key,
                   .kind = "ask",
                   .trial = trial.number,
                   .text = study::given_to_text(request.given)});
    if (!is_quick()) return {.kind = Step::Kind::work_out, .trial = std::move(trial)};
    const std::vector<EventRow> entries = writer.events(row_.key, follower_->sequence());
    store_answer(writer, trial, answer(*follower_->follow(entries)));
    return {.kind = Step::Kind::hand_out, .trial = std::move(trial)};
  }

  [[nodiscard]] static Lease new_lease(Writer& writer, const AskRequest& request) {
    Lease lease{.worker = request.worker, .request = request.request, .token = writer.new_token()};
    if (request.lease_seconds) lease.deadline = deadline_after(writer, *request.lease_seconds);
    return lease;
  }

  /// A suggestion, and which trials were pending when it was made.
  struct Answer {
    Suggestion suggestion;
    std::vector<std::int64_t> pending;
  };

  Answer answer(const EventRow& ask) {
    std::vector<std::int64_t> pending = follower_->pending();
    const Clock::time_point start = Clock::now();
    Suggestion suggestion = follower_->answer(ask);
    last_suggestion_ = std::chrono::duration<double>(Clock::now() - start).count();
    return {.suggestion = std::move(suggestion), .pending = std::move(pending)};
  }

  void store_answer(Writer& writer, TrialRow& trial, const Answer& answer) const {
    trial.x = answer.suggestion.x;
    writer.update(trial);
    storage::SuggestionRow row =
        study::suggestion_row(answer.suggestion, study::sign_of(declaration_.goal), answer.pending);
    row.trial = trial.number;
    writer.add(row_.key, row);
  }

  /// Works out the point of an open ask, for whomever it is, and stores it.
  void work_out(TrialNumber number) {
    const std::lock_guard lock(mutex_);
    std::vector<EventRow> entries;
    const EventRow* const open = follow_log(entries);
    if (open == nullptr || open->trial != number) return;  // another process was faster
    try {
      const Answer found = answer(*open);
      storage_->write([&](Writer& writer) {
        std::optional<TrialRow> trial = writer.trial(row_.key, number);
        if (trial && !trial->x) {
          store_answer(writer, *trial, found);
        } else if (!trial || trial->x != found.suggestion.x) {
          follower_.reset();  // another kind of processor may have found another point
        }
      });
    } catch (const Error& error) {
      follower_.reset();  // it may know of an ask that the log does not have
      if (error.code() != ErrorCode::io) close_ask(*open);
      throw;
    }
  }

  /// An ask that is refused (the space is exhausted, say) leaves the log.
  void close_ask(const EventRow& ask) {
    storage_->write([&](Writer& writer) {
      const std::optional<TrialRow> trial = writer.trial(row_.key, ask.trial.value());
      if (!trial || trial->x) return;
      writer.remove_event(row_.key, ask.sequence);
      writer.remove_trial(row_.key, trial->number);
    });
  }

  [[nodiscard]] StudySuggestion suggestion_of(const TrialRow& trial) const {
    StudySuggestion result{.number = trial.number,
                           .token = trial.lease ? trial.lease->token : std::string(),
                           .x = *trial.x,
                           .attempt = trial.attempts};
    storage_->read([&](Reader& reader) {
      result.prediction =
          study::study_trial(trial, reader.suggestion(row_.key, trial.number)).prediction;
    });
    return result;
  }

  // --- trials --------------------------------------------------------------------------------

  [[nodiscard]] TrialRow asked_trial(Reader& reader, TrialNumber number) const {
    std::optional<TrialRow> trial = reader.trial(row_.key, number);
    if (!trial || !trial->x) {
      throw Error(ErrorCode::unknown_name, "trial",
                  fmt::format("'{}' has no trial {}", row_.name, number));
    }
    return *trial;
  }

  [[noreturn]] static void refuse_finished(const TrialRow& trial) {
    throw Error(ErrorCode::conflict, "trial",
                fmt::format("{} is {} already{}", trial.number, to_string(trial.state),
                            trial.y ? fmt::format(": {}", *trial.y) : std::string()));
  }

  [[nodiscard]] static bool is_held(const TrialRow& trial, const std::string& token) {
    return trial.state == StudyTrialState::pending && trial.lease && trial.lease->token == token;
  }

  /// Whoever asks next gets the trial.
  static void hand_back(Writer& writer, TrialRow trial) {
    trial.lease->deadline = 0;
    writer.update(trial);
  }

  void finish(Writer& writer, TrialRow trial, const Measurement& measurement) const {
    trial.state = StudyTrialState::complete;
    trial.y = measurement.y;
    trial.variance = measurement.variance;
    trial.outcomes = measurement.outcomes;
    writer.update(trial);
    writer.append({.study = row_.key, .kind = "tell", .trial = trial.number});
  }

  void end_without_value(Writer& writer, TrialRow trial, StudyTrialState state,
                         const std::string& reason) const {
    trial.state = state;
    trial.reason = reason;
    writer.update(trial);
    writer.append({.study = row_.key,
                   .kind = state == StudyTrialState::failed ? "fail" : "withdraw",
                   .trial = trial.number});
  }

  TrialNumber add_observation(Writer& writer, std::vector<double> x,
                              const Measurement& measurement) const {
    const TrialNumber number = writer.add(TrialRow{.study = row_.key,
                                                   .state = StudyTrialState::complete,
                                                   .x = std::move(x),
                                                   .y = measurement.y,
                                                   .variance = measurement.variance,
                                                   .outcomes = measurement.outcomes});
    writer.append({.study = row_.key, .kind = "extra", .trial = number});
    return number;
  }

  // --- the model -----------------------------------------------------------------------------

  /// The optimizer with everything that is in the log.
  LogFollower& follow_log() {
    std::vector<EventRow> entries;
    static_cast<void>(follow_log(entries));
    return *follower_;
  }

  /// Follows the log by `entries`, which are those that are new. Returns an ask that is open.
  const EventRow* follow_log(std::vector<EventRow>& entries) {
    if (!follower_) follower_.emplace(declaration_);
    storage_->read(
        [&](Reader& reader) { entries = reader.events(row_.key, follower_->sequence()); });
    return follower_->follow(entries);
  }

  [[nodiscard]] Best best_observed() const {
    std::optional<StudyTrial> best;
    bool best_is_acceptable = false;
    for (StudyTrial& trial : trials(std::nullopt)) {
      if (!trial.y) continue;
      const bool acceptable = accepts(trial.outcomes);
      const bool is_new_best =
          !best || (acceptable && !best_is_acceptable) ||
          (acceptable == best_is_acceptable && is_better(declaration_.goal, *trial.y, *best->y));
      if (!is_new_best) continue;
      best = std::move(trial);
      best_is_acceptable = acceptable;
    }
    if (!best) throw Error(ErrorCode::conflict, "best", "nothing has been told yet");
    return {.trial = std::move(*best),
            .by = RecommendedBy::observed,
            .is_acceptable = best_is_acceptable};
  }

  /// An observation that was known when the trial was asked for.
  void add_neighbour(Explanation& explanation, const EventRow& told) const {
    if (!explanation.best_before ||
        is_better(declaration_.goal, *told.y, *explanation.best_before)) {
      explanation.best_before = told.y;
    }
    const std::vector<double> one = {1.0};
    const StudyTrial& trial = explanation.trial;
    const double distance = study::distance(
        space_, trial.prediction ? trial.prediction->lengthscales : one, trial.x, *told.x);
    explanation.nearest.push_back({.number = *told.trial, .distance = distance, .y = *told.y});
  }

  [[nodiscard]] bool accepts(const std::vector<double>& values) const {
    const std::vector<Outcome>& outcomes = declaration_.space.outcomes;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (!outcomes[i].accepts(values[i])) return false;
    }
    return true;
  }

  /// What differs between a suggestion and what was stored of it; nothing: an empty text.
  [[nodiscard]] std::string difference_of(const Suggestion& again,
                                          const std::vector<std::int64_t>& pending,
                                          const std::vector<double>& x,
                                          const storage::SuggestionRow& stored) const {
    if (!std::equal(x.begin(), x.end(), again.x.begin(), again.x.end(),
                    [](double a, double b) { return a == b || (a != a && b != b); })) {
      return fmt::format("the point was {}, and is now {}", space_.describe(x),
                         space_.describe(again.x));
    }
    storage::SuggestionRow row =
        study::suggestion_row(again, study::sign_of(declaration_.goal), pending);
    if (row.pending_seen != stored.pending_seen) return "other trials were pending";
    if (row.predictions.size() != stored.predictions.size()) return "has another prediction";
    for (std::size_t i = 0; i < row.predictions.size(); ++i) {
      const storage::PredictionRow& now = row.predictions[i];
      const storage::PredictionRow& then = stored.predictions[i];
      if (now.mean != then.mean || now.sd != then.sd || now.width != then.width ||
          now.lengthscales != then.lengthscales) {
        return fmt::format("predicted {} +- {}, and now {} +- {}", then.mean, then.sd, now.mean,
                           now.sd);
      }
    }
    return {};
  }

  std::shared_ptr<Storage> storage_;
  StudyRow row_;
  StudyDeclaration declaration_;
  Space space_;

  std::mutex mutex_;  // of what follows
  std::optional<LogFollower> follower_;
  double last_suggestion_ = 0.0;  // seconds
};

// --- the handle ----------------------------------------------------------------------------------

Study Study::create(const StudyStore& store, const StudyDeclaration& declaration) {
  check(declaration);
  StudyRow row{.name = declaration.name,
               .declaration = oscbo::to_json(declaration),
               .build = fmt::format("oscbo {}, {}", version(), build_description())};
  // What only the optimizer knows to be wrong is said before anything is stored.
  static_cast<void>(LogFollower(declaration));
  store.storage()->write([&](Writer& writer) {
    if (writer.study(row.name)) {
      throw Error(ErrorCode::conflict, "name",
                  fmt::format("there is a study '{}' already", row.name));
    }
    row.key = writer.add(row);
  });
  return Study(std::make_unique<Impl>(store.storage(), std::move(row)));
}

Study Study::open(const StudyStore& store, const std::string& name) {
  StudyRow row;
  store.storage()->read([&](Reader& reader) { row = find_study(reader, name); });
  return Study(std::make_unique<Impl>(store.storage(), std::move(row)));
}

Study::Study(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&&) noexcept = default;
Study::~Study() = default;

const StudyDeclaration& Study::declaration() const { return impl_->declaration(); }
const Space& Study::space() const { return impl_->space(); }
std::optional<StudySuggestion> Study::ask(const AskRequest& request) { return impl_->ask(request); }
bool Study::renew(TrialNumber number, const std::string& token, double lease_seconds) {
  return impl_->renew(number, token, lease_seconds);
}
Told Study::tell(TrialNumber number, const std::string& token, const Measurement& measurement) {
  return impl_->tell(number, token, measurement);
}
bool Study::tell_failed(TrialNumber number, const std::string& token, const std::string& reason) {
  return impl_->tell_failed(number, token, reason);
}
void Study::release(TrialNumber number, const std::string& token) { impl_->release(number, token); }
bool Study::report(TrialNumber number, std::int64_t step, double value) {
  return impl_->report(number, step, value);
}
void Study::give_up(TrialNumber number, const std::string& token, const std::string& reason) {
  impl_->give_up(number, token, reason);
}
void Study::set_attribute(TrialNumber number, const std::string& key, const std::string& value) {
  impl_->set_attribute(number, key, value);
}
void Study::keep_output(TrialNumber number, const ProgramOutput& output) {
  impl_->keep_output(number, output);
}
void Study::end(const std::optional<std::string>& reason) { impl_->end(reason); }
std::optional<std::string> Study::ended() const { return impl_->ended(); }
std::vector<Study::Report> Study::reports() const { return impl_->reports(); }
std::vector<Study::Attribute> Study::attributes() const { return impl_->attributes(); }
std::vector<ProgramOutput> Study::outputs(TrialNumber number) const {
  return impl_->outputs(number);
}
TrialNumber Study::add(std::span<const double> x, const Measurement& measurement) {
  return impl_->add(x, measurement);
}
void Study::add(std::span<const Observation> observations) { impl_->add(observations); }
void Study::abandon(TrialNumber number, const std::string& reason) {
  impl_->abandon(number, reason);
}
void Study::queue(std::span<const double> x) { impl_->queue(x); }
StudyCounts Study::counts() const { return impl_->counts(); }
std::vector<StudyTrial> Study::trials(std::optional<std::int64_t> last) const {
  return impl_->trials(last);
}
StudyTrial Study::trial(TrialNumber number) const { return impl_->trial(number); }
Study::Best Study::best() { return impl_->best(); }
std::vector<Prediction> Study::predict(std::span<const std::vector<double>> points) {
  return impl_->predict(points);
}
std::vector<Study::Importance> Study::importance() { return impl_->importance(); }
Study::Explanation Study::explain(TrialNumber number) const { return impl_->explain(number); }
std::string Study::to_json() const { return impl_->to_json(); }
CalibrationReport Study::calibration() const { return impl_->calibration(); }
std::vector<Study::Mismatch> Study::verify(
    const std::function<void(std::size_t, std::size_t)>& progress) const {
  return impl_->verify(progress);
}

}  // namespace oscbo
