#include "remote/cache/eventual_counters.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "support/random_limit.h"
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

class EventualCountersTest : public testing::EventualFixture {};

TEST_F(EventualCountersTest, DecidesLocallyAfterTheFirstReply) {
  Seed();
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_TRUE(decision_.allowed);
  EXPECT_EQ(decision_.source, Source::kEventual);
  EXPECT_EQ(decision_.remaining, 98);
  EXPECT_EQ(TakeAll(), 98);
  EXPECT_FALSE(decision_.allowed);
  EXPECT_EQ(decision_.retry_after, minutes{55});  // by Redis' clock
  EXPECT_EQ(view_.PendingForTest(), 99);
}

TEST_F(EventualCountersTest, ReportsWhenUnitsComeBack) {
  EXPECT_EQ(view_.UntilMore(ItemOf(1), decision_, now_), Nanos{0});
  terms_ = TermsOf({.algorithm = Algorithm::kSlidingWindow, .rate = Rate{100, hours{1}}});
  Seed();
  ASSERT_EQ(Take(), Answer::kDecided);
  // Two units of this window, which ends in 55 minutes. One of them has left the view half an hour
  // after that.
  EXPECT_EQ(decision_.remaining, 98);
  EXPECT_EQ(view_.UntilMore(ItemOf(1), decision_, now_), minutes{85});
}

// The clock of a server is set back, or another server with a different clock takes over the key.
TEST_F(EventualCountersTest, KeepsCountingWhenTheServerClockGoesBack) {
  for (const Nanos back : {Nanos{milliseconds{500}}, Nanos{seconds{3}}, Nanos{seconds{8}}}) {
    key_.high += std::uint64_t{1} << 58U;  // a different shard
    now_ += hours{2};
    const Nanos into = RedisNow().time_since_epoch() % Nanos{hours{1}};
    ahead_ += milliseconds{200} - into;  // a window has just begun
    Seed();
    int admitted = 1;
    for (int round = 0; round < 100; ++round) {
      if (round == 1) ahead_ -= back;
      now_ += milliseconds{40};
      Begin();
      End(RemoteOutcome::kDecided);
      for (int i = 0; i < 20 && Take() == Answer::kDecided; ++i) {
        admitted += decision_.allowed ? 1 : 0;
      }
    }
    EXPECT_EQ(admitted, 100) << back.count();
  }
}

// Invariant (1).
TEST_F(EventualCountersTest, IgnoresAStateReportedTooLongAgo) {
  Seed();
  now_ += milliseconds{50};
  EXPECT_EQ(Take(), Answer::kDecided);
  now_ += Nanos{1};
  EXPECT_EQ(Take(), Answer::kUnknown);
  Ask(Operation::kCheck, ItemOf(1), Heard::kOther);
  EXPECT_EQ(Take(), Answer::kDecided);
}

// Invariant (1).
TEST_F(EventualCountersTest, KeepsDecidingDuringASync) {
  Seed();
  ASSERT_EQ(Take(), Answer::kDecided);
  now_ += milliseconds{40};
  Begin();
  now_ += milliseconds{30};
  EXPECT_EQ(Take(), Answer::kDecided);
  End(RemoteOutcome::kDecided);
  EXPECT_EQ(Take(), Answer::kDecided);
}

// Invariant (1).
TEST_F(EventualCountersTest, KeepsDecidingWhileSyncsFailAndPushesAllAfterwards) {
  Seed();
  ASSERT_EQ(Take(), Answer::kDecided);
  for (int i = 0; i < 20; ++i) {
    now_ += milliseconds{40};
    EXPECT_EQ(Begin(), i + 1);
    End(RemoteOutcome::kNotApplied);
    EXPECT_EQ(Take(), Answer::kDecided);
  }
  now_ += milliseconds{40};
  EXPECT_EQ(Begin(), 21);
  End(RemoteOutcome::kDecided);
  EXPECT_EQ(InRedis(), 22);
  now_ += milliseconds{51};
  EXPECT_EQ(Take(), Answer::kUnknown);
}

