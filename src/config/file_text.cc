#include "config/file_text.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <system_error>

#include "config/json.h"
#include "core/text.h"

namespace sluice {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

Error CannotRead(const std::string& path, int failure) {
  return {Concat("cannot read ", Quoted(path), ": ", std::generic_category().message(failure))};
}

Result<std::string> ReadFileText(const std::string& path) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return CannotRead(path, errno);
  std::string text;
  std::array<char, 65'536> chunk;
  while (text.size() <= kJsonBytesMost) {
    const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), file.get());
    text.append(chunk.data(), size);
    if (size < chunk.size()) break;
  }
  if (std::ferror(file.get()) != 0) return CannotRead(path, errno);
  return text;
}

}  // namespace sluice
