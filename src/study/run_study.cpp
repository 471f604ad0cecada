#include "oscbo/run_study.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "study/point_json.hpp"
#include "study/process.hpp"
#include "study/program_arguments.hpp"
#include "study/program_output.hpp"
#include "study/stop_rules.hpp"

namespace oscbo {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A file with the values of a point. It exists as long as the object.
class ValuesFile {
 public:
  ValuesFile(const ProgramRules& rules, const Space& space, const StudySuggestion& suggestion) {
    if (rules.values_by != ValuesBy::file) return;
    std::error_code failure;
    const std::filesystem::path directory = std::filesystem::temp_directory_path(failure);
    if (failure) throw Error(ErrorCode::io, "TMPDIR", failure.message());
    std::string pattern = directory / "oscbo-XXXXXX";
    const int descriptor = ::mkstemp(pattern.data());
    if (descriptor == -1) throw Error(ErrorCode::io, pattern, "cannot be made");
    ::close(descriptor);
    path_ = pattern;
    std::ofstream stream(path_, std::ios::binary);
    stream << study::point_json(space, suggestion.x).dump() << '\n';
    if (stream.flush()) return;
    remove();
    throw Error(ErrorCode::io, path_, "cannot be written");
  }
  ValuesFile(const ValuesFile&) = delete;
  ValuesFile(ValuesFile&&) = delete;
  ValuesFile& operator=(const ValuesFile&) = delete;
  ValuesFile& operator=(ValuesFile&&) = delete;
  ~ValuesFile() { remove(); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void remove() noexcept {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }

  std::string path_;
};

/// beginning returns the beginning of a text. It does not cut a UTF-8 character in two.
std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto continues = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
  };
  while (most > 0 && continues(text[most])) --most;
  return text.substr(0, most);
}

/// last_line returns the last line that is not blank, short enough for a message. It is empty if
/// there is no such line.
std::string_view last_line(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  const std::size_t end = text.find_last_not_of(" \r\n\t");
  if (end == std::string_view::npos) return {};
  const std::size_t line_end = text.find_last_of('\n', end);
  const std::size_t begin = line_end == std::string_view::npos ? 0 : line_end + 1;
  return beginning(text.substr(begin, end + 1 - begin), kLongest);
}

/// reason_of returns how a program ended and the last line of its standard error.
std::string reason_of(const study::ProcessResult& result) {
  const std::string_view line = last_line(result.errors);
  return line.empty() ? result.reason : fmt::format("{}: {}", result.reason, line);
}

/// unless_storage_fails calls something that needs the database, and ignores a temporary failure of
/// the database. The call is repeated soon, and its failure does not affect the evaluation.
template <class Call>
void unless_storage_fails(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::io) throw;
  }
}

/// Collects the intermediate values of an evaluation. A program may print thousands at once, so
/// they are stored together, a few times a second.
class ReportQueue {
 public:
  ReportQueue(Study& study, const StudySuggestion& trial) : study_(study), trial_(trial) {}

  void add(std::string_view line) {
    const auto value = study::read_intermediate(line);
    if (value && taken_ < kMost) {
      ++taken_;
      waiting_.push_back(*value);
    }
    if (seconds_since(stored_) > kInterval) store();
  }

  void store() {
    stored_ = Clock::now();
    if (waiting_.empty()) return;
    unless_storage_fails([&] {
      is_hopeless_ = study_.report(trial_.number, trial_.token, waiting_) || is_hopeless_;
      waiting_.clear();
    });
  }

  /// is_hopeless returns whether the trial should be given up, judging by the stored reports.
  [[nodiscard]] bool is_hopeless() const { return is_hopeless_; }

 private:
  static constexpr double kInterval = 0.1;  // seconds
  static constexpr int kMost = 10000;       // per attempt

  Study& study_;
  const StudySuggestion& trial_;
  std::vector<IntermediateValue> waiting_;
  Clock::time_point stored_ = {};
  int taken_ = 0;
  bool is_hopeless_ = false;
};

/// The state of a run, shared by its jobs.
class Run {
 public:
  Run(Study& study, const RunRules& rules, const std::function<void(const RunProgress&)>& progress,
      const std::atomic<bool>& interrupted)
      : study_(study), rules_(rules), progress_(progress), interrupted_(interrupted) {}

  RunSummary run() {
    if (const auto reason = reason_to_stop()) return over(ending_by(reason->rule), reason->text);
    study_.end(std::nullopt);
    run_jobs();
    if (error_) std::rethrow_exception(error_);
    return over(ending_.value_or(RunEnding::budget), reason_);
  }

