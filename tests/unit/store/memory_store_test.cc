// Tests of requests with several charges, batches, time, and statistics of MemoryStore.
#include "store/memory_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/core_state.h"
#include "support/random.h"
#include "support/trace.h"
#include "unit/store/store_fixture.h"

namespace sluice::testing {
namespace {

LimitSpec Log(std::int64_t count, bool count_refused) {
  LimitSpec spec = SpecOf(count, kHour, Algorithm::kSlidingLog);
  spec.count_refused = count_refused;
  return spec;
}

TEST(MemoryStoreRequestTest, TakesAllChargesOrNone) {
  Fixture scene;
  const LimitHandle few = scene.Add(SpecOf(2, kHour));
  const LimitHandle many = scene.Add(SpecOf(10, kHour));
  const std::vector<Charge> both{{few, "k", Cost{1}}, {many, "k", Cost{3}}};
  EXPECT_TRUE(scene.Together(both));
  EXPECT_TRUE(scene.Together(both));
  EXPECT_FALSE(scene.Together(both));
  EXPECT_EQ(scene.Left(few, "k"), 0);
  EXPECT_EQ(scene.Left(many, "k"), 4);
}

TEST(MemoryStoreRequestTest, RefusalReportsWhatOtherChargesHaveLeft) {
  Fixture scene;
  const LimitHandle few = scene.Add(SpecOf(1, kHour));
  const LimitHandle many = scene.Add(SpecOf(10, kHour));
  scene.Check(few, "k");
  EXPECT_FALSE(scene.Together({{many, "k", Cost{4}}, {few, "k", Cost{1}}}));
  EXPECT_TRUE(scene.decisions[0].allowed);
  EXPECT_EQ(scene.decisions[0].remaining, 10);
  EXPECT_EQ(scene.decisions[0].reset_after, Nanos{0});
  EXPECT_FALSE(scene.decisions[1].allowed);
  EXPECT_EQ(scene.decisions[1].retry_after, kHour);
}

TEST(MemoryStoreRequestTest, ShadowChargeNeverRefuses) {
  Fixture scene;
  const LimitHandle enforced = scene.Add(SpecOf(5, kHour));
  const LimitHandle shadow = scene.Add(SpecOf(1, kHour));
  const std::vector<Charge> both{{enforced, "k", Cost{1}}, {shadow, "k", Cost{1}}};
  const std::vector<Enforcement> enforcements{Enforcement::kEnforce, Enforcement::kShadow};
  EXPECT_TRUE(scene.Together(both, enforcements));
  EXPECT_TRUE(scene.decisions[1].allowed);
  EXPECT_TRUE(scene.Together(both, enforcements));
  EXPECT_FALSE(scene.decisions[1].allowed);
  EXPECT_EQ(scene.Left(enforced, "k"), 3);
  // If the request is refused, the shadow charge takes nothing either.
  EXPECT_FALSE(
      scene.Together({{enforced, "k", Cost{4}}, {shadow, "other", Cost{1}}}, enforcements));
  EXPECT_EQ(scene.Left(shadow, "other"), 1);
}

TEST(MemoryStoreRequestTest, QuotaChargesRefuseOnlyTogether) {
  Fixture scene;
  const LimitHandle a = scene.Add(SpecOf(1, kHour));
  const LimitHandle b = scene.Add(SpecOf(2, kHour));
  const LimitHandle enforced = scene.Add(SpecOf(9, kHour));
  const std::vector<Charge> all{{a, "k", Cost{1}}, {b, "k", Cost{1}}, {enforced, "k", Cost{1}}};
  const std::vector<Enforcement> enforcements{Enforcement::kQuota, Enforcement::kQuota,
                                              Enforcement::kEnforce};
  EXPECT_TRUE(scene.Together(all, enforcements));
  EXPECT_TRUE(scene.Together(all, enforcements));
  EXPECT_FALSE(scene.decisions[0].allowed);
  EXPECT_TRUE(scene.decisions[1].allowed);
  EXPECT_FALSE(scene.Together(all, enforcements));
  EXPECT_EQ(scene.Left(enforced, "k"), 7);
}

TEST(MemoryStoreRequestTest, CountsTheSameKeyTwiceCumulatively) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(5, kHour));
  EXPECT_FALSE(scene.Together({{limit, "k", Cost{3}}, {limit, "k", Cost{3}}}));
  EXPECT_EQ(scene.Left(limit, "k"), 5);
  EXPECT_TRUE(scene.Together({{limit, "k", Cost{3}}, {limit, "k", Cost{2}}}));
  EXPECT_EQ(scene.Left(limit, "k"), 0);
  EXPECT_EQ(scene.decisions[0].remaining, 0);
  EXPECT_EQ(scene.decisions[1].remaining, 0);
}

