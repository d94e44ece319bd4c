// Reading and writing snapshot files, which end with a checksum.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/sip_hash.h"
#include "sluice/result.h"
#include "store/snapshot_place.h"

namespace sluice {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Writes a file under a temporary name and renames it into place once it is complete and on disk
// (see MakeTemporary for how it is protected until then).
//
// Thread safety: none. After the first failure all writes do nothing and Commit returns the error.
class SnapshotWriter {
 public:
  explicit SnapshotWriter(std::string path);
  // Appends the content of a snapshot, without magic and checksum, to `content`, on Commit or
  // whenever a chunk is full. Keeps a reference to `content`.
  static SnapshotWriter IntoForTest(std::string& content) { return SnapshotWriter(&content); }
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  void Bytes(const void* data, std::size_t size);
  void Text(std::string_view text);
  template <typename T>
  void Number(T value) {
    static_assert(std::has_unique_object_representations_v<T>, "padding would be written");
    Bytes(&value, sizeof(value));
  }

  // Ends the file with its checksum and renames it into place.
  Result<Done> Commit();

 private:
  explicit SnapshotWriter(std::string* content);

  void Flush();
  // Writes all bytes to the file, or records the error.
  void Put(std::string_view bytes);
  void NoteError(int error);

  std::string path_;
  SnapshotPlace place_;
  std::string temporary_;  // a name in the directory; empty while there is no such file
  FileHandle file_;
  std::string* content_ = nullptr;  // written instead of a file
  SipHash checksum_;
  int error_ = 0;  // errno of the first failure
  std::string buffer_;
};

// Reads a snapshot file. The whole file is checked before the first byte is returned, so a damaged
// file is rejected as a whole. The checksum protects only against accidents: anyone who can write
// the file can make it match, so callers validate everything that they read.
//
// Thread safety: none. Reading past the end gives zeros and sets failed().
class SnapshotReader {
 public:
  // Returns an error for anything but a regular file, for a file that is owned by a user other than
  // this one and root or is writable by group or others, and for a file of more than `bytes_max`
  // bytes.
  static Result<SnapshotReader> Open(const std::string& path, std::uint64_t bytes_max);

  // Reads the content of a snapshot, without magic and checksum. Keeps a reference to the bytes.
  static SnapshotReader OverForTest(std::span<const std::uint8_t> content);

  void Bytes(void* data, std::size_t size);
  std::string Text();
  template <typename T>
  T Number() {
    // Any bytes must be a valid value, which is not the case for bool.
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    T value{};
    Bytes(&value, sizeof(value));
    return value;
  }

  // Called when the data makes no sense; everything read from then on is zeros.
  void Fail() { failed_ = true; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  explicit SnapshotReader(File file) : file_(std::move(file)) {}

  File file_;  // null: empty
  bool failed_ = false;
};

}  // namespace sluice
