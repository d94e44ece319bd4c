// SnapshotPlace: where a snapshot is written, and the temporary files beside it.
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

// A directory that stays open, and the name of the snapshot in it. All calls go through the
// directory, so that replacing a part of the path meanwhile changes nothing.
struct SnapshotPlace {
  FileHandle directory;  // not ok() if it could not be opened; errno says why
  std::string name;

  static SnapshotPlace Open(const std::string& path);
};

// Makes an empty temporary file in the directory: new (O_EXCL), so that a link or file that
// somebody has put there is never written to; readable by its owner alone; and locked until it is
// closed, so that RemoveStaleTemporaries of another process leaves it alone. Not ok() if that
// fails; errno says why. `name` is set to its name in the directory, or stays empty.
FileHandle MakeTemporary(const SnapshotPlace& place, std::string& name);

// Removes temporary files of this snapshot that a crash left behind: regular files of our own user
// that nobody has locked.
void RemoveStaleTemporaries(const SnapshotPlace& place);

// Checks at start that a snapshot can be written to `path`: files can be made in its directory, and
// the path names a regular file or nothing. Removes stale temporary files.
Result<Done> CheckSnapshotPath(const std::string& path);

}  // namespace sluice
