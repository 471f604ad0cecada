// What the program shares with the shell it runs in: standard streams and signals.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace oscbo::cli {

/// Thrown by `print` when nobody reads standard output any more: not worth a message.
struct BrokenPipe {};

/// prepare_streams makes a closed pipe and a file size limit errors instead of signals, and keeps
/// closed standard descriptors from being taken by result files.
void prepare_streams();

/// print writes `text` to standard output. Throws Error (io) or BrokenPipe.
void print(std::string_view text);

/// complain writes lines to standard error, without caring whether they arrive.
void complain(std::string_view text);

/// on_one_line returns a text without control characters, which would break a line or steer the
/// terminal.
[[nodiscard]] std::string on_one_line(std::string text);

/// interrupt_flag returns a flag that SIGINT, SIGTERM and SIGHUP set from this call on, unless they
/// were ignored before. A second signal ends the program at once.
[[nodiscard]] const std::atomic<bool>& interrupt_flag();

/// A line on standard error that is rewritten in place; silent unless that is a terminal.
class ProgressLine {
 public:
  ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine(ProgressLine&&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ProgressLine& operator=(ProgressLine&&) = delete;
  ~ProgressLine();

  void show(const std::string& text) const;

 private:
  bool terminal_;
};

/// duration returns seconds as people write them: "0:07", "12:30", "2:05:00".
[[nodiscard]] std::string duration(double seconds);

}  // namespace oscbo::cli
