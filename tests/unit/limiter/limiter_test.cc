// Tests of the contract of limiter.h.
#include "sluice/limiter.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/fake_clock.h"

namespace sluice {
namespace {

using testing::FakeClock;

constexpr Nanos kSecond{1'000'000'000};
constexpr Nanos kHour{3600 * kSecond};
constexpr Time kStart{Nanos{1'700'000'000'000'000'000}};

LimitSpec SpecOf(std::int64_t count, Nanos period, Algorithm algorithm = Algorithm::kTokenBucket) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = Rate{count, period};
  return spec;
}

class LimiterTest : public ::testing::Test {
 protected:
  LimiterTest() {
    Limiter::Options options;
    options.memory_bytes = std::uint64_t{64} << 20U;
    options.clock = &clock_;
    options.seed = 1;
    auto made = Limiter::Create(options);
    if (made.ok()) limiter_ = std::move(made).value();
  }

  void SetUp() override { ASSERT_NE(limiter_, nullptr); }

  LimitHandle Add(std::string_view name, std::string_view text) {
    return Taken(limiter_->Add(name, text));
  }
  LimitHandle Add(std::string_view name, const LimitSpec& spec) {
    return Taken(limiter_->Add(name, spec));
  }
  LimitHandle AddPermits(std::int64_t max) {
    LimitSpec spec;
    spec.algorithm = Algorithm::kConcurrency;
    spec.max_in_flight = max;
    spec.ttl = 60 * kSecond;
    return Add("permits", spec);
  }

  static LimitHandle Taken(const Result<LimitHandle>& added) {
    if (added.ok()) return added.value();
    ADD_FAILURE() << added.error().message;
    return {};
  }

  std::string ErrorOfAdd(std::string_view name, std::string_view text) {
    const auto added = limiter_->Add(name, text);
    return added.ok() ? "" : added.error().message;
  }

