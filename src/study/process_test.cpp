#include "study/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "oscbo/error.hpp"

namespace oscbo::study {
namespace {

/// A hanging program would take at least this long if it were not ended.
constexpr double kFarTooLong = 60.0;

class RunProcess : public testing::Test {
 protected:
  static ProcessRequest program(std::vector<std::string> arguments) {
    ProcessRequest request;
    request.arguments = std::move(arguments);
    return request;
  }

  static ProcessRequest script(const std::string& text) { return program({"sh", "-c", text}); }

  static ProcessResult run(const ProcessRequest& request) { return run_process(request, {}, {}); }

  static ProcessResult run_until_a_line(const ProcessRequest& request) {
    bool has_printed = false;
    return run_process(
        request, [&](std::string_view) { has_printed = true; }, [&] { return has_printed; });
  }

  static std::vector<std::string> lines_of(const ProcessRequest& request) {
    std::vector<std::string> lines;
    const auto keep = [&](std::string_view line) { lines.emplace_back(line); };
    EXPECT_EQ(run_process(request, keep, {}).ending, Ending::exited);
    return lines;
  }

  static Error refusal_of(const ProcessRequest& request) {
    try {
      (void)run(request);
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "nothing was refused";
    return {ErrorCode::internal, "", ""};
  }

  static auto open_descriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  }

  static bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

  /// runs returns whether the process is running. A process that has ended may wait to be reaped by
  /// its new parent.
  static bool runs(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string stat;
    return std::getline(file, stat) && stat.substr(stat.rfind(')') + 1, 2) != " Z";
  }

  /// ends_soon waits for the process to end, because a signal takes a moment to act.
  static bool ends_soon(const std::string& pid) {
    for (int i = 0; i < 500 && runs(pid); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return !runs(pid);
  }

  /// in_threads runs work(0), work(1), ... at the same time.
  static void in_threads(std::size_t number, const std::function<void(std::size_t)>& work) {
    std::vector<std::jthread> threads;
    threads.reserve(number);
    for (std::size_t i = 0; i < number; ++i) threads.emplace_back(work, i);
  }

  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }
};

/// Replaces or closes a standard stream of this process during its lifetime.
class ReplacedStream {
 public:
  ReplacedStream(int stream, int replacement)
      : stream_(stream), original_(::fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
    if (replacement < 0) {
      ::close(stream);
    } else {
      ::dup2(replacement, stream);
    }
  }
  ReplacedStream(const ReplacedStream&) = delete;
  ReplacedStream(ReplacedStream&&) = delete;
  ReplacedStream& operator=(const ReplacedStream&) = delete;
  ReplacedStream& operator=(ReplacedStream&&) = delete;
  ~ReplacedStream() {
    ::dup2(original_, stream_);
    ::close(original_);
  }

