// Tests of terms that change while keys are in use, for every table, and of states that outlive the
// epoch of their shard.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/memory_store.h"
#include "support/core_state.h"
#include "support/random.h"
#include "unit/store/store_fixture.h"

namespace sluice::testing {
namespace {

LimitSpec Interval(std::int64_t count, Nanos period) {
  LimitSpec spec = SpecOf(count, period);
  spec.refill = Refill::kInterval;
  return spec;
}

LimitSpec Burst(LimitSpec spec, std::int64_t burst) {
  spec.burst = burst;
  return spec;
}

LimitSpec Buckets(std::int64_t count, Nanos period, std::int64_t buckets) {
  LimitSpec spec = SpecOf(count, period, Algorithm::kSlidingBuckets);
  spec.buckets = buckets;
  return spec;
}

// Terms of one algorithm that together need every shape it can have.
struct Family {
  std::string name;
  std::vector<LimitSpec> specs;
};

constexpr std::int64_t kHuge = std::int64_t{1} << 33U;

std::vector<Family> Families() {
  return {
      {"token_bucket",
       {SpecOf(10, kHour), SpecOf(20, kHour), Interval(12, kHour), Interval(9, kDay),
        Burst(SpecOf(1, kYear), 14), SpecOf(1'000'003, kSecond / 100), Burst(SpecOf(3, kDay), 30)}},
      {"leaky_bucket",
       {SpecOf(10, kHour, Algorithm::kLeakyBucket),
        Burst(SpecOf(1, kYear, Algorithm::kLeakyBucket), 14),
        SpecOf(1'000'003, kSecond / 100, Algorithm::kLeakyBucket)}},
      {"sliding_window",
       {SpecOf(10, kHour, Algorithm::kSlidingWindow),
        SpecOf(100'000, kHour, Algorithm::kSlidingWindow),
        SpecOf(kHuge, kHour, Algorithm::kSlidingWindow), SpecOf(7, kDay, Algorithm::kSlidingWindow),
        SpecOf(kHuge, kDay, Algorithm::kSlidingWindow)}},
      {"fixed_window",
       {SpecOf(10, kHour, Algorithm::kFixedWindow), SpecOf(kHuge, kDay, Algorithm::kFixedWindow)}},
      {"sliding_log",
       {SpecOf(10, kHour, Algorithm::kSlidingLog), SpecOf(300, kDay, Algorithm::kSlidingLog)}},
      {"sliding_buckets", {Buckets(10, kHour, 60), Buckets(12, kDay, 4), Buckets(500, kHour, 100)}},
  };
}

class TermsTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  static Family family() { return Families()[GetParam()]; }
};

// At a single instant, used units are a plain count under all terms, up to their maximum.
TEST_P(TermsTest, CarriesUsedUnitsOverThroughAnyChainOfTerms) {
  ForEachSeed(60, [](Random& random) {
    Fixture scene;
    const std::vector<LimitSpec> specs = family().specs;
    const auto any = [&]() -> const LimitSpec& {
      return specs[static_cast<std::size_t>(
          random.Between(0, static_cast<std::int64_t>(specs.size()) - 1))];
    };
    const LimitHandle limit = scene.Add(any());
    std::vector<std::int64_t> used(4);
    for (int i = 0; i < 40 && !::testing::Test::HasFailure(); ++i) {
      if (random.OneIn(3)) scene.Change(limit, any());
      const auto key = static_cast<std::size_t>(random.Between(0, 3));
      const std::string name = std::to_string(key);
      const std::int64_t max = scene.Peek(limit, "never used").limit;
      used[key] = std::min(used[key], max);
      const Cost cost{random.Between(0, 6)};
      const bool fits = used[key] + cost.units <= max;
      if (random.OneIn(3)) {
        EXPECT_EQ(scene.Together({{limit, name, cost}}), fits || cost.units == 0);
      } else {
        EXPECT_EQ(scene.Check(limit, name, cost.units).allowed, fits || cost.units == 0);
      }
      used[key] += fits ? cost.units : 0;
      EXPECT_EQ(scene.Left(limit, name), max - used[key]);
    }
  });
}

// Whichever operation comes first after the change finds the used units.
TEST_P(TermsTest, ConvertsOnTheFirstOperationAfterAChange) {
  const std::vector<LimitSpec> specs = family().specs;
  for (const LimitSpec& from : specs) {
    for (const LimitSpec& to : specs) {
      Fixture scene;
      const LimitHandle limit = scene.Add(from);
      for (const char* const key : {"peek", "check", "refund", "reset", "request", "refused"}) {
        ASSERT_TRUE(scene.Check(limit, key, 4).allowed);
      }
      scene.Change(limit, to);
      SCOPED_TRACE(ToText(from) + " -> " + ToText(to));
      const std::int64_t max = scene.Peek(limit, "never used").limit;
      EXPECT_EQ(scene.Peek(limit, "peek", 1).remaining, max - 4);
      EXPECT_EQ(scene.Peek(limit, "peek", 1).remaining, max - 4);
      EXPECT_EQ(scene.Check(limit, "check").remaining, max - 5);
      EXPECT_EQ(scene.Refund(limit, "refund", 1).remaining, max - 3);
      EXPECT_EQ(scene.Reset(limit, "reset").remaining, max);
      EXPECT_TRUE(scene.Together({{limit, "request", Cost{2}}}));
      EXPECT_EQ(scene.Left(limit, "request"), max - 6);
      EXPECT_FALSE(scene.Together({{limit, "refused", Cost{1}}, {limit, "other", Cost{max + 1}}}));
      EXPECT_EQ(scene.Left(limit, "refused"), max - 4);
      EXPECT_EQ(scene.Left(limit, "other"), max);
      EXPECT_EQ(scene.store().StatsApprox().keys, 5U) << "one state a key, wherever it was";
    }
  }
}

// Invariant (1) of Shard, over time: a key whose old state is no longer in use starts afresh.
TEST_P(TermsTest, UnusedKeyStaysUnused) {
  const std::vector<LimitSpec> specs = family().specs;
  for (const LimitSpec& from : specs) {
    for (const LimitSpec& to : specs) {
      Fixture scene;
      const LimitHandle limit = scene.Add(from);
      scene.now += scene.Check(limit, "k", 4).reset_after;
      scene.Change(limit, to);
      const Decision fresh = scene.Peek(limit, "never used", 1);
      EXPECT_EQ(scene.Peek(limit, "k", 1), fresh) << ToText(from) << " -> " << ToText(to);
      EXPECT_EQ(scene.Check(limit, "k").remaining, fresh.limit - 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(MemoryStore, TermsTest,
                         ::testing::Range(std::size_t{0}, Families().size()),
                         [](const auto& family) { return Families()[family.param].name; });

TEST(MemoryStoreTermsTest, TwoOfTwoPerHourLeaveTwoOfFour) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(2, kHour));
  EXPECT_TRUE(scene.Check(limit, "k", 2).allowed);
  scene.Change(limit, SpecOf(4, kHour));
  EXPECT_EQ(scene.Left(limit, "k"), 2);
}

// Within one shape the conversion is the core's own, to the nanosecond.
TEST(MemoryStoreTermsTest, ConvertsAsTheCoreDoesWithinAShape) {
  ForEachSeed(200, [](Random& random) {
    const Kind kind =
        random.Pick({Kind::kTokenBucket, Kind::kLeakyBucket, Kind::kIntervalRefill,
                     Kind::kAlignedWindow, Kind::kFirstRequestWindow, Kind::kSlidingWindow,
                     Kind::kSlidingLog, Kind::kSlidingBuckets, Kind::kPacer, Kind::kWarmUpPacer});
    Fixture scene;
    const LimitSpec first = RandomLimit(kind, random);
    const LimitHandle limit = scene.Add(first);
    CoreState state(MustMake(first).terms);
    Shape shape = PreparedTerms::For(MustMake(first), 1).shape;
    for (int i = 0; i < 30 && !::testing::Test::HasFailure(); ++i) {
      const LimitSpec spec = RandomLimit(kind, random);
      const PreparedTerms next = PreparedTerms::For(MustMake(spec), 1);
      if (random.OneIn(3) && next.shape == shape) {
        scene.Change(limit, spec);
        state.Change(next.limit.terms, scene.now);
      }
      const Cost cost{random.Spread(0, 20)};
      EXPECT_EQ(ToText(scene.Check(limit, "k", cost.units)), ToText(state.Check(cost, scene.now)));
      scene.now += Nanos{random.Spread(0, kHour.count())};
    }
  });
}

LimitSpec Pacing(Nanos warm_up, Nanos max_wait) {
  LimitSpec spec = SpecOf(1, kSecond, Algorithm::kPacer);
  if (warm_up > Nanos{0}) spec.warm_up = warm_up;
  spec.max_wait = max_wait;
  return spec;
}

// Booked turns stay booked: the next turn comes no earlier under the new terms.
TEST(MemoryStoreTermsTest, PacersKeepTheirNextTurn) {
  for (const Nanos max_wait : {Nanos{0}, 3 * kSecond, 20 * kSecond}) {
    for (const bool warm : {false, true}) {
      SCOPED_TRACE(::testing::Message() << warm << " max_wait " << max_wait.count());
      Fixture scene;
      const LimitHandle limit = scene.Add(Pacing(warm ? kSecond : Nanos{0}, max_wait));
      ASSERT_TRUE(scene.Check(limit, "k", 10).allowed);
      const Decision before = scene.Peek(limit, "k", 1);
      const Nanos turn = before.allowed ? before.wait : before.retry_after + max_wait;
      EXPECT_GE(turn, 9 * kSecond);
      scene.Change(limit, Pacing(warm ? Nanos{0} : kSecond, 30 * kSecond));
      const Decision after = scene.Check(limit, "k", 1);
      EXPECT_TRUE(after.allowed);
      EXPECT_EQ(after.wait, turn);
    }
  }
}

LimitSpec WithMaxWait(LimitSpec spec, Nanos max_wait) {
  spec.max_wait = max_wait;
  return spec;
}

// Units that were admitted in advance are still owed after the change.
TEST(MemoryStoreTermsTest, CarriesDebtOverToAnotherShape) {
  const LimitSpec greedy = WithMaxWait(SpecOf(10, kHour), 2 * kHour);
  const LimitSpec interval = WithMaxWait(Interval(10, kHour), 2 * kHour);
  for (const bool there : {true, false}) {
    Fixture scene;
    const LimitHandle limit = scene.Add(there ? greedy : interval);
    ASSERT_TRUE(scene.Check(limit, "k", 10).allowed);
    ASSERT_TRUE(scene.Check(limit, "k", 10).allowed);
    scene.Change(limit, there ? interval : greedy);
    // 20 units are owed: the next one comes with the third refill, or after 1.1 hours.
    const Decision next = scene.Check(limit, "k", 1);
    EXPECT_TRUE(next.allowed);
    EXPECT_GE(next.wait, kHour) << ToText(next);
  }
}

TEST(MemoryStoreTermsTest, KeepsPermitsHeld) {
  LimitSpec ten;
  ten.algorithm = Algorithm::kConcurrency;
  ten.max_in_flight = 10;
  LimitSpec five = ten;
  five.max_in_flight = 5;
  Fixture scene;
  const LimitHandle limit = scene.Add(ten);
  for (int i = 0; i < 7; ++i) {
    scene.Permit(Operation::kAcquire, limit, "k", "request " + std::to_string(i));
  }
  scene.Change(limit, five);
  EXPECT_EQ(scene.Left(limit, "k"), 0);
  EXPECT_FALSE(scene.Permit(Operation::kAcquire, limit, "k", "new").allowed);
  for (int i = 0; i < 3; ++i) {
    scene.Permit(Operation::kRelease, limit, "k", "request " + std::to_string(i));
  }
  EXPECT_EQ(scene.Left(limit, "k"), 1);
  EXPECT_TRUE(scene.Permit(Operation::kRenew, limit, "k", "request 6").allowed);
  EXPECT_TRUE(scene.Permit(Operation::kAcquire, limit, "k", "new").allowed);
}

// Ids of terms are reused; keys written long before must not be read under new ones.
TEST(MemoryStoreTermsTest, ReusesIdsOverAThousandChanges) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(1, kHour));
  for (std::int64_t i = 1; i <= 1000; ++i) {
    scene.now += kHour / 100;
    scene.Change(limit, SpecOf(1 + i, kHour));
    const std::string key = "key " + std::to_string(i % 50);
    const Decision before = scene.Peek(limit, key);
    EXPECT_GE(before.remaining, 0);
    EXPECT_LE(before.remaining, before.limit);
    const Decision after = scene.Check(limit, key);
    EXPECT_EQ(after.remaining, std::max<std::int64_t>(0, before.remaining - 1)) << i;
  }
}

TEST(MemoryStoreTermsTest, RejectsChangeOfAlgorithm) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(1, kHour), "posts");
  const auto refused =
      scene.store().Change(limit, MustMake(SpecOf(1, kHour, Algorithm::kSlidingLog)), scene.now);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "limit 'posts' cannot change its algorithm; add a limit of another name instead");
}