  FakeClock clock_{kStart};
  std::unique_ptr<Limiter> limiter_;
};

TEST_F(LimiterTest, ExampleInTheHeaderWorks) {
  const LimitHandle posts = Add("posts", "2/m");
  EXPECT_TRUE(limiter_->Check({posts, "user 42"}).allowed);
  EXPECT_TRUE(limiter_->Check({posts, "user 42"}).allowed);
  const Decision decision = limiter_->Check({posts, "user 42"});
  EXPECT_FALSE(decision.allowed);
  EXPECT_EQ(decision.retry_after, 30 * kSecond);
  EXPECT_TRUE(limiter_->Check({posts, "user 43"}).allowed);
}

TEST_F(LimiterTest, UsesTheMachinesClockByDefault) {
  auto made = Limiter::Create({});
  ASSERT_TRUE(made.ok());
  const auto limit = made.value()->Add("posts", "1/h");
  ASSERT_TRUE(limit.ok());
  EXPECT_TRUE(made.value()->Check({limit.value(), "k"}).allowed);
  EXPECT_FALSE(made.value()->Check({limit.value(), "k"}).allowed);
}

// Invariant (1).
TEST_F(LimiterTest, RefusedChargeTakesNothing) {
  const LimitHandle limit = Add("posts", "5/h");
  EXPECT_FALSE(limiter_->Check({limit, "k", Cost{6}}).allowed);
  EXPECT_TRUE(limiter_->Check({limit, "k", Cost{3}}).allowed);
  EXPECT_FALSE(limiter_->Check({limit, "k", Cost{3}}).allowed);
  EXPECT_EQ(limiter_->Check({limit, "k", Cost{2}}).remaining, 0);
}

TEST_F(LimiterTest, CountsRefusedChargesIfTheLimitSaysSo) {
  LimitSpec spec = SpecOf(1, kHour, Algorithm::kSlidingLog);
  spec.count_refused = true;
  const LimitHandle limit = Add("logins", spec);
  limiter_->Check({limit, "k"});
  clock_.Advance(kHour / 2);
  EXPECT_EQ(limiter_->Check({limit, "k"}).retry_after, kHour);
}

TEST_F(LimiterTest, PeekAnswersWhatCheckWouldAndTakesNothing) {
  const LimitHandle limit = Add("posts", "5/h");
  limiter_->Check({limit, "k", Cost{4}});
  const Decision refused = limiter_->Peek({limit, "k", Cost{2}});
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused, limiter_->Check({limit, "k", Cost{2}}));
  EXPECT_TRUE(limiter_->Peek({limit, "k", Cost{1}}).allowed);
  EXPECT_EQ(limiter_->Peek({limit, "k", Cost{0}}).remaining, 1);
}

TEST_F(LimiterTest, TakesDebtBelowZeroUntilPaidBack) {
  const LimitHandle limit = Add("tokens", "60/h");
  limiter_->Check({limit, "k", Cost{50}});
  const Decision debt = limiter_->TakeDebt({limit, "k", Cost{100}});
  EXPECT_TRUE(debt.allowed);
  EXPECT_EQ(debt.limit, 60);
  EXPECT_EQ(debt.remaining, 0);
  EXPECT_EQ(debt.reset_after, 5 * kHour / 2);
  const Decision refused = limiter_->Check({limit, "k", Cost{1}});
  EXPECT_EQ(refused.retry_after, 91 * kHour / 60);
  clock_.Advance(refused.retry_after);
  EXPECT_TRUE(limiter_->Check({limit, "k", Cost{1}}).allowed);
  EXPECT_EQ(limiter_->Refund({limit, "k", Cost{40}}).remaining, 40);
}

TEST_F(LimiterTest, RefundsAtMostWhatIsHeld) {
  const LimitHandle limit = Add("posts", "5/h");
  limiter_->Check({limit, "k", Cost{3}});
  EXPECT_EQ(limiter_->Refund({limit, "k", Cost{1}}).remaining, 3);
  EXPECT_EQ(limiter_->Refund({limit, "k", Cost{100}}).remaining, 5);
  EXPECT_EQ(limiter_->Refund({limit, "never used", Cost{1}}).remaining, 5);
}

TEST_F(LimiterTest, ResetForgetsTheKeyWhateverTheCost) {
  const LimitHandle limit = Add("posts", "5/h");
  limiter_->Check({limit, "k", Cost{5}});
  const Decision left = limiter_->Reset({limit, "k", Cost{99}});
  EXPECT_TRUE(left.allowed);
  EXPECT_EQ(left.remaining, 5);
  EXPECT_EQ(left.reset_after, Nanos{0});
  EXPECT_TRUE(limiter_->Check({limit, "k", Cost{5}}).allowed);
}

TEST_F(LimiterTest, DecidesBatchesInOrderAtOneTime) {
  const LimitHandle limit = Add("posts", "3/h");
  const std::vector<Charge> charges(5, Charge{limit, "k", Cost{1}});
  std::vector<Decision> decisions(7);
  limiter_->Check(charges, decisions);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(decisions[i].allowed, i < 3) << i;
  EXPECT_EQ(decisions[5], Decision{}) << "what was not asked for is not touched";
  limiter_->Refund(std::span(charges).first(2), decisions);
  EXPECT_EQ(decisions[0].remaining, 1);
  EXPECT_EQ(decisions[1].remaining, 2);
  limiter_->Peek(charges, decisions);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(decisions[i].remaining, 2);
  limiter_->Check({}, {});
}

// Invariant (2).
TEST_F(LimiterTest, CheckAllTakesAllOrNone) {
  const LimitHandle few = Add("few", "2/h");
  const LimitHandle many = Add("many", "10/h");
  const std::array<Charge, 2> charges{Charge{many, "k", Cost{4}}, Charge{few, "k", Cost{1}}};
  std::array<Decision, 2> decisions;
  EXPECT_TRUE(limiter_->CheckAll(charges, decisions));
  EXPECT_TRUE(limiter_->CheckAll(charges, decisions));
  EXPECT_EQ(decisions[0].remaining, 2);
  EXPECT_FALSE(limiter_->CheckAll(charges, decisions));
  EXPECT_FALSE(decisions[0].allowed);
  EXPECT_FALSE(decisions[1].allowed);
  EXPECT_EQ(decisions[0].remaining, 2);
  const std::array<Charge, 2> smaller{Charge{many, "k", Cost{1}}, Charge{few, "k", Cost{1}}};
  EXPECT_FALSE(limiter_->CheckAll(smaller, decisions));
  EXPECT_TRUE(decisions[0].allowed) << "this charge would have passed";
  EXPECT_EQ(limiter_->Peek({many, "k", Cost{0}}).remaining, 2);
}

TEST_F(LimiterTest, CheckAllCountsTheSameKeyTwice) {
  const LimitHandle limit = Add("posts", "3/h");
  const std::array<Charge, 2> charges{Charge{limit, "k", Cost{2}}, Charge{limit, "k", Cost{2}}};
  std::array<Decision, 2> decisions;
  EXPECT_FALSE(limiter_->CheckAll(charges, decisions));
  EXPECT_EQ(limiter_->Peek({limit, "k", Cost{0}}).remaining, 3);
}

TEST_F(LimiterTest, CheckAllWithoutChargesPasses) { EXPECT_TRUE(limiter_->CheckAll({}, {})); }

// Invariant (3).
TEST_F(LimiterTest, ReadsAClockThatStepsBackAsTheLatestTime) {
  const LimitHandle limit = Add("posts", "2/h");
  limiter_->Check({limit, "k", Cost{2}});
  clock_.Advance(kHour / 4);
  EXPECT_EQ(limiter_->Peek({limit, "other", Cost{1}}).remaining, 2);
  clock_.Set(kStart - kHour);
  EXPECT_EQ(limiter_->Check({limit, "k"}).retry_after, kHour / 4);
}

// Invariant (4).
TEST_F(LimiterTest, ForgottenKeyIsAsIfNeverUsed) {
  const LimitHandle limit = Add("posts", "2/h");
  for (int i = 0; i < 1000; ++i) limiter_->Check({limit, std::to_string(i), Cost{2}});
  EXPECT_EQ(limiter_->StatsApprox().keys, 1000U);
  clock_.Advance(kHour);
  for (int i = 0; i < 1000; ++i) {
    const Decision decision = limiter_->Peek({limit, std::to_string(i), Cost{1}});
    EXPECT_EQ(decision, limiter_->Peek({limit, "never used", Cost{1}}));
  }
  // Unused keys are swept: two of the 128 buckets of each of the 256 shards are swept every 16
  // calls, and calls do not spread evenly.
  for (int i = 0; i < 600'000; ++i) limiter_->Check({limit, "other " + std::to_string(i % 3000)});
  EXPECT_GE(limiter_->StatsApprox().keys, 3000U);
  EXPECT_LE(limiter_->StatsApprox().keys, 3020U);
}

TEST_F(LimiterTest, ChangeCarriesUsedUnitsOver) {
  const LimitHandle limit = Add("posts", "2/h");
  EXPECT_TRUE(limiter_->Check({limit, "k", Cost{2}}).allowed);
  ASSERT_TRUE(limiter_->Change(limit, SpecOf(4, kHour)).ok());
  const Decision left = limiter_->Peek({limit, "k", Cost{0}});
  EXPECT_EQ(left.limit, 4);
  EXPECT_EQ(left.remaining, 2);
}

TEST_F(LimiterTest, ErrorsNameTheLimit) {
  Add("posts", "2/m");
  EXPECT_EQ(ErrorOfAdd("posts", "3/m"),
            "a limit 'posts' exists already; expected a new name, or a change of its terms");
  // The tests of ParseLimit cover errors in the text; here only the name is checked.
  EXPECT_EQ(ErrorOfAdd("likes", "2 per minute").rfind("likes: ", 0), 0U);
  EXPECT_EQ(ErrorOfAdd("likes", "").rfind("likes: ", 0), 0U);
  const auto bad = limiter_->Add("likes", LimitSpec{});
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().message.rfind("likes: ", 0), 0U);
  EXPECT_GT(bad.error().message.size(), 15U);
  EXPECT_EQ(ErrorOfAdd("likes", "2/m"), "") << "a name that was refused is still free";
}

TEST_F(LimiterTest, ChangeRejectsInvalidTerms) {
  const LimitHandle limit = Add("posts", "2/m");
  const auto algorithm = limiter_->Change(limit, SpecOf(2, kHour, Algorithm::kSlidingLog));
  ASSERT_FALSE(algorithm.ok());
  EXPECT_EQ(algorithm.error().message,
            "limit 'posts' cannot change its algorithm; add a limit of another name instead");
  EXPECT_FALSE(limiter_->Change(limit, SpecOf(0, kHour)).ok());
  EXPECT_FALSE(limiter_->Change(limit, SpecOf(1, Nanos{-1})).ok());
  EXPECT_EQ(limiter_->Peek({limit, "k", Cost{0}}).limit, 2) << "a refused change leaves the terms";
}

TEST_F(LimiterTest, RejectsTooSmallMemory) {
  Limiter::Options options;
  options.memory_bytes = 1000;
  const auto refused = Limiter::Create(options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "a memory limit of 1000 bytes is too small; expected at least 16 MiB");
}

LimitSpec Waiting() {
  LimitSpec spec = SpecOf(1, kSecond);
  spec.max_wait = 3 * kSecond;
  return spec;
}

TEST_F(LimiterTest, WaitForSleepsForTheWait) {
  const LimitHandle limit = Add("posts", Waiting());
  EXPECT_EQ(limiter_->WaitFor({limit, "k"}).wait, Nanos{0});
  EXPECT_TRUE(clock_.Sleeps().empty());
  EXPECT_EQ(limiter_->WaitFor({limit, "k"}).wait, kSecond);
  EXPECT_EQ(clock_.Sleeps(), std::vector<Nanos>{kSecond});
  EXPECT_EQ(clock_.Now(), kStart + kSecond);
}

TEST_F(LimiterTest, WaitForDoesNotSleepOnARefusal) {
  const LimitHandle limit = Add("posts", Waiting());
  for (int i = 0; i < 4; ++i) limiter_->Check({limit, "k"});
  const Decision refused = limiter_->WaitFor({limit, "k"});
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.retry_after, kSecond);
  EXPECT_TRUE(clock_.Sleeps().empty());
}

