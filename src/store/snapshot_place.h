// SnapshotPlace: the place where a snapshot is written, and the temporary files beside it.
#pragma once

#include <string>
#include <utility>

#include "sluice/result.h"

namespace sluice {

// Owns a file descriptor.
class FileHandle {
 public:
  explicit FileHandle(int fd = -1) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(other.Release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle();

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool ok() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// An open directory and the name of the snapshot in it. All calls go through the open directory, so
// that replacing a part of the path meanwhile has no effect.
struct SnapshotPlace {
  FileHandle directory;  // not ok() if it could not be opened; errno says why
  std::string name;

  static SnapshotPlace Open(const std::string& path);
};

// Creates an empty temporary file in the directory. The file is new (O_EXCL), so that a link or
// file planted there is never written to; readable by its owner only; and locked until it is
// closed, so that RemoveStaleTemporaries of another process does not delete it. Not ok() if that
// fails; then errno says why. `name` is set to the file's name in the directory, or stays empty.
FileHandle MakeTemporary(const SnapshotPlace& place, std::string& name);

// Removes temporary files of this snapshot that a crash left behind: unlocked regular files that
// this user owns.
void RemoveStaleTemporaries(const SnapshotPlace& place);

// Checks at startup that a snapshot can be written to `path`: files can be created in its
// directory, and the path names a regular file or nothing. Removes stale temporary files.
Result<Done> CheckSnapshotPath(const std::string& path);

}  // namespace sluice