// Narrow slots count from an epoch that moves once a year, which must not affect decisions.
TEST(MemoryStoreEpochTest, KeepsKeysExactOverManyYears) {
  ForEachSeed(30, [](Random& random) {
    Fixture scene;
    const std::vector<LimitSpec> specs{SpecOf(365, kYear), SpecOf(7, kYear),
                                       Burst(SpecOf(1, kYear), 5),
                                       SpecOf(10, kYear, Algorithm::kLeakyBucket),
                                       SpecOf(9, kYear / 2, Algorithm::kSlidingWindow)};
    std::vector<LimitHandle> limits;
    std::vector<CoreState> states;
    for (const LimitSpec& spec : specs) limits.push_back(scene.Add(spec));
    for (std::size_t i = 0; i < 40; ++i) states.emplace_back(MustMake(specs[i % 5]).terms);
    for (int i = 0; i < 600 && !::testing::Test::HasFailure(); ++i) {
      const auto key = static_cast<std::size_t>(random.Between(0, 39));
      const Cost cost{random.Between(0, 4)};
      const std::string name = std::to_string(key);
      EXPECT_EQ(ToText(scene.Check(limits[key % 5], name, cost.units)),
                ToText(states[key].Check(cost, scene.now)));
      scene.now += Nanos{random.Between(0, kDay.count() * (random.OneIn(50) ? 500 : 5))};
    }
  });
}