// Invariant (2): units used long ago are no longer in use.
TEST_F(EventualCountersTest, PushesOnlyUnitsInUseAfterAnOutage) {
  const Rate rate{100, seconds{1}};
  for (const LimitSpec& spec :
       {LimitSpec{.algorithm = Algorithm::kFixedWindow, .rate = rate}, LimitSpec{.rate = rate},
        LimitSpec{.rate = rate, .refill = Refill::kInterval},
        LimitSpec{.algorithm = Algorithm::kSlidingWindow, .rate = rate}}) {
    for (const int each : {1, 20}) {
      SCOPED_TRACE(testing::ToText(spec) + " " + std::to_string(each));
      terms_ = TermsOf(spec);
      key_.high += std::uint64_t{1} << 58U;  // a different shard
      Seed();
      ASSERT_EQ(Take(), Answer::kDecided);
      std::int64_t admitted = 0;
      for (int step = 0; step < 1000; ++step) {  // 40 s
        now_ += milliseconds{40};
        Begin();
        End(RemoteOutcome::kNotApplied);
        for (int i = 0; i < each; ++i) {
          ASSERT_EQ(Take(), Answer::kDecided);
          admitted += decision_.allowed ? 1 : 0;
        }
      }
      EXPECT_GT(admitted, each == 1 ? 990 : 3000);
      now_ += milliseconds{40};
      EXPECT_LE(Begin(), each == 1 ? 26 : 100);
      End(RemoteOutcome::kDecided);
      EXPECT_LE(InRedis(), 100);
    }
  }
}

// Invariant (2), for a bucket that is never empty here. Together with other nodes it may be.
TEST_F(EventualCountersTest, PushesRegainedUnitsWhileTheRemoteAnswers) {
  terms_ = TermsOf({.rate = Rate{100, seconds{1}}});
  Seed();
  std::int64_t pushed = 0;
  for (int step = 0; step < 25; ++step) {  // one second
    for (int i = 0; i < 3; ++i) {          // one unit is back before the next is taken
      now_ += milliseconds{13};
      ASSERT_EQ(Take(), Answer::kDecided);
    }
    now_ += milliseconds{1};
    pushed += Begin();
    End(RemoteOutcome::kDecided);
  }
  EXPECT_EQ(pushed, 75);
}

// Invariant (1): the key was not requested while the remote was away.
TEST_F(EventualCountersTest, ForgetsThatTheRemoteWasAway) {
  Seed();
  ASSERT_EQ(Take(), Answer::kDecided);
  Begin();
  End(RemoteOutcome::kIndeterminate);
  EXPECT_EQ(Take(), Answer::kDecided);
  Begin();
  End(RemoteOutcome::kIndeterminate);
  now_ += milliseconds{101};
  Begin();
  EXPECT_EQ(Take(), Answer::kUnknown);
}

TEST_F(EventualCountersTest, TreatsAnOverdueSyncAsAFailure) {
  Seed();
  ASSERT_EQ(Take(), Answer::kDecided);
  Begin();
  view_.SyncIsOverdue(sync_.debts[0]);
  now_ += milliseconds{500};
  EXPECT_EQ(Take(), Answer::kDecided);
  End(RemoteOutcome::kDecided);  // late
  EXPECT_EQ(InRedis(), 2);
}

// Invariant (2).
TEST_F(EventualCountersTest, PushesAdmittedUnitsOnce) {
  Seed();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(Begin(), 5);
  End(RemoteOutcome::kDecided);
  EXPECT_EQ(InRedis(), 6);
  EXPECT_EQ(Begin(), 0);
  ASSERT_EQ(sync_.debts.size(), 1U);  // only reads the state
  End(RemoteOutcome::kDecided);
  EXPECT_EQ(InRedis(), 6);
}

// Invariant (2).
TEST_F(EventualCountersTest, DoesNotRepeatAPushWithUnknownOutcome) {
  Seed();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(Begin(), 5);
  End(RemoteOutcome::kIndeterminate);
  EXPECT_EQ(Begin(), 0);
  End(RemoteOutcome::kNotApplied);
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 93);  // it still counts locally
}

