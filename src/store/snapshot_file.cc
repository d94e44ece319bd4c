#include "store/snapshot_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

namespace sluice {
namespace {

// The checksum is taken chunk by chunk, each under its length.
constexpr std::size_t kChunk = std::size_t{1} << 20U;
constexpr std::string_view kMagic = "sluice snapshot\n";
constexpr std::size_t kTextMost = std::size_t{1} << 20U;

Error SystemError(const std::string& what, const std::string& path) {
  return Error{"cannot " + what + " '" + path + "': " + std::strerror(errno)};
}

// The checksum of everything between the magic and the checksum itself; false if it cannot be read.
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

}  // namespace

SnapshotWriter::SnapshotWriter(std::string path)
    : path_(std::move(path)),
      temporary_(path_ + ".new"),
      file_(std::fopen(temporary_.c_str(), "wb")),
      checksum_(HashSeed{}),
      failed_(file_ == nullptr),
      error_(errno) {
  buffer_.reserve(kChunk);
  if (failed_) return;
  // Whoever knows the seed can make keys collide.
  failed_ = fchmod(fileno(file_.get()), S_IRUSR | S_IWUSR) != 0 ||
            std::fwrite(kMagic.data(), 1, kMagic.size(), file_.get()) != kMagic.size();
}

SnapshotWriter::~SnapshotWriter() {
  if (file_ != nullptr) std::remove(temporary_.c_str());
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
  if (!failed_ && !buffer_.empty()) {
    checksum_.Absorb(buffer_);
    failed_ = std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size();
    error_ = errno;
  }
  // After a failure too: Bytes waits for room in the buffer.
  buffer_.clear();
}

Result<Done> SnapshotWriter::Commit() {
  Flush();
  const std::uint64_t checksum = checksum_.Finish({});
  if (failed_) errno = error_;  // of the first failure
  if (failed_ || std::fwrite(&checksum, sizeof(checksum), 1, file_.get()) != 1 ||
      std::fflush(file_.get()) != 0 || fsync(fileno(file_.get())) != 0) {
    return SystemError("write", temporary_);
  }
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return SystemError("rename", temporary_);
  file_.reset();
  // The new name is safe only once its directory is on disk.
  const std::string folder = std::filesystem::absolute(path_).parent_path().string();
  const int directory = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    fsync(directory);
    close(directory);
  }
  return Done{};
}

Result<SnapshotReader> SnapshotReader::Open(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return SystemError("open", path);
  const Error damaged{"'" + path +
                      "' is not a whole snapshot; expected one that was not cut or "
                      "changed"};
  std::string magic(kMagic.size(), '\0');
  if (std::fread(magic.data(), 1, magic.size(), file.get()) != magic.size() || magic != kMagic) {
    return Error{"'" + path + "' is no snapshot"};
  }
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  constexpr std::uint64_t kAround = kMagic.size() + sizeof(std::uint64_t);
  std::uint64_t expected = 0;
  std::uint64_t found = 0;
  if (error || size < kAround || !ChecksumOf(file.get(), size - kAround, found) ||
      std::fread(&expected, sizeof(expected), 1, file.get()) != 1 || expected != found) {
    return damaged;
  }
  if (std::fseek(file.get(), kMagic.size(), SEEK_SET) != 0) return SystemError("read", path);
  return SnapshotReader(std::move(file));
}

void SnapshotReader::Bytes(void* data, std::size_t size) {
  if (failed_ || std::fread(data, 1, size, file_.get()) != size) {
    failed_ = true;
    std::memset(data, 0, size);
  }
}

std::string SnapshotReader::Text() {
  const auto size = Number<std::uint64_t>();
  if (size > kTextMost) failed_ = true;
  std::string text(failed_ ? 0 : static_cast<std::size_t>(size), '\0');
  Bytes(text.data(), text.size());
  return text;
}

}  // namespace sluice
