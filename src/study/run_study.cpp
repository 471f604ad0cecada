#include "oscbo/run_study.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

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

/// A file with the values of a point, there as long as the object.
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
    stream << study::values_json(space, suggestion.x) << '\n';
    if (!stream.flush()) throw Error(ErrorCode::io, path_, "cannot be written");
  }
  ValuesFile(const ValuesFile&) = delete;
  ValuesFile(ValuesFile&&) = delete;
  ValuesFile& operator=(const ValuesFile&) = delete;
  ValuesFile& operator=(ValuesFile&&) = delete;
  ~ValuesFile() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// How a program ended, and the last line of what it said about it.
std::string reason_of(const study::ProcessResult& result) {
  constexpr std::size_t kLongest = 200;
  const std::size_t end = result.errors.find_last_not_of(" \r\n\t");
  if (end == std::string::npos) return result.reason;
  const std::size_t line_end = result.errors.find_last_of('\n', end);
  const std::size_t begin = line_end == std::string::npos ? 0 : line_end + 1;
  return fmt::format("{}: {}", result.reason,
                     result.errors.substr(begin, std::min(end + 1 - begin, kLongest)));
}

/// One run: what its jobs share.
class Run {
 public:
  Run(Study& study, const RunRules& rules, const std::function<void(const RunProgress&)>& progress,
      const std::atomic<bool>& interrupted)
      : study_(study), rules_(rules), progress_(progress), interrupted_(interrupted) {}

  RunSummary run() {
    if (const auto reason = reason_to_stop()) return over(RunEnding::stop_rule, *reason);
    study_.end(std::nullopt);
    {
      std::vector<std::jthread> jobs;
      jobs.reserve(static_cast<std::size_t>(rules_.jobs));
      for (int i = 0; i < rules_.jobs; ++i) jobs.emplace_back([this] { work(); });
    }
    if (error_) std::rethrow_exception(error_);
    return over(ending_.value_or(RunEnding::budget), reason_);
  }

 private:
  [[nodiscard]] RunSummary over(RunEnding ending, const std::string& reason) {
    const bool is_end = ending == RunEnding::budget || ending == RunEnding::stop_rule ||
                        ending == RunEnding::exhausted;
    if (is_end) study_.end(reason);
    return {.ending = ending, .reason = reason, .evaluations = evaluations_};
  }

