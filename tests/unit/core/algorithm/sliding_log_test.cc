#include "core/algorithm/sliding_log.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "unit/core/algorithm/steps.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using testing::Debt;
using testing::ExpectRemainingIsExact;
using testing::ExpectRetryIsExact;
using testing::ExpectSteps;
using testing::Op;
using testing::Says;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// A log with room for `places` entries.
struct Log {
  explicit Log(std::size_t places) : ring(places) { state.ring = ring; }

  std::vector<LogEntry> Entries() const {
    std::vector<LogEntry> entries;
    for (std::uint32_t i = 0; i < state.size; ++i) entries.push_back(state.At(i));
    return entries;
  }

  std::vector<LogEntry> ring;
  LogState state;
};

SlidingLog Limit(Rate rate, Refused count_refused = Refused::kFree, Nanos min_gap = 0ns) {
  return {rate, min_gap, count_refused};
}

TEST(SlidingLogTest, IgnoresEntryExactlyOnePeriodOld) {
  Log log(3);
  ExpectSteps(Limit({2, 10ms}), log.state,
              {{0ms, 1, Says::kYes, 1, 0ns, 10ms},
               {1ms, 1, Says::kYes, 0, 0ns, 10ms},
               {9ms, 1, Says::kNo, 0, 1ms, 2ms},
               {10ms, 1, Says::kYes, 0, 0ns, 10ms},
               {10ms, 1, Says::kNo, 0, 1ms, 10ms}});
}

TEST(SlidingLogTest, KeepsRefusingWhileRefusalsAreCounted) {
  Log log(4);
  ExpectSteps(Limit({3, 10ms}, Refused::kRecord), log.state,
              {{0ms, 1, Says::kYes, 2, 0ns, 10ms},
               {0ms, 1, Says::kYes, 1, 0ns, 10ms},
               {0ms, 1, Says::kYes, 0, 0ns, 10ms},
               {9ms, 1, Says::kNo, 0, 1ms, 10ms},
               {9ms, 1, Says::kNo, 0, 1ms, 10ms},
               {10ms, 1, Says::kYes, 0, 0ns, 10ms},
               {10ms, 1, Says::kNo, 0, 9ms, 10ms}});
}

TEST(SlidingLogTest, MatchesRollingRateLimiterWaits) {
  Log log(4);
  ExpectSteps(Limit({3, 10ms}, Refused::kRecord), log.state,
              {{0ms},
               {4ms},
               {5ms},
               {5ms, 1, Says::kNo, 0, 5ms, 10ms, 0ns, Op::kPeek},
               {8ms, 1, Says::kNo, 0, 6ms},
               {11ms, 1, Says::kNo, 0, 4ms},
               {17ms}});
}

TEST(SlidingLogTest, MatchesPythonLimitsCosts) {
  Log log(11);
  ExpectSteps(Limit({10, 1min}), log.state,
              {{10s, 1}, {20s, 2}, {30s, 4}, {50s, 3}, {71s, 1}, {72s, 1, Says::kNo, 0, 8s}});
  Log large(2);
  ExpectSteps(Limit({1'000'000, 1s}), large.state,
              {{0s, 1'000'000, Says::kYes, 0}, {0s, 1, Says::kNo, 0, 1s}});
}

TEST(SlidingLogTest, RetryAfterCoversEntriesUntilEnoughExpire) {
  Log log(7);
  ExpectSteps(Limit({6, 10s}), log.state,
              {{0s, 1},
               {1s, 2},
               {3s, 3, Says::kYes, 0, 0s, 10s},
               {4s, 1, Says::kNo, 0, 6s},
               {4s, 2, Says::kNo, 0, 7s},
               {4s, 3, Says::kNo, 0, 7s},
               {4s, 4, Says::kNo, 0, 9s},
               {4s, 6, Says::kNo, 0, 9s},
               {4s, 7, Says::kNo, 0, kNever}});
}

TEST(SlidingLogTest, Invariant1LargestTermsDoNotOverflow) {
  Log log(3);
  const Nanos late = kLatestTime.time_since_epoch();
  ExpectSteps(
      Limit({kMax, kLongestSpan}, Refused::kRecord, kLongestSpan), log.state,
      {{late, kMax, Says::kYes, 0, 0ns, kLongestSpan}, {late, kMax, Says::kNo, 0, kLongestSpan}});
}

