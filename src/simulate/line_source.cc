#include "simulate/line_source.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace sluice::cli {
namespace {

constexpr std::size_t kReadSize = std::size_t{64} * 1024;

bool ReadyNow(int descriptor) {
  pollfd ask{descriptor, POLLIN, 0};
  return ::poll(&ask, 1, 0) > 0;
}

}  // namespace

Result<std::optional<std::string_view>> LineSource::Next() {
  while (true) {
    if (std::optional<std::string_view> line = TakeLine()) {
      ++number_;
      return line;
    }
    if (at_end_) return std::optional<std::string_view>();
    if (buffer_.size() - begin_ > kLineBytesMax) {
      ++number_;
      return Error{"expected a step of at most " + std::to_string(kLineBytesMax) +
                   " bytes on one line"};
    }
    const Result<Done> read = ReadMore();
    if (!read) {
      ++number_;
      return read.error();
    }
  }
}

std::optional<std::string_view> LineSource::TakeLine() {
  const std::size_t end = buffer_.find('\n', scanned_);
  if (end != std::string::npos) {
    const std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
    begin_ = scanned_ = end + 1;
    return line;
  }
  scanned_ = buffer_.size();
  if (!at_end_ || begin_ == buffer_.size()) return std::nullopt;
  const std::string_view line = std::string_view(buffer_).substr(begin_);
  begin_ = buffer_.size();
  return line;
}

Result<Done> LineSource::ReadMore() {
  buffer_.erase(0, begin_);
  scanned_ -= begin_;
  begin_ = 0;
  if (!ReadyNow(descriptor_)) before_waiting_();

  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + kReadSize);
  ssize_t got = 0;
  do {
    got = ::read(descriptor_, buffer_.data() + kept, kReadSize);
  } while (got < 0 && errno == EINTR);
  const int failure = errno;
  buffer_.resize(kept + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0) return Error{"cannot read: " + std::generic_category().message(failure)};
  at_end_ = got == 0;
  return Done{};
}

}  // namespace sluice::cli
