#include "config/syntax/file_text.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <system_error>

#include "base/text.h"
#include "config/syntax/json.h"

namespace sluice {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Describes a file that is too long. The size of a pipe is unknown, and that of a file may be
// outdated.
Error TooLong(std::FILE* file) {
  struct stat status {};
  const bool known = ::fstat(::fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
                     static_cast<std::uint64_t>(status.st_size) > kMaxJsonBytes;
  return {known ? Concat("is ", status.st_size, " bytes long, at most ", kMaxJsonBytes, " are read")
                : Concat("is more than ", kMaxJsonBytes, " bytes long, no more are read")};
}

}  // namespace

Error CannotRead(int failure) {
  return {Concat("cannot be read: ", std::generic_category().message(failure))};
}

Result<std::string> ReadFileText(const std::string& path) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return CannotRead(errno);
  std::string text;
  std::array<char, 65'536> chunk;
  while (text.size() <= kMaxJsonBytes) {
    const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), file.get());
    text.append(chunk.data(), size);
    if (size < chunk.size()) break;
  }
  if (std::ferror(file.get()) != 0) return CannotRead(errno);
  if (text.size() > kMaxJsonBytes) return TooLong(file.get());
  return text;
}

}  // namespace sluice