TEST(MemoryStoreRequestTest, RefusesCostsThatExceed63Bits) {
  // Windows compare a cost with what is left, so a sum that wrapped around would pass.
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kLeakyBucket, Algorithm::kFixedWindow,
        Algorithm::kSlidingLog, Algorithm::kSlidingWindow, Algorithm::kSlidingBuckets}) {
    Fixture scene;
    const LimitHandle limit = scene.Add(SpecOf(5, kHour, algorithm));
    const std::int64_t left = scene.Left(limit, "k");
    EXPECT_FALSE(scene.Together({{limit, "k", Cost{INT64_MAX}}, {limit, "k", Cost{INT64_MAX}}}));
    EXPECT_EQ(scene.decisions[0].retry_after, kNever);
    EXPECT_FALSE(scene.Together({{limit, "k", Cost{INT64_MAX}}, {limit, "k", Cost{1}}}));
    EXPECT_EQ(scene.Left(limit, "k"), left);
  }
}

// The log that refuses keeps its newest units until an hour after the refusal; the other limit,
// which would have passed, is unchanged.
TEST(MemoryStoreRequestTest, CountRefusedRecordsOnlyInTheLimitThatRefuses) {
  Fixture scene;
  const LimitHandle refuses = scene.Add(Log(2, true));
  const LimitHandle passes = scene.Add(Log(9, true));
  scene.Check(refuses, "k", 2);
  scene.now += kHour / 2;
  EXPECT_FALSE(scene.Together({{passes, "k", Cost{1}}, {refuses, "k", Cost{1}}}));
  EXPECT_EQ(scene.Left(passes, "k"), 9);
  EXPECT_EQ(scene.decisions[1].retry_after, kHour / 2);
  scene.now += kHour / 2;
  EXPECT_EQ(scene.Left(refuses, "k"), 1) << "one of the two units is the refused one";
  EXPECT_EQ(scene.Left(passes, "k"), 9);
}

TEST(MemoryStoreRequestTest, CountRefusedRecordsInEveryLimitThatRefuses) {
  Fixture scene;
  const LimitHandle one = scene.Add(Log(1, true));
  const LimitHandle two = scene.Add(Log(1, true));
  scene.Check(one, "k");
  scene.Check(two, "k");
  scene.now += kHour / 2;
  EXPECT_FALSE(scene.Together({{one, "k", Cost{1}}, {two, "k", Cost{1}}}));
  scene.now += kHour / 2;
  EXPECT_EQ(scene.Left(one, "k"), 0);
  EXPECT_EQ(scene.Left(two, "k"), 0);
}

