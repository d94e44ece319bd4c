#include "store/snapshot_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace sluice {
namespace {

// The checksum absorbs the content chunk by chunk.
constexpr std::size_t kChunk = std::size_t{1} << 20U;
constexpr std::string_view kMagic = "sluice snapshot\n";
constexpr std::size_t kMaxText = std::size_t{1} << 20U;

Error SystemError(const std::string& what, const std::string& path, int error) {
  return Error{"cannot " + what + " '" + path + "': " + std::strerror(error)};
}

// Computes the checksum of everything between the magic and the checksum itself. Returns false if
// the file cannot be read.
bool ChecksumOf(std::FILE* file, std::uint64_t bytes, std::uint64_t& checksum) {
  SipHash hash(HashSeed{});
  std::vector<char> chunk(kChunk);
  while (bytes > 0) {
    const auto size = static_cast<std::size_t>(bytes < kChunk ? bytes : kChunk);
    if (std::fread(chunk.data(), 1, size, file) != size) return false;
    hash.Absorb({chunk.data(), size});
    bytes -= size;
  }
  checksum = hash.Finish({});
  return true;
}

// Returns an error unless only this user and root can have written the file. In a directory that
// others may write to, any of them can have put it there.
Result<Done> CheckOwner(const std::string& path, const struct stat& found) {
  const uid_t user = geteuid();
  if (found.st_uid != user && found.st_uid != 0) {
    return Error{"'" + path + "' belongs to uid " + std::to_string(found.st_uid) +
                 "; expected uid " + std::to_string(user) + ", that of this process, or root"};
  }
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Error{"'" + path + "' is writable by group or others; expected mode 0600"};
  }
  return Done{};
}

// Opens a file for reading. Non-blocking, because opening a pipe waits for its writer.
Result<FileHandle> OpenRegular(const std::string& path, std::uint64_t& size) {
  FileHandle file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (!file.ok() && errno == ELOOP) {
    return Error{"'" + path + "' is a symbolic link; expected a regular file"};
  }
  if (!file.ok()) return SystemError("open", path, errno);
  struct stat found {};
  if (fstat(file.get(), &found) != 0) return SystemError("read", path, errno);
  if (!S_ISREG(found.st_mode)) return Error{"'" + path + "' is not a regular file"};
  if (Result<Done> checked = CheckOwner(path, found); !checked.ok()) return checked.error();
  size = static_cast<std::uint64_t>(found.st_size);
  return file;
}

}  // namespace

SnapshotWriter::SnapshotWriter(std::string path) : path_(std::move(path)), checksum_(HashSeed{}) {
  buffer_.reserve(kChunk);
  place_ = SnapshotPlace::Open(path_);
  if (place_.directory.ok()) file_ = MakeTemporary(place_, temporary_);
  if (file_.ok()) {
    Put(kMagic);
  } else {
    NoteError(errno);
  }
}

SnapshotWriter::SnapshotWriter(std::string* content) : content_(content), checksum_(HashSeed{}) {
  buffer_.reserve(kChunk);
}

SnapshotWriter::~SnapshotWriter() {
  if (!temporary_.empty()) unlinkat(place_.directory.get(), temporary_.c_str(), 0);
}

void SnapshotWriter::NoteError(int error) {
  if (error_ == 0) error_ = error != 0 ? error : EIO;
}

void SnapshotWriter::Bytes(const void* data, std::size_t size) {
  const auto* from = static_cast<const char*>(data);
  while (size > 0) {
    const std::size_t part = std::min(size, kChunk - buffer_.size());
    buffer_.append(from, part);
    from += part;
    size -= part;
    if (buffer_.size() == kChunk) Flush();
  }
}

void SnapshotWriter::Text(std::string_view text) {
  Number(static_cast<std::uint64_t>(text.size()));
  Bytes(text.data(), text.size());
}

void SnapshotWriter::Flush() {
  if (content_ != nullptr) {
    content_->append(buffer_);
  } else if (!buffer_.empty()) {
    checksum_.Absorb(buffer_);
    Put(buffer_);
  }
  // Also after a failure, because Bytes needs room in the buffer.
  buffer_.clear();
}

void SnapshotWriter::Put(std::string_view bytes) {
  while (error_ == 0 && !bytes.empty()) {
    const ssize_t written = write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return NoteError(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

Result<Done> SnapshotWriter::Commit() {
  Flush();
  if (content_ != nullptr) return Done{};
  const std::uint64_t checksum = checksum_.Finish({});
  char bytes[sizeof(checksum)];
  std::memcpy(bytes, &checksum, sizeof(checksum));
  Put({bytes, sizeof(bytes)});
  if (error_ == 0 && fsync(file_.get()) != 0) NoteError(errno);
  const int directory = place_.directory.get();
  if (error_ == 0 && renameat(directory, temporary_.c_str(), directory, place_.name.c_str()) != 0) {
    NoteError(errno);
  }
  if (error_ != 0) return SystemError("write", path_, error_);
  temporary_.clear();
  // The rename is durable only once its directory is on disk.
  if (fsync(directory) != 0) return SystemError("write", path_, errno);
  return Done{};
}

Result<SnapshotReader> SnapshotReader::Open(const std::string& path, std::uint64_t bytes_max) {
  std::uint64_t size = 0;
  Result<FileHandle> opened = OpenRegular(path, size);
  if (!opened.ok()) return opened.error();
  if (size > bytes_max) {
    return Error{"'" + path + "' has " + std::to_string(size) +
                 " bytes, more than the states of this memory limit can take; expected a larger "
                 "memory limit"};
  }
  FileHandle handle = std::move(opened).value();
  File file(fdopen(handle.get(), "rb"));
  if (file == nullptr) return SystemError("read", path, errno);
  handle.Release();
  std::string magic(kMagic.size(), '\0');
  if (std::fread(magic.data(), 1, magic.size(), file.get()) != magic.size() || magic != kMagic) {
    return Error{"'" + path + "' is no snapshot"};
  }
  constexpr std::uint64_t kAround = kMagic.size() + sizeof(std::uint64_t);
  std::uint64_t expected = 0;
  std::uint64_t found = 0;
  if (size < kAround || !ChecksumOf(file.get(), size - kAround, found) ||
      std::fread(&expected, sizeof(expected), 1, file.get()) != 1 || expected != found) {
    return Error{"'" + path +
                 "' is not a whole snapshot; expected one that was not cut or changed"};
  }
  if (std::fseek(file.get(), kMagic.size(), SEEK_SET) != 0) {
    return SystemError("read", path, errno);
  }
  return SnapshotReader(std::move(file));
}

SnapshotReader SnapshotReader::OverForTest(std::span<const std::uint8_t> content) {
  // fmemopen accepts no empty buffer, and does not write to one that is opened for reading.
  auto* const bytes = const_cast<std::uint8_t*>(content.data());
  return SnapshotReader(File(content.empty() ? nullptr : fmemopen(bytes, content.size(), "rb")));
}

void SnapshotReader::Bytes(void* data, std::size_t size) {
  if (size == 0) return;
  if (failed_ || file_ == nullptr || std::fread(data, 1, size, file_.get()) != size) {
    failed_ = true;
    std::memset(data, 0, size);
  }
}

std::string SnapshotReader::Text() {
  const auto size = Number<std::uint64_t>();
  if (size > kMaxText) failed_ = true;
  std::string text(failed_ ? 0 : static_cast<std::size_t>(size), '\0');
  Bytes(text.data(), text.size());
  return failed_ ? std::string() : text;
}

}  // namespace sluice
