#include "console/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace sluice::cli {
namespace {

// Large enough that the cost of system calls is negligible.
constexpr std::size_t kBufferSize = std::size_t{64} * 1024;

}  // namespace

void Output::Write(std::string_view text) {
  waiting_.append(text);
  if (waiting_.size() >= kBufferSize) Flush();
}

bool Output::is_terminal() const { return ::isatty(descriptor_) == 1; }

void Output::Flush() {
  std::string_view rest = waiting_;
  while (ok() && !rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      failure_ = errno;
    }
  }
  waiting_.clear();
}

}  // namespace sluice::cli