// Invariant (2) of Local.
TEST(MemoryStoreRequestTest, DecidesChargesOfOneKeyTogetherWithoutTaking) {
  Fixture scene;
  const LimitHandle bucket = scene.Add(SpecOf(4, kHour));
  const LimitHandle log = scene.Add(Log(1, true));
  const LimitHandle debt = scene.Add(SpecOf(9, kHour));
  scene.Check(log, "k");
  scene.now += kHour / 2;
  const std::vector<Charge> charges{{bucket, "k", Cost{2}},
                                    {log, "k", Cost{1}},
                                    {debt, "k", Cost{2}},
                                    {bucket, "k", Cost{2}},
                                    {bucket, "other", Cost{5}}};
  const std::vector<Enforcement> enforcements{Enforcement::kEnforce, Enforcement::kEnforce,
                                              Enforcement::kDebt, Enforcement::kEnforce,
                                              Enforcement::kEnforce};
  EXPECT_FALSE(scene.Together(charges, enforcements, ChargeMode::kNone));
  EXPECT_TRUE(scene.decisions[0].allowed);
  EXPECT_EQ(scene.decisions[0].remaining, 4);
  EXPECT_EQ(scene.decisions[4].retry_after, kNever);
  EXPECT_EQ(scene.Left(bucket, "k"), 4);
  EXPECT_EQ(scene.Left(debt, "k"), 7);
  EXPECT_TRUE(scene.Together({{bucket, "k", Cost{1}}}, {}, ChargeMode::kNone));
  EXPECT_EQ(scene.Left(bucket, "k"), 4);
  EXPECT_FALSE(
      scene.Together({{bucket, "k", Cost{2}}, {bucket, "k", Cost{3}}}, {}, ChargeMode::kNone));
  scene.now += kHour / 2;
  EXPECT_EQ(scene.Left(log, "k"), 1) << "the refused unit was not recorded";
  EXPECT_EQ(scene.store().StatsApprox().keys, 1U);
}

TEST(MemoryStoreRequestTest, TakesSixtyFourChargesOverAllShards) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(2, kHour));
  std::vector<std::string> keys;
  for (int i = 0; i < 64; ++i) keys.push_back("key " + std::to_string(i));
  std::vector<Charge> charges;
  for (const std::string& key : keys) charges.push_back({limit, key, Cost{1}});
  EXPECT_TRUE(scene.Together(charges));
  scene.Check(limit, keys[17]);
  EXPECT_FALSE(scene.Together(charges));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(scene.Left(limit, keys[i]), i == 17 ? 0 : 1);
    EXPECT_EQ(scene.decisions[i].allowed, i != 17);
  }
}

TEST(MemoryStoreRequestTest, RefusedRequestKeepsNoKey) {
  Fixture scene;
  const LimitHandle few = scene.Add(SpecOf(1, kHour));
  const LimitHandle slots = scene.Add(SpecOf(9, kHour, Algorithm::kSlidingWindow));
  const LimitHandle logs = scene.Add(Log(9, false));
  scene.Check(few, "used");
  for (int i = 0; i < 100; ++i) {
    const std::string key = std::to_string(i);
    EXPECT_FALSE(scene.Together({{few, "used", Cost{1}},
                                 {few, key, Cost{1}},
                                 {slots, key, Cost{1}},
                                 {logs, key, Cost{1}}}));
  }
  EXPECT_EQ(scene.store().StatsApprox().keys, 1U);
}

TEST(MemoryStoreRequestTest, AppliesRequestsOfOneCallInOrder) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(2, kHour));
  const std::vector<Charge> charges{
      {limit, "k", Cost{1}}, {limit, "k", Cost{1}}, {limit, "k", Cost{1}}};
  const std::vector<Request> requests{
      {{&charges[0], 1}, {}}, {{&charges[1], 1}, {}}, {{&charges[2], 1}, {}}};
  std::vector<Decision> decisions(3);
  scene.store().Decide(requests, decisions, scene.now);
  EXPECT_EQ(decisions[0].remaining, 1);
  EXPECT_EQ(decisions[1].remaining, 0);
  EXPECT_FALSE(decisions[2].allowed);
}

