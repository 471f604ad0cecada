#include "study/process_identity.hpp"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

namespace oscbo::study {
namespace {

/// numbering identifies the boot of this machine and the namespace of its process IDs.
std::string numbering() {
  std::ifstream stream("/proc/sys/kernel/random/boot_id");
  std::string boot;
  stream >> boot;
  std::error_code failure;
  const std::string given_in = std::filesystem::read_symlink("/proc/self/ns/pid", failure).string();
  return boot.empty() || given_in.empty() ? std::string() : boot + ' ' + given_in;
}

/// start_of returns when a process was started, in kernel ticks. It distinguishes processes that
/// have had the same ID. The text is empty for a process that has ended but has not been reaped. It
/// is nullopt for a process that cannot be seen.
std::optional<std::string> start_of(const std::string& pid) {
  std::ifstream stream("/proc/" + pid + "/stat");
  if (!stream) return std::nullopt;
  std::string text;
  std::getline(stream, text, '\0');
  // The second field is the name of the program in parentheses. It may contain any characters.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  constexpr int kStartField = 22;
  std::string state;
  std::string field;
  fields >> state;
  for (int i = 3; i < kStartField; ++i) fields >> field;
  return state == "Z" || state == "X" ? std::string() : field;
}

}  // namespace

std::string this_process() {
  const std::string where = numbering();
  const std::string pid = std::to_string(::getpid());
  const std::string start = start_of(pid).value_or("");
  return where.empty() || start.empty() ? std::string()
                                        : fmt::format("{} {} {}", where, pid, start);
}

bool has_ended(const std::string& process) {
  const std::string where = numbering();
  if (where.empty() || !process.starts_with(where + ' ')) return false;
  std::istringstream rest(process.substr(where.size() + 1));
  pid_t pid = 0;
  std::string start;
  rest >> pid >> start;
  if (const auto seen = start_of(std::to_string(pid))) return *seen != start;
  // The process is gone, or the processes of other users are hidden from us.
  return ::kill(pid, 0) == -1 && errno == ESRCH;
}

}  // namespace oscbo::study
