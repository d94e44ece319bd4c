#include "store/snapshot_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace sluice {
namespace {

constexpr std::string_view kTemporaryMark = ".new-";
constexpr std::size_t kNameDigits = 16;
constexpr std::string_view kDigits = "0123456789abcdef";
// The number of taken names to try before giving up.
constexpr std::uint64_t kNamesTried = 1000;

std::string DigitsOf(std::uint64_t number) {
  std::string digits;
  for (std::size_t i = kNameDigits; i-- > 0;) digits += kDigits[(number >> (4 * i)) & 0xfU];
  return digits;
}

bool IsTemporary(const SnapshotPlace& place, std::string_view name) {
  if (!name.starts_with(place.name)) return false;
  name.remove_prefix(place.name.size());
  if (!name.starts_with(kTemporaryMark)) return false;
  name.remove_prefix(kTemporaryMark.size());
  return name.size() == kNameDigits && name.find_first_not_of(kDigits) == std::string_view::npos;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

std::vector<std::string> TemporariesOf(const SnapshotPlace& place) {
  std::vector<std::string> names;
  const int copy = openat(place.directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseDirectory> directory(copy < 0 ? nullptr : fdopendir(copy));
  if (directory == nullptr) return names;
  while (const dirent* const entry = readdir(directory.get())) {
    if (IsTemporary(place, entry->d_name)) names.emplace_back(entry->d_name);
  }
  return names;
}

Error CannotWrite(const std::string& path, std::string_view why) {
  return Error{"cannot write a snapshot to '" + path + "': " + std::string(why)};
}

}  // namespace

FileHandle::~FileHandle() {
  if (fd_ >= 0) close(fd_);
}

SnapshotPlace SnapshotPlace::Open(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const bool bare = slash == std::string::npos;
  const std::string folder = bare ? "." : path.substr(0, slash + 1);
  SnapshotPlace place;
  place.name = bare ? path : path.substr(slash + 1);
  place.directory = FileHandle(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return place;
}

FileHandle MakeTemporary(const SnapshotPlace& place, std::string& name) {
  const std::uint64_t process = static_cast<std::uint64_t>(getpid()) << 32U;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  for (std::uint64_t i = 0; i < kNamesTried; ++i) {
    const std::string made = place.name + std::string(kTemporaryMark) + DigitsOf(process | i);
    FileHandle file(openat(place.directory.get(), made.c_str(), kFlags, S_IRUSR | S_IWUSR));
    if (!file.ok() && errno == EEXIST) continue;
    if (!file.ok()) return file;
    name = made;
    // On file systems without locks the file is just not protected.
    flock(file.get(), LOCK_EX | LOCK_NB);
    return file;
  }
  errno = EEXIST;
  return FileHandle{};
}

void RemoveStaleTemporaries(const SnapshotPlace& place) {
  for (const std::string& name : TemporariesOf(place)) {
    constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
    const FileHandle file(openat(place.directory.get(), name.c_str(), kFlags));
    struct stat found {};
    if (!file.ok() || fstat(file.get(), &found) != 0) continue;
    if (!S_ISREG(found.st_mode) || found.st_uid != geteuid()) continue;
    if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
    unlinkat(place.directory.get(), name.c_str(), 0);
  }
}

Result<Done> CheckSnapshotPath(const std::string& path) {
  const SnapshotPlace place = SnapshotPlace::Open(path);
  if (!place.directory.ok()) return CannotWrite(path, std::strerror(errno));
  if (place.name.empty()) return CannotWrite(path, "it names a directory");
  struct stat found {};
  if (fstatat(place.directory.get(), place.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0) {
    if (S_ISLNK(found.st_mode)) {
      return CannotWrite(path, "it is a symbolic link; expected a regular file");
    }
    if (!S_ISREG(found.st_mode)) return CannotWrite(path, "it is not a regular file");
  } else if (errno != ENOENT) {
    return CannotWrite(path, std::strerror(errno));
  }
  RemoveStaleTemporaries(place);
  std::string temporary;
  const FileHandle file = MakeTemporary(place, temporary);
  if (!file.ok()) return CannotWrite(path, std::strerror(errno));
  unlinkat(place.directory.get(), temporary.c_str(), 0);
  return Done{};
}

}  // namespace sluice
