#include "experiment/files.hpp"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace oscbo::experiment {
namespace {

constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr std::size_t kBufferSize = std::size_t{1} << 16U;
constexpr std::string_view kWriteAction = "cannot be written";

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  std::filesystem::path name = path;
  name += kTemporarySuffix;
  return name;
}

/// A rename is durable only after its directory has been synced.
void sync_directory_of(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  const Descriptor directory(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC, kWriteAction);
  if (::fsync(directory.get()) != 0) throw io_error(parent, kWriteAction, errno);
}

}  // namespace

Error io_error(const std::filesystem::path& path, std::string_view action, int error_number) {
  return {ErrorCode::io, path.string(),
          fmt::format("{}: {}", action, std::generic_category().message(error_number))};
}

Descriptor::Descriptor(const std::filesystem::path& path, int flags, std::string_view action)
    : fd_(::open(path.c_str(), flags, 0666)) {
  if (fd_ < 0) throw io_error(path, action, errno);
}

Descriptor::~Descriptor() { ::close(fd_); }

AtomicFile::AtomicFile(std::filesystem::path path)
    : path_(std::move(path)),
      temporary_(temporary_name(path_)),
      descriptor_(temporary_, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kWriteAction) {
  buffer_.reserve(kBufferSize);
}

AtomicFile::~AtomicFile() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view text) {
  if (buffer_.size() + text.size() > kBufferSize) flush();
  buffer_.append(text);
}

void AtomicFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw io_error(path_, kWriteAction, errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  if (::fsync(descriptor_.get()) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw io_error(path_, kWriteAction, errno);
  }
  committed_ = true;
  sync_directory_of(path_);
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

DirectoryLock::DirectoryLock(const std::filesystem::path& directory)
    : descriptor_(directory / "lock", O_RDWR | O_CREAT | O_CLOEXEC, kWriteAction) {
  if (::flock(descriptor_.get(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK) throw io_error(directory / "lock", "cannot be locked", errno);
  throw Error(ErrorCode::conflict, directory.string(), "another process is working there");
}

bool exists(const std::filesystem::path& path) {
  std::error_code error;
  const bool found = std::filesystem::exists(path, error);
  if (error) throw io_error(path, "cannot be read", error.value());
  return found;
}

void make_directory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw io_error(path, "cannot be created", error.value());
}

void remove_temporaries(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::filesystem::path> leftovers;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
    if (entry->path().extension() == kTemporarySuffix) leftovers.push_back(entry->path());
  }
  if (error) throw io_error(directory, "cannot be read", error.value());
  for (const std::filesystem::path& leftover : leftovers) {
    if (!std::filesystem::remove(leftover, error) && error) {
      throw io_error(leftover, "cannot be removed", error.value());
    }
  }
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) throw io_error(path, "cannot be read", errno);
  return text;
}

}  // namespace oscbo::experiment
