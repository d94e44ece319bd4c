// EventualView: units that are given back, and keys that are reset or forgotten.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "remote/eventual_view.h"
#include "unit/remote/eventual_scene.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::TermsOf;
using Answer = Nearby::Answer;
using Heard = EventualView::Heard;

class EventualUndoTest : public testing::EventualScene {};

TEST_F(EventualUndoTest, WhatIsGivenBackIsNotPushed) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  view_.GiveBack(ItemOf(3), now_, now_, decision_);
  EXPECT_EQ(decision_.remaining, 97);
  EXPECT_EQ(Begin(), 2);
}

TEST_F(EventualUndoTest, WhatWasPushedIsGivenBackThereWithinItsWindow) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  Begin();
  End(RemoteFate::kDecided);
  EXPECT_EQ(InRedis(), 6);
  view_.GiveBack(ItemOf(5), now_, now_, decision_);
  EXPECT_EQ(decision_.remaining, 99);
  EXPECT_EQ(Begin(), -5);
  ASSERT_EQ(sync_.refunds.size(), 1U);
  EXPECT_EQ(sync_.refunds[0].bound->until, Time{hours{1004}});
  End(RemoteFate::kDecided);
  EXPECT_EQ(InRedis(), 1);
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 98);
}

// A caller's refund. Redis has not heard of the units yet, so there it would find nothing.
TEST_F(EventualUndoTest, ARefundRightAfterItsChargeTakesEffectOnce) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  EXPECT_TRUE(view_.Refund(ItemOf(5), now_, decision_));
  EXPECT_EQ(decision_.remaining, 99);
  EXPECT_EQ(decision_.source, Source::kEventual);
  EXPECT_EQ(Begin(), 0);
  End(RemoteFate::kDecided);
  EXPECT_EQ(InRedis(), 1);
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 98);
}

TEST_F(EventualUndoTest, ARefundWhileItsChargeIsOnItsWayFollowsIt) {
  for (const RemoteFate fate : {RemoteFate::kDecided, RemoteFate::kNotDone}) {
    key_.high += std::uint64_t{1} << 58U;  // another shard
    Seed();
    ASSERT_EQ(Take(5), Answer::kDecided);
    ASSERT_EQ(Begin(), 5);
    EXPECT_TRUE(view_.Refund(ItemOf(5), now_, decision_));
    EXPECT_EQ(decision_.remaining, 99);
    End(fate);
    ASSERT_EQ(Take(1), Answer::kDecided);
    EXPECT_EQ(decision_.remaining, 98);
    EXPECT_EQ(Begin(), fate == RemoteFate::kDecided ? -4 : 1);
    End(RemoteFate::kDecided);
    EXPECT_EQ(InRedis(), 2);
  }
}

TEST_F(EventualUndoTest, ARefundOfUnitsThatRedisKnowsIsForRedis) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  Begin();
  End(RemoteFate::kDecided);
  now_ += milliseconds{1};
  EXPECT_FALSE(view_.Refund(ItemOf(5), now_, decision_));
  Ask(Operation::kRefund, ItemOf(5), Heard::kOther);
  EXPECT_EQ(InRedis(), 1);
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 98);
}

// What goes beyond own units is given back of those that Redis knows, and no more than are held.
TEST_F(EventualUndoTest, ARefundOfMoreThanWasNotPushedTakesTheRestInRedis) {
  Seed();
  ASSERT_EQ(Take(3), Answer::kDecided);
  Begin();
  End(RemoteFate::kDecided);
  ASSERT_EQ(InRedis(), 4);
  ASSERT_EQ(Take(2), Answer::kDecided);
  EXPECT_TRUE(view_.Refund(ItemOf(100), now_, decision_));
  EXPECT_EQ(decision_.remaining, 100);
  Elsewhere(7);
  EXPECT_EQ(Begin(), -4);
  End(RemoteFate::kDecided);
  EXPECT_EQ(InRedis(), 7) << "those that came since stay";
}

