#include "simulate/tally.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

struct Request {
  Nanos t{0};
  bool allowed = true;
  std::int64_t cost = 1;
  std::string key = "k";
  Nanos wait{0};
  Op op = Op::kCheck;
};

void Feed(Tally& tally, const Request& request) {
  Step step;
  step.t = Time(request.t);
  step.op = request.op;
  step.cost.units = request.cost;
  step.key = request.key;
  Reply reply{step.t, step.op, {}};
  reply.decision.allowed = request.allowed;
  reply.decision.wait = request.wait;
  tally.Add(step, reply);
}

TEST(TallyTest, StartsAtZero) {
  const Tally tally(1s);
  EXPECT_EQ(tally.allowed(), 0U);
  EXPECT_EQ(tally.share_allowed(), 0);
  EXPECT_FALSE(tally.first_refusal().has_value());
  EXPECT_EQ(tally.period_units_max(), 0);
}

TEST(TallyTest, CountsRunsRefusalsAndWaits) {
  Tally tally(1s);
  for (const Request& request :
       {Request{.t = 0s}, Request{.t = 0s, .wait = 5ms}, Request{.t = 1s, .allowed = false},
        Request{.t = 2s, .allowed = false}, Request{.t = 3s, .wait = 7ms}}) {
    Feed(tally, request);
  }
  EXPECT_EQ(tally.allowed(), 3U);
  EXPECT_EQ(tally.refused(), 2U);
  EXPECT_DOUBLE_EQ(tally.share_allowed(), 0.6);
  EXPECT_EQ(tally.first_refusal(), Time(1s));
  EXPECT_EQ(tally.allowed_run_max(), 2U);
  EXPECT_EQ(tally.wait_total(), 12ms);
}

TEST(TallyTest, CountsOnlyOpsThatAskToPass) {
  Tally tally(1s);
  for (const Op op : {Op::kPeek, Op::kDebt, Op::kRefund, Op::kReset, Op::kRenew, Op::kRelease}) {
    Feed(tally, {.allowed = false, .op = op});
  }
  EXPECT_EQ(tally.allowed() + tally.refused(), 0U);
  Feed(tally, {.op = Op::kAcquire});
  EXPECT_EQ(tally.allowed(), 1U);
}

TEST(TallyTest, MeasuresHalfOpenPeriodsPerKey) {
  Tally tally(1s);
  Feed(tally, {.t = 0s, .cost = 2});
  Feed(tally, {.t = 999ms, .cost = 3});
  Feed(tally, {.t = 999ms, .cost = 100, .key = "other"});
  EXPECT_EQ(tally.period_units_max(), 100);
  Feed(tally, {.t = 1s, .cost = 97});  // the first two units are no longer in the period
  EXPECT_EQ(tally.period_units_max(), 100);
  Feed(tally, {.t = 1s, .cost = 1});
  EXPECT_EQ(tally.period_units_max(), 101);
}

TEST(TallyTest, HasNoPeriodUnitsWithoutPeriod) {
  Tally tally(std::nullopt);
  Feed(tally, {.op = Op::kAcquire});
  EXPECT_FALSE(tally.period_units_max().has_value());
}

TEST(TallyTest, SaturatesSums) {
  Tally tally(1s);
  for (int i = 0; i < 3; ++i) Feed(tally, {.cost = INT64_MAX, .wait = Nanos::max() - 1ns});
  EXPECT_EQ(tally.wait_total(), Nanos::max());
  EXPECT_EQ(tally.period_units_max(), INT64_MAX);
  Feed(tally, {.t = 2s, .cost = 1});
  EXPECT_EQ(tally.allowed(), 4U);
}

}  // namespace
}  // namespace sluice::cli
