#include "simulate/replay.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "simulate/plot_recorder.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

LimitSpec OnePerSecond() {
  LimitSpec spec;
  spec.rate = Rate{1, 1s};
  spec.burst = 5;
  return spec;
}

LimitSpec OnePermit() {
  LimitSpec spec;
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = 1;
  spec.ttl = 10s;
  return spec;
}

std::unique_ptr<Replay> ReplayOf(const LimitSpec& spec) {
  Result<std::unique_ptr<Replay>> replay = Replay::Create(spec);
  EXPECT_TRUE(replay.ok());
  return std::move(replay).value();
}

Step At(Nanos t, Op op = Op::kCheck, std::int64_t cost = 1, const std::string& key = "k") {
  Step step;
  step.t = Time(t);
  step.op = op;
  step.cost.units = cost;
  step.key = key;
  return step;
}

TEST(ReplayTest, DecidesStepsAtTheirOwnTimes) {
  const auto replay = ReplayOf(OnePerSecond());
  EXPECT_EQ(replay->Apply(At(0s, Op::kCheck, 5)).value().decision.remaining, 0);
  EXPECT_FALSE(replay->Apply(At(999ms)).value().decision.allowed);
  EXPECT_TRUE(replay->Apply(At(1s)).value().decision.allowed);
}

TEST(ReplayTest, NeverGoesBackInTime) {
  const auto replay = ReplayOf(OnePerSecond());
  EXPECT_EQ(replay->Apply(At(5s, Op::kPeek, 1, "a")).value().t, Time(5s));
  const Reply reply = replay->Apply(At(2s, Op::kCheck, 1, "b")).value();
  EXPECT_EQ(reply.t, Time(5s));
  EXPECT_EQ(replay->Apply(At(6s)).value().t, Time(6s));
}

TEST(ReplayTest, AppliesEveryOp) {
  const auto replay = ReplayOf(OnePerSecond());
  EXPECT_EQ(replay->Apply(At(0s, Op::kCheck, 3)).value().decision.remaining, 2);
  EXPECT_EQ(replay->Apply(At(0s, Op::kPeek, 3)).value().decision.remaining, 2);
  EXPECT_EQ(replay->Apply(At(0s, Op::kRefund, 1)).value().decision.remaining, 3);
  EXPECT_EQ(replay->Apply(At(0s, Op::kDebt, 9)).value().decision.reset_after, 11s);
  EXPECT_EQ(replay->Apply(At(0s, Op::kReset)).value().decision.remaining, 5);
}

TEST(ReplayTest, AcquiresAndReleasesPermits) {
  const auto replay = ReplayOf(OnePermit());
  Step acquire = At(0s, Op::kAcquire);
  acquire.id = "a";
  EXPECT_TRUE(replay->Apply(acquire).value().decision.allowed);
  acquire.id = "b";
  EXPECT_FALSE(replay->Apply(acquire).value().decision.allowed);
  Step release = At(1s, Op::kRelease);
  release.id = "a";
  EXPECT_TRUE(replay->Apply(release).value().decision.allowed);
  EXPECT_TRUE(replay->Apply(acquire).value().decision.allowed);
  Step renew = At(2s, Op::kRenew);
  renew.id = "a";
  EXPECT_FALSE(replay->Apply(renew).value().decision.allowed);
  EXPECT_FALSE(replay->Apply(At(2s)).ok());
}

TEST(ReplayTest, RejectsBadLimit) { EXPECT_FALSE(Replay::Create(LimitSpec{}).ok()); }

TEST(PlotRecorderTest, ShowsRecoveryBetweenSteps) {
  const auto replay = ReplayOf(OnePerSecond());
  PlotSteps steps;
  PlotRecorder recorder;
  for (const Step& step : {At(0s, Op::kCheck, 5), At(0s), At(10s)}) {
    const Reply reply = replay->Apply(step).value();
    recorder.Add(step, reply);
    steps.Add(step, reply.t);
  }
  const Plot plot = recorder.Finish(OnePerSecond(), "title", steps, steps.first_key()).value();
  EXPECT_EQ(plot.marks.size(), 3U);
  EXPECT_FALSE(plot.marks[1].allowed);
  EXPECT_EQ(plot.start, Time(0s));
  EXPECT_EQ(plot.curve_top, 5);
  EXPECT_FALSE(plot.several_keys);
  bool half_full = false;
  for (const CurvePoint& point : plot.curve) {
    EXPECT_GE(point.t, plot.start);
    EXPECT_LE(point.t, plot.end);
    half_full = half_full || (point.value == 2 && point.t > Time(1s) && point.t < Time(4s));
  }
  EXPECT_TRUE(half_full);
  EXPECT_EQ(plot.curve.back().t, plot.end);
}

TEST(PlotRecorderTest, HasSpanForStepsOfOneInstant) {
  const auto replay = ReplayOf(OnePerSecond());
  for (const Nanos t : {Nanos(0), Nanos(7), kLatestTime.time_since_epoch()}) {
    PlotSteps steps;
    PlotRecorder recorder;
    const Step step = At(t, Op::kCheck, 0);
    const Reply reply = replay->Apply(step).value();
    recorder.Add(step, reply);
    steps.Add(step, reply.t);
    const Plot plot = recorder.Finish(OnePerSecond(), "title", steps, steps.first_key()).value();
    EXPECT_LT(plot.start, plot.end);
    EXPECT_LE(plot.end, kLatestTime);
  }
  EXPECT_LT(PlotRecorder().Finish(OnePerSecond(), "", {}, "").value().start, Time(2s));
}

TEST(PlotRecorderTest, DrawsCurveOfOneKey) {
  const auto replay = ReplayOf(OnePerSecond());
  PlotSteps steps;
  PlotRecorder recorder;
  for (const Step& step : {At(0s, Op::kCheck, 1, "a"), At(1s, Op::kCheck, 5, "b")}) {
    const Reply reply = replay->Apply(step).value();
    recorder.Add(step, reply);
    steps.Add(step, reply.t);
  }
  const Plot plot = recorder.Finish(OnePerSecond(), "title", steps, steps.first_key()).value();
  EXPECT_TRUE(plot.several_keys);
  EXPECT_EQ(plot.key, "a");
  for (const CurvePoint& point : plot.curve) EXPECT_GE(point.value, 4);
}

TEST(PlotRecorderTest, FindsMostRefusedKey) {
  const auto replay = ReplayOf(OnePerSecond());
  PlotSteps steps;
  PlotRecorder recorder;
  EXPECT_EQ(MostRefusedKey(recorder.refused(), steps), "");
  for (const Step& step :
       {At(0s, Op::kCheck, 1, "c"), At(0s, Op::kCheck, 6, "a"), At(0s, Op::kCheck, 6, "b"),
        At(0s, Op::kCheck, 6, "b"), At(0s, Op::kPeek, 6, "a"), At(0s, Op::kPeek, 6, "a")}) {
    if (step.cost.units > 1) {
      EXPECT_EQ(MostRefusedKey({}, steps), "c");
    }
    const Reply reply = replay->Apply(step).value();
    recorder.Add(step, reply);
    steps.Add(step, reply.t);
  }
  EXPECT_EQ(MostRefusedKey(recorder.refused(), steps), "b");
}

}  // namespace
}  // namespace sluice::cli
