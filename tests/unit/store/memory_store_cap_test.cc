// Tests of MemoryStore when its memory is used up: no key in use is forgotten, new keys share
// states, and no key ever gets a second allowance. All keys belong to one shard, which fills up
// quickly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/memory_store.h"
#include "support/core_state.h"
#include "support/random.h"
#include "unit/store/store_fixture.h"

namespace sluice::testing {
namespace {

constexpr HashSeed kSeed{1, 2};
constexpr std::uint64_t kMin = 16 * kMebibyte;
constexpr std::uint64_t kShardBytes = kMin / 256;

// A limit and keys of it that all belong to the first shard.
struct Filling {
  Filling(Fixture& scene, std::string name, const LimitSpec& spec)
      : handle(scene.Add(spec, name)), hash(std::move(name), 0, kSeed, spec.algorithm) {}

  std::string NewKey() {
    while (true) {
      std::string key = "key " + std::to_string(next++);
      if (hash.Hash(key) >> 56U == 0) return key;
    }
  }

  LimitHandle handle;
  RegisteredLimit hash;
  int next = 0;
  std::vector<std::string> taken{};  // keys whose charge was taken
};

// Charges new keys until at least 98 of 100 find no state of their own.
void FillUp(Fixture& scene, Filling& filling, std::int64_t cost = 1) {
  int shared = 0;
  for (int rounds = 0; shared < 98 && rounds < 500; ++rounds) {
    shared = 0;
    for (int i = 0; i < 100; ++i) {
      std::string key = filling.NewKey();
      const Decision decision = scene.Check(filling.handle, key, cost);
      shared += decision.source == Source::kOverflow ? 1 : 0;
      if (decision.allowed) filling.taken.push_back(std::move(key));
    }
  }
  EXPECT_GE(shared, 98) << "the memory is never used up";
}

// Ordinary traffic on a few keys, during which housekeeping continues.
void Traffic(Fixture& scene, Filling& filling, int rounds, Nanos each) {
  std::vector<std::string> keys;
  for (int i = 0; i < 20; ++i) keys.push_back(filling.NewKey());
  for (int round = 0; round < rounds; ++round, scene.now += each) {
    for (const std::string& key : keys) scene.Check(filling.handle, key);
  }
}

// Returns a new key that was charged one unit on a shared state.
std::string KeyWithoutState(Fixture& scene, Filling& filling) {
  for (int i = 0; i < 10'000; ++i) {
    const std::string key = filling.NewKey();
    const Decision decision = scene.Check(filling.handle, key);
    if (decision.allowed && decision.source == Source::kOverflow) return key;
  }
  ADD_FAILURE() << "every key has a state";
  return "";
}

// A store whose first shard is full of logs that last for a year, so that only the first pages of
// every other table are left.
class FullFixture : public Fixture {
 public:
  FullFixture() : Fixture(kMin, kSeed), filler(*this, "filler", Spec()) {
    FillUp(*this, filler, 10);
  }

  static LimitSpec Spec() { return SpecOf(10, kYear, Algorithm::kSlidingLog); }

