#include "server/store_status.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace sluice::cli {
namespace {

using std::chrono::seconds;

constexpr std::string_view kServer = "10.0.0.7:6379";
constexpr std::string_view kRefused = "cannot connect to 10.0.0.7:6379: Connection refused";
constexpr std::string_view kDecides =
    "; `on_store_failure` decides the requests that it does not answer";

class StoreStatusTest : public ::testing::Test {
 protected:
  // Adds this activity, advances the clock by a second and returns the line that Check logs.
  std::string Check(const StoreActivity& more = {}) {
    activity_.answered += more.answered;
    activity_.failed += more.failed;
    activity_.probes_answered += more.probes_answered;
    activity_.probes_failed += more.probes_failed;
    now_ += seconds{1};
    const std::optional<StoreStatus::LogLine> line = status_.Check(now_, activity_);
    if (!line) return "";
    const std::string_view level = line->level == LogLevel::kWarning ? "W " : "I ";
    return Concat(level, line->event, ": ", line->text);
  }
  std::string Answer() { return Check({.probes_answered = 1}); }
  std::string Fail() { return Check({.probes_failed = 1}); }
  void Refuse() { status_.OnFailure(RedisServerRole::kStore, kServer, kRefused); }
  void Connect() { status_.OnConnected(kServer); }
  // Expects this many seconds with answers to log nothing.
  void AnswerQuietly(int count) {
    for (int i = 0; i < count; ++i) EXPECT_EQ(Answer(), "") << i;
  }

  StoreStatus status_{"10.0.0.7:6379"};
  StoreActivity activity_;
  Time now_{seconds{1'700'000'000}};
};

TEST_F(StoreStatusTest, LogsFirstConnectionOnce) {
  EXPECT_EQ(status_.Describe(true), "no answer yet");
  EXPECT_EQ(Check(), "");
  Connect();
  EXPECT_EQ(Answer(), "I store_connected: 10.0.0.7:6379 answers");
  AnswerQuietly(100);
  EXPECT_EQ(status_.Describe(true), "answering");
}

TEST_F(StoreStatusTest, LogsCauseAtOnceAndThenOncePerMinute) {
  Refuse();
  EXPECT_EQ(Fail(), Concat("W store_failing: ", kRefused, kDecides));
  for (int i = 1; i < 60; ++i) {
    Refuse();
    EXPECT_EQ(Fail(), "") << i;
  }
  status_.OnFailure(RedisServerRole::kStore, kServer, "10.0.0.7:6379 refused: WRONGPASS");
  EXPECT_EQ(Fail(),
            Concat("W store_failing: 10.0.0.7:6379 refused: WRONGPASS (failing for 1m)", kDecides));
  EXPECT_EQ(status_.Describe(true), "failing: 10.0.0.7:6379 refused: WRONGPASS");
  EXPECT_EQ(status_.Describe(false), "failing");
}

TEST_F(StoreStatusTest, LogsRecoveryAfterFiveSecondsOfAnswers) {
  Connect();
  Answer();
  Refuse();
  EXPECT_NE(Fail(), "");
  Connect();
  AnswerQuietly(4);
  EXPECT_EQ(Answer(), "I store_connected: 10.0.0.7:6379 answers again, after 5s");
  AnswerQuietly(100);
}

TEST_F(StoreStatusTest, LogsNoRecoveryOfUnstableStore) {
  Connect();
  Answer();
  Refuse();
  EXPECT_NE(Fail(), "");
  int lines = 0;
  for (int i = 0; i < 20; ++i) {
    AnswerQuietly(2);
    Refuse();
    if (!Fail().empty()) ++lines;
  }
  EXPECT_EQ(lines, 1) << "60 seconds have passed";
}

TEST_F(StoreStatusTest, CountsRequestsDecidedWithoutStore) {
  Connect();
  Answer();
  status_.OnFailure(RedisServerRole::kStore, kServer, "10.0.0.7:6379 did not answer in 5ms");
  EXPECT_EQ(Check({.answered = 1000, .failed = 1, .probes_answered = 1}),
            Concat("W store_failing: 10.0.0.7:6379 did not answer in 5ms", kDecides));
}

TEST_F(StoreStatusTest, NamesServerConnectedAfterFailover) {
  Connect();
  Answer();
  Refuse();
  EXPECT_NE(Fail(), "");
  status_.OnConnected("10.0.0.8:6379");
  AnswerQuietly(4);
  EXPECT_EQ(Answer(), "I store_connected: 10.0.0.8:6379 answers again, after 5s");
}

TEST_F(StoreStatusTest, WaitsForCauseAtStart) {
  EXPECT_EQ(Check({.failed = 1, .probes_failed = 1}), "");
  EXPECT_EQ(Fail(), "");
  EXPECT_EQ(Fail(), "");
  EXPECT_EQ(Fail(), Concat("W store_failing: no answer from 10.0.0.7:6379", kDecides));
}

TEST_F(StoreStatusTest, IgnoresFailuresBeforeFirstConnection) {
  Refuse();
  Connect();
  EXPECT_EQ(Check({.failed = 7, .probes_answered = 1, .probes_failed = 1}),
            "I store_connected: 10.0.0.7:6379 answers");
}

TEST_F(StoreStatusTest, IgnoresSingleRequestsWithShortDeadline) {
  Connect();
  Answer();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Check({.answered = 10, .failed = 1, .probes_answered = 1}), "");
    AnswerQuietly(1);
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Check({.answered = 10, .failed = 1, .probes_answered = 1}), "");
  }
  EXPECT_EQ(Check({.answered = 10, .failed = 1, .probes_answered = 1}),
            Concat("W store_failing: 10.0.0.7:6379 did not answer all requests in time", kDecides));
}

TEST_F(StoreStatusTest, NamesSentinelOnlyIfNoServerReportsCause) {
  Connect();
  Answer();
  const auto fail_sentinel = [&] {
    status_.OnFailure(RedisServerRole::kSentinel, "10.0.0.1:26379", "the sentinel is away");
  };
  fail_sentinel();
  AnswerQuietly(10);
  Refuse();
  fail_sentinel();
  EXPECT_EQ(Fail(), Concat("W store_failing: ", kRefused, kDecides));
  Connect();
  AnswerQuietly(4);
  EXPECT_NE(Answer(), "");
  AnswerQuietly(10);
  fail_sentinel();
  EXPECT_EQ(Fail(), Concat("W store_failing: the sentinel is away", kDecides));
}

TEST_F(StoreStatusTest, ForgetsOldCauses) {
  Connect();
  Answer();
  Refuse();
  AnswerQuietly(10);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Fail(), "") << i;
  EXPECT_EQ(Fail(),
            Concat("W store_failing: 10.0.0.7:6379 did not answer all requests in time", kDecides));
}

}  // namespace
}  // namespace sluice::cli
