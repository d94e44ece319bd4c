// Tests of debts (charges that are taken in any case) in requests, in every table and in shared
// states.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/algorithm/debt.h"
#include "store/memory_store.h"
#include "support/core_state.h"
#include "support/random.h"
#include "unit/store/one_shard.h"
#include "unit/store/store_fixture.h"

namespace sluice::testing {
namespace {

using Vetoes = std::vector<Enforcement>;

Decision TakeDebt(Fixture& scene, LimitHandle limit, std::string_view key, std::int64_t cost) {
  return scene.Run(Operation::kDebt, {limit, key, Cost{cost}});
}

// Returns the units in use of a limit with one unit per hour.
std::int64_t Owed(Fixture& scene, LimitHandle limit, std::string_view key) {
  return scene.Peek(limit, key).reset_after / kHour;
}

TEST(MemoryStoreDebtTest, TakesDebtOfRefusedRequest) {
  Fixture scene;
  const LimitHandle few = scene.Add(SpecOf(1, kHour));
  const LimitHandle many = scene.Add(SpecOf(10, kHour));
  const LimitHandle after = scene.Add(SpecOf(2, 2 * kHour));
  scene.Check(few, "k");
  EXPECT_FALSE(scene.Together({{many, "k", Cost{4}}, {after, "k", Cost{5}}, {few, "k", Cost{1}}},
                              {Enforcement::kEnforce, Enforcement::kDebt, Enforcement::kEnforce}));
  EXPECT_EQ(scene.Left(many, "k"), 10);
  const Decision debt{.limit = 2, .remaining = 0, .reset_after = 5 * kHour};
  EXPECT_EQ(ToText(scene.decisions[1]), ToText(debt));
  EXPECT_FALSE(scene.decisions[2].allowed);
  EXPECT_EQ(Owed(scene, after, "k"), 5);
  EXPECT_EQ(scene.Check(after, "k").retry_after, 4 * kHour);
}

TEST(MemoryStoreDebtTest, TakesDebtOnceIfRequestGoesAhead) {
  Fixture scene;
  const LimitHandle many = scene.Add(SpecOf(10, kHour));
  const LimitHandle after = scene.Add(SpecOf(1, kHour));
  EXPECT_TRUE(scene.Together({{after, "k", Cost{3}}, {many, "k", Cost{4}}},
                             {Enforcement::kDebt, Enforcement::kEnforce}));
  EXPECT_EQ(scene.Left(many, "k"), 6);
  EXPECT_EQ(Owed(scene, after, "k"), 3);
}

TEST(MemoryStoreDebtTest, DebtNeverRefuses) {
  Fixture scene;
  const LimitHandle shadow = scene.Add(SpecOf(1, kHour));
  const LimitHandle quota = scene.Add(SpecOf(2, kHour));
  const LimitHandle after = scene.Add(SpecOf(1, kHour));
  EXPECT_TRUE(scene.Together({{after, "k", Cost{100}}}, {Enforcement::kDebt}));
  EXPECT_TRUE(scene.Together({{after, "k", Cost{1}}, {after, "other", Cost{2}}},
                             {Enforcement::kDebt, Enforcement::kDebt}));
  const std::vector<Charge> all{
      {after, "k", Cost{1}}, {shadow, "k", Cost{1}}, {quota, "k", Cost{1}}};
  const Vetoes enforcements{Enforcement::kDebt, Enforcement::kShadow, Enforcement::kQuota};
  EXPECT_TRUE(scene.Together(all, enforcements));
  EXPECT_TRUE(scene.Together(all, enforcements));
  EXPECT_FALSE(scene.decisions[1].allowed) << "the shadow";
  // A debt that passes does not count as a quota limit that passes.
  EXPECT_FALSE(scene.Together(all, enforcements));
  EXPECT_TRUE(scene.decisions[0].allowed);
  EXPECT_EQ(Owed(scene, after, "k"), 104);
  EXPECT_EQ(Owed(scene, after, "other"), 2);
  EXPECT_EQ(scene.Left(quota, "k"), 0);
}

TEST(MemoryStoreDebtTest, GoesAheadIgnoresDebts) {
  Decision refused;
  refused.allowed = false;
  const std::vector<Decision> decisions{refused, Decision{}};
  EXPECT_TRUE(GoesAhead(decisions, Vetoes{Enforcement::kDebt, Enforcement::kEnforce}));
  EXPECT_TRUE(GoesAhead(decisions, Vetoes{Enforcement::kDebt, Enforcement::kShadow}));
  EXPECT_FALSE(GoesAhead(decisions, Vetoes{Enforcement::kEnforce, Enforcement::kDebt}));
  EXPECT_FALSE(GoesAhead(decisions, Vetoes{Enforcement::kQuota, Enforcement::kDebt}));
}

// Invariant (3) of Local: the debts of a key come first, wherever they are; the rest is decided
// after.
TEST(MemoryStoreDebtTest, DecidesOtherChargesAfterTheDebtsOfTheirKey) {
  for (const Algorithm algorithm : {Algorithm::kTokenBucket, Algorithm::kSlidingWindow,
                                    Algorithm::kFixedWindow, Algorithm::kSlidingLog}) {
    Fixture scene;
    const LimitHandle limit = scene.Add(SpecOf(10, kHour, algorithm));
    const LimitHandle other = scene.Add(SpecOf(10, kHour));
    const auto ask = [&](std::int64_t checked) {
      return scene.Together({{limit, "k", Cost{checked}},
                             {limit, "k", Cost{2}},
                             {other, "k", Cost{1}},
                             {limit, "k", Cost{1}},
                             {limit, "k", Cost{1}}},
                            {Enforcement::kEnforce, Enforcement::kDebt, Enforcement::kEnforce,
                             Enforcement::kEnforce, Enforcement::kDebt});
    };
    EXPECT_TRUE(ask(2));
    EXPECT_EQ(scene.decisions[1].remaining, 7) << "both debts, and nothing else yet";
    EXPECT_EQ(scene.decisions[4].remaining, 7);
    EXPECT_EQ(scene.decisions[0].remaining, 4);
    EXPECT_EQ(scene.decisions[3].remaining, 4);
    // Three are left after the debts: two and one would fit; three and one do not.
    EXPECT_FALSE(ask(3));
    EXPECT_EQ(scene.Left(limit, "k"), 1);
    EXPECT_EQ(scene.Left(other, "k"), 9);
    EXPECT_FALSE(scene.decisions[0].allowed);
    EXPECT_TRUE(scene.decisions[1].allowed);
  }
}

TEST(MemoryStoreDebtTest, CapsDebtsThatExceed63Bits) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(1, kHour));
  scene.Together({{limit, "k", Cost{INT64_MAX}}, {limit, "k", Cost{INT64_MAX}}},
                 {Enforcement::kDebt, Enforcement::kDebt});
  EXPECT_EQ(scene.decisions[0].reset_after, kDebtSpan);
  EXPECT_EQ(scene.decisions[1].reset_after, kDebtSpan);
}