// Invariant (3).
TEST_F(EventualCountersTest, AppliesChargesMadeDuringASync) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  EXPECT_EQ(Begin(), 5);
  Elsewhere(20);
  ASSERT_EQ(Take(7), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 87);
  sync_.debts.resize(1);
  EventualCounters::Sync second;
  EXPECT_TRUE(view_.TakeSync(EventualCounters::Which::kAll, kAll, now_, second));
  EXPECT_TRUE(second.debts.empty());  // one at a time
  End(RemoteOutcome::kDecided);
  ASSERT_EQ(Take(1), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 100 - 1 - 5 - 20 - 7 - 1);
  EXPECT_EQ(Begin(), 8);
}

// Invariant (3): the reply to a check arrives before that to a sync which was decided first.
TEST_F(EventualCountersTest, CountsAnOvertakenSyncTwiceUntilTheNext) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  Begin();
  const RemoteItem pushed = sync_.debts[0];
  RemoteCall call;
  call.operation = Operation::kDebt;
  call.items = {pushed};
  const auto seen = redis_.Decide(call, RedisNow());
  const Time decided_at = RedisNow();
  now_ += milliseconds{1};
  Ask(Operation::kCheck, ItemOf(1), Heard::kOther);
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 100 - 1 - 5 - 1 - 5 - 1);  // counted twice for now
  KeyState state = seen[0].state;
  view_.OnReply({call, pushed, seen[0].decision, state, decided_at, now_}, Heard::kOwnSync, now_);
  view_.Synced(pushed, Operation::kDebt, RemoteOutcome::kDecided);
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 100 - 1 - 5 - 1 - 5 - 2);
  EXPECT_EQ(Begin(), 2);
  End(RemoteOutcome::kDecided);
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 100 - 1 - 5 - 1 - 3);
}

// Invariant (3): a window that other nodes have filled holds no more, so nothing may be subtracted
// from it.
TEST_F(EventualCountersTest, FreesNothingForAnOvertakenSync) {
  Seed();
  ASSERT_EQ(Take(40), Answer::kDecided);
  Begin();
  const RemoteItem pushed = sync_.debts[0];
  RemoteCall call;
  call.operation = Operation::kDebt;
  call.items = {pushed};
  const auto seen = redis_.Decide(call, RedisNow());
  const Time decided_at = RedisNow();
  now_ += milliseconds{1};
  Elsewhere(59);
  Ask(Operation::kCheck, ItemOf(1), Heard::kOther);
  KeyState state = seen[0].state;
  view_.OnReply({call, pushed, seen[0].decision, state, decided_at, now_}, Heard::kOwnSync, now_);
  view_.Synced(pushed, Operation::kDebt, RemoteOutcome::kDecided);
  EXPECT_EQ(TakeAll(), 0);
}

// Invariant (3): replies may arrive in a different order than the decisions.
TEST_F(EventualCountersTest, PrefersTheFullerOfTwoStatesOfOneMicrosecond) {
  Seed();
  RemoteCall call;
  call.items = {ItemOf(3)};
  const auto first = redis_.Decide(call, RedisNow());
  const auto second = redis_.Decide(call, RedisNow());
  for (const auto* seen : {&second[0], &first[0]}) {
    KeyState state = seen->state;
    view_.OnReply({call, seen->item, seen->decision, state, RedisNow(), now_}, Heard::kOther, now_);
  }
  ASSERT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(decision_.remaining, 100 - 1 - 3 - 3 - 1);
}

// Invariant (4).
TEST_F(EventualCountersTest, FollowsTheEarlierClockOfAnotherServer) {
  Seed();
  EXPECT_EQ(TakeAll(), 99);
  EXPECT_EQ(decision_.retry_after, minutes{55});
  Begin();
  End(RemoteOutcome::kNotApplied);  // so that it continues with its state
  // Another server with a different clock.
  now_ += seconds{2};
  ahead_ -= minutes{2};
  Begin();
  End(RemoteOutcome::kDecided);
  EXPECT_EQ(TakeAll(), 0);
  EXPECT_EQ(decision_.retry_after, minutes{57} - seconds{2});
  Begin();
  End(RemoteOutcome::kNotApplied);
  now_ += seconds{2};
  ahead_ -= minutes{1};
  RemoteItem other = ItemOf(1);
  other.key = {.high = 7, .low = 8};
  Ask(Operation::kCheck, other, Heard::kOther);
  EXPECT_EQ(TakeAll(), 0);
  EXPECT_EQ(decision_.retry_after, minutes{57} - seconds{4});
}

