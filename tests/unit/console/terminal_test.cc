#include "console/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

namespace sluice::cli {
namespace {

// A pseudoterminal.
class Terminal {
 public:
  Terminal() : controller_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_GE(controller_, 0);
    EXPECT_EQ(::grantpt(controller_), 0);
    EXPECT_EQ(::unlockpt(controller_), 0);
    descriptor_ = ::open(::ptsname(controller_), O_RDWR | O_NOCTTY);
    EXPECT_GE(descriptor_, 0);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    ::close(descriptor_);
    ::close(controller_);
  }

  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int controller_;
  int descriptor_ = -1;
};

TEST(TerminalTest, UsesColorOnTerminalUnlessDisabled) {
  const Terminal terminal;
  EXPECT_EQ(InkFor(terminal.descriptor(), {}), ColorMode::kColor);
  EXPECT_EQ(InkFor(terminal.descriptor(), {"", "xterm"}), ColorMode::kColor);
  EXPECT_EQ(InkFor(terminal.descriptor(), {"1", "xterm"}), ColorMode::kPlain);
  EXPECT_EQ(InkFor(terminal.descriptor(), {"0", nullptr}), ColorMode::kPlain);
  EXPECT_EQ(InkFor(terminal.descriptor(), {nullptr, "dumb"}), ColorMode::kPlain);
}

TEST(TerminalTest, UsesNoColorForFile) {
  const int file = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  EXPECT_EQ(InkFor(file, {nullptr, "xterm"}), ColorMode::kPlain);
  ::close(file);
}

TEST(TerminalTest, EmphasizesTextOnlyInColor) {
  EXPECT_EQ(Emphasized(ColorMode::kColor, Emphasis::kRed, "no"), "\x1b[31mno\x1b[0m");
  EXPECT_EQ(Emphasized(ColorMode::kPlain, Emphasis::kRed, "no"), "no");
  EXPECT_EQ(Emphasized(ColorMode::kColor, Emphasis::kRed, ""), "");
}

}  // namespace
}  // namespace sluice::cli