// A store and, for each of its keys, the core's own state.
class Mirror {
 public:
  Mirror(Random& random, int limits) : random_(random) {
    std::vector<Kind> kinds = RateKinds();
    std::erase(kinds, Kind::kStaggeredWindow);  // its phase depends on the store's hash
    for (int i = 0; i < limits; ++i) {
      const auto last = static_cast<std::int64_t>(kinds.size()) - 1;
      const LimitSpec spec =
          RandomLimit(kinds[static_cast<std::size_t>(random.Between(0, last))], random);
      const LimitHandle handle = scene.Add(spec);
      for (int key = 0; key < 2; ++key) {
        keys_.push_back(
            {handle, "key " + std::to_string(key), spec, CoreState(MustMake(spec).terms)});
      }
    }
  }

  // Makes one request over some of the keys, possibly twice, with all kinds of enforcement.
  void Request() {
    std::vector<std::size_t> chosen;
    std::vector<Charge> charges;
    std::vector<Enforcement> enforcements;
    for (std::int64_t left = random_.Between(1, 8); left > 0; --left) {
      const std::size_t index = AnyKey();
      chosen.push_back(index);
      const std::int64_t left_of_it = keys_[index].state.Peek(Cost{0}, scene.now).remaining;
      const std::int64_t max = std::max<std::int64_t>(1, left_of_it);
      charges.push_back({keys_[index].limit, keys_[index].key,
                         Cost{random_.OneIn(2) ? 1 : random_.Spread(0, max)}});
      enforcements.push_back(
          random_.Pick({Enforcement::kEnforce, Enforcement::kEnforce, Enforcement::kShadow,
                        Enforcement::kQuota, Enforcement::kDebt}));
    }
    const bool went = scene.Together(charges, enforcements);
    Expect(chosen, charges, enforcements, went);
    scene.now += Nanos{random_.Spread(0, kHour.count())};
  }

  Fixture scene;

 private:
  struct Followed {
    LimitHandle limit;
    std::string key;
    LimitSpec spec;
    CoreState state;
  };

  std::size_t AnyKey() {
    return static_cast<std::size_t>(
        random_.Between(0, static_cast<std::int64_t>(keys_.size()) - 1));
  }

  // Debts come first, and those of one key are taken together.
  void ExpectDebts(const std::vector<std::size_t>& chosen, const std::vector<Charge>& charges,
                   const std::vector<Enforcement>& enforcements) {
    std::vector<std::int64_t> total(keys_.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (enforcements[i] == Enforcement::kDebt) total[chosen[i]] += charges[i].cost.units;
    }
    std::vector<Decision> want(keys_.size());
    for (std::size_t key = 0; key < keys_.size(); ++key) {
      want[key] = keys_[key].state.TakeDebt(Cost{total[key]}, scene.now);
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (enforcements[i] != Enforcement::kDebt) continue;
      EXPECT_EQ(ToText(scene.decisions[i]), ToText(want[chosen[i]]));
    }
  }

  void Expect(const std::vector<std::size_t>& chosen, const std::vector<Charge>& charges,
              const std::vector<Enforcement>& enforcements, bool went) {
    std::vector<std::int64_t> total(keys_.size());
    std::vector<Decision> want(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (enforcements[i] != Enforcement::kDebt) total[chosen[i]] += charges[i].cost.units;
    }
    ExpectDebts(chosen, charges, enforcements);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (enforcements[i] == Enforcement::kDebt) continue;
      want[i] = keys_[chosen[i]].state.Peek(Cost{total[chosen[i]]}, scene.now);
    }
    const bool goes = GoesAhead(want, enforcements);
    EXPECT_EQ(went, goes);
    std::vector<bool> taken(keys_.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      Followed& key = keys_[chosen[i]];
      if (enforcements[i] == Enforcement::kDebt) continue;
      if ((goes || !want[i].allowed) && !taken[chosen[i]]) {
        taken[chosen[i]] = true;
        const Decision checked = key.state.Check(Cost{total[chosen[i]]}, scene.now);
        for (std::size_t j = i; j < chosen.size(); ++j) {
          if (chosen[j] == chosen[i]) want[j] = checked;
        }
      }
      EXPECT_EQ(ToText(scene.decisions[i]), ToText(want[i])) << ToText(key.spec);
    }
  }

  Random& random_;
  std::vector<Followed> keys_;
};