// An event loop that records its timers and decisions.
struct Loop {
  struct Timer {
    Nanos wait;
    std::function<void()> go_ahead;
  };
  Limiter::Later later() {
    return [this](Nanos wait, std::function<void()> go_ahead) {
      timers.push_back({wait, std::move(go_ahead)});
    };
  }
  std::function<void(const Decision&)> done() {
    return [this](const Decision& decision) { answers.push_back(decision); };
  }

  std::vector<Timer> timers;
  std::vector<Decision> answers;
};

TEST_F(LimiterTest, PassesTheAsynchronousWaitToTheCaller) {
  const LimitHandle limit = Add("posts", Waiting());
  Loop loop;
  limiter_->WaitFor({limit, "k"}, loop.later(), loop.done());
  ASSERT_EQ(loop.answers.size(), 1U) << "a pass without wait is answered at once";
  EXPECT_TRUE(loop.timers.empty());
  limiter_->WaitFor({limit, "k"}, loop.later(), loop.done());
  ASSERT_EQ(loop.timers.size(), 1U);
  EXPECT_EQ(loop.answers.size(), 1U);
  EXPECT_EQ(loop.timers[0].wait, kSecond);
  loop.timers[0].go_ahead();
  ASSERT_EQ(loop.answers.size(), 2U);
  EXPECT_TRUE(loop.answers[1].allowed);
  EXPECT_EQ(loop.answers[1].wait, kSecond);
  for (int i = 0; i < 2; ++i) limiter_->Check({limit, "k"});
  limiter_->WaitFor({limit, "k"}, loop.later(), loop.done());
  ASSERT_EQ(loop.answers.size(), 3U) << "a refusal is answered at once";
  EXPECT_FALSE(loop.answers[2].allowed);
  EXPECT_TRUE(clock_.Sleeps().empty());
}

