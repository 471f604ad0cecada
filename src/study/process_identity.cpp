#include "study/process_identity.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

namespace oscbo::study {
namespace {

/// The start of this machine and the namespace in which numbers of processes are given.
std::string numbering() {
  std::ifstream stream("/proc/sys/kernel/random/boot_id");
  std::string boot;
  stream >> boot;
  std::error_code failure;
  const std::string given_in = std::filesystem::read_symlink("/proc/self/ns/pid", failure).string();
  return boot.empty() || given_in.empty() ? std::string() : boot + ' ' + given_in;
}

/// When a process was started, in ticks of the kernel: its number may have been another's before.
/// Empty for one that is gone, also if nobody has taken notice of its end yet.
std::string start_of(const std::string& pid) {
  std::ifstream stream("/proc/" + pid + "/stat");
  std::string text;
  std::getline(stream, text, '\0');
  // The second field is the name of the program in parentheses, which may hold anything.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
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
  const std::string start = start_of(pid);
  return where.empty() || start.empty() ? std::string()
                                        : fmt::format("{} {} {}", where, pid, start);
}

bool has_ended(const std::string& process) {
  const std::string where = numbering();
  if (where.empty() || !process.starts_with(where + ' ')) return false;
  std::istringstream rest(process.substr(where.size() + 1));
  std::string pid;
  std::string start;
  rest >> pid >> start;
  return start_of(pid) != start;
}

}  // namespace oscbo::study