  Filling filler;
};

TEST(MemoryStoreCapTest, SharesAndCountsStatesOfNewKeys) {
  FullFixture scene;
  const MemoryStoreStats before = scene.store().StatsApprox();
  EXPECT_GE(before.overflow_decisions, 98U);
  EXPECT_LE(before.bytes, kShardBytes);
  EXPECT_GT(before.keys, 100U);
  const Decision decision = scene.Check(scene.filler.handle, scene.filler.NewKey());
  EXPECT_EQ(decision.source, Source::kOverflow);
  EXPECT_EQ(scene.store().StatsApprox().overflow_decisions, before.overflow_decisions + 1);
  EXPECT_EQ(scene.store().StatsApprox().keys, before.keys);
}

TEST(MemoryStoreCapTest, ForgetsNoKeyInUse) {
  FullFixture scene;
  ASSERT_GT(scene.filler.taken.size(), 100U);
  for (const std::string& key : scene.filler.taken) {
    EXPECT_FALSE(scene.Check(scene.filler.handle, key, 1).allowed);
  }
}

// Whatever shapes are mixed, and in whatever order, memory stays below the cap, except for rounding
// tables to whole pieces.
TEST(MemoryStoreCapTest, StaysBelowTheCapForAllShapes) {
  LimitSpec warm = SpecOf(1, kHour, Algorithm::kPacer);
  warm.warm_up = kHour;
  const std::vector<LimitSpec> specs{
      SpecOf(10, kYear), warm, SpecOf(10, kYear, Algorithm::kFixedWindow), FullFixture::Spec()};
  const std::uint64_t max = 4 * kShardBytes + 2 * kPieceBytes;
  for (std::size_t first = 0; first < specs.size(); first += 3) {
    Fixture scene(4 * kMin, kSeed);
    std::deque<Filling> fillings;
    for (const LimitSpec& spec : specs) {
      fillings.emplace_back(scene, "limit " + std::to_string(fillings.size()), spec);
    }
    FillUp(scene, fillings[first]);
    EXPECT_LE(scene.store().StatsApprox().bytes, max) << first;
    for (int i = 0; i < 600; ++i) {
      for (Filling& filling : fillings) scene.Check(filling.handle, filling.NewKey());
    }
    EXPECT_LE(scene.store().StatsApprox().bytes, max) << first;
  }
}

// Invariant (5), for keys with a state of their own and for keys without.
TEST(MemoryStoreCapTest, GivesNoFreshAllowanceAtTheLimit) {
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kSlidingWindow, Algorithm::kFixedWindow}) {
    FullFixture scene;
    LimitSpec spec = SpecOf(4, kHour, algorithm);
    if (algorithm == Algorithm::kFixedWindow) spec.window = WindowKind::kFirstRequest;
    Filling keys(scene, "limit", spec);
    FillUp(scene, keys);
    const std::vector<std::string> first = keys.taken;
    int shared = 0;
    for (const std::string& key : first) {
      while (scene.Check(keys.handle, key).allowed) {
      }
      shared += scene.Peek(keys.handle, key).source == Source::kOverflow ? 1 : 0;
    }
    EXPECT_GT(shared, 50);
    EXPECT_GT(static_cast<int>(first.size()) - shared, 100);
    for (const std::string& key : first) ASSERT_FALSE(scene.Check(keys.handle, key).allowed);
    // Token buckets get a unit back every quarter of an hour, the others none for an hour.
    scene.now += kHour / 4 - Nanos{1};
    FillUp(scene, keys);
    for (const std::string& key : first) ASSERT_FALSE(scene.Check(keys.handle, key).allowed);
  }
}

TEST(MemoryStoreCapTest, KeepsEarlierKeysExact) {
  FullFixture scene;
  Filling keys(scene, "limit", SpecOf(10, kHour));
  std::vector<std::string> hot;
  std::vector<CoreState> states;
  for (int i = 0; i < 50; ++i) {
    hot.push_back(keys.NewKey());
    states.emplace_back(MustMake(SpecOf(10, kHour)).terms);
    scene.Check(keys.handle, hot.back());
    states.back().Check(Cost{1}, scene.now);
  }
  FillUp(scene, keys);
  Random random{5};
  for (int step = 0; step < 3000; ++step) {
    const auto i = static_cast<std::size_t>(random.Between(0, 49));
    const Cost cost{random.Between(0, 3)};
    const Decision decision = scene.Check(keys.handle, hot[i], cost.units);
    ASSERT_EQ(ToText(decision), ToText(states[i].Check(cost, scene.now)));
    scene.Check(keys.handle, keys.NewKey());
    // Too little time for any key to become unused.
    scene.now += Nanos{random.Between(0, kSecond.count() / 20)};
  }
}

TEST(MemoryStoreCapTest, ForgetsUnusedKeysFirst) {
  Fixture scene(kMin, kSeed);
  Filling keys(scene, "limit", SpecOf(10, kHour));
  FillUp(scene, keys, 10);
  const MemoryStoreStats full = scene.store().StatsApprox();
  scene.now += 2 * kHour;
  for (std::uint64_t i = 0; i < full.keys * 8 / 10; ++i) {
    const Decision decision = scene.Check(keys.handle, keys.NewKey(), 10);
    ASSERT_TRUE(decision.allowed);
    ASSERT_EQ(decision.source, Source::kMemory);
  }
}