TEST_F(LimiterTest, HoldsPermitsUntilReleased) {
  const LimitHandle limit = AddPermits(2);
  const Charge charge{limit, "backend", Cost{1}};
  EXPECT_EQ(limiter_->Acquire(charge, "a").remaining, 1);
  EXPECT_EQ(limiter_->Acquire(charge, "b").remaining, 0);
  const Decision refused = limiter_->Acquire(charge, "c");
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.retry_after, 60 * kSecond);
  EXPECT_EQ(limiter_->Release(charge, "a").remaining, 1);
  EXPECT_EQ(limiter_->Release(charge, "a").remaining, 1) << "releasing twice changes nothing";
  EXPECT_EQ(limiter_->Release(charge, "never held").remaining, 1);
  EXPECT_TRUE(limiter_->Acquire(charge, "c").allowed);
}

TEST_F(LimiterTest, ReacquiringMovesTheDeadlineAndCountsOnce) {
  const LimitHandle limit = AddPermits(2);
  const Charge charge{limit, "backend", Cost{1}};
  limiter_->Acquire(charge, "a");
  clock_.Advance(40 * kSecond);
  EXPECT_EQ(limiter_->Acquire(charge, "a").remaining, 1);
  clock_.Advance(40 * kSecond);
  EXPECT_EQ(limiter_->Peek({limit, "backend", Cost{0}}).remaining, 1);
  clock_.Advance(20 * kSecond);
  EXPECT_EQ(limiter_->Peek({limit, "backend", Cost{0}}).remaining, 2);
}

