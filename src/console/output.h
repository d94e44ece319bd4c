// Output: a buffered writer for everything that the program prints.
#pragma once

#include <string>
#include <string_view>

#include "console/terminal.h"

namespace sluice::cli {

// Writes to a file descriptor that it does not own.
//
// Text is buffered until the buffer is full or Flush is called. The destructor does not flush, so
// that no failure goes unnoticed. After the first failure nothing more is written and ok() stays
// false.
//
// Thread safety: none.
class Output {
 public:
  explicit Output(int descriptor, ColorMode ink = ColorMode::kPlain)
      : descriptor_(descriptor), ink_(ink) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() = default;

  void Write(std::string_view text);
  void Flush();

  // Returns whether the output is a terminal.
  [[nodiscard]] bool is_terminal() const;
  // Returns whether the output may contain color.
  [[nodiscard]] ColorMode ink() const { return ink_; }
  [[nodiscard]] bool ok() const { return failure_ == 0; }
  // Returns the errno of the first failure, 0 if there was none.
  [[nodiscard]] int failure() const { return failure_; }

 private:
  int descriptor_;
  ColorMode ink_;
  int failure_ = 0;
  std::string waiting_;
};

// The standard streams of a command.
struct Console {
  int input;  // descriptor of standard input
  Output& out;
  Output& err;
};

// Exit codes. A refusal by a limit is a result, not a failure; only commands whose purpose is to
// find out whether a request may pass report it by their exit code.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;    // a system error, such as a file that cannot be written
inline constexpr int kExitNo = 1;        // a negative result: refused, different, not as expected
inline constexpr int kExitBadInput = 2;  // an invalid flag, limit or step
inline constexpr int kExitNoAnswer = 3;  // a server did not answer

}  // namespace sluice::cli
