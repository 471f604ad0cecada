// Crash-safe files. A file written by AtomicFile is either complete and on disk, or does not exist.
// While a DirectoryLock exists, no other process can lock the same directory.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "oscbo/error.hpp"

namespace oscbo::experiment {

/// io_error returns the Error (io) for a failed action on `path`, with the message of an errno
/// value.
[[nodiscard]] Error io_error(const std::filesystem::path& path, std::string_view action,
                             int error_number);

/// An open file descriptor, closed on destruction.
class Descriptor {
 public:
  /// Throws Error (io) naming `action` if `path` cannot be opened with `flags`.
  Descriptor(const std::filesystem::path& path, int flags, std::string_view action);
  Descriptor(const Descriptor&) = delete;
  Descriptor(Descriptor&&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();

  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

/// A file that is written under a temporary name and renamed by `commit`. Without a commit, it is
/// removed.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile(AtomicFile&&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  void write(std::string_view text);

  /// commit makes the file durable under its name. It syncs the data before the name.
  void commit();

 private:
  void flush();

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  Descriptor descriptor_;
  std::string buffer_;
  bool committed_ = false;
};

/// write_text replaces the contents of `path` with `text` atomically. Throws Error (io).
void write_text(const std::filesystem::path& path, std::string_view text);

/// An exclusive advisory lock on `directory`/lock; the system drops it when the process ends.
class DirectoryLock {
 public:
  /// Throws Error (conflict) if another process holds the lock.
  explicit DirectoryLock(const std::filesystem::path& directory);

 private:
  Descriptor descriptor_;
};

/// exists returns whether a file or directory has this name. Throws Error (io) if this cannot be
/// determined.
[[nodiscard]] bool exists(const std::filesystem::path& path);

/// make_directory creates `path` and its parents. Throws Error (io).
void make_directory(const std::filesystem::path& path);

/// remove_temporaries deletes the incomplete files that killed processes left in `directory`.
void remove_temporaries(const std::filesystem::path& directory);

/// read_text returns the contents of `path`. Throws Error (io).
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

}  // namespace oscbo::experiment
