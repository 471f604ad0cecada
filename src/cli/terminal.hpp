// Standard streams and signals.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace oscbo::cli {

/// Thrown by `print` when the reader of standard output is gone. It needs no message.
struct BrokenPipe {};

/// After prepare_streams, a write to a closed pipe or beyond the file size limit fails with an
/// error instead of a signal, and no file gets the descriptor of a closed standard stream.
void prepare_streams();

/// print writes `text` to standard output. Throws Error (io) or BrokenPipe.
void print(std::string_view text);

/// complain writes lines to standard error and ignores errors.
void complain(std::string_view text);

/// on_one_line replaces control characters, which would break the line or control the terminal.
[[nodiscard]] std::string on_one_line(std::string text);

/// interrupt_flag returns a flag. After this call SIGINT, SIGTERM and SIGHUP set it, unless they
/// were ignored before. A second signal ends the program at once.
[[nodiscard]] const std::atomic<bool>& interrupt_flag();

/// A line on standard error, rewritten in place. Shown only if standard error is a terminal.
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
