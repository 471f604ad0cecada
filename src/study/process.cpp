#include "study/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <limits>
#include <map>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "oscbo/error.hpp"

namespace oscbo::study {
namespace {

constexpr std::size_t kReadSize = 65536;  // the capacity of a pipe
constexpr int kCheckMilliseconds = 100;   // between two checks of the clock and should_stop
constexpr int kNotExecuted = 127;  // exit status of a child that could not execute the program

Error process_error(const std::string& program, int error_number) {
  return {ErrorCode::io, program,
          fmt::format("cannot be run: {}", std::generic_category().message(error_number))};
}

/// refuse_nul refuses text with a NUL byte, because programs receive text as NUL-terminated
/// strings.
void refuse_nul(const std::string& field, const std::string& text) {
  if (text.find('\0') == std::string::npos) return;
  throw Error(ErrorCode::invalid_value, field, "holds a NUL byte, which cannot be passed on");
}

void check_request(const ProcessRequest& request) {
  if (request.arguments.empty() || request.arguments.front().empty()) {
    throw Error(ErrorCode::invalid_value, "arguments", "name no program");
  }
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    refuse_nul(fmt::format("arguments[{}]", i), request.arguments[i]);
  }
  for (const auto& [name, value] : request.environment) {
    if (name.empty() || name.find('=') != std::string::npos) {
      throw Error(ErrorCode::invalid_value, "environment",
                  fmt::format("'{}' is not accepted as a name; use one without '='", name));
    }
    refuse_nul("environment", name);
    refuse_nul("environment." + name, value);
  }
}

/// The time since construction.
class RunningTime {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// A file descriptor that is closed on destruction. -1 means none.
class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int fd) noexcept : fd_(fd) {}
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(OwnedDescriptor&&) = delete;
  ~OwnedDescriptor() { close(); }

  void close() noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

/// beyond_standard_streams moves a descriptor out of the range of the standard streams. If one of
/// our standard streams is closed, a new descriptor gets its number and would be lost when the
/// child sets up its own streams.
OwnedDescriptor beyond_standard_streams(OwnedDescriptor descriptor, const std::string& program) {
  if (descriptor.get() > STDERR_FILENO) return descriptor;
  OwnedDescriptor moved(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!moved.is_open()) throw process_error(program, errno);
  return moved;
}

struct Pipe {
  OwnedDescriptor read_end;
  OwnedDescriptor write_end;
};

Pipe make_pipe(const std::string& program) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw process_error(program, errno);
  OwnedDescriptor read_end(ends[0]);
  OwnedDescriptor write_end(ends[1]);
  return {beyond_standard_streams(std::move(read_end), program),
          beyond_standard_streams(std::move(write_end), program)};
}

OwnedDescriptor open_empty_input(const std::string& program) {
  OwnedDescriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!input.is_open()) throw process_error(program, errno);
  return beyond_standard_streams(std::move(input), program);
}

using Environment = std::map<std::string, std::string, std::less<>>;

Environment child_environment(const ProcessRequest& request) {
  Environment variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    // If we are a program of a study ourselves, our parameters must not reach our programs.
    if (text.starts_with(kParameterVariable)) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  for (const auto& [name, value] : request.environment) variables.insert_or_assign(name, value);
  return variables;
}

/// program_files returns the files that the name of a program may refer to, in the order in which
/// they are tried.
std::vector<std::string> program_files(const std::string& program, const Environment& variables) {
  if (program.find('/') != std::string::npos) return {program};
  const auto path = variables.find("PATH");
  std::string_view directories = "/bin:/usr/bin";
  if (path != variables.end()) directories = path->second;
  std::vector<std::string> files;
  while (true) {
    const std::size_t colon = std::min(directories.find(':'), directories.size());
    const std::string_view directory = directories.substr(0, colon);
    // An empty entry means the current directory.
    files.push_back(directory.empty() ? program : fmt::format("{}/{}", directory, program));
    if (colon == directories.size()) return files;
    directories.remove_prefix(colon + 1);
  }
}