TEST(MemoryStoreDebtTest, DecidesBatchLikeSingleCharges) {
  Fixture single;
  Fixture batch;
  for (Fixture* const scene : {&single, &batch}) {
    scene->Add(SpecOf(3, kHour));
    scene->Add(SpecOf(3, kHour, Algorithm::kSlidingLog));
  }
  const LimitHandle limits[] = {{0}, {1}};
  Random random{3};
  std::vector<Charge> charges;
  Vetoes enforcements;
  for (int i = 0; i < 100; ++i) {
    charges.push_back(
        {limits[random.Between(0, 1)], random.OneIn(2) ? "a" : "b", Cost{random.Between(0, 3)}});
    enforcements.push_back(random.Pick(
        {Enforcement::kEnforce, Enforcement::kShadow, Enforcement::kQuota, Enforcement::kDebt}));
  }
  // Every tenth request has two charges.
  std::vector<Request> requests;
  for (std::size_t i = 0; i < charges.size(); i += requests.back().charges.size()) {
    const std::size_t count = i % 10 == 4 ? 2 : 1;
    requests.push_back({{&charges[i], count}, {&enforcements[i], count}});
  }
  std::vector<Decision> together(charges.size());
  batch.store().Decide(requests, together, batch.now);
  std::size_t next = 0;
  for (const Request& request : requests) {
    std::vector<Decision> alone(request.charges.size());
    single.store().Decide({&request, 1}, alone, single.now);
    for (const Decision& decision : alone) EXPECT_EQ(together[next++], decision);
  }
}

