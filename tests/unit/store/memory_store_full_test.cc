// Tests of MemoryStore with no memory left, for single keys: existing state is kept exactly, and
// requests over several limits are still all or none.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "store/memory_store.h"
#include "unit/store/one_shard.h"
#include "unit/store/store_fixture.h"

namespace sluice::testing {
namespace {

LimitSpec LongLog() { return SpecOf(10, kYear, Algorithm::kSlidingLog); }

LimitSpec Permits(std::int64_t max) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = max;
  spec.ttl = 10 * kSecond;
  return spec;
}

// Fills the first shard with logs that last for a year.
void FillWithLogs(Fixture& scene) {
  ShardLimit filler(scene, "filler", LongLog());
  FillShard(scene, filler, 10);
}

// Makes one request after the other over `at_once` limits that have no shared states yet, so that
// sooner or later only some of its limits can have any.
void ExpectAllOrNone(std::size_t alone, std::size_t at_once) {
  SCOPED_TRACE(::testing::Message() << alone << " limits alone, then " << at_once << " at once");
  Fixture scene(kMinMemory);
  FillWithLogs(scene);
  std::deque<ShardLimit> limits;
  for (int i = 0; i < 24; ++i) limits.emplace_back(scene, "limit " + std::to_string(i), LongLog());
  for (std::size_t i = 0; i < alone; ++i) scene.Check(limits[i].handle, limits[i].NewKey());
  int refused = 0;
  for (std::size_t first = alone; first + at_once <= limits.size(); first += at_once) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < at_once; ++i) keys.push_back(limits[first + i].NewKey());
    std::vector<Charge> charges;
    std::vector<std::int64_t> left;
    for (std::size_t i = 0; i < at_once; ++i) {
      charges.push_back({limits[first + i].handle, keys[i], Cost{1}});
      left.push_back(scene.Left(charges[i].limit, keys[i]));
    }
    const bool went = scene.Together(charges);
    refused += went ? 0 : 1;
    for (std::size_t i = 0; i < at_once; ++i) {
      // If another limit of the request took the last shared states, nothing is left to take; but
      // an existing state must be unchanged.
      const Decision after = scene.Peek(charges[i].limit, keys[i]);
      EXPECT_EQ(after.reset_after > Nanos{0}, went) << "charge " << i << " from limit " << first;
      if (went) {
        EXPECT_EQ(after.remaining, left[i] - 1) << "charge " << i;
      }
    }
  }
  EXPECT_GT(refused, 0) << "the shared states are never used up";
}

TEST(MemoryStoreFullTest, TakesAllOrNoneOfTheLastSharedStates) {
  for (const std::size_t alone : {0U, 1U, 2U, 3U}) {
    for (const std::size_t at_once : {2U, 3U, 4U}) ExpectAllOrNone(alone, at_once);
  }
}

// A log of four units in ten seconds, one taken in each of the last four, and no memory to grow.
class FullLogTest : public ::testing::Test {
 protected:
  FullLogTest() {
    for (int i = 0; i < 4; ++i) {
      scene_.now += kSecond;
      EXPECT_TRUE(scene_.Check(log_.handle, key_).allowed);
    }
    FillWithLogs(scene_);
  }

  Decision Peek() { return scene_.Peek(log_.handle, key_, 1); }

  Fixture scene_{kMinMemory};
  ShardLimit log_{scene_, "log", SpecOf(4, 10 * kSecond, Algorithm::kSlidingLog)};
  std::string key_ = log_.NewKey();
};

TEST_F(FullLogTest, RefusedCheckKeepsRetryAfter) {
  const Decision before = Peek();
  EXPECT_FALSE(before.allowed);
  EXPECT_EQ(before.retry_after, 7 * kSecond);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(scene_.Check(log_.handle, key_).retry_after, before.retry_after);
    EXPECT_EQ(ToText(Peek()), ToText(before)) << "after check " << i;
  }
  scene_.now += before.retry_after;
  EXPECT_TRUE(scene_.Check(log_.handle, key_).allowed);
}

TEST_F(FullLogTest, RefusedRequestKeepsRetryAfter) {
  const Decision before = Peek();
  const LimitHandle other = scene_.Add(SpecOf(1, kHour));
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(scene_.Together({{log_.handle, key_, Cost{1}}, {other, "other", Cost{1}}}));
    EXPECT_EQ(scene_.decisions[0].retry_after, before.retry_after);
    EXPECT_EQ(ToText(Peek()), ToText(before)) << "after request " << i;
  }
}

TEST_F(FullLogTest, NeverCountsExpiredUnitsAgain) {
  // Each second one unit expires, so one may pass.
  scene_.now += 6 * kSecond + kSecond / 2;
  EXPECT_FALSE(Peek().allowed);
  for (int i = 0; i < 4; ++i) {
    scene_.now += kSecond;
    EXPECT_EQ(scene_.Left(log_.handle, key_), 1);
    EXPECT_TRUE(scene_.Check(log_.handle, key_).allowed) << "unit " << i << " is out of view";
    EXPECT_FALSE(scene_.Check(log_.handle, key_).allowed);
  }
}

