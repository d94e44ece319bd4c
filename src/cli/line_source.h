// LineSource: a stream of bytes as numbered lines.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/result.h"

namespace sluice::cli {

// The longest line that is taken. A step is well under a kilobyte; without a bound a stream that
// has no line ends would be read into memory whole.
inline constexpr std::size_t kLineBytesMax = std::size_t{1} << 20U;

// Reads lines from a file descriptor that it does not own.
//
// `before_waiting` is called whenever there is nothing to read at the moment and the next read may
// block: the place to flush, so that a person or a program can hold a conversation while a large
// file costs no system call a line.
//
// Thread safety: none.
class LineSource {
 public:
  LineSource(int descriptor, std::function<void()> before_waiting)
      : descriptor_(descriptor), before_waiting_(std::move(before_waiting)) {}

  // The next line without its line end, valid until the next call; none at the end of the input.
  // The last line needs no line end.
  Result<std::optional<std::string_view>> Next();

  // Number of the line last returned, or of the one that could not be, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::optional<std::string_view> TakeLine();
  Result<Done> ReadMore();

  int descriptor_;
  std::function<void()> before_waiting_;
  std::string buffer_;
  std::size_t begin_ = 0;    // of what has not been returned yet
  std::size_t scanned_ = 0;  // no line end before this
  std::size_t number_ = 0;
  bool at_end_ = false;
};

}  // namespace sluice::cli