// All memory is in the narrow table, and all of its keys are unused. Keys of other shapes must find
// room after a while, even though the narrow table is not called any more.
TEST(MemoryStoreCapTest, ReusesMemoryOfUnusedKeysForOtherShapes) {
  for (const Algorithm algorithm : {Algorithm::kSlidingWindow, Algorithm::kSlidingLog}) {
    Fixture scene(kMin, kSeed);
    Filling narrow(scene, "narrow", SpecOf(10, kHour));
    Filling other(scene, "other", SpecOf(10, kHour, algorithm));
    FillUp(scene, narrow, 10);
    scene.now += 2 * kHour;
    Traffic(scene, other, 2000, kHour / 500);
    int shared = 0;
    for (int i = 0; i < 100; ++i) {
      const Decision decision = scene.Check(other.handle, other.NewKey());
      shared += decision.source == Source::kOverflow ? 1 : 0;
    }
    // Some may share a cell with a key that came while memory was still used up.
    EXPECT_LE(shared, 20);
  }
}

// A key with units in a shared state must not move to a fresh one of its own before those are back.
TEST(MemoryStoreCapTest, KeepsKeyOnItsSharedStateUntilDrained) {
  Fixture scene(kMin, kSeed);
  Filling keys(scene, "limit", SpecOf(10, kHour));
  FillUp(scene, keys, 1);  // all unused after 6 minutes
  const std::string key = KeyWithoutState(scene, keys);
  while (scene.Check(keys.handle, key).allowed) {
  }
  const Time start = scene.now;
  int passed = 0;
  for (; scene.now < start + kHour; scene.now += kHour / 60) {
    const Decision decision = scene.Check(keys.handle, key);
    passed += decision.allowed ? 1 : 0;
    EXPECT_EQ(decision.source, Source::kOverflow) << (scene.now - start).count();
  }
  EXPECT_LE(passed, 10);
  EXPECT_GE(passed, 8);
  scene.now += 2 * kHour;
  EXPECT_EQ(scene.Check(keys.handle, key, 10).source, Source::kMemory);
}

TEST(MemoryStoreCapTest, ChargesASharedStateOncePerRequest) {
  FullFixture scene;
  const LimitHandle own = scene.Add(SpecOf(1000, kHour));
  scene.Check(own, "own");
  Filling fill_narrow(scene, "narrow filler", SpecOf(10, kYear));
  FillUp(scene, fill_narrow);
  Filling keys(scene, "limit", SpecOf(1, kHour));
  const std::string key = KeyWithoutState(scene, keys);
  // Find a key that was never charged and has nothing left because it shares the cell.
  std::optional<std::string> twin;
  for (int i = 0; i < 50'000 && !twin; ++i) {
    const std::string other = keys.NewKey();
    const Decision decision = scene.Peek(keys.handle, other);
    if (decision.source == Source::kOverflow && decision.remaining == 0) twin = other;
  }
  ASSERT_TRUE(twin) << "no two keys share a cell";
  scene.now += 2 * kHour;
  const std::int64_t before = scene.Left(own, "own");
  EXPECT_FALSE(scene.Together(
      {{own, "own", Cost{1}}, {keys.handle, key, Cost{1}}, {keys.handle, *twin, Cost{1}}}));
  EXPECT_EQ(scene.Left(own, "own"), before);
  EXPECT_EQ(scene.Left(keys.handle, key), 1) << "half charged";
  EXPECT_TRUE(scene.Together({{own, "own", Cost{1}}, {keys.handle, key, Cost{1}}}));
  EXPECT_FALSE(scene.Together({{own, "own", Cost{1}}, {keys.handle, *twin, Cost{1}}}));
}