// They were charged in the window before, which is over.
TEST_F(EventualUndoTest, UnitsOfOneWindowAreNotGivenBackInTheNext) {
  for (const Algorithm algorithm : {Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    terms_ = TermsOf({.algorithm = algorithm, .rate = Rate{100, hours{1}}});
    for (const bool is_asked : {false, true}) {
      key_.high += std::uint64_t{1} << 58U;  // another shard
      now_ = Time{hours{1000}} + minutes{55} - milliseconds{5};
      Seed();
      ASSERT_EQ(Take(5), Answer::kDecided);
      const Time since = now_;
      now_ += milliseconds{10};
      // A window of which nothing is known yet, and one in which there is something to free.
      for (int i = 0; i < (is_asked ? 7 : 0); ++i) ASSERT_EQ(Take(), Answer::kDecided);
      const std::int64_t before = view_.PendingForTest();
      view_.GiveBack(ItemOf(5), since, now_, decision_);
      EXPECT_EQ(view_.PendingForTest(), before);
      ASSERT_EQ(Take(), Answer::kDecided);
      const int used = is_asked ? 8 : 1;
      EXPECT_EQ(decision_.remaining, 100 - used - (algorithm == Algorithm::kFixedWindow ? 0 : 6));
      Begin();  // so that nothing is pending
      End(RemoteFate::kDecided);
    }
  }
}

// Invariant (2).
TEST_F(EventualUndoTest, WhatIsGivenBackTooLateDoesNotCountInTheNextWindow) {
  enum class When : std::uint8_t { kFailedBefore, kFailsAfter, kNeverSent };
  // At the very end of the window, and after it.
  for (int i = 0; i < 6; ++i) {
    const When when = std::array{When::kFailedBefore, When::kFailsAfter, When::kNeverSent}.at(
        static_cast<std::size_t>(i) / 2);
    key_.high += std::uint64_t{1} << 58U;  // another shard
    now_ = Time{hours{1000}} + minutes{55} - milliseconds{30};
    Seed();
    ASSERT_EQ(Take(5), Answer::kDecided);
    Begin();
    End(RemoteFate::kDecided);
    view_.GiveBack(ItemOf(5), now_, now_, decision_);
    if (when != When::kNeverSent) Begin();
    if (when == When::kFailedBefore) End(RemoteFate::kNotDone);
    now_ += milliseconds{i % 2 == 0 ? 30 : 35};
    ASSERT_EQ(Take(8), Answer::kDecided);
    Elsewhere(20);
    Ask(Operation::kCheck, ItemOf(1), Heard::kOther);
    ASSERT_EQ(Take(1), Answer::kDecided);
    EXPECT_EQ(decision_.remaining, 100 - 8 - 20 - 1 - 1);
    if (when == When::kFailsAfter) End(RemoteFate::kNotDone);
    EXPECT_EQ(Begin(), 9);
    End(RemoteFate::kDecided);
    EXPECT_EQ(InRedis(), 30);
  }
}

// Invariant (2): of a bucket that is full by then.
TEST_F(EventualUndoTest, WhatABucketHasGotBackItselfIsNotGivenBackLater) {
  terms_ = TermsOf({.rate = Rate{100, seconds{1}}});
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  const Time since = now_;
  Begin();
  End(RemoteFate::kDecided);
  view_.GiveBack(ItemOf(4), since, now_, decision_);
  Begin();
  End(RemoteFate::kNotDone);
  now_ += seconds{2};
  view_.GiveBack(ItemOf(1), since, now_, decision_);
  EXPECT_EQ(view_.PendingForTest(), -1);
}

TEST_F(EventualUndoTest, AKeyThatIsForgottenIsAskedForThere) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  view_.Forget(ItemOf(1).key);
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Begin(), 5);
}

// Invariant (2): what was admitted before is as if it never was.
TEST_F(EventualUndoTest, AResetIsKnownAtOnceAndNothingFromBeforeIsPushed) {
  Seed();
  EXPECT_EQ(TakeAll(), 99);
  view_.Forget(ItemOf(1).key);
  Ask(Operation::kReset, ItemOf(1), Heard::kOther);  // in the same microsecond
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 99);
  EXPECT_EQ(Begin(), 1);
  // Nor where a check that was decided before it is heard of meanwhile.
  End(RemoteFate::kDecided);
  EXPECT_EQ(TakeAll(), 99);
  view_.Forget(ItemOf(1).key);
  Ask(Operation::kCheck, ItemOf(1), Heard::kOther);
  Ask(Operation::kReset, ItemOf(1), Heard::kOther);
  EXPECT_EQ(TakeAll(), 100);
}

// Invariant (2): also where it was under way, and surely not done.
TEST_F(EventualUndoTest, APushThatAResetOvertookIsNotRepeated) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  EXPECT_EQ(Begin(), 5);
  now_ += milliseconds{1};
  Ask(Operation::kReset, ItemOf(1), Heard::kOther);
  ASSERT_EQ(Take(2), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 98);
  End(RemoteFate::kNotDone);
  EXPECT_EQ(Begin(), 2);
}

}  // namespace
}  // namespace sluice