 private:
  [[nodiscard]] static RunEnding ending_by(StopRule rule) {
    return rule == StopRule::budget ? RunEnding::budget : RunEnding::stop_rule;
  }

  [[nodiscard]] RunSummary over(RunEnding ending, const std::string& reason) {
    const bool is_end = ending == RunEnding::budget || ending == RunEnding::stop_rule ||
                        ending == RunEnding::exhausted;
    if (is_end) study_.end(reason);
    if (ending == RunEnding::evaluations) {
      if (const auto used_up = study_.budget_used_up()) study_.end(used_up);
    }
    return {.ending = ending, .reason = reason, .evaluations = evaluations_};
  }

  // --- a job ---------------------------------------------------------------------------------

  void run_jobs() {
    std::vector<std::jthread> jobs;
    try {
      for (int i = 0; i < rules_.jobs; ++i) jobs.emplace_back([this] { work(); });
    } catch (const std::system_error& error) {
      fail(std::make_exception_ptr(
          Error(ErrorCode::io, "jobs",
                fmt::format("{} cannot be started: {}", rules_.jobs, error.what()))));
    }
  }

  void work() {
    try {
      while (!is_over()) {
        if (const auto next = next_trial()) evaluate(*next);
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }

  [[nodiscard]] bool is_over() {
    if (interrupted_) finish(RunEnding::interrupted, "interrupted");
    if (!insists()) {
      // This is called many times a second. It avoids Study::stop_reason, which reads the database.
      finish_by(study::stop_by_time(study_.declaration().stop, seconds_since(start_)));
    }
    const std::lock_guard lock(mutex_);
    return ending_.has_value() || error_ != nullptr;
  }

  /// insists returns whether the caller wants a fixed number of evaluations, regardless of the
  /// budget and the stop rules.
  [[nodiscard]] bool insists() const { return rules_.evaluations.has_value(); }

  /// finish sets the ending. The first ending counts, except that an interruption replaces an
  /// earlier one, because the user does not want to wait for it.
  void finish(RunEnding ending, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (ending_ && ending != RunEnding::interrupted) return;
    ending_ = ending;
    reason_ = reason;
  }

  void finish_by(const std::optional<StopReason>& reason) {
    if (reason) finish(ending_by(reason->rule), reason->text);
  }

  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }

  /// next_trial returns the next trial. It returns nullopt while all remaining trials are being
  /// evaluated elsewhere. If their workers die, they are handed out again.
  [[nodiscard]] std::optional<StudySuggestion> next_trial() {
    if (!take_turn()) {
      wait_for_others();  // an evaluation in progress may have to be tried again
      return std::nullopt;
    }
    std::optional<std::string> exhausted;
    try {
      auto next = study_.ask({.worker = rules_.worker,
                              .lease_seconds = rules_.lease_seconds,
                              .ends_with_process = true,
                              .within_budget = !insists()});
      if (next) return next;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::exhausted) throw;
      exhausted = error.message();
    }
    give_turn_back();
    if (study_.counts().leased > 0) {
      show_waiting();
      wait_for_others();
    } else if (exhausted) {
      finish(RunEnding::exhausted, *exhausted);
    } else {
      finish_by(reason_to_stop());
    }
    return std::nullopt;
  }

  /// wait_for_others waits until an evaluation of this run ends. The wait is short, because other
  /// runs may lose their trials.
  void wait_for_others() {
    constexpr std::chrono::milliseconds kLongest(500);
    std::unique_lock lock(mutex_);
    one_has_ended_.wait_for(lock, kLongest);
  }

  /// take_turn returns whether one more evaluation may begin.
  [[nodiscard]] bool take_turn() {
    const std::lock_guard lock(mutex_);
    if (insists() && begun_ >= *rules_.evaluations) return false;
    ++begun_;
    return true;
  }

  void give_turn_back() {
    const std::lock_guard lock(mutex_);
    --begun_;
  }

  /// evaluate hands the trial back if something goes wrong on our side. That is not the fault of
  /// the point, so others may evaluate it.
  void evaluate(const StudySuggestion& trial) {
    try {
      run_program(trial);
    } catch (...) {
      study_.release(trial.number, trial.token);
      throw;
    }
  }