TEST(MemoryStoreRequestTest, DecidesRandomRequestsAsTheCoreDoes) {
  ForEachSeed(60, [](Random& random) {
    Mirror mirror(random, 6);
    for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) mirror.Request();
  });
}

TEST(MemoryStoreBatchTest, DecidesBatchLikeSingleCharges) {
  ForEachSeed(20, [](Random& random) {
    Fixture single(64 * kMebibyte, {7, 7});
    Fixture batch(64 * kMebibyte, {7, 7});
    std::vector<LimitHandle> limits;
    for (const Kind kind : RateKinds()) {
      const LimitSpec spec = RandomLimit(kind, random);
      limits.push_back(single.Add(spec));
      batch.Add(spec);
    }
    for (int round = 0; round < 12; ++round) {
      std::vector<std::string> keys(static_cast<std::size_t>(random.Between(1, 70)));
      std::vector<Charge> charges;
      for (std::string& key : keys) {
        key = "key " + std::to_string(random.Between(0, 40));
        const auto last = static_cast<std::int64_t>(limits.size()) - 1;
        charges.push_back({limits[static_cast<std::size_t>(random.Between(0, last))], key,
                           Cost{random.Spread(0, 20)}});
      }
      const Operation operation =
          random.Pick({Operation::kCheck, Operation::kCheck, Operation::kCheck, Operation::kPeek,
                       Operation::kDebt, Operation::kRefund, Operation::kReset});
      std::vector<Decision> decisions(charges.size());
      batch.store().DecideEach(operation, charges, decisions, batch.now);
      for (std::size_t i = 0; i < charges.size(); ++i) {
        ASSERT_EQ(ToText(decisions[i]), ToText(single.Run(operation, charges[i]))) << i;
      }
      single.now += Nanos{random.Spread(0, kHour.count())};
      batch.now = single.now;
    }
    EXPECT_EQ(single.store().StatsApprox().keys, batch.store().StatsApprox().keys);
  });
}

// Every operation advances time for every key, and none sets it back.
TEST(MemoryStoreTimeTest, TimeNeverGoesBack) {
  const std::vector<void (*)(Fixture&, LimitHandle)> moves{
      [](Fixture& scene, LimitHandle limit) { scene.Check(limit, "other"); },
      [](Fixture& scene, LimitHandle limit) { scene.Peek(limit, "other", 1); },
      [](Fixture& scene, LimitHandle limit) { scene.Refund(limit, "other"); },
      [](Fixture& scene, LimitHandle limit) {
        scene.Run(Operation::kDebt, {limit, "other", Cost{1}});
      },
      [](Fixture& scene, LimitHandle limit) { scene.Reset(limit, "other"); },
      [](Fixture& scene, LimitHandle limit) {
        scene.Together({{limit, "other", Cost{1}}});
      },
      [](Fixture& scene, LimitHandle limit) {
        scene.Permit(Operation::kRelease, limit, "other", "id");
      },
      [](Fixture& scene, LimitHandle limit) { scene.Change(limit, SpecOf(7, kHour)); },
      [](Fixture& scene, LimitHandle /*limit*/) { scene.Add(SpecOf(8, kHour)); }};
  for (std::size_t i = 0; i < moves.size(); ++i) {
    Fixture scene;
    const LimitHandle watched = scene.Add(SpecOf(6, kHour));
    const LimitHandle other = scene.Add(SpecOf(6, kHour));
    const Time start = scene.now;
    scene.Check(watched, "k", 6);
    scene.now = start + kHour / 2;
    moves[i](scene, other);
    scene.now = start - kDay;
    EXPECT_EQ(scene.Peek(watched, "k").reset_after, kHour / 2) << "move " << i;
    EXPECT_EQ(scene.Check(watched, "k", 3).reset_after, kHour) << "move " << i;
    scene.Together({{watched, "k", Cost{1}}});
    EXPECT_EQ(scene.decisions[0].retry_after, kHour / 6) << "move " << i;
  }
}

