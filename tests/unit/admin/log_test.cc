#include "admin/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/utf8.h"
#include "support/fake_clock.h"

namespace sluice {
namespace {

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(pipe(ends_.data()), 0); }
  void TearDown() override {
    close(ends_[0]);
    if (ends_[1] >= 0) close(ends_[1]);
  }

  // Returns everything written so far and closes the pipe; nothing can be written after that.
  std::string Written() {
    close(ends_[1]);
    ends_[1] = -1;
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t size = 1; size > 0;) {
      size = read(ends_[0], part.data(), part.size());
      if (size > 0) text.append(part.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

  Log::Options To(LogForm form) const { return {.descriptor = ends_[1], .form = form}; }

  std::array<int, 2> ends_{-1, -1};
  testing::FakeClock clock_{Time{std::chrono::milliseconds{1'700'000'000'123}}};
};

TEST_F(LogTest, WritesTimeLevelEventAndText) {
  Log(To(LogForm::kText), clock_).Write(LogLevel::kWarning, "rules_not_watched", "why");
  EXPECT_EQ(Written(), "2023-11-14T22:13:20.123Z warning rules_not_watched: why\n");
}

TEST_F(LogTest, EscapesControlCharacters) {
  Log(To(LogForm::kText), clock_).Write(LogLevel::kInfo, "a", "x\n\x1b[31m");
  EXPECT_EQ(Written(), "2023-11-14T22:13:20.123Z info a: x\\x0a\\x1b[31m\n");
}

TEST_F(LogTest, WritesJson) {
  Log(To(LogForm::kJson), clock_).Write(LogLevel::kError, "a", "x\"\n");
  EXPECT_EQ(Written(),
            "{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"error\",\"event\":\"a\","
            "\"text\":\"x\\\"\\u000a\"}\n");
}

TEST_F(LogTest, CutsLinesToWhatAPipeTakesAtOnce) {
  Log text(To(LogForm::kText), clock_);
  text.Write(LogLevel::kInfo, "a", std::string(5000, 'x'));
  text.Write(LogLevel::kInfo, "a", std::string(5000, '\n'));
  std::string wide = "x";
  for (int i = 0; i < 5000; ++i) wide += "\u00e4";
  Log json(To(LogForm::kJson), clock_);
  json.Write(LogLevel::kInfo, "a", wide);
  json.Write(LogLevel::kInfo, "a", "short");
  std::istringstream lines(Written());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LT(line.size(), Log::kMaxLineBytes);
    EXPECT_TRUE(IsUtf8(line)) << "cut within a character";
    const bool is_cut = line.ends_with("...") || line.ends_with("...\"}");
    EXPECT_EQ(is_cut, count < 3) << line;
    EXPECT_EQ(line.size() > 2000, count < 3) << line;
  }
  EXPECT_EQ(count, 4);
}

// poll reports a pipe as writable if one line of PIPE_BUF bytes fits.
TEST_F(LogTest, NeverBlocksOnSlowReader) {
  Log log(To(LogForm::kText), clock_);
  for (std::size_t i = 0; i < 1000; ++i) {
    clock_.Advance(std::chrono::seconds(1));
    log.Write(LogLevel::kInfo, "a", std::string(3000 + 10 * i, 'x'));
  }
  EXPECT_GT(Written().size(), 3000U);
}

TEST_F(LogTest, DropsLinesBelowLevel) {
  Log log(To(LogForm::kText), clock_);
  log.Write(LogLevel::kDebug, "a", "x");
  EXPECT_EQ(Written(), "");
}

// Once the level is set, it must apply to threads that are writing at the same time.
TEST_F(LogTest, AppliesNewLevelToAllThreads) {
  Log log(To(LogForm::kText), clock_);
  log.SetMinLevel(LogLevel::kDebug);
  log.Write(LogLevel::kDebug, "early", "x");
  std::atomic<int> writing{0};
  std::atomic<bool> is_set{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      ++writing;
      while (!is_set) log.Write(LogLevel::kDebug, "early", "x");
      clock_.Advance(std::chrono::seconds{1});  // so that the log's rate limit has room again
      for (int j = 0; j < 100; ++j) log.Write(LogLevel::kWarning, "late", "y");
      log.Write(LogLevel::kError, "last", "z");
    });
  }
  while (writing < 3) std::this_thread::yield();
  log.SetMinLevel(LogLevel::kError);
  is_set = true;
  for (std::thread& thread : threads) thread.join();
  const std::string text = Written();
  EXPECT_NE(text.find(" early: x\n"), std::string::npos);
  EXPECT_EQ(text.find(" late: "), std::string::npos);
  EXPECT_NE(text.find(" error last: z\n"), std::string::npos);
}

TEST(LogWordsTest, HasNameForEveryLevel) {
  for (const auto level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    EXPECT_EQ(ParseEnum<LogLevel>(WordOf(level)), level);
  }
  EXPECT_EQ(ParseEnum<LogLevel>("warn"), std::nullopt);
}

// Several threads write at once: lines must stay whole, and every dropped line must be counted.
TEST_F(LogTest, LimitsLinesOfManyThreads) {
  constexpr int kThreads = 4;
  Log log(To(LogForm::kText), clock_);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < Log::kMaxLines; ++j) log.Write(LogLevel::kInfo, "a", "x");
    });
  }
  for (std::thread& thread : threads) thread.join();
  clock_.Advance(std::chrono::seconds{1});
  log.Write(LogLevel::kInfo, "last", "y");
  const std::string text = Written();
  EXPECT_EQ(std::ranges::count(text, '\n'), Log::kMaxLines + 2);
  EXPECT_NE(text.find(": 300 lines were too many"), std::string::npos) << text;
}

TEST_F(LogTest, LimitsLinesPerSecondAndReportsDropped) {
  Log log(To(LogForm::kText), clock_);
  for (int i = 0; i < Log::kMaxLines + 7; ++i) log.Write(LogLevel::kInfo, "a", "x");
  clock_.Advance(std::chrono::seconds{1});
  log.Write(LogLevel::kInfo, "last", "y");
  const std::string text = Written();
  EXPECT_EQ(std::ranges::count(text, '\n'), Log::kMaxLines + 2);
  EXPECT_NE(text.find("log_lines_left_out: 7 lines"), std::string::npos);
  EXPECT_TRUE(text.ends_with("info last: y\n"));
}

TEST_F(LogTest, DropsLineThatCannotBeWrittenAtOnce) {
  const std::string much(4096, 'x');
  ASSERT_EQ(fcntl(ends_[1], F_SETFL, O_NONBLOCK), 0);
  while (write(ends_[1], much.data(), much.size()) > 0) {
  }
  ASSERT_EQ(fcntl(ends_[1], F_SETFL, 0), 0);
  Log log(To(LogForm::kText), clock_);
  log.Write(LogLevel::kInfo, "lost", "it");
  EXPECT_EQ(Written().find("lost"), std::string::npos);
}

}  // namespace
}  // namespace sluice