  // --- a job ---------------------------------------------------------------------------------

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
    const auto& limit = study_.declaration().stop.seconds;
    if (limit && seconds_since(start_) >= *limit) {
      finish(RunEnding::stop_rule, fmt::format("{} s have passed", *limit));
    }
    const std::lock_guard lock(mutex_);
    return ending_.has_value() || error_ != nullptr;
  }

  void finish(RunEnding ending, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (ending_) return;
    ending_ = ending;
    reason_ = reason;
  }

  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }

  /// The next trial. None while all that are left are being evaluated elsewhere: they may yet be
  /// lost.
  [[nodiscard]] std::optional<StudySuggestion> next_trial() {
    constexpr std::chrono::milliseconds kPause(100);
    if (!take_turn()) {
      finish(RunEnding::evaluations,
             fmt::format("{} evaluations were wanted", *rules_.evaluations));
      return std::nullopt;
    }
    RunEnding ending = RunEnding::budget;
    std::string reason =
        fmt::format("the budget of {} evaluations is used up", study_.declaration().budget);
    try {
      auto next = study_.ask({.worker = rules_.worker,
                              .lease_seconds = rules_.lease_seconds,
                              .within_budget = !rules_.evaluations});
      if (next) return next;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::exhausted) throw;
      ending = RunEnding::exhausted;
      reason = error.message();
    }
    give_turn_back();
    if (study_.counts().leased == 0) {
      finish(ending, reason);
    } else {
      show_waiting();
      std::this_thread::sleep_for(kPause);
    }
    return std::nullopt;
  }

  /// Whether one more evaluation may be begun.
  [[nodiscard]] bool take_turn() {
    const std::lock_guard lock(mutex_);
    if (rules_.evaluations && begun_ >= *rules_.evaluations) return false;
    ++begun_;
    return true;
  }

  void give_turn_back() {
    const std::lock_guard lock(mutex_);
    --begun_;
  }

  /// What goes wrong with us is not the fault of the point: others may have it.
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
    bool is_hopeless = false;
    const study::ProcessResult result = study::run_process(
        request_for(trial, file.path()),
        [&](std::string_view line) {
          return !(is_hopeless = is_hopeless || is_given_up(trial, line));
        },
        [&, renewed = Clock::now()]() mutable { return should_stop(trial, renewed); });
    study_.keep_output(trial.number, {.attempt = trial.attempt,
                                      .output = result.output,
                                      .errors = result.errors,
                                      .ending = result.reason});
    conclude(trial, result, is_hopeless);
    show_end(trial);
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

  /// Stores a line that reports an intermediate value; whether the trial is to be given up for it.
  bool is_given_up(const StudySuggestion& trial, std::string_view line) {
    const auto report = study::read_intermediate(line);
    return report && study_.report(trial.number, trial.token, report->step, report->value);
  }

  /// Keeps the lease alive while the program runs.
  bool should_stop(const StudySuggestion& trial, Clock::time_point& renewed) {
    constexpr double kRenewals = 3.0;  // in the time of a lease
    if (seconds_since(renewed) > rules_.lease_seconds / kRenewals) {
      renewed = Clock::now();
      study_.renew(trial.number, trial.token, rules_.lease_seconds);
    }
    return is_over() && ends_at_once();
  }

  /// Programs under way are ended when somebody interrupts or something is wrong; otherwise their
  /// values are worth waiting for.
  [[nodiscard]] bool ends_at_once() {
    const std::lock_guard lock(mutex_);
    return error_ != nullptr || ending_ == RunEnding::interrupted;
  }

  // --- the end of a trial --------------------------------------------------------------------

  void conclude(const StudySuggestion& trial, const study::ProcessResult& result,
                bool is_hopeless) {
    using study::Ending;
    if (result.ending == Ending::not_started) {
      throw Error(ErrorCode::io, "program",
                  fmt::format("'{}' {}", rules_.program.command.front(), result.reason));
    }
    if (is_hopeless) {
      study_.give_up(trial.number, trial.token, "given up: others were better by then");
    } else if (result.ending == Ending::stopped) {
      study_.release(trial.number, trial.token);
    } else if (result.ending == Ending::exited && result.status == 0) {
      tell_value(trial, result.output);
    } else {
      tell_failed(trial, reason_of(result));
    }
    if (study_.trial(trial.number).state == StudyTrialState::pending) {
      give_turn_back();  // it is tried again
      return;
    }
    count_evaluation();
    if (const auto reason = reason_to_stop()) finish(RunEnding::stop_rule, *reason);
  }

  void tell_value(const StudySuggestion& trial, const std::string& output) {
    try {
      const study::ProgramValue value = study::read_program_value(rules_.program, output);
      const Measurement measurement = measurement_of(value);
      for (const auto& [name, metric] : value.metrics) {
        study_.set_attribute(trial.number, name, fmt::format("{}", metric));
      }
      study_.tell(trial.number, trial.token, measurement);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_value) throw;
      tell_failed(trial, error.message());
    }
  }

  /// Where nothing but failures has come so far, something else is wrong than the points.
  void tell_failed(const StudySuggestion& trial, const std::string& reason) {
    constexpr std::int64_t kEnough = 10;
    study_.tell_failed(trial.number, trial.token, reason);
    const StudyCounts counts = study_.counts();
    if (rules_.evaluations || counts.complete > 0 || counts.failed < kEnough) return;
    finish(RunEnding::failing, fmt::format("all of the first {} trials have failed; the last: {}",
                                           counts.failed, reason));
  }

  /// The outcomes of the space are among the metrics.
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

  [[nodiscard]] std::optional<std::string> reason_to_stop() const {
    const StopRules& rules = study_.declaration().stop;
    if (!rules.target && !rules.without_improvement && !rules.expected_gain) return std::nullopt;
    std::vector<StudyTrial> ended;
    for (StudyTrial& trial : study_.trials()) {
      if (trial.finished) ended.push_back(std::move(trial));
    }
    std::stable_sort(ended.begin(), ended.end(), [](const StudyTrial& a, const StudyTrial& b) {
      return *a.finished < *b.finished;
    });
    return study::stop_reason(rules, study_.declaration().goal, ended);
  }

  // --- what is shown -------------------------------------------------------------------------

  void count_evaluation() {
    const std::lock_guard lock(mutex_);
    ++evaluations_;
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
    show(ended);
  }

  void show_waiting() {
    const std::lock_guard lock(mutex_);
    show({}, /*is_waiting=*/running_.empty());
  }

  void show(const std::optional<StudyTrial>& ended, bool is_waiting = false) const {
    if (!progress_) return;
    progress_({.evaluations = evaluations_,
               .running = {running_.begin(), running_.end()},
               .ended = ended,
               .is_waiting = is_waiting});
  }

  Study& study_;
  const RunRules& rules_;
  const std::function<void(const RunProgress&)>& progress_;
  const std::atomic<bool>& interrupted_;
  const Clock::time_point start_ = Clock::now();

  std::mutex mutex_;  // of what follows
  std::optional<RunEnding> ending_;
  std::string reason_;
  std::exception_ptr error_;
  std::set<TrialNumber> running_;
  int begun_ = 0;
  int evaluations_ = 0;
};

}  // namespace

RunSummary run_study(Study& study, const RunRules& rules,
                     const std::function<void(const RunProgress&)>& on_progress,
                     const std::atomic<bool>& interrupted) {
  if (rules.jobs < 1) throw Error(ErrorCode::invalid_value, "jobs", "at least one is needed");
  study::check_command(rules.program, study.space());
  return Run(study, rules, on_progress, interrupted).run();
}

}  // namespace oscbo