TEST(MemoryStoreTimeTest, ClampsTimesBefore1970AndBeyondTheLast) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(2, kHour));
  scene.now = Time{Nanos{-5}};
  Fixture early;
  early.now = Time{Nanos{-kDay}};
  const LimitHandle first = early.Add(SpecOf(2, kHour));
  EXPECT_TRUE(early.Check(first, "k", 2).allowed);
  EXPECT_FALSE(early.Check(first, "k", 1).allowed);
  early.now = Time{kHour};
  EXPECT_TRUE(early.Check(first, "k", 2).allowed);
  scene.now = Time::max();
  EXPECT_TRUE(scene.Check(limit, "k", 2).allowed);
  EXPECT_EQ(scene.Check(limit, "k", 1).retry_after, kHour / 2);
}

TEST(MemoryStoreTest, LimitsWithOtherNamesOrAlgorithmsShareNoKeys) {
  Fixture scene;
  const LimitHandle a = scene.Add(SpecOf(1, kHour));
  const LimitHandle b = scene.Add(SpecOf(1, kHour));
  const LimitHandle window = scene.Add(SpecOf(1, kHour, Algorithm::kSlidingWindow));
  EXPECT_TRUE(scene.Check(a, "k").allowed);
  EXPECT_TRUE(scene.Check(b, "k").allowed);
  EXPECT_TRUE(scene.Check(window, "k").allowed);
  EXPECT_FALSE(scene.Check(a, "k").allowed);
}

TEST(MemoryStoreTest, AcceptsKeysOfAnyBytes) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(1, kHour));
  const std::string zeros(9, '\0');
  for (const std::string& key : {std::string(), std::string(1, '\0'), zeros, std::string(4096, 'x'),
                                 std::string("\xff\xfe"), std::string("k")}) {
    EXPECT_TRUE(scene.Check(limit, key).allowed);
    EXPECT_FALSE(scene.Check(limit, key).allowed);
  }
}

TEST(MemoryStoreTest, RejectsTakenName) {
  Fixture scene;
  scene.Add(SpecOf(1, kHour), "posts");
  const auto again = scene.store().Add("posts", MustMake(SpecOf(2, kHour)), scene.now);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().message,
            "a limit 'posts' exists already; expected a new name, or a change of its terms");
}

TEST(MemoryStoreTest, RejectsMemoryLimitsOutOfRange) {
  const auto small = MemoryStore::Create({16 * kMebibyte - 1, {}});
  ASSERT_FALSE(small.ok());
  EXPECT_EQ(small.error().message,
            "a memory limit of 16777215 bytes is too small; expected at least 16 MiB");
  EXPECT_TRUE(MemoryStore::Create({16 * kMebibyte, {}}).ok());
  for (const std::uint64_t large : {UINT64_MAX, UINT64_MAX / 6, UINT64_MAX / 6 + kMebibyte}) {
    const auto refused = MemoryStore::Create({large, {}});
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("too large; expected"), std::string::npos);
  }
}