 private:
  int stream_;
  int original_;
};

TEST_F(RunProcess, ReturnsBothStreamsAndTheStatus) {
  const ProcessResult result = run(script("echo value; echo trouble >&2; exit 3"));
  EXPECT_EQ(result.ending, Ending::exited);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "value\n");
  EXPECT_EQ(result.errors, "trouble\n");
  EXPECT_EQ(result.reason, "ended with status 3");
  EXPECT_GT(result.seconds, 0.0);
}

TEST_F(RunProcess, NamesTheSignalThatKilledTheProgram) {
  const ProcessResult result = run(script("kill -SEGV $$"));
  EXPECT_EQ(result.ending, Ending::signalled);
  EXPECT_EQ(result.status, SIGSEGV);
  EXPECT_EQ(result.reason, "was killed by signal 11 (Segmentation fault)");
  EXPECT_EQ(run(script("kill -40 $$")).reason, "was killed by signal 40");
}

TEST_F(RunProcess, SaysWhyAProgramWasNotStarted) {
  ProcessRequest request = program({"no-such-program"});
  request.environment = {{"PATH", "/usr/bin:/bin"}};
  const ProcessResult missing = run(request);
  EXPECT_EQ(missing.ending, Ending::not_started);
  EXPECT_EQ(missing.status, ENOENT);
  EXPECT_EQ(missing.reason, "could not be started: No such file or directory");
  EXPECT_EQ(run(program({"/etc/passwd"})).reason, "could not be started: Permission denied");
  const ProcessResult long_argument = run(program({"true", std::string(1 << 20, 'x')}));
  EXPECT_EQ(long_argument.reason, "could not be started: Argument list too long");
}

TEST_F(RunProcess, LooksForTheProgramInThePathThatItGets) {
  ProcessRequest request = program({"uname"});
  request.environment = {{"PATH", "/no/such/directory:/etc/passwd:/usr/bin:/bin"}};
  EXPECT_EQ(run(request).ending, Ending::exited);
  request.environment = {{"PATH", "/no/such/directory"}};
  EXPECT_EQ(run(request).status, ENOENT);
  // A file that may not be executed does not end the search, but its error is reported.
  request.arguments = {"passwd"};
  request.environment = {{"PATH", "/etc:/no/such/directory"}};
  EXPECT_EQ(run(request).status, EACCES);
}

TEST_F(RunProcess, ArgumentsArriveAsTheyAre) {
  const std::vector<std::string> texts = {"two words", "", "$HOME;`id`|*", "'\"\\", "a\nb", "\xFF"};
  ProcessRequest request = program({"/usr/bin/printf", "%s\\0"});
  std::string expected;
  for (const std::string& text : texts) {
    request.arguments.push_back(text);
    expected += text + '\0';
  }
  EXPECT_EQ(run(request).output, expected);
}

TEST_F(RunProcess, PassesManyArguments) {
  ProcessRequest request = script("echo $#");
  request.arguments.resize(30'000, "argument");
  EXPECT_EQ(run(request).output, "29996\n");  // without the three of sh, and $0
}

TEST_F(RunProcess, AddsToTheEnvironmentAndReplacesIt) {
  ASSERT_EQ(::setenv("OSCBO_TEST_KEPT", "kept", 1), 0);
  ASSERT_EQ(::setenv("OSCBO_TEST_REPLACED", "old", 1), 0);
  ProcessRequest request =
      script(R"(echo "$OSCBO_TEST_KEPT|$OSCBO_TEST_REPLACED|$OSCBO_TEST_ADDED")");
  request.environment = {{"OSCBO_TEST_REPLACED", "older"},
                         {"OSCBO_TEST_REPLACED", "new"},
                         {"OSCBO_TEST_ADDED", "a = 'b'\nc"}};
  EXPECT_EQ(run(request).output, "kept|new|a = 'b'\nc\n");
}

TEST_F(RunProcess, RefusesWhatNoProgramCanGet) {
  const std::string nul(1, '\0');
  ProcessRequest request;
  EXPECT_EQ(refusal_of(request).field(), "arguments");
  request.arguments = {""};
  EXPECT_EQ(refusal_of(request).field(), "arguments");
  request.arguments = {"true", "a" + nul + "b"};
  EXPECT_EQ(refusal_of(request).field(), "arguments[1]");
  EXPECT_EQ(refusal_of(request).code(), ErrorCode::invalid_value);
  request.arguments = {"true"};
  for (const std::string& name : {std::string(), std::string("a=b"), "a" + nul}) {
    request.environment = {{name, "value"}};
    EXPECT_EQ(refusal_of(request).field(), "environment") << name;
  }
  request.environment = {{"NAME", nul}};
  EXPECT_EQ(refusal_of(request).field(), "environment.NAME");
}

TEST_F(RunProcess, StandardInputIsEmpty) {
  std::array<int, 2> typed{};
  ASSERT_EQ(::pipe(typed.data()), 0);
  ASSERT_EQ(::write(typed[1], "typed\n", 6), 6);
  const ReplacedStream input(STDIN_FILENO, typed[0]);
  ProcessRequest request = program({"cat"});
  request.seconds = kFarTooLong;
  const ProcessResult result = run(request);
  EXPECT_EQ(result.ending, Ending::exited);
  EXPECT_EQ(result.output, "");
  for (const int end : typed) ::close(end);
}

TEST_F(RunProcess, WorksWhereStandardStreamsAreClosed) {
  const ReplacedStream input(STDIN_FILENO, -1);
  const ReplacedStream output(STDOUT_FILENO, -1);
  const ProcessResult result = run(script("cat; echo value; echo trouble >&2"));
  EXPECT_EQ(result.output, "value\n");
  EXPECT_EQ(result.errors, "trouble\n");
  EXPECT_EQ(run(program({"no-such-program"})).ending, Ending::not_started);
}

TEST_F(RunProcess, TheProgramLeadsAGroupOfItsOwn) {
  // The IDs of the process, the group and the session.
  const std::string output =
      run(program({"cut", "-d", " ", "-f", "1,5,6", "/proc/self/stat"})).output;
  const std::string pid = output.substr(0, output.find(' '));
  EXPECT_EQ(output, pid + ' ' + pid + ' ' + pid + '\n');
  EXPECT_NE(pid, "");
}

TEST_F(RunProcess, TheProgramGetsDefaultSignals) {
  const auto broken_pipe = std::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const std::string signals =
      run(program({"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"})).output;
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, &before, &after);
  (void)std::signal(SIGPIPE, broken_pipe);
  EXPECT_EQ(signals, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  EXPECT_EQ(::sigismember(&after, SIGTERM), 1);
  EXPECT_EQ(::sigismember(&after, SIGINT), 0);
}

TEST_F(RunProcess, FindsTheStatusAlthoughEndedChildrenAreIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const ProcessResult result = run(script("exit 3"));
  (void)std::signal(SIGCHLD, before);
  EXPECT_EQ(result.ending, Ending::exited);
  EXPECT_EQ(result.status, 3);
}

TEST_F(RunProcess, PassesOnLinesAsTheyCome) {
  // The script waits for the effect of its first line.
  const std::filesystem::path answer = std::filesystem::path(testing::TempDir()) /
                                       ("oscbo-process-answer-" + std::to_string(::getpid()));
  ProcessRequest request =
      script("echo ask; while [ ! -e \"$0\" ]; do sleep 0.01; done; echo done");
  request.arguments.push_back(answer.string());
  request.seconds = kFarTooLong;
  std::vector<std::string> lines;
  const auto reply = [&](std::string_view line) {
    lines.emplace_back(line);
    const std::ofstream file(answer);
  };
  EXPECT_EQ(run_process(request, reply, {}).ending, Ending::exited);
  std::filesystem::remove(answer);
  EXPECT_EQ(lines, (std::vector<std::string>{"ask", "done"}));
}

TEST_F(RunProcess, LinesAreWhatStandsBetweenNewlines) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines_of(program({"true"})), Lines{});
  EXPECT_EQ(lines_of(script("printf 'a\\n\\nb\\n'; echo trouble >&2")), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_of(script("printf 'a\\nb'")), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of(script("printf 'a'; sleep 0.05; printf 'b\\nc'")), (Lines{"ab", "c"}));
  EXPECT_EQ(lines_of(script("printf 'a\\0b\\n'")), (Lines{std::string("a\0b", 3)}));
}