// More and more limits run out of memory until the last finds no shared states either.
TEST(MemoryStoreCapTest, TakesAllOrNoneOverManyFullLimits) {
  FullFixture scene;
  std::deque<Filling> limits;
  for (int i = 0; i < 12; ++i)
    limits.emplace_back(scene, "limit " + std::to_string(i), scene.Spec());
  int refused = 0;
  for (int round = 0; round < 40; ++round) {
    for (Filling& other : limits) {
      const std::string a = limits[0].NewKey();
      const std::string b = other.NewKey();
      const std::int64_t left = scene.Left(limits[0].handle, a);
      const bool went =
          scene.Together({{limits[0].handle, a, Cost{1}}, {other.handle, b, Cost{1}}});
      refused += went ? 0 : 1;
      const bool shared_cell = scene.decisions[0].limit == 5;  // half of 10
      if (!shared_cell) continue;
      ASSERT_EQ(went, scene.Left(limits[0].handle, a) < left);
    }
  }
  EXPECT_GT(refused, 40);
}

// The terms change to another shape while there is no memory to move the state.
TEST(MemoryStoreCapTest, ChangedTermsGiveNoSecondAllowance) {
  for (const bool together : {false, true}) {
    Fixture scene(kMin, kSeed);
    Filling keys(scene, "limit", SpecOf(10, kYear));
    FillUp(scene, keys, 10);
    LimitSpec wide = SpecOf(1, kYear);
    wide.burst = 14;
    scene.Change(keys.handle, wide);
    for (const std::string& key : keys.taken) {
      const bool passed = together ? scene.Together({{keys.handle, key, Cost{5}}})
                                   : scene.Check(keys.handle, key, 5).allowed;
      ASSERT_FALSE(passed) << "of " << keys.taken.size();
    }
  }
}

TEST(MemoryStoreCapTest, ChangedPartsGiveNoSecondAllowance) {
  LimitSpec few = SpecOf(10, kYear, Algorithm::kSlidingBuckets);
  few.buckets = 4;
  LimitSpec many = few;
  many.buckets = 1000;
  Fixture scene(kMin, kSeed);
  Filling keys(scene, "limit", few);
  FillUp(scene, keys, 10);
  ASSERT_GT(keys.taken.size(), 100U);
  scene.Change(keys.handle, many);
  for (const std::string& key : keys.taken) {
    ASSERT_FALSE(scene.Check(keys.handle, key, 1).allowed) << "of " << keys.taken.size();
    ASSERT_FALSE(scene.Together({{keys.handle, key, Cost{1}}})) << "of " << keys.taken.size();
  }
  EXPECT_LE(scene.store().StatsApprox().bytes, kShardBytes);
}

// A log that cannot grow joins its oldest entries: it may refuse for longer but never admits too
// much.
TEST(MemoryStoreCapTest, LogWithoutRoomIsNeverTooLenient) {
  Fixture scene(kMin, kSeed);
  const LimitSpec spec = SpecOf(500, kHour, Algorithm::kSlidingLog);
  Filling hot(scene, "hot", spec);
  const std::string key = hot.NewKey();
  scene.Check(hot.handle, key);
  CoreState state(MustMake(spec).terms);
  state.Check(Cost{1}, scene.now);
  Filling filler(scene, "filler", FullFixture::Spec());
  FillUp(scene, filler, 10);
  const std::uint64_t bytes = scene.store().StatsApprox().bytes;
  int admitted = 0;
  int differ = 0;
  for (int i = 0; i < 6000; ++i) {
    scene.now += kSecond * 3;
    const Decision decision = scene.Check(hot.handle, key);
    EXPECT_EQ(decision.source, Source::kMemory);
    differ += decision.allowed == state.Peek(Cost{1}, scene.now).allowed ? 0 : 1;
    if (!decision.allowed) continue;
    ASSERT_TRUE(state.Check(Cost{1}, scene.now).allowed) << i;
    ++admitted;
  }
  // Five hours: the log admits all 500 in at least every other hour.
  EXPECT_GT(admitted, 1200);
  EXPECT_GT(differ, 0) << "the log had room to grow";
  EXPECT_LE(scene.store().StatsApprox().bytes, bytes + 2000);
}