// Limits that together need every table, and blocks.
std::vector<LimitSpec> EveryShape() {
  LimitSpec interval = SpecOf(10, kHour);
  interval.refill = Refill::kInterval;
  LimitSpec warm = SpecOf(10, kSecond, Algorithm::kPacer);
  warm.warm_up = kSecond;
  LimitSpec waits = SpecOf(10, kHour);
  waits.max_wait = kHour / 2;
  return {SpecOf(10, kHour),
          SpecOf(256, Nanos{25'700}),
          SpecOf(1, kYear),
          SpecOf(1, 3 * kYear),
          SpecOf(1'000'003, kSecond / 100),
          waits,
          interval,
          SpecOf(10, kHour, Algorithm::kLeakyBucket),
          SpecOf(1, 3 * kYear, Algorithm::kLeakyBucket),
          SpecOf(10, kHour, Algorithm::kFixedWindow),
          SpecOf(10, kHour, Algorithm::kSlidingWindow),
          SpecOf(100'000, kHour, Algorithm::kSlidingWindow),
          SpecOf(std::int64_t{1} << 33U, kHour, Algorithm::kSlidingWindow),
          SpecOf(10, kHour, Algorithm::kSlidingLog),
          SpecOf(10, kHour, Algorithm::kSlidingBuckets),
          SpecOf(10, kSecond, Algorithm::kPacer),
          warm};
}

// Compares the largest possible debt with the core's own state, before and after the shard's epoch
// moves.
TEST(MemoryStoreDebtTest, HoldsTheLargestDebtInEveryTable) {
  for (const LimitSpec& spec : EveryShape()) {
    SCOPED_TRACE(ToText(spec));
    Fixture scene;
    const LimitHandle limit = scene.Add(spec);
    CoreState state(MustMake(spec).terms);
    scene.Check(limit, "first");  // the epoch starts now
    scene.now += kYear - Nanos{1};
    const auto same = [&] {
      for (const std::int64_t cost : {0, 1}) {
        EXPECT_EQ(ToText(scene.Peek(limit, "k", cost)), ToText(state.Peek(Cost{cost}, scene.now)));
        EXPECT_EQ(ToText(scene.Check(limit, "k", cost)),
                  ToText(state.Check(Cost{cost}, scene.now)));
      }
    };
    EXPECT_TRUE(TakeDebt(scene, limit, "k", 3).allowed);
    state.TakeDebt(Cost{3}, scene.now);
    same();
    EXPECT_EQ(ToText(TakeDebt(scene, limit, "k", INT64_MAX)),
              ToText(state.TakeDebt(Cost{INT64_MAX}, scene.now)));
    same();
    for (const Nanos move : {Nanos{1}, Nanos{1}, kHour, kYear / 2, kYear / 2}) {
      scene.now += move;
      same();
    }
  }
}

TEST(MemoryStoreDebtTest, KeepsNoKeyForADebtOfZero) {
  Fixture scene;
  for (const LimitSpec& spec : EveryShape()) TakeDebt(scene, scene.Add(spec), "k", 0);
  LimitSpec blocks = SpecOf(0, kHour, Algorithm::kFixedWindow);
  EXPECT_TRUE(TakeDebt(scene, scene.Add(blocks), "k", 5).allowed);
  EXPECT_EQ(scene.store().StatsApprox().keys, 0U);
}

TEST(MemoryStoreDebtTest, RefundAndResetReduceDebt) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(1, kHour));
  TakeDebt(scene, limit, "k", 9);
  EXPECT_EQ(scene.Refund(limit, "k", 4).reset_after, 5 * kHour);
  EXPECT_EQ(scene.Reset(limit, "k").remaining, 1);
  EXPECT_EQ(scene.store().StatsApprox().keys, 0U);
}

TEST(MemoryStoreDebtTest, CarriesDebtOverThroughEveryShape) {
  Fixture scene;
  LimitSpec interval = SpecOf(1, kHour);
  interval.refill = Refill::kInterval;
  LimitSpec wide = SpecOf(1, 2 * kHour);
  wide.max_wait = 2 * kYear;
  const LimitHandle limit = scene.Add(SpecOf(1, kHour));
  TakeDebt(scene, limit, "k", 9);
  for (const LimitSpec& spec : {interval, SpecOf(1, kHour), wide, interval, SpecOf(1, kHour)}) {
    scene.Change(limit, spec);
    const Nanos unit = spec.rate->period;
    EXPECT_EQ(scene.Peek(limit, "k").reset_after, 9 * unit) << ToText(spec);
    EXPECT_EQ(scene.Check(limit, "k", 0).reset_after, 9 * unit) << ToText(spec);
  }
  EXPECT_EQ(scene.Check(limit, "k").retry_after, 9 * kHour);
}

// Changes a limit of one per hour until no unused id is left, and some more. The key stays in debt
// all that time.
void ExpectDebtOutlivesTheNamesOfTerms(Fixture& scene, LimitHandle limit, std::int64_t owed) {
  const Time start = scene.now;
  for (std::int64_t count = 2; count <= 300; ++count) {
    scene.now += kHour + kHour / 10;
    scene.Change(limit, SpecOf(count, kHour));
  }
  const Nanos left = owed * kHour - (scene.now - start);
  ASSERT_GT(left, kHour);
  const std::int64_t used = (left + kHour - Nanos{1}) / kHour;
  EXPECT_EQ(scene.Left(limit, "k"), 300 - used);
}

TEST(MemoryStoreDebtTest, DoesNotReuseTheIdOfTermsWithAKeyInDebt) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(1, kHour));
  TakeDebt(scene, limit, "k", 400);
  ExpectDebtOutlivesTheNamesOfTerms(scene, limit, 400);
}