TEST(SlidingLogTest, Invariant2HoldsOnlyTheNewestUnits) {
  Log log(6);
  const SlidingLog limit = Limit({5, 10s}, Refused::kRecord);
  ExpectSteps(limit, log.state, {{0s, 3}, {1s, 2}, {2s, 2, Says::kNo}});
  EXPECT_EQ(log.Entries(), (std::vector<LogEntry>{{Time{0s}, 1}, {Time{1s}, 2}, {Time{2s}, 2}}));
  EXPECT_EQ(log.state.units, 5);
  ExpectSteps(limit, log.state, {{3s, 9, Says::kNo, 0, kNever, 10s}});
  EXPECT_EQ(log.Entries(), (std::vector<LogEntry>{{Time{3s}, 5}}));
}

TEST(SlidingLogTest, Invariant3RecordsRefusalOnlyIfConfiguredAndRetryCountsIt) {
  Log free(4);
  const SlidingLog without = Limit({3, 10s});
  ExpectSteps(without, free.state, {{0s, 2}, {4s, 2, Says::kNo, 1, 6s, 6s}});
  EXPECT_EQ(free.Entries(), (std::vector<LogEntry>{{Time{0s}, 2}}));
  Log recorded(4);
  const SlidingLog with = Limit({3, 10s}, Refused::kRecord);
  ExpectSteps(
      with, recorded.state,
      {{0s, 2}, {4s, 2, Says::kNo, 1, 6s, 6s, 0s, Op::kPeek}, {4s, 2, Says::kNo, 0, 10s, 10s}});
  ExpectRetryIsExact(with, recorded.state, 2, 4s);
}

TEST(SlidingLogTest, Invariant4MinGapRefusesEarlyRequests) {
  Log log(11);
  ExpectSteps(Limit({10, 1s}, Refused::kFree, 2ms), log.state,
              {{0ms, 1, Says::kYes, 0, 0ns, 1s},
               {0ms, 1, Says::kNo, 0, 2ms, 1s},
               {1ms, 1, Says::kNo, 0, 1ms, 999ms},
               {1ms, 0, Says::kYes, 0},
               {1ms, 11, Says::kNo, 0, kNever},
               {3ms, 1, Says::kYes, 0},
               {5ms, 0, Says::kYes, 8},
               {5ms, 9, Says::kNo, 8, 995ms}});
  Log recorded(11);
  ExpectSteps(Limit({10, 1s}, Refused::kRecord, 2ms), recorded.state,
              {{0ms}, {1ms, 1, Says::kNo, 0, 2ms}, {2ms, 1, Says::kNo, 0, 2ms}, {4ms}});
}

TEST(SlidingLogTest, Invariant5PeekAndZeroCostKeepTheLog) {
  Log log(4);
  const SlidingLog limit = Limit({3, 10s}, Refused::kRecord);
  ExpectSteps(limit, log.state, {{0s, 1}, {5s, 1}});
  const std::vector<LogEntry> before = log.Entries();
  ExpectSteps(limit, log.state,
              {{12s, 3, Says::kNo, 2, 3s, 3s, 0s, Op::kPeek},
               {12s, 2, Says::kYes, 2, 0s, 3s, 0s, Op::kPeek},
               {30s, 0, Says::kYes, 3, 0s, 0s}});
  EXPECT_EQ(log.Entries(), before);
  EXPECT_EQ(log.state.units, 2);
}

TEST(SlidingLogTest, StaysExactWhenRingWrapsAround) {
  const SlidingLog limit = Limit({3, 10ns});
  Log log(4);
  for (int turn = 0; turn < 50; ++turn) {
    const Nanos at{turn * 3};
    if (log.state.size == log.ring.size()) break;
    Check(limit, log.state, {1}, Time{at});
    ASSERT_LE(log.state.size, 3U);
    ExpectRemainingIsExact(limit, log.state, at);
    if (turn >= 3) ExpectRetryIsExact(limit, log.state, 3, at);
  }
}