std::vector<char*> null_terminated(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// The arguments of execve. They are prepared before the fork, because the child must not allocate.
class ExecArguments {
 public:
  explicit ExecArguments(const ProcessRequest& request) : arguments_(request.arguments) {
    const Environment variables = child_environment(request);
    for (const auto& [name, value] : variables)
      environment_.push_back(fmt::format("{}={}", name, value));
    files_ = program_files(request.arguments.front(), variables);
    argument_pointers_ = null_terminated(arguments_);
    environment_pointers_ = null_terminated(environment_);
  }
  ExecArguments(const ExecArguments&) = delete;
  ExecArguments(ExecArguments&&) = delete;
  ExecArguments& operator=(const ExecArguments&) = delete;
  ExecArguments& operator=(ExecArguments&&) = delete;
  ~ExecArguments() = default;

  /// execute does not return unless it fails. It then returns errno.
  [[nodiscard]] int execute() const noexcept {
    int failure = ENOENT;
    for (const std::string& file : files_) {
      ::execve(file.c_str(), argument_pointers_.data(), environment_pointers_.data());
      // A file that may not be executed tells more than other files that do not exist.
      if (errno == EACCES) {
        failure = EACCES;
      } else if (errno != ENOENT && errno != ENOTDIR) {
        return errno;
      }
    }
    return failure;
  }

 private:
  std::vector<std::string> arguments_;
  std::vector<std::string> environment_;
  std::vector<std::string> files_;
  std::vector<char*> argument_pointers_;
  std::vector<char*> environment_pointers_;
};

std::optional<rlimit> address_space_limit(std::optional<std::size_t> megabytes) {
  if (!megabytes) return std::nullopt;
  constexpr rlim_t kMegabyte = rlim_t{1} << 20U;
  const rlim_t most = std::numeric_limits<rlim_t>::max() / kMegabyte;
  const rlim_t bytes = std::min<rlim_t>(*megabytes, most) * kMegabyte;
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  // We cannot raise a limit that applies to ourselves.
  limit.rlim_max = std::min(limit.rlim_max, bytes);
  limit.rlim_cur = std::min(limit.rlim_cur, bytes);
  return limit;
}

/// What a child needs to execute the program.
struct ChildPlan {
  const ExecArguments& program;
  std::array<int, 3> streams = {};  // standard input, output and error
  int failure = -1;                 // receives errno if the program cannot be executed
  std::optional<rlimit> address_space = std::nullopt;
  pid_t parent = 0;
};

void restore_default_signals() noexcept {
  // This uses the kernel's own call, with SIG_DFL, no flags and an empty mask. The C library's
  // function leaves out two signals that it uses itself, and our parent may have ignored them.
  constexpr std::size_t kMaskBytes = 8;
  const std::array<unsigned long, 4> action = {};
  for (int number = 1; number < NSIG; ++number) {
    ::syscall(SYS_rt_sigaction, number, action.data(), nullptr, kMaskBytes);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// set_up_child returns 0, or errno of the first call that failed.
int set_up_child(const ChildPlan& plan) noexcept {
  // A new session is also a new process group. It has no terminal on which a program could wait for
  // a password.
  if (::setsid() < 0) return errno;
  // The signal is sent when the parent *thread* ends. That thread stays in run_process until we
  // have ended. Only a parent that dies before this line would go unnoticed.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return errno;
  if (::getppid() != plan.parent) return ESRCH;
  for (int target = STDIN_FILENO; target <= STDERR_FILENO; ++target) {
    if (::dup2(plan.streams[static_cast<std::size_t>(target)], target) < 0) return errno;
  }
  // This covers files that were opened without O_CLOEXEC, for example by std::ofstream. Kernels
  // before 5.11 refuse the call, and their children inherit such files.
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  restore_default_signals();
  // This comes last, because we may use more memory than the program is allowed to.
  if (plan.address_space && ::setrlimit(RLIMIT_AS, &*plan.address_space) != 0) return errno;
  return 0;
}

/// become_program runs in the child. A lock that another thread held at the fork is never released
/// here. The child must therefore not allocate memory or do anything other than system calls.
[[noreturn]] void become_program(const ChildPlan& plan) noexcept {
  int failure = set_up_child(plan);
  if (failure == 0) failure = plan.program.execute();
  [[maybe_unused]] const ssize_t written = ::write(plan.failure, &failure, sizeof failure);
  ::_exit(kNotExecuted);
}

/// Blocks all signals in this thread, so that our handlers do not run in a child.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals(BlockedSignals&&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  BlockedSignals& operator=(BlockedSignals&&) = delete;
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_ = {};
};

/// keep_ended_children stops ignoring SIGCHLD, which we may have inherited from our parent. If it
/// is ignored, ended children vanish along with their status, and their process IDs may belong to
/// other processes when we signal them.
void keep_ended_children() {
  struct sigaction action = {};
  ::sigaction(SIGCHLD, nullptr, &action);
  if (action.sa_handler == SIG_IGN) std::signal(SIGCHLD, SIG_DFL);
}

pid_t start_child(const std::string& program, const ChildPlan& plan) {
  const BlockedSignals blocked;
  const pid_t pid = ::fork();
  if (pid < 0) throw process_error(program, errno);
  if (pid == 0) become_program(plan);
  return pid;
}

/// A child and its process group, both killed on destruction. Until the child is reaped, its ID is
/// not given to another process or group, so the group is signalled only before that.
class ChildProcess {
 public:
  ChildProcess(const std::string& program, const ChildPlan& plan)
      : pid_(start_child(program, plan)) {}
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess(ChildProcess&&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess() {
    if (!reaped_) reap();
  }

  void signal_group(int number) const noexcept { ::kill(-pid_, number); }

  /// reap kills the rest of the group, waits for the child and returns how it ended.
  siginfo_t reap() noexcept {
    signal_group(SIGKILL);
    siginfo_t end = {};
    while (::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED) != 0 && errno == EINTR) {
    }
    reaped_ = true;
    return end;
  }

  /// exit_event returns a descriptor that becomes readable when the child has ended. This
  /// does not reap the child.
  [[nodiscard]] OwnedDescriptor exit_event(const std::string& program) const {
    OwnedDescriptor event(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!event.is_open()) throw process_error(program, errno);
    return event;
  }

 private:
  pid_t pid_;
  bool reaped_ = false;
};

ssize_t read_uninterrupted(int fd, void* target, std::size_t size) {
  while (true) {
    const ssize_t count = ::read(fd, target, size);
    if (count >= 0 || errno != EINTR) return count;
  }
}

/// exec_failure waits until the child executes the program, which closes the pipe. It returns 0, or
/// errno if the child failed.
int exec_failure(const OwnedDescriptor& pipe) {
  int failure = 0;
  const bool failed = read_uninterrupted(pipe.get(), &failure, sizeof failure) == sizeof failure;
  return failed ? failure : 0;
}

/// Keeps the start and the end of a text of any length.
class KeptEnds {
 public:
  explicit KeptEnds(std::size_t kept_bytes)
      : start_limit_(kept_bytes / 2), end_limit_(kept_bytes - kept_bytes / 2) {}

  void add(std::string_view bytes) {
    total_ += bytes.size();
    const std::size_t to_start = std::min(start_limit_ - start_.size(), bytes.size());
    start_.append(bytes.substr(0, to_start));
    end_.append(bytes.substr(to_start));
    // The end is not cut at every call, so that the cost per byte stays constant.
    if (end_.size() / 2 >= end_limit_) cut_end();
  }

  [[nodiscard]] std::string text() {
    cut_end();
    const std::size_t lost = total_ - start_.size() - end_.size();
    if (lost == 0) return start_ + end_;
    // The text after the gap is the rest of a line and must not look like a whole line.
    return fmt::format("{}\n[... {} left out ...] {}", start_, base::counted(lost, "byte"), end_);
  }

 private:
  void cut_end() {
    if (end_.size() > end_limit_) end_.erase(0, end_.size() - end_limit_);
  }

  std::size_t start_limit_;
  std::size_t end_limit_;
  std::string start_;
  std::string end_;
  std::size_t total_ = 0;
};

/// Splits output that arrives in pieces into lines.
class OutputLines {
 public:
  explicit OutputLines(const LineHandler& on_line) : on_line_(on_line) {}

  void add(std::string_view bytes) {
    while (on_line_) {
      const std::size_t newline = bytes.find('\n');
      append(bytes.substr(0, newline));
      if (newline == std::string_view::npos) return;
      pass_on();
      bytes.remove_prefix(newline + 1);
    }
  }

  void finish() {
    if (on_line_ && !line_.empty()) pass_on();
  }

 private:
  void append(std::string_view part) { line_.append(part.substr(0, kLongestLine - line_.size())); }

  void pass_on() {
    on_line_(line_);
    line_.clear();
  }

  const LineHandler& on_line_;
  std::string line_;
};

/// Our end of a standard stream of the child. Reading never blocks after poll has reported data.
class ChildStream {
 public:
  /// `lines` may be null.
  ChildStream(OwnedDescriptor source, std::size_t kept_bytes, OutputLines* lines)
      : source_(std::move(source)), kept_(kept_bytes), lines_(lines), buffer_(kReadSize) {}

  /// descriptor returns the descriptor to poll. After the end of the stream it is -1, which poll
  /// ignores.
  [[nodiscard]] int descriptor() const noexcept { return source_.get(); }

  /// read returns the number of bytes read, or 0 at the end of the stream.
  std::size_t read(std::size_t most = kReadSize) {
    const ssize_t count =
        read_uninterrupted(source_.get(), buffer_.data(), std::min(most, buffer_.size()));
    if (count <= 0) {
      finish();
      return 0;
    }
    const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(count));
    kept_.add(bytes);
    if (lines_ != nullptr) lines_->add(bytes);
    return bytes.size();
  }

  /// read_rest reads what is in the pipe now. It does not wait for the end of the stream, which may
  /// never come if a process that has left the group keeps the pipe open or still writes to it.
  void read_rest() {
    int waiting = 0;
    if (source_.is_open()) ::ioctl(source_.get(), FIONREAD, &waiting);
    while (waiting > 0 && source_.is_open()) {
      waiting -= static_cast<int>(read(static_cast<std::size_t>(waiting)));
    }
    finish();
  }

  [[nodiscard]] std::string text() { return kept_.text(); }

 private:
  void finish() {
    source_.close();
    if (lines_ != nullptr) lines_->finish();
  }

  OwnedDescriptor source_;
  KeptEnds kept_;
  OutputLines* lines_;
  std::vector<char> buffer_;
};

std::string described_signal(int number) {
  const char* const description = ::sigdescr_np(number);
  return description == nullptr ? std::to_string(number)
                                : fmt::format("{} ({})", number, description);
}

std::string reason_of(const ProcessResult& result, const ProcessRequest& request) {
  switch (result.ending) {
    case Ending::exited: return fmt::format("ended with status {}", result.status);
    case Ending::signalled: return "was killed by signal " + described_signal(result.status);
    case Ending::timed_out:
      return fmt::format("took longer than {} s", request.seconds.value_or(0.0));
    case Ending::stopped: return "was stopped";
    case Ending::not_started: break;
  }
  return "could not be started: " + std::generic_category().message(result.status);
}

/// Reads the output of a running program and ends the program when necessary.
class Supervision {
 public:
  Supervision(const ProcessRequest& request, const LineHandler& on_line,
              const std::function<bool()>& should_stop, ChildProcess& child, Pipe output,
              Pipe errors)
      : request_(request),
        should_stop_(should_stop),
        child_(child),
        exit_event_(child.exit_event(request.arguments.front())),
        lines_(on_line),
        output_(std::move(output.read_end), request.kept_bytes, &lines_),
        errors_(std::move(errors.read_end), request.kept_bytes, nullptr) {}

  [[nodiscard]] ProcessResult run(const RunningTime& time) {
    while (!wait_for_events()) keep_rules(time.seconds());
    ProcessResult result;
    result.seconds = time.seconds();
    const siginfo_t end = child_.reap();
    output_.read_rest();
    errors_.read_rest();
    result.output = output_.text();
    result.errors = errors_.text();
    result.ending = cause_.value_or(end.si_code == CLD_EXITED ? Ending::exited : Ending::signalled);
    if (!cause_) result.status = end.si_status;
    return result;
  }

 private:
  /// wait_for_events reads the available output. It returns whether the program has ended.
  bool wait_for_events() {
    std::array<pollfd, 3> events{{{exit_event_.get(), POLLIN, 0},
                                  {output_.descriptor(), POLLIN, 0},
                                  {errors_.descriptor(), POLLIN, 0}}};
    if (::poll(events.data(), events.size(), kCheckMilliseconds) < 0) {
      if (errno == EINTR) return false;
      throw process_error(request_.arguments.front(), errno);
    }
    if (events[1].revents != 0) output_.read();
    if (events[2].revents != 0) errors_.read();
    return events[0].revents != 0;
  }

  void keep_rules(double now) {
    if (request_.seconds && now >= *request_.seconds) end_program(Ending::timed_out, now);
    if (now >= next_check_) {
      next_check_ = now + 0.001 * kCheckMilliseconds;
      // This is called until the end, whatever it returns, because it also renews leases.
      if (should_stop_ && should_stop_()) end_program(Ending::stopped, now);
    }
    if (kill_at_ && now >= *kill_at_) {
      child_.signal_group(SIGKILL);
      kill_at_.reset();
    }
  }

  /// end_program ends the program, unless it has already ended. The first cause counts.
  void end_program(Ending cause, double now) {
    if (cause_ || has_ended()) return;
    cause_ = cause;
    child_.signal_group(SIGTERM);
    kill_at_ = now + request_.grace_seconds;
  }

  [[nodiscard]] bool has_ended() const {
    pollfd event{exit_event_.get(), POLLIN, 0};
    return ::poll(&event, 1, 0) == 1;
  }

  const ProcessRequest& request_;
  const std::function<bool()>& should_stop_;
  ChildProcess& child_;
  OwnedDescriptor exit_event_;
  OutputLines lines_;
  ChildStream output_;
  ChildStream errors_;
  std::optional<Ending> cause_;
  std::optional<double> kill_at_;
  double next_check_ = 0.0;
};

}  // namespace

ProcessResult run_process(const ProcessRequest& request, const LineHandler& on_line,
                          const std::function<bool()>& should_stop) {
  check_request(request);
  keep_ended_children();
  const std::string& program = request.arguments.front();
  const OwnedDescriptor input = open_empty_input(program);
  Pipe output = make_pipe(program);
  Pipe errors = make_pipe(program);
  Pipe failure = make_pipe(program);
  const ExecArguments arguments(request);
  const RunningTime time;
  ChildProcess child(program,
                     {.program = arguments,
                      .streams = {input.get(), output.write_end.get(), errors.write_end.get()},
                      .failure = failure.write_end.get(),
                      .address_space = address_space_limit(request.megabytes),
                      .parent = ::getpid()});
  for (Pipe* pipe : {&output, &errors, &failure}) pipe->write_end.close();

  ProcessResult result;
  result.status = exec_failure(failure.read_end);
  if (result.status == 0) {
    result = Supervision(request, on_line, should_stop, child, std::move(output), std::move(errors))
                 .run(time);
  }
  result.reason = reason_of(result, request);
  return result;
}

}  // namespace oscbo::study