TEST(MemoryStoreDebtTest, DoesNotReuseTheIdOfTermsADebtWasConvertedTo) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(1000, kSecond));
  TakeDebt(scene, limit, "k", 1400);  // 1000 of 1000, which is 1 of 1, and a debt of 400
  scene.Change(limit, SpecOf(1, kHour));
  ASSERT_EQ(scene.Check(limit, "k").retry_after, 401 * kHour);
  ExpectDebtOutlivesTheNamesOfTerms(scene, limit, 401);
}

// A paid debt does not hold an id: none of the 255 ids stays taken, and each change counts from its
// own debt.
TEST(MemoryStoreDebtTest, AllowsManyChangesIfNoKeyIsInDebt) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(1, kHour));
  TakeDebt(scene, limit, "k", 1);
  for (std::int64_t count = 2; count <= 600; ++count) {
    scene.now += kHour + Nanos{1};
    scene.Change(limit, SpecOf(count, kHour));
    ASSERT_EQ(scene.Left(limit, "k"), count) << "the debt is paid";
    EXPECT_EQ(TakeDebt(scene, limit, "k", 1).remaining, count - 1);
    EXPECT_EQ(scene.Left(limit, "k"), count - 1);
  }
  EXPECT_EQ(scene.store().StatsApprox().keys, 1U);
}

// A limit whose keys share states because a flood took the shard's memory.
class SharedDebtTest : public ::testing::Test {
 protected:
  ShardLimit& Fill(const LimitSpec& spec) {
    ShardLimit filler(scene_, "filler", SpecOf(10, kYear));
    FillShard(scene_, filler, 10);
    limit_.emplace_back(scene_, "limit", spec);
    key_ = limit_.front().NewKey();
    return limit_.front();
  }
  Decision Debt(std::int64_t cost) { return TakeDebt(scene_, limit_.front().handle, key_, cost); }
  Decision Peek(std::int64_t cost) { return scene_.Peek(limit_.front().handle, key_, cost); }
  Decision Check(std::int64_t cost) { return scene_.Check(limit_.front().handle, key_, cost); }

