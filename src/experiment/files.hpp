// Files that survive a kill. An AtomicFile is either there, complete and on the disk, or not there;
// a DirectoryLock keeps a second process out of a directory for as long as it lives.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "oscbo/error.hpp"

namespace oscbo::experiment {

/// io_error returns the Error (io) for what went wrong with `path`, from an errno value.
[[nodiscard]] Error io_error(const std::filesystem::path& path, std::string_view action,
                             int error_number);

/// An open file descriptor, closed on destruction.
class Descriptor {
 public:
  /// Throws Error (io) naming `action` when `path` cannot be opened with `flags`.
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

/// A file written under a temporary name and renamed by `commit`. Without a commit nothing is left.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile(AtomicFile&&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  void write(std::string_view text);

  /// commit makes the file durable under its name: written data first, then the name.
  void commit();

 private:
  void flush();

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  Descriptor descriptor_;
  std::string buffer_;
  bool committed_ = false;
};

/// write_text makes `text` the contents of `path`, whole or not at all. Throws Error (io).
void write_text(const std::filesystem::path& path, std::string_view text);

/// An exclusive advisory lock on `directory`/lock; the system drops it when the process ends.
class DirectoryLock {
 public:
  /// Throws Error (conflict) when another process holds the lock.
  explicit DirectoryLock(const std::filesystem::path& directory);

 private:
  Descriptor descriptor_;
};

/// exists returns whether anything has this name. Throws Error (io) when that cannot be found out.
[[nodiscard]] bool exists(const std::filesystem::path& path);

/// make_directory creates `path` and its parents. Throws Error (io).
void make_directory(const std::filesystem::path& path);

/// remove_temporaries deletes what killed processes left half-written in `directory`.
void remove_temporaries(const std::filesystem::path& directory);

/// read_text returns the contents of `path`. Throws Error (io).
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

}  // namespace oscbo::experiment
