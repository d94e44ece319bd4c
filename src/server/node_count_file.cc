#include "server/node_count_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "base/descriptor.h"
#include "base/text.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kWord = "nodes ";
constexpr std::size_t kBytesMax = 32;

Error SystemError(std::string_view what, const std::string& path) {
  return Error{
      Concat("cannot ", what, " ", Quoted(path), ": ", std::generic_category().message(errno))};
}

// Returns nothing unless the text is exactly what WriteNodeCount writes.
std::optional<std::int64_t> Parse(std::string_view text) {
  if (!text.starts_with(kWord) || !text.ends_with('\n')) return std::nullopt;
  text.remove_prefix(kWord.size());
  text.remove_suffix(1);
  std::int64_t nodes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), nodes);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  if (!is_whole || nodes < 1 || nodes > kNodeCountMax) return std::nullopt;
  return text == std::to_string(nodes) ? std::optional(nodes) : std::nullopt;
}

bool WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = write(descriptor, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return fsync(descriptor) == 0;
}

}  // namespace

Result<std::optional<std::int64_t>> ReadNodeCount(const std::string& path) {
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.ok()) {
    if (errno == ENOENT) return std::optional<std::int64_t>();
    return SystemError("open", path);
  }
  struct stat about {};
  if (fstat(file.get(), &about) != 0) return SystemError("read", path);
  const Error damaged{Concat(Quoted(path),
                             " holds no number of nodes; expected \"nodes N\" with N of 1 to ",
                             kNodeCountMax)};
  if (!S_ISREG(about.st_mode)) return damaged;
  std::array<char, kBytesMax> bytes{};
  const ssize_t size = read(file.get(), bytes.data(), bytes.size());
  if (size < 0) return SystemError("read", path);
  const std::optional<std::int64_t> nodes = Parse({bytes.data(), static_cast<std::size_t>(size)});
  if (!nodes) return damaged;
  return nodes;
}

Result<Done> WriteNodeCount(const std::string& path, std::int64_t nodes) {
  // The process id in the name keeps processes that write at the same time apart; the last rename
  // wins.
  const std::string temporary = Concat(path, ".", getpid(), ".new");
  unlink(temporary.c_str());
  {
    const Descriptor file(open(temporary.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                               S_IRUSR | S_IWUSR));
    if (!file.ok()) return SystemError("create", temporary);
    if (!WriteAll(file.get(), Concat(kWord, nodes, "\n"))) {
      const Error error = SystemError("write", temporary);
      unlink(temporary.c_str());
      return error;
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) == 0) return Done{};
  const Error error = SystemError("rename", temporary);
  unlink(temporary.c_str());
  return error;
}

}  // namespace sluice::cli
