// LineSource: splits a stream of bytes into numbered lines.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/result.h"

namespace sluice::cli {

// The maximum length of a line. A step is well under a kilobyte; without a maximum, a stream
// without line ends would be read into memory completely.
inline constexpr std::size_t kLineBytesMax = std::size_t{1} << 20U;

// Reads lines from a file descriptor that it does not own.
//
// Calls `before_waiting` whenever no data is available and the next read may block. Flushing the
// output there gives interactive users their replies at once, while a large file is processed
// without a system call per line.
//
// Thread safety: none.
class LineSource {
 public:
  LineSource(int descriptor, std::function<void()> before_waiting)
      : descriptor_(descriptor), before_waiting_(std::move(before_waiting)) {}

  // Returns the next line without its line end, or nothing at the end of the input. The line is
  // valid until the next call. The last line may lack a line end.
  Result<std::optional<std::string_view>> Next();

  // Returns the number, from 1, of the line that Next returned last or failed to read.
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::optional<std::string_view> TakeLine();
  Result<Done> ReadMore();

  int descriptor_;
  std::function<void()> before_waiting_;
  std::string buffer_;
  std::size_t begin_ = 0;    // start of the data not returned yet
  std::size_t scanned_ = 0;  // there is no line end in the data before this
  std::size_t number_ = 0;
  bool at_end_ = false;
};

}  // namespace sluice::cli