  void run_program(const StudySuggestion& trial) {
    show_begin(trial);
    const ValuesFile file(rules_.program, study_.space(), trial);
    ReportQueue reports(study_, trial);
    study::ProgramOutputReader output(rules_.program);
    const study::ProcessResult result = study::run_process(
        request_for(trial, file.path()),
        [&](std::string_view line) {
          reports.add(line);
          output.add(line);
        },
        [&, renewed = Clock::now(), was_hopeless = false]() mutable {
          show_time();
          reports.store();
          // The program is not stopped at once: if it has just printed its last values, it is about
          // to end.
          const bool gives_up = std::exchange(was_hopeless, reports.is_hopeless());
          return should_stop(trial, renewed) || gives_up;
        });
    reports.store();
    unless_storage_fails([&] {
      study_.keep_output(trial.number, {.attempt = trial.attempt,
                                        .output = result.output,
                                        .errors = result.errors,
                                        .ending = result.reason});
    });
    const bool is_given_up = result.ending == study::Ending::stopped && reports.is_hopeless();
    store_persistently(trial, result, [&] { conclude(trial, result, output, is_given_up); });
    show_end(trial);
    tell_others();
  }

  /// store_persistently waits for a database that temporarily cannot be written, because a
  /// measurement is worth the wait.
  template <class Store>
  void store_persistently(const StudySuggestion& trial, const study::ProcessResult& result,
                          const Store& store) {
    constexpr double kPatience = 600.0;  // seconds
    constexpr std::chrono::seconds kPause(1);
    const Clock::time_point start = Clock::now();
    while (true) {
      try {
        return store();
      } catch (const Error& error) {
        const bool may_pass = error.code() == ErrorCode::io && error.field() == "storage";
        if (!may_pass) throw;
        if (interrupted_ || seconds_since(start) > kPatience) {
          throw Error(ErrorCode::io, error.field(),
                      fmt::format("{}; trial {} is lost, its program printed '{}' last",
                                  error.message(), trial.number, last_line(result.output)));
        }
      }
      show_waiting_for_storage(trial);
      std::this_thread::sleep_for(kPause);
    }
  }

  [[nodiscard]] study::ProcessRequest request_for(const StudySuggestion& trial,
                                                  const std::string& file) const {
    const Space& space = study_.space();
    study::ProcessRequest request;
    request.arguments = study::arguments_for(rules_.program, space, trial.x, trial.number, file);
    if (rules_.program.values_by == ValuesBy::environment) {
      request.environment = study::environment_for(space, trial.x);
    }
    request.environment.emplace_back("OSCBO_STUDY", study_.declaration().name);
    request.environment.emplace_back("OSCBO_TRIAL", fmt::format("{}", trial.number));
    request.seconds = rules_.program.seconds;
    request.megabytes = rules_.program.megabytes;
    return request;
  }

  /// should_stop also renews the lease while the program runs.
  bool should_stop(const StudySuggestion& trial, Clock::time_point& renewed) {
    constexpr double kRenewals = 3.0;  // per lease
    if (seconds_since(renewed) > rules_.lease_seconds / kRenewals) {
      unless_storage_fails([&] {
        study_.renew(trial.number, trial.token, rules_.lease_seconds);
        renewed = Clock::now();
      });
    }
    return is_over() && ends_at_once();
  }

  /// ends_at_once returns whether running programs are ended, which happens after an interruption
  /// or an error. Otherwise their values are worth waiting for.
  [[nodiscard]] bool ends_at_once() {
    const std::lock_guard lock(mutex_);
    return error_ != nullptr || ending_ == RunEnding::interrupted;
  }

  // --- the end of a trial --------------------------------------------------------------------

  void conclude(const StudySuggestion& trial, const study::ProcessResult& result,
                const study::ProgramOutputReader& output, bool is_given_up) {
    using study::Ending;
    if (result.ending == Ending::not_started) {
      throw Error(ErrorCode::io, "program",
                  fmt::format("'{}' {}", rules_.program.command.front(), result.reason));
    }
    // The state of the trial in the database does not tell whether this attempt ended it: another
    // job may have taken it over and finished it in the meantime.
    bool is_handed_back = false;
    if (is_given_up) {
      study_.give_up(trial.number, trial.token, "given up: others were better by then");
    } else if (result.ending == Ending::stopped) {
      study_.release(trial.number, trial.token);
      is_handed_back = true;
    } else if (result.ending == Ending::exited && result.status == 0) {
      is_handed_back = !tell_value(trial, output);
    } else {
      is_handed_back = !tell_failed(trial, reason_of(result));
    }
    // If the database fails here or above, this function is called again. Nothing after this line
    // throws, so an evaluation is counted once.
    const auto reason = is_handed_back ? std::nullopt : reason_to_stop();
    if (is_handed_back) {
      give_turn_back();  // it will be tried again
    } else {
      count_evaluation();
    }
    finish_by(reason);
  }