// Reads a state that reaches a year ahead just before and just after the epoch moves.
TEST(MemoryStoreEpochTest, ReadsTheSameStateBeforeAndAfterAMove) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(365, kYear));
  scene.Check(limit, "first", 1);  // the epoch starts about here
  const Time start = scene.now;
  scene.now = start + kYear - Nanos{5};
  std::vector<std::string> keys;
  for (int i = 0; i < 2000; ++i) keys.push_back(std::to_string(i));
  for (const std::string& key : keys) ASSERT_TRUE(scene.Check(limit, key, 365).allowed);
  scene.now = start + kYear + Nanos{5};
  for (const std::string& key : keys) {
    ASSERT_EQ(scene.Peek(limit, key).reset_after, kYear - Nanos{10});
  }
  scene.now = start + 2 * kYear - Nanos{6};
  for (const std::string& key : keys) ASSERT_EQ(scene.Left(limit, key), 364);
}

TEST(MemoryStoreEpochTest, UnusedAfterManyIdleYears) {
  for (const std::int64_t years : {1, 2, 3, 5, 10, 100}) {
    Fixture scene;
    const LimitHandle narrow = scene.Add(SpecOf(365, kYear));
    const LimitHandle pair = scene.Add(SpecOf(365, kYear, Algorithm::kFixedWindow));
    const LimitHandle log = scene.Add(SpecOf(365, kYear, Algorithm::kSlidingLog));
    for (int i = 0; i < 300; ++i) {
      for (const LimitHandle limit : {narrow, pair, log}) {
        scene.Check(limit, std::to_string(i), 365);
      }
    }
    scene.now += years * kYear;
    for (int i = 0; i < 300; ++i) {
      for (const LimitHandle limit : {narrow, pair, log}) {
        ASSERT_EQ(scene.Left(limit, std::to_string(i)), 365) << years;
        ASSERT_TRUE(scene.Check(limit, std::to_string(i), 365).allowed) << years;
        ASSERT_FALSE(scene.Check(limit, std::to_string(i), 1).allowed) << years;
      }
    }
  }
}

}  // namespace
}  // namespace sluice::testing
