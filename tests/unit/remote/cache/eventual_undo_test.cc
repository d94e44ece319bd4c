// EventualCounters: refunds, and keys that are reset or forgotten.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "remote/cache/eventual_counters.h"
#include "unit/remote/cache/eventual_fixture.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::TermsOf;
using Answer = NodeCache::Answer;
using Heard = EventualCounters::Heard;

class EventualUndoTest : public testing::EventualFixture {};

TEST_F(EventualUndoTest, DoesNotPushUnitsThatWerePutBack) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  view_.GiveBack(ItemOf(3), now_, now_, decision_);
  EXPECT_EQ(decision_.remaining, 97);
  EXPECT_EQ(Begin(), 2);
}

TEST_F(EventualUndoTest, RefundsPushedUnitsWithinTheirWindow) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  Begin();
  End(RemoteOutcome::kDecided);
  EXPECT_EQ(InRedis(), 6);
  view_.GiveBack(ItemOf(5), now_, now_, decision_);
  EXPECT_EQ(decision_.remaining, 99);
  EXPECT_EQ(Begin(), -5);
  ASSERT_EQ(sync_.refunds.size(), 1U);
  EXPECT_EQ(sync_.refunds[0].bound->until, Time{hours{1004}});
  End(RemoteOutcome::kDecided);
  EXPECT_EQ(InRedis(), 1);
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 98);
}

// A refund by a caller. Redis does not know the units yet, so it would refund nothing.
TEST_F(EventualUndoTest, AppliesARefundBeforeThePushOnce) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  EXPECT_TRUE(view_.Refund(ItemOf(5), now_, decision_));
  EXPECT_EQ(decision_.remaining, 99);
  EXPECT_EQ(decision_.source, Source::kEventual);
  EXPECT_EQ(Begin(), 0);
  End(RemoteOutcome::kDecided);
  EXPECT_EQ(InRedis(), 1);
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 98);
}

TEST_F(EventualUndoTest, AppliesARefundDuringThePushAfterIt) {
  for (const RemoteOutcome outcome : {RemoteOutcome::kDecided, RemoteOutcome::kNotApplied}) {
    key_.high += std::uint64_t{1} << 58U;  // a different shard
    Seed();
    ASSERT_EQ(Take(5), Answer::kDecided);
    ASSERT_EQ(Begin(), 5);
    EXPECT_TRUE(view_.Refund(ItemOf(5), now_, decision_));
    EXPECT_EQ(decision_.remaining, 99);
    End(outcome);
    ASSERT_EQ(Take(1), Answer::kDecided);
    EXPECT_EQ(decision_.remaining, 98);
    EXPECT_EQ(Begin(), outcome == RemoteOutcome::kDecided ? -4 : 1);
    End(RemoteOutcome::kDecided);
    EXPECT_EQ(InRedis(), 2);
  }
}

TEST_F(EventualUndoTest, LeavesRefundsOfPushedUnitsToRedis) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  Begin();
  End(RemoteOutcome::kDecided);
  now_ += milliseconds{1};
  EXPECT_FALSE(view_.Refund(ItemOf(5), now_, decision_));
  Ask(Operation::kRefund, ItemOf(5), Heard::kOther);
  EXPECT_EQ(InRedis(), 1);
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 98);
}

// The part beyond unpushed units is refunded from those that Redis knows, up to what is held.
TEST_F(EventualUndoTest, RefundsMoreThanIsPendingInRedis) {
  Seed();
  ASSERT_EQ(Take(3), Answer::kDecided);
  Begin();
  End(RemoteOutcome::kDecided);
  ASSERT_EQ(InRedis(), 4);
  ASSERT_EQ(Take(2), Answer::kDecided);
  EXPECT_TRUE(view_.Refund(ItemOf(100), now_, decision_));
  EXPECT_EQ(decision_.remaining, 100);
  Elsewhere(7);
  EXPECT_EQ(Begin(), -4);
  End(RemoteOutcome::kDecided);
  EXPECT_EQ(InRedis(), 7) << "those that came since stay";
}

