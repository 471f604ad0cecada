#include "terminal.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "oscbo/error.hpp"

namespace oscbo::cli {
namespace {

constexpr std::string_view kClearLine = "\r\033[K";

std::atomic<bool>& interrupted() {
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler stores to it");
  static constinit std::atomic<bool> flag = false;
  return flag;
}

extern "C" void on_interrupt(int /*signal*/) { interrupted().store(true); }

/// Returns the first characters of a UTF-8 text.
std::string_view beginning(std::string_view text, std::size_t characters) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool begins_one = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
    if (begins_one && characters-- == 0) break;
  }
  return text.substr(0, end);
}

void write_error_stream(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

void prepare_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Opened in the opposite mode, so that using the closed stream still fails.
    const int mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::fcntl(descriptor, F_GETFD) == -1) ::open("/dev/null", mode);
  }
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return;
  }
  if (errno == EPIPE) throw BrokenPipe{};
  throw Error(ErrorCode::io, "standard output",
              fmt::format("cannot be written: {}", std::generic_category().message(errno)));
}

void complain(std::string_view text) { write_error_stream(fmt::format("{}\n", text)); }

std::string on_one_line(std::string text) {
  const auto is_control = [](unsigned char byte) { return byte < ' ' || byte == 0x7F; };
  std::ranges::replace_if(text, is_control, ' ');
  return text;
}

const std::atomic<bool>& interrupt_flag() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    ::sigaction(signal, nullptr, &before);
    // Keep ignored signals ignored, for example under nohup.
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
  return interrupted();
}

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (terminal_) write_error_stream(kClearLine);
}

void ProgressLine::show(const std::string& text) const {
  if (!terminal_) return;
  winsize size = {};
  const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const std::size_t width = is_known ? size.ws_col : 80U;
  // A line that wraps or fills the last column could not be cleared.
  write_error_stream(fmt::format("{}{}", kClearLine, beginning(text, width - 1)));
}

std::string duration(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace oscbo::cli