  /// tell_value and tell_failed return whether the trial has ended, which it has not if it will be
  /// tried again.
  [[nodiscard]] bool tell_value(const StudySuggestion& trial,
                                const study::ProgramOutputReader& output) {
    try {
      const study::ProgramValue value = output.value();
      Attributes metrics;
      for (const auto& [name, metric] : value.metrics) {
        metrics.emplace_back(name, fmt::format("{}", metric));
      }
      study_.tell(trial.number, trial.token, measurement_of(value), metrics);
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_value) throw;
      return tell_failed(trial, error.message());
    }
  }

  [[nodiscard]] bool tell_failed(const StudySuggestion& trial, const std::string& reason) {
    const bool is_tried_again = study_.tell_failed(trial.number, trial.token, reason);
    if (!insists()) {
      if (const auto failing = study_.failing(reason)) finish(RunEnding::failing, *failing);
    }
    return !is_tried_again;
  }

  /// measurement_of takes the outcomes of the space from the metrics.
  [[nodiscard]] Measurement measurement_of(const study::ProgramValue& value) const {
    Measurement measurement{.y = value.value, .variance = value.variance, .outcomes = {}};
    for (const Outcome& outcome : study_.space().declaration().outcomes) {
      const auto found =
          std::find_if(value.metrics.begin(), value.metrics.end(),
                       [&](const auto& metric) { return metric.first == outcome.name; });
      if (found == value.metrics.end()) {
        throw Error(ErrorCode::invalid_value, "output",
                    fmt::format("has no metric '{}', which is an outcome", outcome.name));
      }
      measurement.outcomes.push_back(found->second);
    }
    return measurement;
  }

  [[nodiscard]] std::optional<StopReason> reason_to_stop() const {
    return insists() ? std::nullopt : study_.stop_reason();
  }

  // --- what is shown -------------------------------------------------------------------------

  void count_evaluation() {
    const std::lock_guard lock(mutex_);
    ++evaluations_;
  }

  /// tell_others wakes the waiting jobs, and ends the run when it has the wanted number of
  /// evaluations.
  void tell_others() {
    const bool has_all = [&] {
      const std::lock_guard lock(mutex_);
      return insists() && evaluations_ >= *rules_.evaluations;
    }();
    if (has_all) {
      finish(RunEnding::evaluations,
             fmt::format("{} {} wanted", base::counted(*rules_.evaluations, "evaluation"),
                         base::by_count(*rules_.evaluations, "was", "were")));
    }
    one_has_ended_.notify_all();
  }

  /// show_time reports progress once a second.
  void show_time() {
    constexpr double kInterval = 1.0;
    const std::lock_guard lock(mutex_);
    if (seconds_since(shown_) >= kInterval) show({});
  }

  void show_begin(const StudySuggestion& trial) {
    const std::lock_guard lock(mutex_);
    running_.insert(trial.number);
    show({});
  }

  void show_end(const StudySuggestion& trial) {
    const StudyTrial ended = study_.trial(trial.number);
    const std::lock_guard lock(mutex_);
    running_.erase(trial.number);
    show({.ended = ended});
  }

  void show_waiting_for_storage(const StudySuggestion& trial) {
    const std::lock_guard lock(mutex_);
    show({.waits_to_store = trial.number});
  }

  void show_waiting() {
    const std::lock_guard lock(mutex_);
    show({.is_waiting = running_.empty()});
  }

  void show(RunProgress progress) {
    shown_ = Clock::now();
    if (!progress_) return;
    progress.evaluations = evaluations_;
    progress.running.assign(running_.begin(), running_.end());
    progress_(progress);
  }

  Study& study_;
  const RunRules& rules_;
  const std::function<void(const RunProgress&)>& progress_;
  const std::atomic<bool>& interrupted_;
  const Clock::time_point start_ = Clock::now();

  std::condition_variable one_has_ended_;
  std::mutex mutex_;  // guards the members below
  std::optional<RunEnding> ending_;
  std::string reason_;
  std::exception_ptr error_;
  std::set<TrialNumber> running_;
  Clock::time_point shown_ = {};
  int begun_ = 0;
  int evaluations_ = 0;
};

}  // namespace

RunSummary run_study(Study& study, const RunRules& rules,
                     const std::function<void(const RunProgress&)>& on_progress,
                     const std::atomic<bool>& interrupted) {
  if (rules.jobs < 1) throw Error(ErrorCode::invalid_value, "jobs", "at least one is needed");
  check_program(rules.program, study.space());
  return Run(study, rules, on_progress, interrupted).run();
}

}  // namespace oscbo