TEST(MemoryStoreTest, StatsCountKeysAndBytes) {
  Fixture scene;
  const LimitHandle buckets = scene.Add(SpecOf(1, kHour));
  const LimitHandle logs = scene.Add(Log(1000, false));
  EXPECT_EQ(scene.store().StatsApprox().keys, 0U);
  EXPECT_EQ(scene.store().StatsApprox().bytes, 0U);
  for (int i = 0; i < 100; ++i) scene.Check(buckets, std::to_string(i));
  for (int i = 0; i < 50; ++i) scene.Check(logs, std::to_string(i));
  EXPECT_EQ(scene.store().StatsApprox().keys, 150U);
  const std::uint64_t before = scene.store().StatsApprox().bytes;
  EXPECT_GE(before, 100U * 16 + 50 * 100);
  // A log of 500 entries of 16 bytes.
  for (int i = 0; i < 500; ++i, scene.now += Nanos{1}) scene.Check(logs, "1");
  const std::uint64_t with_log = scene.store().StatsApprox().bytes;
  EXPECT_GE(with_log - before, 500U * 16 - 200);
  EXPECT_LE(with_log - before, 500U * 16 * 3);
  scene.Reset(logs, "1");
  EXPECT_LT(scene.store().StatsApprox().bytes, before + 200);
  EXPECT_EQ(scene.store().StatsApprox().keys, 149U);
  for (int i = 0; i < 100; ++i) {
    scene.Reset(buckets, std::to_string(i));
    scene.Reset(logs, std::to_string(i));
  }
  EXPECT_EQ(scene.store().StatsApprox().keys, 0U);
  EXPECT_EQ(scene.store().StatsApprox().overflow_decisions, 0U);
}

TEST(MemoryStoreTest, ReadsKeepNoKey) {
  Fixture scene;
  LimitSpec permits;
  permits.algorithm = Algorithm::kConcurrency;
  permits.max_in_flight = 3;
  std::vector<LimitHandle> limits{scene.Add(permits)};
  Random random{1};
  for (const Kind kind : RateKinds()) limits.push_back(scene.Add(RandomLimit(kind, random)));
  for (const LimitHandle limit : limits) {
    scene.Peek(limit, "k", 1);
    scene.Check(limit, "k", 0);
    scene.Refund(limit, "k");
    scene.Reset(limit, "k");
    scene.Permit(Operation::kRenew, limit, "k", "id");
    scene.Permit(Operation::kRelease, limit, "k", "id");
  }
  EXPECT_EQ(scene.store().StatsApprox().keys, 0U);
}

// The largest min_remaining of the charges of one key applies, wherever it is.
TEST(MemoryStoreRequestTest, AppliesTheLargestMinRemainingOfAKey) {
  Fixture scene;
  const LimitHandle limit = scene.Add(SpecOf(10, kHour));
  const std::vector<Charge> charges(3, Charge{limit, "u", Cost{2}});
  const auto goes_ahead = [&](const std::vector<Cost>& min_remaining) {
    const Request request{charges, {}, min_remaining, ChargeMode::kAllOrNone};
    std::vector<Decision> decisions(charges.size());
    scene.store().Decide({&request, 1}, decisions, scene.now);
    return GoesAhead(decisions, {});
  };
  EXPECT_FALSE(goes_ahead({Cost{5}, Cost{0}, Cost{0}}));
  EXPECT_FALSE(goes_ahead({Cost{0}, Cost{5}, Cost{0}}));
  EXPECT_FALSE(goes_ahead({Cost{0}, Cost{0}, Cost{5}}));
  EXPECT_FALSE(goes_ahead({Cost{1}, Cost{5}, Cost{4}}));
  EXPECT_EQ(scene.Left(limit, "u"), 10);
  EXPECT_TRUE(goes_ahead({Cost{1}, Cost{4}, Cost{4}}));
  EXPECT_EQ(scene.Left(limit, "u"), 4);
}

// However often a block is allocated and freed, the byte count stays exact.
TEST(MemoryStoreTest, DoesNotCountFreedBlocks) {
  Fixture scene;
  const LimitHandle logs = scene.Add(Log(1000, false));
  const auto bytes_after_use = [&] {
    for (int i = 0; i < 20; ++i, scene.now += Nanos{1}) scene.Check(logs, "k");
    scene.Reset(logs, "k");
    return scene.store().StatsApprox().bytes;
  };
  const std::uint64_t first = bytes_after_use();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(bytes_after_use(), first) << i;
}

}  // namespace
}  // namespace sluice::testing