// The units were charged in the previous window, which has ended.
TEST_F(EventualUndoTest, DropsRefundsOfThePreviousWindow) {
  for (const Algorithm algorithm : {Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    terms_ = TermsOf({.algorithm = algorithm, .rate = Rate{100, hours{1}}});
    for (const bool is_asked : {false, true}) {
      key_.high += std::uint64_t{1} << 58U;  // a different shard
      now_ = Time{hours{1000}} + minutes{55} - milliseconds{5};
      Seed();
      ASSERT_EQ(Take(5), Answer::kDecided);
      const Time since = now_;
      now_ += milliseconds{10};
      // Test a window without a known state, and one that has units to free.
      for (int i = 0; i < (is_asked ? 7 : 0); ++i) ASSERT_EQ(Take(), Answer::kDecided);
      const std::int64_t before = view_.PendingForTest();
      view_.GiveBack(ItemOf(5), since, now_, decision_);
      EXPECT_EQ(view_.PendingForTest(), before);
      ASSERT_EQ(Take(), Answer::kDecided);
      const int used = is_asked ? 8 : 1;
      EXPECT_EQ(decision_.remaining, 100 - used - (algorithm == Algorithm::kFixedWindow ? 0 : 6));
      Begin();  // so that nothing is pending
      End(RemoteOutcome::kDecided);
    }
  }
}

// Invariant (2).
TEST_F(EventualUndoTest, DropsPendingRefundsWhenTheirWindowEnds) {
  enum class When : std::uint8_t { kFailedBefore, kFailsAfter, kNeverSent };
  // At the very end of the window, and shortly after it.
  for (int i = 0; i < 6; ++i) {
    const When when = std::array{When::kFailedBefore, When::kFailsAfter, When::kNeverSent}.at(
        static_cast<std::size_t>(i) / 2);
    key_.high += std::uint64_t{1} << 58U;  // a different shard
    now_ = Time{hours{1000}} + minutes{55} - milliseconds{30};
    Seed();
    ASSERT_EQ(Take(5), Answer::kDecided);
    Begin();
    End(RemoteOutcome::kDecided);
    view_.GiveBack(ItemOf(5), now_, now_, decision_);
    if (when != When::kNeverSent) Begin();
    if (when == When::kFailedBefore) End(RemoteOutcome::kNotApplied);
    now_ += milliseconds{i % 2 == 0 ? 30 : 35};
    ASSERT_EQ(Take(8), Answer::kDecided);
    Elsewhere(20);
    Ask(Operation::kCheck, ItemOf(1), Heard::kOther);
    ASSERT_EQ(Take(1), Answer::kDecided);
    EXPECT_EQ(decision_.remaining, 100 - 8 - 20 - 1 - 1);
    if (when == When::kFailsAfter) End(RemoteOutcome::kNotApplied);
    EXPECT_EQ(Begin(), 9);
    End(RemoteOutcome::kDecided);
    EXPECT_EQ(InRedis(), 30);
  }
}

// Invariant (2), for a bucket that is full by then.
TEST_F(EventualUndoTest, DropsPendingRefundsOfABucketThatHasRefilled) {
  terms_ = TermsOf({.rate = Rate{100, seconds{1}}});
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  const Time since = now_;
  Begin();
  End(RemoteOutcome::kDecided);
  view_.GiveBack(ItemOf(4), since, now_, decision_);
  Begin();
  End(RemoteOutcome::kNotApplied);
  now_ += seconds{2};
  view_.GiveBack(ItemOf(1), since, now_, decision_);
  EXPECT_EQ(view_.PendingForTest(), -1);
}

TEST_F(EventualUndoTest, AsksRedisAfterForget) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  view_.Forget(ItemOf(1).key);
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Begin(), 5);
}

// Invariant (2): units admitted before the reset are dropped.
TEST_F(EventualUndoTest, AppliesAResetAtOnceAndPushesNothingFromBefore) {
  Seed();
  EXPECT_EQ(TakeAll(), 99);
  view_.Forget(ItemOf(1).key);
  Ask(Operation::kReset, ItemOf(1), Heard::kOther);  // in the same microsecond
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 99);
  EXPECT_EQ(Begin(), 1);
  // That holds even if the reply to an earlier check arrives in between.
  End(RemoteOutcome::kDecided);
  EXPECT_EQ(TakeAll(), 99);
  view_.Forget(ItemOf(1).key);
  Ask(Operation::kCheck, ItemOf(1), Heard::kOther);
  Ask(Operation::kReset, ItemOf(1), Heard::kOther);
  EXPECT_EQ(TakeAll(), 100);
}

// Invariant (2), for a push in flight that was certainly not applied.
TEST_F(EventualUndoTest, DoesNotRepeatAPushThatAResetOvertook) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  EXPECT_EQ(Begin(), 5);
  now_ += milliseconds{1};
  Ask(Operation::kReset, ItemOf(1), Heard::kOther);
  ASSERT_EQ(Take(2), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 98);
  End(RemoteOutcome::kNotApplied);
  EXPECT_EQ(Begin(), 2);
}

}  // namespace
}  // namespace sluice