TEST_F(LimiterTest, RenewKeepsHeldPermitsAndRefusesOthers) {
  const LimitHandle limit = AddPermits(1);
  const Charge charge{limit, "backend", Cost{1}};
  const Decision unknown = limiter_->Renew(charge, "a");
  EXPECT_FALSE(unknown.allowed);
  EXPECT_EQ(unknown.retry_after, kNever);
  limiter_->Acquire(charge, "a");
  clock_.Advance(59 * kSecond);
  EXPECT_TRUE(limiter_->Renew(charge, "a").allowed);
  clock_.Advance(59 * kSecond);
  EXPECT_FALSE(limiter_->Acquire(charge, "b").allowed);
  clock_.Advance(kSecond);
  EXPECT_FALSE(limiter_->Renew(charge, "a").allowed) << "its deadline is past";
  EXPECT_TRUE(limiter_->Acquire(charge, "b").allowed);
}

// Limits of one kind answer the calls of the other kind and are not changed by them.
TEST_F(LimiterTest, PermitAndUnitCallsOnTheOtherKindTakeNothing) {
  const LimitHandle units = Add("posts", "2/h");
  limiter_->Acquire({units, "k", Cost{1}}, "a");
  limiter_->Renew({units, "k", Cost{1}}, "a");
  EXPECT_EQ(limiter_->Release({units, "k", Cost{1}}, "a").remaining, 2);
  const LimitHandle permits = AddPermits(2);
  limiter_->Acquire({permits, "k", Cost{1}}, "a");
  EXPECT_TRUE(limiter_->Check({permits, "k", Cost{1}}).allowed);
  EXPECT_EQ(limiter_->Refund({permits, "k", Cost{1}}).remaining, 1);
  EXPECT_EQ(limiter_->TakeDebt({permits, "k", Cost{5}}).remaining, 1);
  EXPECT_EQ(limiter_->Peek({permits, "k", Cost{0}}).remaining, 1);
}

TEST_F(LimiterTest, CalendarWindowsFindTheirZone) {
  LimitSpec spec = SpecOf(1, 24 * kHour, Algorithm::kFixedWindow);
  spec.rate->unit = CalendarUnit::kDay;
  spec.window = WindowKind::kCalendar;
  spec.zone = "UTC";
  const LimitHandle limit = Add("daily", spec);
  EXPECT_TRUE(limiter_->Check({limit, "k"}).allowed);
  const Decision refused = limiter_->Check({limit, "k"});
  EXPECT_EQ((kStart + refused.retry_after).time_since_epoch() % (24 * kHour), Nanos{0});
  spec.zone = "Nowhere/At_All";
  const auto bad = limiter_->Add("nowhere", spec);
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().message.find("Nowhere/At_All"), std::string::npos);
}

TEST_F(LimiterTest, SameSeedRepeatsARunExactly) {
  LimitSpec spec = SpecOf(1, kHour, Algorithm::kFixedWindow);
  spec.window = WindowKind::kStaggered;  // its phase depends on the hash
  Limiter::Options options;
  options.clock = &clock_;
  options.seed = 1;
  auto twin = Limiter::Create(options);
  options.seed = 2;
  auto other = Limiter::Create(options);
  ASSERT_TRUE(twin.ok() && other.ok());
  const LimitHandle limit = Add("w", spec);
  const LimitHandle in_twin = Taken(twin.value()->Add("w", spec));
  const LimitHandle in_other = Taken(other.value()->Add("w", spec));
  int different = 0;
  for (int i = 0; i < 50; ++i) {
    const std::string key = std::to_string(i);
    const Decision decision = limiter_->Check({limit, key});
    EXPECT_EQ(decision, twin.value()->Check({in_twin, key}));
    different += decision == other.value()->Check({in_other, key}) ? 0 : 1;
  }
  EXPECT_GT(different, 40);
}

TEST_F(LimiterTest, StatsCountKeysAndBytes) {
  const LimitHandle limit = Add("posts", "2/h");
  EXPECT_EQ(limiter_->StatsApprox().keys, 0U);
  for (int i = 0; i < 500; ++i) limiter_->Check({limit, std::to_string(i)});
  const LimiterStats stats = limiter_->StatsApprox();
  EXPECT_EQ(stats.keys, 500U);
  EXPECT_GE(stats.bytes, 500U * 16);
  EXPECT_EQ(stats.overflow_decisions, 0U);
  EXPECT_LE(stats.max_slots_moved, 64U);
}

}  // namespace
}  // namespace sluice
