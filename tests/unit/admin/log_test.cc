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

#include "core/utf8.h"
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

  // All that was written. Nothing can be written afterwards.
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

TEST_F(LogTest, ALineHasTimeImportanceEventAndWords) {
  Log(To(LogForm::kText), clock_).Write(LogImportance::kWarning, "rules_not_watched", "why");
  EXPECT_EQ(Written(), "2023-11-14T22:13:20.123Z warning rules_not_watched: why\n");
}

TEST_F(LogTest, WordsCannotGarbleALine) {
  Log(To(LogForm::kText), clock_).Write(LogImportance::kInfo, "a", "x\n\x1b[31m");
  EXPECT_EQ(Written(), "2023-11-14T22:13:20.123Z info a: x\\x0a\\x1b[31m\n");
}

TEST_F(LogTest, JsonForPrograms) {
  Log(To(LogForm::kJson), clock_).Write(LogImportance::kError, "a", "x\"\n");
  EXPECT_EQ(Written(),
            "{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"error\",\"event\":\"a\","
            "\"text\":\"x\\\"\\u000a\"}\n");
}

TEST_F(LogTest, ALineIsNeverLongerThanAPipeTakesAtOnce) {
  Log text(To(LogForm::kText), clock_);
  text.Write(LogImportance::kInfo, "a", std::string(5000, 'x'));
  text.Write(LogImportance::kInfo, "a", std::string(5000, '\n'));
  std::string wide = "x";
  for (int i = 0; i < 5000; ++i) wide += "\u00e4";
  Log json(To(LogForm::kJson), clock_);
  json.Write(LogImportance::kInfo, "a", wide);
  json.Write(LogImportance::kInfo, "a", "short");
  std::istringstream lines(Written());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LT(line.size(), Log::kLineBytesMost);
    EXPECT_TRUE(IsUtf8(line)) << "cut within a character";
    const bool is_cut = line.ends_with("...") || line.ends_with("...\"}");
    EXPECT_EQ(is_cut, count < 3) << line;
    EXPECT_EQ(line.size() > 2000, count < 3) << line;
  }
  EXPECT_EQ(count, 4);
}

// A pipe is ready for one line, not for any.
TEST_F(LogTest, NothingWaitsForAReader) {
  Log log(To(LogForm::kText), clock_);
  for (std::size_t i = 0; i < 1000; ++i) {
    clock_.Advance(std::chrono::seconds(1));
    log.Write(LogImportance::kInfo, "a", std::string(3000 + 10 * i, 'x'));
  }
  EXPECT_GT(Written().size(), 3000U);
}

TEST_F(LogTest, WhatIsLessImportantIsLeftOut) {
  Log log(To(LogForm::kText), clock_);
  log.Write(LogImportance::kDebug, "a", "x");
  EXPECT_EQ(Written(), "");
}

// While threads write, the level changes: from then on all of them keep to it.
TEST_F(LogTest, ThreadsThatWriteKeepToALevelOnceItIsSet) {
  Log log(To(LogForm::kText), clock_);
  log.SetLeast(LogImportance::kDebug);
  log.Write(LogImportance::kDebug, "early", "x");
  std::atomic<int> writing{0};
  std::atomic<bool> is_set{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      ++writing;
      while (!is_set) log.Write(LogImportance::kDebug, "early", "x");
      clock_.Advance(std::chrono::seconds{1});  // the flood before is no reason to be left out
      for (int j = 0; j < 100; ++j) log.Write(LogImportance::kWarning, "late", "y");
      log.Write(LogImportance::kError, "last", "z");
    });
  }
  while (writing < 3) std::this_thread::yield();
  log.SetLeast(LogImportance::kError);
  is_set = true;
  for (std::thread& thread : threads) thread.join();
  const std::string text = Written();
  EXPECT_NE(text.find(" early: x\n"), std::string::npos);
  EXPECT_EQ(text.find(" late: "), std::string::npos);
  EXPECT_NE(text.find(" error last: z\n"), std::string::npos);
}

TEST(LogWordsTest, EveryImportanceHasItsWord) {
  for (const auto importance : {LogImportance::kDebug, LogImportance::kInfo,
                                LogImportance::kWarning, LogImportance::kError}) {
    EXPECT_EQ(ImportanceOf(WordOf(importance)), importance);
  }
  EXPECT_EQ(ImportanceOf("warn"), std::nullopt);
}

// From many threads at once: lines stay whole, and none is lost from the count.
TEST_F(LogTest, AFloodOfManyThreadsIsCutToo) {
  constexpr int kThreads = 4;
  Log log(To(LogForm::kText), clock_);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < Log::kLinesMost; ++j) log.Write(LogImportance::kInfo, "a", "x");
    });
  }
  for (std::thread& thread : threads) thread.join();
  clock_.Advance(std::chrono::seconds{1});
  log.Write(LogImportance::kInfo, "last", "y");
  const std::string text = Written();
  EXPECT_EQ(std::ranges::count(text, '\n'), Log::kLinesMost + 2);
  EXPECT_NE(text.find(": 300 lines were too many"), std::string::npos) << text;
}

TEST_F(LogTest, AFloodIsCutAndSaysSo) {
  Log log(To(LogForm::kText), clock_);
  for (int i = 0; i < Log::kLinesMost + 7; ++i) log.Write(LogImportance::kInfo, "a", "x");
  clock_.Advance(std::chrono::seconds{1});
  log.Write(LogImportance::kInfo, "last", "y");
  const std::string text = Written();
  EXPECT_EQ(std::ranges::count(text, '\n'), Log::kLinesMost + 2);
  EXPECT_NE(text.find("log_lines_left_out: 7 lines"), std::string::npos);
  EXPECT_TRUE(text.ends_with("info last: y\n"));
}

TEST_F(LogTest, WhatCannotBeWrittenAtOnceIsLost) {
  const std::string much(4096, 'x');
  ASSERT_EQ(fcntl(ends_[1], F_SETFL, O_NONBLOCK), 0);
  while (write(ends_[1], much.data(), much.size()) > 0) {
  }
  ASSERT_EQ(fcntl(ends_[1], F_SETFL, 0), 0);
  Log log(To(LogForm::kText), clock_);
  log.Write(LogImportance::kInfo, "lost", "it");
  EXPECT_EQ(Written().find("lost"), std::string::npos);
}

}  // namespace
}  // namespace sluice
