// Programs of the user. Each runs as a process of its own, without a shell, and is watched until
// its end: its output is read as it comes, its limits are kept, and what it started ends with it.
//
//   ProcessRequest request;
//   request.arguments = {"./reactor", "--temperature", "80"};
//   request.seconds = 60.0;
//   const ProcessResult result = run_process(request, {}, {});
//   if (result.ending != Ending::exited) complain("the program " + result.reason);
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oscbo::study {

struct ProcessRequest {
  // The first is the program. Without a slash it is looked up in the PATH that it will see.
  std::vector<std::string> arguments = {};
  // Added to the environment of this process; a later entry replaces an earlier one.
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::optional<double> seconds = std::nullopt;  // of wall time
  std::optional<std::size_t> megabytes =
      std::nullopt;                // (2^20 bytes) of address space, in each process
  std::size_t kept_bytes = 65536;  // of each stream: its start and its end
  double grace_seconds = 2.0;      // between the request to end (SIGTERM) and SIGKILL
};

enum class Ending {
  exited,
  signalled,    // killed by a signal that was not ours
  timed_out,    // took longer than ProcessRequest::seconds
  stopped,      // `should_stop` wanted it
  not_started,  // no such program, not executable, too many arguments
};

struct ProcessResult {
  Ending ending = Ending::not_started;
  int status = 0;           // exit status, signal, errno of not_started; 0 where we ended it
  std::string output = {};  // standard output; where bytes are left out, a line says how many
  std::string errors = {};  // standard error, likewise
  double seconds = 0.0;     // from start to end
  std::string reason = {};  // for people: "the program " + reason
};

/// Environment variables of this beginning are not inherited by programs.
inline constexpr std::string_view kParameterVariable = "OSCBO_PARAMETER_";

/// Longer lines are cut to this length before they are passed on.
inline constexpr std::size_t kLongestLine = 65536;

/// Gets a line of standard output, without its newline, as soon as it is complete; at the end of
/// the output also one without a newline, which may be all that a killed program got out.
using LineHandler = std::function<void(std::string_view line)>;

/// run_process runs a program to its end. `should_stop` is asked several times a second until
/// then. Both callbacks run in the calling thread and may be empty; what they throw is passed on
/// after the program has been killed.
///
/// The end is that of the process started here. The rest of its process group is killed then; a
/// process that has left the group lives on, but is not waited for. A program that has ended before
/// it is told to is not stopped: what it brought counts.
///
/// May be called from several threads. Throws Error (invalid_value) naming the field of a request
/// that no program can be started with, and Error (io) when the system has no process or
/// descriptor left.
[[nodiscard]] ProcessResult run_process(const ProcessRequest& request, const LineHandler& on_line,
                                        const std::function<bool()>& should_stop);

}  // namespace oscbo::study