TEST_F(RunProcess, ALongLineIsPassedOnOnceAndCut) {
  const std::vector<std::string> lines =
      lines_of(script("head -c 200000 /dev/zero; echo; head -c 65536 /dev/zero; echo; echo short"));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], std::string(kLongestLine, '\0'));
  EXPECT_EQ(lines[1], std::string(65536, '\0'));
  EXPECT_EQ(lines[2], "short");
}

TEST_F(RunProcess, EveryLineOfALongOutputIsPassedOnInOrder) {
  int expected = 1;
  bool in_order = true;
  const auto compare = [&](std::string_view line) {
    in_order = in_order && line == std::to_string(expected);
    ++expected;
  };
  const ProcessResult result = run_process(program({"seq", "300000"}), compare, {});
  EXPECT_TRUE(in_order);
  EXPECT_EQ(expected, 300'001);
  EXPECT_TRUE(result.output.starts_with("1\n2\n3\n"));
  EXPECT_TRUE(result.output.ends_with("299999\n300000\n"));
}

TEST_F(RunProcess, KeepsStartAndEndOfEachStream) {
  ProcessRequest request = script("printf 0123456789; printf abcdefghijk >&2");
  request.kept_bytes = 10;
  const ProcessResult result = run(request);
  EXPECT_EQ(result.output, "0123456789");
  EXPECT_EQ(result.errors, "abcde\n[... 1 byte left out ...] ghijk");
  request.kept_bytes = 0;
  EXPECT_EQ(run(request).output, "\n[... 10 bytes left out ...] ");
}

TEST_F(RunProcess, KeptBytesAreTheSameHoweverTheyCome) {
  ProcessRequest request =
      script("for i in 1 2 3 4 5 6 7 8 9; do printf $i$i$i$i; sleep 0.005; done");
  request.kept_bytes = 7;
  EXPECT_EQ(run(request).output, "111\n[... 29 bytes left out ...] 9999");
}

TEST_F(RunProcess, EndlessOutputTakesLittleMemory) {
  const auto peak_kilobytes = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  int checks = 0;
  const auto count_checks = [&] {
    ++checks;
    return false;
  };
  const auto any_line = [](std::string_view) {};
  const auto before = peak_kilobytes();
  const ProcessResult result =
      run_process(script("head -c 300M /dev/zero; yes | head -c 2M >&2"), any_line, count_checks);
  EXPECT_EQ(result.ending, Ending::exited);
  EXPECT_LT(peak_kilobytes() - before, 100'000);
  EXPECT_LT(result.output.size(), 66'000U);
  EXPECT_NE(result.output.find("[... 314507264 bytes left out ...]"), std::string::npos);
  EXPECT_NE(result.errors.find("[... 2031616 bytes left out ...]"), std::string::npos);
  // The callback is called by the clock, not for each of the thousands of pieces of output.
  EXPECT_LT(checks, 10.0 * result.seconds + 2.0);
}

TEST_F(RunProcess, AMemoryLimitMakesTheProgramFail) {
  ProcessRequest request = program({"dd", "if=/dev/zero", "of=/dev/null", "bs=300M", "count=1"});
  request.environment = {{"LC_ALL", "C"}};
  request.megabytes = 100;
  const ProcessResult result = run(request);
  EXPECT_EQ(result.ending, Ending::exited);
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.errors.find("memory exhausted"), std::string::npos) << result.errors;
  // A number of bytes that overflows must not become a low limit.
  request.arguments = {"true"};
  request.megabytes = std::size_t{1} << 50U;
  EXPECT_EQ(run(request).reason, "ended with status 0");
}

TEST_F(RunProcess, AMemoryLimitOfOurOwnIsNotRaised) {
  rlimit original{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &original), 0);
  rlimit ours = original;
  ours.rlim_cur = (rlim_t{1} << 47U) - 1024;  // nearly the whole address space
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &ours), 0);
  ProcessRequest request = script("ulimit -v");
  request.megabytes = std::size_t{1} << 30U;
  const ProcessResult result = run(request);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &original), 0);
  EXPECT_EQ(result.output, "137438953471\n");
}