TEST(SlidingLogTest, MergesEntriesOfOneInstant) {
  Log log(2);
  ExpectSteps(Limit({9, 10s}), log.state, {{1s, 2}});
  Check(Limit({9, 10s}), log.state, {3}, Time{1s});
  EXPECT_EQ(log.Entries(), (std::vector<LogEntry>{{Time{1s}, 5}}));
}

TEST(SlidingLogTest, GrantsNothingWhenStateIsAheadOfTime) {
  Log log(5);
  ExpectSteps(Limit({3, 10s}), log.state, {{50s, 2}, {20s, 1}, {20s, 1, Says::kNo, 0, 40s, 40s}});
  EXPECT_EQ(log.Entries(), (std::vector<LogEntry>{{Time{50s}, 3}}));
}

TEST(SlidingLogTest, RefundTakesNewestUnitsFirst) {
  const SlidingLog limit = Limit({9, 10s});
  Log log(6);
  ExpectSteps(limit, log.state, {{0s, 2}, {4s, 3}, {6s, 2}});
  Refund(limit, log.state, {3}, Time{7s});
  EXPECT_EQ(log.Entries(), (std::vector<LogEntry>{{Time{0s}, 2}, {Time{4s}, 2}}));
  Refund(limit, log.state, {3}, Time{11s});  // the first entry has expired: 2 are held
  EXPECT_EQ(log.state.size, 0U);
  EXPECT_EQ(log.state.units, 0);
  EXPECT_EQ(UnusedAt(limit, log.state), Time{});
}

TEST(SlidingLogTest, ConvertKeepsNewestUnitsAndRevivesNoExpiredOnes) {
  const SlidingLog from = Limit({9, 10s});
  Log log(6);
  ExpectSteps(from, log.state, {{0s, 2}, {4s, 3}, {6s, 2}});
  const SlidingLog to = Limit({4, 1min});
  Convert(from, to, log.state, Time{11s});
  EXPECT_EQ(log.Entries(), (std::vector<LogEntry>{{Time{4s}, 2}, {Time{6s}, 2}}));
  EXPECT_EQ(UnusedAt(to, log.state), Time{66s});
  Log longer(6);
  ExpectSteps(from, longer.state, {{0s, 2}, {4s, 3}});
  Convert(from, Limit({9, 1min}), longer.state, Time{11s});
  EXPECT_EQ(longer.Entries(), (std::vector<LogEntry>{{Time{4s}, 3}}));
}

TEST(SlidingLogTest, Invariant6DebtIsRecordedAsTheNewestUnits) {
  Log log(4);
  ExpectSteps(Limit({5, 10s}), log.state,
              {{0s, 3, Says::kYes, 2},
               Debt(4s, 4),
               {4s, 0, Says::kYes, 0, 0s, 10s, 0s},
               {4s, 1, Says::kNo, 0, 6s, 10s},
               {4s, 2, Says::kNo, 0, 10s, 10s},
               {4s, 6, Says::kNo, 0, kNever, 10s},
               {10s, 1, Says::kYes, 0, 0s, 10s},
               Debt(12s, kMax)});
  EXPECT_EQ(log.Entries(), (std::vector<LogEntry>{{Time{12s}, 5}}));
  for (const std::int64_t cost : {1, 5}) ExpectRetryIsExact(Limit({5, 10s}), log.state, cost, 13s);
}

TEST(SlidingLogTest, DebtIgnoresMinGapAndStartsAnother) {
  Log log(4);
  ExpectSteps(Limit({5, 10s}, Refused::kFree, 3s), log.state,
              {{0s, 1, Says::kYes, 0},
               Debt(2s, 1),
               {2s, 0, Says::kYes, 0, 0s, 10s, 0s},
               {3s, 1, Says::kNo, 0, 2s, 9s},
               {5s, 1, Says::kYes, 0, 0s, 10s}});
  Refund(Limit({5, 10s}), log.state, {2}, Time{5s});
  EXPECT_EQ(log.Entries(), (std::vector<LogEntry>{{Time{0s}, 1}}));
}

}  // namespace
}  // namespace sluice
