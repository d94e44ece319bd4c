#include "cli/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/value.h"
#include "console/output.h"

namespace sluice::cli {
namespace {

std::string Words(int failure) { return std::generic_category().message(failure); }

}  // namespace

OpenFile::OpenFile(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      failure_(descriptor_ < 0 ? errno : 0) {}

OpenFile::~OpenFile() {
  if (ok()) ::close(descriptor_);
}

std::string OpenFile::failure() const { return Words(failure_); }

Result<Done> WriteFile(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".tmp" + std::to_string(::getpid());
  const auto failed = [&](int failure) {
    ::unlink(temporary.c_str());
    return Error{"cannot write " + Quoted(path) + ": " + Words(failure)};
  };
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return failed(errno);
  Output output(descriptor);
  output.Write(text);
  output.Flush();
  const int closed = ::close(descriptor) == 0 ? 0 : errno;
  if (!output.ok()) return failed(output.failure());
  if (closed != 0) return failed(closed);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return failed(errno);
  return Done{};
}

}  // namespace sluice::cli
