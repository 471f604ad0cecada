// For tests: starts the program in the way a user would. OSCBO_PROGRAM is the path of the program.
#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/temporary_folder_test_support.hpp"

namespace oscbo::cli {

using test::TemporaryFolder;
using Arguments = std::vector<std::string>;

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Outcome {
  int status = -1;       // exit status, or minus the signal that ended the process
  long peak_memory = 0;  // KiB resident
  std::string out;
  std::string err;
};

/// A running process with its output going to files.
class Process {
 public:
  explicit Process(Arguments command, const std::string& input = {})
      : pid_(start(std::move(command), input)) {}

  void signal(int number) const { ::kill(pid_, number); }

  /// is_running returns whether the process has not ended yet.
  [[nodiscard]] bool is_running() const {
    siginfo_t info = {};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid == 0;
  }

  [[nodiscard]] Outcome wait() const {
    int status = 0;
    rusage usage = {};
    ::wait4(pid_, &status, 0, &usage);
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
            .peak_memory = usage.ru_maxrss,
            .out = file_text(workspace_ / "out"),
            .err = file_text(workspace_ / "err")};
  }

 private:
  [[nodiscard]] pid_t start(Arguments command, const std::string& input) const {
    const std::string in_path = workspace_.file("in", input);
    const std::string out_path = workspace_ / "out";
    const std::string err_path = workspace_ / "err";
    std::vector<char*> argv;
    for (std::string& argument : command) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    redirect(STDIN_FILENO, in_path, O_RDONLY);
    redirect(STDOUT_FILENO, out_path, O_WRONLY | O_CREAT);
    redirect(STDERR_FILENO, err_path, O_WRONLY | O_CREAT);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }

  static void redirect(int descriptor, const std::string& path, int flags) {
    ::dup2(::open(path.c_str(), flags, 0600), descriptor);
  }

  TemporaryFolder workspace_;
  pid_t pid_;
};

/// oscbo_command returns the command line of the program with these arguments.
inline Arguments oscbo_command(const Arguments& arguments) {
  Arguments command = {OSCBO_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

/// oscbo runs the program to its end.
inline Outcome oscbo(const Arguments& arguments, const std::string& input = {}) {
  return Process(oscbo_command(arguments), input).wait();
}

/// shell runs a shell command in which $OSCBO is the program.
inline Outcome shell(const std::string& command) {
  return Process({"/bin/sh", "-c", std::string("OSCBO='") + OSCBO_PROGRAM + "'; " + command})
      .wait();
}

}  // namespace oscbo::cli