  Fixture scene_{kMinMemory};
  std::deque<ShardLimit> limit_;  // empty or one limit
  std::string key_;
};

TEST_F(SharedDebtTest, KeepsKeyOnItsSharedStateUntilDebtIsPaid) {
  Fill(SpecOf(4, kHour));
  const Decision debt = Debt(14);
  EXPECT_EQ(debt.source, Source::kOverflow);
  EXPECT_TRUE(debt.allowed);
  EXPECT_EQ(debt.remaining, 0);
  EXPECT_GE(debt.reset_after, 14 * kHour / 4);
  const Decision refused = Check(1);
  EXPECT_FALSE(refused.allowed);
  EXPECT_GE(refused.retry_after, 11 * kHour / 4);
  scene_.now += refused.retry_after - Nanos{1};
  EXPECT_EQ(Peek(1).source, Source::kOverflow);
  EXPECT_FALSE(Check(1).allowed);
  scene_.now += Nanos{1};
  EXPECT_TRUE(Check(1).allowed);
}

TEST_F(SharedDebtTest, DecidesOtherChargesAfterTheDebt) {
  ShardLimit& limit = Fill(SpecOf(4, kHour));
  const LimitHandle other = scene_.Add(SpecOf(9, kHour));
  const auto ask = [&] {
    return scene_.Together(
        {{other, "k", Cost{1}}, {limit.handle, key_, Cost{1}}, {limit.handle, key_, Cost{2}}},
        {Enforcement::kEnforce, Enforcement::kEnforce, Enforcement::kDebt});
  };
  EXPECT_TRUE(ask());
  EXPECT_EQ(scene_.decisions[2].source, Source::kOverflow);
  EXPECT_EQ(Peek(0).remaining, 1);
  EXPECT_FALSE(ask());
  EXPECT_EQ(scene_.Left(other, "k"), 8);
  EXPECT_EQ(Peek(0).remaining, 0);
}

// A check would be refused, so the debt must make room itself.
TEST(MemoryStoreDebtTest, FullLogMakesRoomForADebt) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(8, 10 * kSecond, Algorithm::kSlidingLog));
  for (const std::int64_t cost : {5, 1, 1, 1}) {
    ASSERT_TRUE(scene.Check(limit, "k", cost).allowed);
    scene.now += kSecond;
  }
  EXPECT_EQ(TakeDebt(scene, limit, "k", 1).remaining, 0);
  EXPECT_EQ(scene.Check(limit, "k", 4).retry_after, 6 * kSecond);
  EXPECT_EQ(scene.Check(limit, "k", 5).retry_after, 7 * kSecond);
  EXPECT_EQ(scene.Check(limit, "k", 8).retry_after, 10 * kSecond);
}

TEST_F(SharedDebtTest, LogWithoutMemoryRecordsADebt) {
  limit_.emplace_back(scene_, "limit", SpecOf(8, 10 * kSecond, Algorithm::kSlidingLog));
  key_ = limit_.front().NewKey();
  for (int i = 0; i < 4; ++i) {
    scene_.now += kSecond;
    ASSERT_TRUE(Check(1).allowed);
  }
  ShardLimit filler(scene_, "filler", SpecOf(10, kYear, Algorithm::kSlidingLog));
  FillShard(scene_, filler, 10);
  scene_.now += kSecond;
  EXPECT_EQ(Debt(2).remaining, 2);
  scene_.now += kSecond;
  EXPECT_EQ(Debt(7).remaining, 0);
  const Decision refused = Check(8);
  EXPECT_EQ(refused.source, Source::kMemory);
  EXPECT_EQ(refused.retry_after, 10 * kSecond);
}

}  // namespace
}  // namespace sluice::testing