// A log that joins entries to take a unit must not do so when it takes none.
TEST(MemoryStoreFullTest, RefusalDoesNotChangeLogWithoutRoom) {
  Fixture scene(kMinMemory);
  ShardLimit log(scene, "log", SpecOf(8, 10 * kSecond, Algorithm::kSlidingLog));
  const LimitHandle other = scene.Add(SpecOf(1, kHour));
  scene.Check(other, "other");
  const std::string key = log.NewKey();
  for (int i = 0; i < 4; ++i) {
    scene.now += kSecond;
    ASSERT_TRUE(scene.Check(log.handle, key).allowed);
  }
  FillWithLogs(scene);
  const Decision before = scene.Peek(log.handle, key, 5);
  EXPECT_EQ(before.retry_after, 7 * kSecond);
  EXPECT_FALSE(scene.Check(log.handle, key, 5).allowed);
  EXPECT_EQ(ToText(scene.Peek(log.handle, key, 5)), ToText(before)) << "its own refusal";
  EXPECT_FALSE(scene.Together({{log.handle, key, Cost{1}}, {other, "other", Cost{1}}}));
  EXPECT_EQ(ToText(scene.Peek(log.handle, key, 5)), ToText(before)) << "that of another limit";
}

// Expired permits make room for new ones: no memory is needed.
TEST(MemoryStoreFullTest, ReusesExpiredPermits) {
  Fixture scene(kMinMemory);
  ShardLimit permits(scene, "permits", Permits(4));
  const std::string key = permits.NewKey();
  for (int i = 0; i < 4; ++i) {
    scene.now += kSecond;
    const std::string id = "first " + std::to_string(i);
    ASSERT_TRUE(scene.Permit(Operation::kAcquire, permits.handle, key, id).allowed);
  }
  FillWithLogs(scene);
  scene.now += 8 * kSecond + kSecond / 2;  // two of the four have expired
  EXPECT_EQ(scene.Left(permits.handle, key), 2);
  for (int i = 0; i < 2; ++i) {
    const std::string id = "second " + std::to_string(i);
    const Decision decision = scene.Permit(Operation::kAcquire, permits.handle, key, id);
    EXPECT_TRUE(decision.allowed) << ToText(decision);
    EXPECT_EQ(decision.source, Source::kMemory);
  }
  const Decision fifth = scene.Permit(Operation::kAcquire, permits.handle, key, "third");
  EXPECT_FALSE(fifth.allowed) << "four are held";
  EXPECT_EQ(fifth.retry_after, kSecond / 2) << "until the next expires";
}

// Acquiring a permit that is held moves its deadline and takes no room.
TEST(MemoryStoreFullTest, ReacquiresHeldPermitWithoutMemory) {
  Fixture scene(kMinMemory);
  ShardLimit permits(scene, "permits", Permits(8));
  const std::string key = permits.NewKey();
  const std::vector<std::string> ids{"a", "b", "c", "d"};
  for (const std::string& id : ids) {
    ASSERT_TRUE(scene.Permit(Operation::kAcquire, permits.handle, key, id).allowed);
  }
  FillWithLogs(scene);
  for (const std::string& id : ids) {
    const Decision again = scene.Permit(Operation::kAcquire, permits.handle, key, id);
    EXPECT_TRUE(again.allowed) << ToText(again);
    EXPECT_EQ(again.remaining, 4);
  }
}

// A check of permits takes none, so it needs no room.
TEST(MemoryStoreFullTest, CheckOfPermitsNeedsNoRoom) {
  Fixture scene(kMinMemory);
  ShardLimit permits(scene, "permits", Permits(20));
  const std::string key = permits.NewKey();
  for (const std::string id : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(scene.Permit(Operation::kAcquire, permits.handle, key, id).allowed);
  }
  const LimitHandle rate = scene.Add(SpecOf(10, kYear), "rate");
  scene.Check(rate, "u");
  FillWithLogs(scene);
  const std::vector<Charge> charges{{rate, "u", Cost{1}}, {permits.handle, key, Cost{1}}};
  EXPECT_TRUE(scene.Together(charges));
  EXPECT_EQ(scene.Left(rate, "u"), 8);
}

// Housekeeping of a full table frees unused shared states, but none that a request in progress has
// reserved.
TEST(MemoryStoreFullTest, KeepsReservedSharedStatesForTheirRequest) {
  for (int count = 3; count <= 8; ++count) {
    Fixture scene(kMinMemory);
    const LimitSpec window = SpecOf(10, kYear / 4, Algorithm::kSlidingWindow);
    ShardLimit filler(scene, "filler", window);
    FillShard(scene, filler, 10);
    std::deque<ShardLimit> limits;
    std::deque<std::string> keys;
    std::vector<Charge> charges;
    for (int i = 0; i < count; ++i) {
      limits.emplace_back(scene, "limit " + std::to_string(i), window);
      keys.push_back(limits.back().NewKey());
      charges.push_back({limits.back().handle, keys.back(), Cost{1}});
    }
    const bool went = scene.Together(charges);
    for (const Charge& charge : charges) {
      const std::string key(charge.key);
      EXPECT_EQ(scene.Peek(charge.limit, key).reset_after > Nanos{0}, went) << count << " limits";
    }
  }
}

TEST(MemoryStoreFullTest, FreesReservedSharedStatesIfNothingIsCharged) {
  Fixture scene(kMinMemory);
  FillWithLogs(scene);
  ShardLimit first(scene, "first", LongLog());
  const std::string first_key = first.NewKey();
  scene.Check(first.handle, first_key);
  const std::uint64_t bytes = scene.store().StatsApprox().bytes;
  ShardLimit other(scene, "other", LongLog());
  const std::string other_key = other.NewKey();
  EXPECT_FALSE(scene.Together(std::vector<Charge>{{other.handle, other_key, Cost{1}},
                                                  {first.handle, first_key, Cost{10}}}));
  EXPECT_EQ(scene.store().StatsApprox().bytes, bytes);
}

}  // namespace
}  // namespace sluice::testing