TEST(MemoryStoreCapTest, RefusesPermitsOnSharedStates) {
  FullFixture scene;
  LimitSpec spec;
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = 2;
  Filling keys(scene, "permits", spec);
  const std::string key = keys.NewKey();
  const Decision acquired = scene.Permit(Operation::kAcquire, keys.handle, key, "id");
  EXPECT_FALSE(acquired.allowed);
  EXPECT_EQ(acquired.source, Source::kOverflow);
  const Decision renewed = scene.Permit(Operation::kRenew, keys.handle, key, "id");
  EXPECT_FALSE(renewed.allowed) << "an id that is not held cannot be renewed";
  EXPECT_EQ(renewed.retry_after, kNever);
  EXPECT_TRUE(scene.Permit(Operation::kRelease, keys.handle, key, "id").allowed);
}

// Shared states give nothing back.
TEST(MemoryStoreCapTest, RefundAndResetDoNotChangeSharedStates) {
  FullFixture scene;
  Filling keys(scene, "limit", SpecOf(4, kYear));
  FillUp(scene, keys);
  const std::string key = KeyWithoutState(scene, keys);
  const std::int64_t before = scene.Left(keys.handle, key);
  EXPECT_EQ(scene.Refund(keys.handle, key, 4).remaining, before);
  EXPECT_EQ(scene.Reset(keys.handle, key).remaining, before);
  EXPECT_EQ(scene.Left(keys.handle, key), before);
}

// After a flood has ended, ordinary traffic returns its memory.
TEST(MemoryStoreCapTest, ReturnsMemoryAfterAFlood) {
  for (const Algorithm algorithm : {Algorithm::kTokenBucket, Algorithm::kSlidingLog}) {
    Fixture scene(kMin, kSeed);
    Filling keys(scene, "limit", SpecOf(10, kHour, algorithm));
    FillUp(scene, keys);
    Traffic(scene, keys, 2000, kHour / 200);
    // A key that came while memory was used up keeps its shared state until it pauses.
    scene.now += 4 * kHour;
    Traffic(scene, keys, 20, Nanos{1});
    const MemoryStoreStats after = scene.store().StatsApprox();
    EXPECT_LE(after.keys, 20U);
    // By its own count, a table takes at least two pieces.
    EXPECT_LE(after.bytes, 2 * kPieceBytes + after.keys * 500);
    EXPECT_LE(after.max_slots_moved, 64U);
  }
}

// Whichever shape came first and took all memory, the first piece of every other shape was set
// aside: its first key gets a state of its own, and all together stay within the cap.
TEST(MemoryStoreCapTest, SetsAsideTheFirstPieceOfEveryShape) {
  LimitSpec interval = SpecOf(10, kYear);
  interval.refill = Refill::kInterval;
  constexpr std::int64_t kHuge = std::int64_t{1} << 33U;
  const std::vector<LimitSpec> shapes{SpecOf(10, kYear), interval,
                                      SpecOf(kHuge, kYear / 4, Algorithm::kSlidingWindow),
                                      FullFixture::Spec()};
  for (std::size_t first = 0; first < shapes.size(); ++first) {
    Fixture scene(kMin, kSeed);
    std::deque<Filling> fillings;
    for (const LimitSpec& spec : shapes) {
      fillings.emplace_back(scene, "limit " + std::to_string(fillings.size()), spec);
    }
    Filling& logs = fillings.back();
    ASSERT_EQ(scene.Check(logs.handle, logs.NewKey()).source, Source::kMemory);
    FillUp(scene, fillings[first], shapes[first].rate->count);
    for (std::size_t other = 0; other + 1 < shapes.size(); ++other) {
      if (other == first) continue;
      const Decision decision = scene.Check(fillings[other].handle, fillings[other].NewKey());
      EXPECT_EQ(decision.source, Source::kMemory) << first << " " << other;
    }
    // A quarter of the memory is for shared states, of which the first limit takes three quarters.
    EXPECT_LE(scene.store().StatsApprox().bytes, kShardBytes * 15 / 16) << first;
  }
}

}  // namespace
}  // namespace sluice::testing