TEST_F(RunProcess, ALimitedTimeEndsTheProgram) {
  ProcessRequest request = program({"sleep", "1000"});
  request.seconds = 0.25;
  const ProcessResult result = run(request);
  EXPECT_EQ(result.ending, Ending::timed_out);
  EXPECT_EQ(result.reason, "took longer than 0.25 s");
  EXPECT_GE(result.seconds, 0.25);
  EXPECT_LT(result.seconds, kFarTooLong);
}

TEST_F(RunProcess, AProgramThatEndsInTimeIsLeftAlone) {
  ProcessRequest request = script("sleep 0.3; exit 4");
  request.seconds = kFarTooLong;
  EXPECT_EQ(run(request).status, 4);
}

TEST_F(RunProcess, WaitsQuietlyForAProgramThatClosedItsStreams) {
  const std::clock_t before = std::clock();
  EXPECT_EQ(run(script("exec >&- 2>&-; sleep 0.4; exit 5")).status, 5);
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 5);
}

TEST_F(RunProcess, ReadsWhatIsInThePipeAfterTheEnd) {
  ProcessRequest request = script("echo $$; exec head -c 500000 /dev/zero");
  request.kept_bytes = 1'000'000;
  std::string pid;
  // Enlarges the pipe so that it holds all of the output, and reads nothing until the program has
  // ended.
  const auto let_it_end = [&](std::string_view line) {
    if (!pid.empty()) return;
    pid = line;
    const int pipe = ::open(("/proc/" + pid + "/fd/1").c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_GT(::fcntl(pipe, F_SETPIPE_SZ, 1 << 20), 500'000);
    ::close(pipe);
    EXPECT_TRUE(ends_soon(pid));
  };
  const ProcessResult result = run_process(request, let_it_end, {});
  EXPECT_EQ(result.output.size(), pid.size() + 1 + 500'000);
}

TEST_F(RunProcess, AStoppedProgramMayCleanUp) {
  ProcessRequest request =
      script("trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done");
  request.grace_seconds = kFarTooLong;
  const ProcessResult result = run_until_a_line(request);
  EXPECT_EQ(result.ending, Ending::stopped);
  EXPECT_EQ(result.reason, "was stopped");
  EXPECT_EQ(result.output, "ready\nbye\n");
  EXPECT_LT(result.seconds, kFarTooLong);
}

TEST_F(RunProcess, AProgramThatEndedBeforeItCouldBeStoppedIsNotStopped) {
  bool has_printed = false;
  const auto let_it_end = [&](std::string_view line) {
    has_printed = true;
    EXPECT_TRUE(ends_soon(std::string(line)));
  };
  ProcessRequest request = script("echo $$; exit 3");
  const ProcessResult result = run_process(request, let_it_end, [&] { return has_printed; });
  EXPECT_EQ(result.ending, Ending::exited);
  EXPECT_EQ(result.status, 3);
}

TEST_F(RunProcess, AGroupThatIgnoresTheRequestIsKilled) {
  ProcessRequest request = script("trap '' TERM; sleep 1000 & echo $!; while :; do sleep 1; done");
  request.grace_seconds = 0.3;
  const ProcessResult result = run_until_a_line(request);
  EXPECT_EQ(result.ending, Ending::stopped);
  EXPECT_GE(result.seconds, 0.3);
  EXPECT_LT(result.seconds, kFarTooLong);
  EXPECT_TRUE(ends_soon(first_line(result.output)));
}

TEST_F(RunProcess, AsksWhetherToStopUntilTheEnd) {
  ProcessRequest request = script("trap '' TERM; echo ready; while :; do sleep 0.05; done");
  request.grace_seconds = 0.4;
  bool ready = false;
  const auto notice = [&](std::string_view) { ready = true; };
  int yes = 0;
  const auto stop_when_ready = [&] {
    yes += static_cast<int>(ready);
    return ready;
  };
  const ProcessResult result = run_process(request, notice, stop_when_ready);
  EXPECT_EQ(result.ending, Ending::stopped);
  EXPECT_LT(result.seconds, kFarTooLong);
  EXPECT_GT(yes, 1);
}

TEST_F(RunProcess, WhatIsLeftOfTheGroupIsKilled) {
  const ProcessResult result = run(script("sleep 1000 & echo $!"));
  EXPECT_EQ(result.ending, Ending::exited);
  EXPECT_LT(result.seconds, kFarTooLong);
  EXPECT_TRUE(ends_soon(first_line(result.output)));
}

TEST_F(RunProcess, DoesNotWaitForAProcessThatLeftTheGroup) {
  const ProcessResult result =
      run(script("exec 3>&1; echo $(setsid sh -c 'sleep 1000 >&3 & echo $!')"));
  EXPECT_EQ(result.ending, Ending::exited);
  EXPECT_LT(result.seconds, kFarTooLong);
  // The process was still running.
  EXPECT_EQ(::kill(std::stoi(result.output), SIGKILL), 0);
}

TEST_F(RunProcess, DoesNotListenForEverToAProcessThatLeftTheGroup) {
  const ProcessResult result =
      run(script("exec 3>&1; echo $(setsid sh -c 'yes >&3 2>&- & echo $!') >&2"));
  EXPECT_EQ(result.ending, Ending::exited);
  EXPECT_LT(result.seconds, kFarTooLong);
  EXPECT_TRUE(ends_soon(first_line(result.errors)));  // because nobody reads its pipe any more
}

TEST_F(RunProcess, LeavesNeitherChildrenNorDescriptors) {
  const auto before = open_descriptors();
  ProcessRequest hanging = program({"sleep", "1000"});
  hanging.seconds = 0.1;
  for (const ProcessRequest& request :
       {script("echo value"), program({"no-such-program"}), hanging, script("exec >&-")}) {
    (void)run(request);
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_FALSE(has_children());
  }
}

TEST_F(RunProcess, AnExceptionOfACallbackEndsTheProgram) {
  const auto before = open_descriptors();
  std::string pid;
  const auto fail = [&](std::string_view line) -> bool {
    pid = line;
    throw std::runtime_error("no lease");
  };
  EXPECT_THROW((void)run_process(script("echo $$; exec sleep 1000"), fail, {}), std::runtime_error);
  EXPECT_FALSE(runs(pid));
  EXPECT_FALSE(has_children());
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(RunProcess, WithoutDescriptorsItFailsAndCleansUp) {
  rlimit original{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &original), 0);
  const auto before = open_descriptors();
  const auto first_free = static_cast<rlim_t>(::dup(STDIN_FILENO));
  ::close(static_cast<int>(first_free));
  int failures = 0;
  // Allow one more descriptor each time, so that each of the calls fails once.
  for (rlim_t more = 0; more < 20; ++more) {
    rlimit tight = original;
    tight.rlim_cur = first_free + more;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
    std::optional<Error> failure;
    try {
      (void)run(program({"true"}));
    } catch (const Error& error) {
      failure = error;
    }
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &original), 0);
    ASSERT_EQ(open_descriptors(), before);
    ASSERT_FALSE(has_children());
    if (!failure) break;
    EXPECT_EQ(failure->code(), ErrorCode::io);
    EXPECT_EQ(std::string(failure->what()), "true: cannot be run: Too many open files");
    ++failures;
  }
  EXPECT_GE(failures, 4);
  EXPECT_LT(failures, 20);
}

TEST_F(RunProcess, ConcurrentRunsDoNotMix) {
  constexpr int kRuns = 20;
  std::array<int, 4> good{};
  in_threads(good.size(), [&](std::size_t thread) {
    for (int i = 0; i < kRuns; ++i) {
      ProcessRequest request = script(R"(echo "$OSCBO_TEST_RUN"; echo "$0" >&2; exit "$0")");
      request.arguments.push_back(std::to_string(thread));
      request.environment = {{"OSCBO_TEST_RUN", std::to_string(i)}};
      const ProcessResult result = run(request);
      const bool own = result.output == std::to_string(i) + '\n' &&
                       result.errors == std::to_string(thread) + '\n' &&
                       result.reason == "ended with status " + std::to_string(thread);
      good[thread] += static_cast<int>(own);
    }
  });
  for (const int number : good) EXPECT_EQ(number, kRuns);
  EXPECT_FALSE(has_children());
}

TEST_F(RunProcess, ConcurrentProgramsSeeNoDescriptorButTheirOwn) {
  const int inheritable = ::dup(STDIN_FILENO);
  std::array<std::string, 4> seen;
  in_threads(seen.size(), [&](std::size_t thread) {
    for (int i = 0; i < 10; ++i) seen[thread] += run(program({"ls", "/proc/self/fd"})).output;
  });
  ::close(inheritable);
  std::string expected;
  for (int i = 0; i < 10; ++i) expected += "0\n1\n2\n3\n";  // 3 is the directory itself
  for (const std::string& text : seen) EXPECT_EQ(text, expected);
}

TEST_F(RunProcess, TheProgramDiesWithUs) {
  std::array<int, 2> pids{};
  ASSERT_EQ(::pipe(pids.data()), 0);
  const auto own_a_program = [&]() noexcept {
    const auto report = [&](std::string_view pid) {
      return ::write(pids[1], pid.data(), pid.size()) > 0;
    };
    (void)run_process(script("echo $$; exec sleep 1000"), report, {});
    ::_exit(0);
  };
  const pid_t owner = ::fork();
  ASSERT_GE(owner, 0);
  if (owner == 0) own_a_program();
  ::close(pids[1]);
  std::array<char, 20> digits{};
  const ssize_t size = ::read(pids[0], digits.data(), digits.size());
  ::close(pids[0]);
  ASSERT_GT(size, 0);
  const std::string pid(digits.data(), static_cast<std::size_t>(size));
  EXPECT_TRUE(runs(pid));
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  EXPECT_TRUE(ends_soon(pid));
}

}  // namespace
}  // namespace oscbo::study
