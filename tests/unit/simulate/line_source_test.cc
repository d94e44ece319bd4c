#include "simulate/line_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {
namespace {

// A pipe that the test writes to and closes.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    ::close(ends_[0]);
    Close();
  }

  [[nodiscard]] int reader() const { return ends_[0]; }
  void Write(std::string_view text) {
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void Close() {
    if (open_) ::close(ends_[1]);
    open_ = false;
  }

 private:
  std::array<int, 2> ends_{};
  bool open_ = true;
};

TEST(LineSourceTest, ReturnsLinesWithoutTheirEnds) {
  Pipe pipe;
  pipe.Write("one\n\nthree\r\nfour");
  pipe.Close();
  LineSource lines(pipe.reader(), [] {});
  std::vector<std::string> seen;
  while (true) {
    const auto line = lines.Next();
    ASSERT_TRUE(line.ok());
    if (!line.value()) break;
    seen.emplace_back(*line.value());
    EXPECT_EQ(lines.number(), seen.size());
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "", "three\r", "four"}));
}

TEST(LineSourceTest, CallsBeforeWaitingOnlyIfNoDataIsAvailable) {
  Pipe pipe;
  pipe.Write("one\ntwo\nthr");
  int waits = 0;
  LineSource lines(pipe.reader(), [&] {
    ++waits;
    pipe.Write("ee\n");  // an interactive client writes this once it has its replies
  });
  EXPECT_EQ(*lines.Next().value(), "one");
  EXPECT_EQ(*lines.Next().value(), "two");
  EXPECT_EQ(waits, 0);
  EXPECT_EQ(*lines.Next().value(), "three");
  EXPECT_EQ(waits, 1);
}

TEST(LineSourceTest, RejectsTooLongLineWithoutReadingItCompletely) {
  Pipe pipe;
  std::size_t written = 0;
  const std::string part(4096, 'x');
  LineSource lines(pipe.reader(), [&] {
    pipe.Write(part);
    written += part.size();
  });
  const auto line = lines.Next();
  ASSERT_FALSE(line.ok());
  EXPECT_NE(line.error().message.find("1048576 bytes"), std::string::npos);
  EXPECT_EQ(lines.number(), 1U);
  EXPECT_LT(written, 2 * kLineBytesMax);
}

TEST(LineSourceTest, ReportsReadError) {
  LineSource lines(-1, [] {});
  const auto line = lines.Next();
  ASSERT_FALSE(line.ok());
  EXPECT_EQ(line.error().message, "cannot read: Bad file descriptor");
}

}  // namespace
}  // namespace sluice::cli
