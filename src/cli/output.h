// Output: everything the program prints goes through one of these.
#pragma once

#include <string>
#include <string_view>

#include "cli/terminal.h"

namespace sluice::cli {

// A buffered writer on a file descriptor that it does not own.
//
// What is written is kept until the buffer is full or Flush is called; the destructor does not
// flush, so that whoever ends the program sees a failure. After the first failure nothing more is
// written and ok() stays false.
//
// Thread safety: none.
class Output {
 public:
  explicit Output(int descriptor, Ink ink = Ink::kPlain) : descriptor_(descriptor), ink_(ink) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() = default;

  void Write(std::string_view text);
  void Flush();

  // Whether a person looks on.
  [[nodiscard]] bool is_terminal() const;
  // How what is written may look.
  [[nodiscard]] Ink ink() const { return ink_; }
  [[nodiscard]] bool ok() const { return failure_ == 0; }
  // The errno of the first failure, 0 if there was none.
  [[nodiscard]] int failure() const { return failure_; }

 private:
  int descriptor_;
  Ink ink_;
  int failure_ = 0;
  std::string waiting_;
};

// Where a command reads and writes.
struct Console {
  int input;  // descriptor of standard input
  Output& out;
  Output& err;
};

// What the program ends with. A refusal by a limit is an answer, not a failure; it is told by the
// code where a command asks nothing but whether a request may pass.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;    // the system let us down: a file that cannot be written
inline constexpr int kExitNo = 1;        // the answer is no: refused, different, not as expected
inline constexpr int kExitBadInput = 2;  // a flag, a limit or a step that cannot be understood
inline constexpr int kExitNoAnswer = 3;  // a server that was asked gave no answer

}  // namespace sluice::cli
