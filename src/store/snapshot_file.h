// Files with a checksum: what a snapshot is written to and read from.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/sip_hash.h"
#include "sluice/result.h"

namespace sluice {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Writes a file under a temporary name and renames it into place once it is whole and on disk.
//
// Thread safety: none. After the first failure all writes do nothing and Commit returns the error.
class SnapshotWriter {
 public:
  explicit SnapshotWriter(std::string path);
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  void Bytes(const void* data, std::size_t size);
  void Text(std::string_view text);
  template <typename T>
  void Number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    Bytes(&value, sizeof(value));
  }

  // Ends the file with its checksum and puts it in place.
  Result<Done> Commit();

 private:
  void Flush();

  std::string path_;
  std::string temporary_;
  File file_;
  SipHash checksum_;
  bool failed_ = false;
  int error_ = 0;  // errno of the first failure
  std::string buffer_;
};

// Reads such a file. The whole file is checked before the first byte is handed out, so a damaged
// one is refused as a whole.
//
// Thread safety: none. Reading past the end gives zeros and sets failed().
class SnapshotReader {
 public:
  static Result<SnapshotReader> Open(const std::string& path);

  void Bytes(void* data, std::size_t size);
  std::string Text();
  template <typename T>
  T Number() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    Bytes(&value, sizeof(value));
    return value;
  }

  [[nodiscard]] bool failed() const { return failed_; }

 private:
  explicit SnapshotReader(File file) : file_(std::move(file)) {}

  File file_;
  bool failed_ = false;
};

}  // namespace sluice
