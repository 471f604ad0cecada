// Runs the user's programs. Each program runs as its own process, without a shell, and is watched
// until it ends. Its output is read as it arrives, its limits are enforced, and the rest of its
// process group ends with it.
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
  // The first argument is the program. If it has no slash, it is looked up in the PATH that the
  // program will see.
  std::vector<std::string> arguments = {};
  // Added to the environment of this process. A later entry replaces an earlier one.
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::optional<double> seconds = std::nullopt;  // wall time
  std::optional<std::size_t> megabytes =
      std::nullopt;                // of 2^20 bytes; limits the address space of each process
  std::size_t kept_bytes = 65536;  // of each stream: half from its start, half from its end
  double grace_seconds = 2.0;      // between SIGTERM and SIGKILL
};

enum class Ending {
  exited,
  signalled,    // killed by a signal that we did not send
  timed_out,    // took longer than ProcessRequest::seconds
  stopped,      // `should_stop` returned true
  not_started,  // no such program, not executable, too many arguments
};

struct ProcessResult {
  Ending ending = Ending::not_started;
  int status = 0;           // exit status, signal, or errno if not started; 0 if we ended it
  std::string output = {};  // standard output; a line says how many bytes are left out, if any
  std::string errors = {};  // standard error, in the same form
  double seconds = 0.0;     // from start to end
  std::string reason = {};  // for people: "the program " + reason
};

/// Programs do not inherit environment variables with this prefix.
inline constexpr std::string_view kParameterVariable = "OSCBO_PARAMETER_";

/// Longer lines are cut to this length before they are passed on.
inline constexpr std::size_t kLongestLine = 65536;

/// Receives each line of standard output, without its newline, as soon as the line is complete. At
/// the end of the output it also receives an unfinished line, which may be all that a killed
/// program has printed.
using LineHandler = std::function<void(std::string_view line)>;

/// run_process runs a program until it ends. It calls `should_stop` several times a second. Both
/// callbacks run in the calling thread and may be empty. If one of them throws, the program is
/// killed and the exception is passed on.
///
/// The run ends when the process started here ends. The rest of its process group is then killed. A
/// process that has left the group keeps running, but is not waited for. If the program ends before
/// it is told to stop, it does not count as stopped, and its result is used.
///
/// May be called from several threads. Throws Error (invalid_value) that names the field of an
/// invalid request, and Error (io) if the system has no process or descriptor left.
[[nodiscard]] ProcessResult run_process(const ProcessRequest& request, const LineHandler& on_line,
                                        const std::function<bool()>& should_stop);

}  // namespace oscbo::study