TEST_F(EventualCountersTest, IgnoresLogsAndLimitsThatAreNotPlain) {
  terms_ = TermsOf({.algorithm = Algorithm::kSlidingLog, .rate = Rate{100, hours{1}}});
  EXPECT_EQ(Take(), Answer::kUnknown);
  terms_ = TermsOf({.rate = Rate{100, minutes{1}}, .max_wait = seconds{1}});
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Begin(), 0);
}

TEST_F(EventualCountersTest, IgnoresNewTermsWithoutWholeStates) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  for (const LimitSpec& spec :
       {LimitSpec{.algorithm = Algorithm::kSlidingLog, .rate = Rate{100, hours{1}}},
        LimitSpec{.algorithm = Algorithm::kFixedWindow,
        .rate = Rate{100, hours{1}},
        .count_refused = true}}) {
    Begin();  // push what is left of the previous terms
    End(RemoteOutcome::kDecided);
    terms_ = TermsOf(spec);
    EXPECT_EQ(Take(), Answer::kUnknown);
    RemoteCall call;
    call.items = {ItemOf(1)};
    KeyState state(terms_->limit().terms);
    view_.OnReply({call, ItemOf(1), Decision{}, state, RedisNow(), now_}, Heard::kOther, now_);
    EXPECT_EQ(Take(), Answer::kUnknown);
  }
  EXPECT_EQ(view_.PendingForTest(), 0);
}

// Each primary of a cluster has its own clock, which says nothing about windows on another.
TEST_F(EventualCountersTest, UsesTheClockOfTheServerOfEachKey) {
  const FleetKey on_the_first = key_;
  const FleetKey on_the_second{.high = 3, .low = 4};
  const Nanos first = ahead_;
  const Nanos second = ahead_ - minutes{15};  // its window ends before the first server's time
  Seed();
  key_ = on_the_second;
  ahead_ = second;
  Seed();
  EXPECT_EQ(TakeAll(), 99);
  for (int round = 0; round < 10; ++round) {
    now_ += milliseconds{40};
    key_ = on_the_first;
    ahead_ = first;
    Ask(Operation::kCheck, ItemOf(1), Heard::kOther);
    key_ = on_the_second;
    ahead_ = second;
    ASSERT_EQ(Take(), Answer::kDecided);
    EXPECT_FALSE(decision_.allowed) << round;
    EXPECT_LE(decision_.retry_after, minutes{10});
    sync_ = {};
    view_.TakeSync(EventualCounters::Which::kPending, kAll, now_, sync_);
    End(RemoteOutcome::kDecided);
    Ask(Operation::kDebt, ItemOf(0), Heard::kOther);
  }
  EXPECT_EQ(InRedis(), 100);
}

TEST_F(EventualCountersTest, SumsUpPendingUnitsDuringASweep) {
  Seed();
  EXPECT_EQ(TakeAll(), 99);
  EXPECT_EQ(view_.PendingApprox(), 0);
  for (int round = 0; round < 2; ++round) {
    view_.Sweep(now_);
    EXPECT_EQ(view_.PendingApprox(), 99);
  }
}

TEST_F(EventualCountersTest, ForgetsIdleKeysWithoutPendingUnits) {
  Seed();
  ASSERT_EQ(Take(5), Answer::kDecided);
  now_ += seconds{6};
  for (int i = 0; i < 100; ++i) view_.Sweep(now_);
  EXPECT_EQ(view_.PendingForTest(), 5);
  EXPECT_EQ(Begin(), 5);
  End(RemoteOutcome::kDecided);
  Begin();
  for (int i = 0; i < 100; ++i) view_.Sweep(now_);
  // Otherwise the units would be pending.
  view_.GiveBack(ItemOf(1), now_, now_, decision_);
  EXPECT_EQ(view_.PendingForTest(), 0);
}

}  // namespace
}  // namespace sluice
