// The clock of Redis: it may step back, windows are staggered, and callers may assume a wrong time.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "remote/script/key_state.h"
#include "remote/script/script_arguments.h"
#include "support/core_state.h"
#include "support/random.h"
#include "unit/remote/script/redis_bench.h"
#include "unit/remote/script/redis_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;

class ScriptClock : public RedisBench {};

Decision Take(KeyState& state, Operation operation, Cost cost, Time now) {
  switch (operation) {
    case Operation::kCheck:
      return state.Check(cost, now);
    case Operation::kDebt:
      return state.TakeDebt(cost, now);
    case Operation::kRefund:
      return state.Refund(cost, now);
    default:
      return state.Peek(cost, now);
  }
}

// States that are ahead of the time are interpreted as in the core.
TEST_F(ScriptClock, DecidesLikeTheCoreWhenTheClockStepsBack) {
  ForEachSeed(200, [&](Random& random) {
    const Kind kind =
        random.Pick({Kind::kTokenBucket, Kind::kLeakyBucket, Kind::kPacer, Kind::kAlignedWindow,
                     Kind::kFirstRequestWindow, Kind::kStaggeredWindow, Kind::kIntervalRefill,
                     Kind::kSlidingWindow});
    const LimitSpec spec = RandomRemoteLimit(kind, random);
    const RemoteLimit limit = Keep(spec);
    RemoteCharge charge{"k", &limit};
    charge.stagger = {random.Bits()};
    client_->Command({"FLUSHALL"});
    KeyState model(limit.terms(), charge.stagger);
    for (int i = 0; i < 40; ++i) {
      At(microseconds{random.Between(0, 10'000)});
      // A key that has expired is forgotten even if the clock steps back.
      if (client_->Number({"EXISTS", "k"}) == 0) model.Reset(now_);
      const auto operation = random.Pick({Operation::kCheck, Operation::kCheck, Operation::kDebt,
                                          Operation::kRefund, Operation::kPeek});
      charge.cost = Cost{random.Between(0, 4)};
      const Decision got = Do(operation, charge);
      const Decision want = Take(model, operation, charge.cost, now_);
      ASSERT_EQ(got, want) << ToText(spec) << "\n got " << ToText(got) << "\nwant " << ToText(want);
    }
  });
}

TEST_F(ScriptClock, EndsStaggeredWindowsAtTheMicrosecondOfTheKey) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kFixedWindow;
  spec.rate = Rate{1, std::chrono::seconds{1}};
  spec.window = WindowKind::kStaggered;
  const RemoteLimit limit = Keep(spec);
  RemoteCharge charge{"k", &limit};
  // 0.7 of a period and a few nanoseconds.
  charge.stagger = {static_cast<std::uint64_t>(0.7000005 * 18'446'744'073'709'551'616.0)};
  EXPECT_EQ(Do(Operation::kCheck, charge).reset_after, std::chrono::milliseconds{700});
  charge.key = "other";
  charge.stagger = {};
  EXPECT_EQ(Do(Operation::kCheck, charge).reset_after, std::chrono::seconds{1});
}

TEST(WholeMicros, RoundsThePhaseDownToMicroseconds) {
  Random random{1};
  for (int i = 0; i < 10'000; ++i) {
    const Nanos period{random.Spread(1, 3'000'000'000'000'000) * 1000};
    const auto phase = [&](Stagger stagger) {
      return static_cast<std::int64_t>(
          (static_cast<Uint128>(stagger.key_hash) * static_cast<std::uint64_t>(period.count())) >>
          64U);
    };
    const Stagger drawn{random.Bits()};
    EXPECT_EQ(phase(WholeMicros(drawn, period)), phase(drawn) / 1000 * 1000);
  }
}

// The charged units belong to a window that has ended; those of the current one belong to others.
TEST_F(ScriptClock, IgnoresARefundFromItsBoundOn) {
  for (const Algorithm algorithm : {Algorithm::kFixedWindow, Algorithm::kSlidingLog,
                                    Algorithm::kSlidingWindow, Algorithm::kSlidingBuckets}) {
    LimitSpec spec;
    spec.algorithm = algorithm;
    spec.rate = Rate{100, hours{1}};
    const RemoteLimit limit = Keep(spec);
    RemoteCharge charge{"k", &limit, Cost{5}};
    client_->Command({"FLUSHALL"});
    At(microseconds{0});
    Do(Operation::kCheck, charge);
    charge.bound = ReturnBound{now_ + microseconds{10} - Nanos{1}};
    charge.cost = Cost{1};
    At(microseconds{9});
    const Decision before = Do(Operation::kRefund, charge);
    At(microseconds{10});
    const std::int64_t left = MillisLeft("k");
    const Decision after = Do(Operation::kRefund, charge);
    const Decision look = Do(Operation::kPeek, charge);
    EXPECT_EQ(before.limit - before.remaining, 4) << static_cast<int>(algorithm);
    EXPECT_EQ(after.remaining, before.remaining);
    EXPECT_EQ(look.remaining, after.remaining);
    EXPECT_EQ(MillisLeft("k"), left);
  }
}

// A node whose clock is off passes windows of another time. Nothing is charged until they fit.
TEST_F(ScriptClock, RejectsCalendarWindowsOfAnotherTime) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kFixedWindow;
  spec.rate = Rate{2, hours{24}, CalendarUnit::kDay};
  spec.window = WindowKind::kCalendar;
  spec.zone = "Europe/Berlin";
  const RemoteLimit limit = Keep(spec);
  const ScriptCall call(Operation::kCheck, {"k", &limit});
  for (const Time about : {now_ - hours{24 * 365}, now_ + hours{49}, now_ - hours{49}}) {
    std::string command;
    call.Write(about, command);
    Decision decision;
    const auto outcome = ReadScriptReply(call, client_->Ask(command), {&decision, 1});
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome.value().status, ScriptStatus::kOtherTime);
    EXPECT_EQ(outcome.value().now, now_);
    EXPECT_EQ(client_->Number({"EXISTS", "k"}), 0);
  }
  EXPECT_EQ(Decide(call).remaining, 1);
}

// Random traces rarely hit the exact microsecond at which a window ends or a gap has passed.
TEST_F(ScriptClock, EndsWindowsAtTheirExactMicrosecond) {
  std::vector<LimitSpec> specs;
  for (const Algorithm algorithm : {Algorithm::kFixedWindow, Algorithm::kSlidingWindow,
                                    Algorithm::kSlidingBuckets, Algorithm::kSlidingLog}) {
    LimitSpec spec;
    spec.algorithm = algorithm;
    spec.rate = Rate{10, microseconds{10'000}};
    if (algorithm == Algorithm::kSlidingBuckets) spec.buckets = 2;
    specs.push_back(spec);
  }
  specs.push_back(specs.back());
  specs.back().min_gap = microseconds{5000};
  for (const LimitSpec& spec : specs) {
    client_->Command({"FLUSHALL"});
    const RemoteLimit limit = Keep(spec);
    const RemoteCharge charge{"k", &limit, Cost{2}};
    CoreState model(MustMake(spec).terms);
    for (const int at : {0, 4999, 5000, 9999, 10'000, 14'999, 15'000, 19'999, 20'000, 25'000}) {
      At(microseconds{at});
      const Decision got = Do(Operation::kCheck, charge);
      const Decision want = model.Check(charge.cost, now_);
      ASSERT_EQ(ToText(got), ToText(want)) << ToText(spec) << " at " << at;
    }
  }
}

TEST_F(ScriptClock, KeepsExpiredLogUnitsExpiredUnderALongerPeriod) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kSlidingLog;
  spec.rate = Rate{10, microseconds{10'000}};
  const RemoteLimit before = Keep(spec);
  spec.rate = Rate{10, microseconds{20'000}};
  const RemoteLimit after = Keep(spec);
  Do(Operation::kCheck, {"k", &before, Cost{2}});
  At(microseconds{8000});
  Do(Operation::kCheck, {"k", &before, Cost{3}});
  At(microseconds{15'000});
  EXPECT_EQ(Do(Operation::kPeek, {"k", &after, Cost{0}}).remaining, 7);
  EXPECT_EQ(Do(Operation::kCheck, {"k", &after, Cost{1}}).remaining, 6);
  At(microseconds{28'000});
  EXPECT_EQ(Do(Operation::kPeek, {"k", &after, Cost{0}}).remaining, 9);
}

}  // namespace
}  // namespace sluice::testing
