#include "cli/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

namespace sluice::cli {
namespace {

// A terminal that nobody looks at.
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

TEST(TerminalTest, ATerminalHasColorUnlessTheWishIsAnother) {
  const Terminal terminal;
  EXPECT_EQ(InkFor(terminal.descriptor(), {}), Ink::kColor);
  EXPECT_EQ(InkFor(terminal.descriptor(), {"", "xterm"}), Ink::kColor);
  EXPECT_EQ(InkFor(terminal.descriptor(), {"1", "xterm"}), Ink::kPlain);
  EXPECT_EQ(InkFor(terminal.descriptor(), {"0", nullptr}), Ink::kPlain);
  EXPECT_EQ(InkFor(terminal.descriptor(), {nullptr, "dumb"}), Ink::kPlain);
}

TEST(TerminalTest, AFileHasNoColor) {
  const int file = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  EXPECT_EQ(InkFor(file, {nullptr, "xterm"}), Ink::kPlain);
  ::close(file);
}

TEST(TerminalTest, EmphasisIsWrittenInColorAlone) {
  EXPECT_EQ(Emphasized(Ink::kColor, Emphasis::kRed, "no"), "\x1b[31mno\x1b[0m");
  EXPECT_EQ(Emphasized(Ink::kPlain, Emphasis::kRed, "no"), "no");
  EXPECT_EQ(Emphasized(Ink::kColor, Emphasis::kRed, ""), "");
}

}  // namespace
}  // namespace sluice::cli
