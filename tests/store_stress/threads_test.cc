// Tests of many threads on one store: the units they get in total are exact. Run under tsan, too.
//
//   SLUICE_STRESS=10   runs ten times as much
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "limiter/system_zones.h"
#include "store/memory_store.h"
#include "store/snapshot.h"
#include "support/random.h"
#include "support/random_limit.h"

namespace sluice::testing {
namespace {

constexpr Nanos kHour{std::int64_t{3600} * 1'000'000'000};
constexpr Time kStart{Nanos{1'700'000'000'000'000'000}};

int Scale() {
  const char* const text = std::getenv("SLUICE_STRESS");
  return text == nullptr ? 1 : std::max(1, std::atoi(text));
}

LimitSpec SpecOf(std::int64_t count, Nanos period = kHour,
                 Algorithm algorithm = Algorithm::kTokenBucket) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = Rate{count, period};
  return spec;
}

std::unique_ptr<MemoryStore> MakeStore() {
  auto made = MemoryStore::Create({std::uint64_t{64} << 20U, {1, 2}});
  if (made.ok()) return std::move(made).value();
  ADD_FAILURE() << made.error().message;
  return nullptr;
}

LimitHandle Add(MemoryStore& store, const std::string& name, const LimitSpec& spec) {
  auto added = store.Add(name, MustMake(spec), kStart);
  if (added.ok()) return added.value();
  ADD_FAILURE() << added.error().message;
  return {};
}

Decision Ask(MemoryStore& store, Operation operation, const Charge& charge, Time now = kStart) {
  Decision decision;
  store.DecideEach(operation, {&charge, 1}, {&decision, 1}, now);
  return decision;
}

// Calls body(thread) on `count` threads at once.
void OnThreads(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

void ExactlyTheLimit(const LimitSpec& spec, int rounds) {
  const auto store = MakeStore();
  const LimitHandle limit = Add(*store, "limit", spec);
  std::vector<std::atomic<int>> passed(static_cast<std::size_t>(rounds));
  std::barrier together(64);
  OnThreads(64, [&](int /*thread*/) {
    for (std::size_t round = 0; round < passed.size(); ++round) {
      together.arrive_and_wait();
      const std::string key = "key " + std::to_string(round);
      int mine = 0;
      for (int i = 0; i < 20; ++i) {
        mine += Ask(*store, Operation::kCheck, {limit, key, Cost{1}}).allowed ? 1 : 0;
      }
      passed[round] += mine;
    }
  });
  for (const std::atomic<int>& count : passed) ASSERT_EQ(count.load(), 1000);
}

TEST(StoreStressTest, SixtyFourThreadsOnOneKeyGetExactlyTheLimit) {
  ExactlyTheLimit(SpecOf(1000), 100 * Scale());
}

TEST(StoreStressTest, WindowsAndLogsAreExact) {
  ExactlyTheLimit(SpecOf(1000, kHour, Algorithm::kSlidingWindow), 20 * Scale());
  ExactlyTheLimit(SpecOf(1000, kHour, Algorithm::kSlidingLog), 20 * Scale());
  ExactlyTheLimit(SpecOf(1000, kHour, Algorithm::kSlidingBuckets), 20 * Scale());
}

// Alone, and in requests that are refused.
TEST(StoreStressTest, TakesEveryDebtOnce) {
  const auto store = MakeStore();
  const LimitHandle debts = Add(*store, "debts", SpecOf(1));
  const LimitHandle full = Add(*store, "full", SpecOf(1));
  Ask(*store, Operation::kCheck, {full, "k", Cost{1}});
  OnThreads(8, [&](int /*thread*/) {
    const std::array<Charge, 2> charges{Charge{full, "k", Cost{1}}, Charge{debts, "k", Cost{2}}};
    const std::array<Enforcement, 2> enforcements{Enforcement::kEnforce, Enforcement::kDebt};
    const Request request{charges, enforcements};
    for (int i = 0; i < 250; ++i) {
      std::array<Decision, 2> decisions;
      store->Decide({&request, 1}, decisions, kStart);
      EXPECT_FALSE(decisions[0].allowed);
      EXPECT_TRUE(Ask(*store, Operation::kDebt, {debts, "k", Cost{1}}).allowed);
      EXPECT_FALSE(Ask(*store, Operation::kCheck, {debts, "k", Cost{1}}).allowed);
    }
  });
  const Decision left = Ask(*store, Operation::kPeek, {debts, "k", Cost{0}});
  EXPECT_EQ(left.reset_after, 8 * 250 * 3 * kHour);
}

// Two keys that every request charges together: a read of both must always find them equal.
struct Pair {
  Charge few;
  Charge many;
  std::int64_t apart = 0;  // how much more `many` allows

  [[nodiscard]] bool Equal(MemoryStore& store) const {
    const std::array<Charge, 2> charges{Charge{few.limit, few.key, Cost{0}},
                                        Charge{many.limit, many.key, Cost{0}}};
    const Request request{charges, {}};
    std::array<Decision, 2> decisions;
    store.Decide({&request, 1}, decisions, kStart);
    return decisions[1].remaining - decisions[0].remaining == apart;
  }
};

TEST(StoreStressTest, NeverChargesOnlyOneOfTwoKeys) {
  const int each = 500 * Scale();
  const auto store = MakeStore();
  const int allowance = 64 * each / 2;  // so that about half of them pass
  const LimitHandle few = Add(*store, "few", SpecOf(allowance));
  const LimitHandle many = Add(*store, "many", SpecOf(allowance + 777));
  const LimitHandle log = Add(*store, "log", SpecOf(allowance, kHour, Algorithm::kSlidingLog));
  const LimitHandle wide = Add(*store, "wide", SpecOf(allowance + 5));
  const Pair one{{few, "k", Cost{1}}, {many, "k", Cost{1}}, 777};
  const Pair two{{log, "k", Cost{1}}, {wide, "k", Cost{1}}, 5};
  std::atomic<std::int64_t> passed_one{0};
  std::atomic<std::int64_t> passed_two{0};
  std::atomic<int> unequal{0};
  OnThreads(64, [&](int thread) {
    const Pair& pair = thread % 4 < 2 ? one : two;
    auto& passed = thread % 4 < 2 ? passed_one : passed_two;
    // Half of the threads list the keys in the other order.
    std::array<Charge, 2> charges{pair.few, pair.many};
    if (thread % 2 == 1) std::swap(charges[0], charges[1]);
    const Request request{charges, {}};
    std::array<Decision, 2> decisions;
    for (int i = 0; i < each * 2; ++i) {
      store->Decide({&request, 1}, decisions, kStart);
      passed += GoesAhead(decisions, {}) ? 1 : 0;
      if (i % 8 == 0) unequal += one.Equal(*store) && two.Equal(*store) ? 0 : 1;
    }
  });
  EXPECT_EQ(unequal.load(), 0);
  EXPECT_EQ(passed_one.load(), allowance);
  EXPECT_EQ(passed_two.load(), allowance);
  EXPECT_EQ(Ask(*store, Operation::kPeek, {many, "k", Cost{0}}).remaining, 777);
  EXPECT_EQ(Ask(*store, Operation::kPeek, {wide, "k", Cost{0}}).remaining, 5);
}

// Requests over random sets of keys, in random order: none deadlocks, and the totals add up.
TEST(StoreStressTest, CrossingRequestsNeitherDeadlockNorLoseUnits) {
  constexpr int kKeys = 40;
  const auto store = MakeStore();
  const LimitHandle limit = Add(*store, "limit", SpecOf(3000));
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; ++i) keys.push_back("key " + std::to_string(i));
  std::array<std::atomic<std::int64_t>, kKeys> taken{};
  OnThreads(16, [&](int thread) {
    Random random{static_cast<std::uint64_t>(thread) + 1};
    for (int i = 0; i < 1500 * Scale(); ++i) {
      std::vector<Charge> charges;
      std::vector<std::size_t> chosen;
      for (std::int64_t left = random.Between(1, 10); left > 0; --left) {
        chosen.push_back(static_cast<std::size_t>(random.Between(0, kKeys - 1)));
        charges.push_back({limit, keys[chosen.back()], Cost{1}});
      }
      std::vector<Decision> decisions(charges.size());
      const Request request{charges, {}};
      store->Decide({&request, 1}, decisions, kStart);
      if (!GoesAhead(decisions, {})) continue;
      for (const std::size_t key : chosen) ++taken[key];
    }
  });
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Decision left = Ask(*store, Operation::kPeek, {limit, keys[i], Cost{0}});
    EXPECT_EQ(left.remaining, 3000 - taken[i].load());
  }
}

// Terms change continuously between all shapes of a token bucket. The limit is never used up, so
// every admitted unit must still be counted at the end.
TEST(StoreStressTest, LosesNoUnitWhileTermsChange) {
  const auto store = MakeStore();
  LimitSpec interval = SpecOf(50'000);
  interval.refill = Refill::kInterval;
  LimitSpec long_bucket = SpecOf(100, 8760 * kHour);
  long_bucket.burst = 9'000;  // 90 years
  const std::vector<LimitSpec> specs{SpecOf(40'000), interval, long_bucket, SpecOf(60'000)};
  const LimitHandle limit = Add(*store, "limit", specs[0]);
  const int keys = 16 * Scale();
  constexpr int kEach = 500;  // 6 threads: far below the 9,000 of the smallest terms
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (std::size_t i = 0; !stop.load(); ++i) {
      const auto changed = store->Change(limit, MustMake(specs[i % specs.size()]), kStart);
      ASSERT_TRUE(changed.ok()) << changed.error().message;
      std::this_thread::yield();
    }
  });
  std::atomic<int> refused{0};
  OnThreads(6, [&](int thread) {
    for (int i = 0; i < kEach; ++i) {
      for (int key = 0; key < keys; ++key) {
        const std::string name = "key " + std::to_string(key);
        const Charge charge{limit, name, Cost{1}};
        if (thread % 3 == 0) {
          const Request request{{&charge, 1}, {}};
          Decision decision;
          store->Decide({&request, 1}, {&decision, 1}, kStart);
          refused += decision.allowed ? 0 : 1;
        } else {
          refused += Ask(*store, Operation::kCheck, charge).allowed ? 0 : 1;
        }
        Ask(*store, Operation::kPeek, charge);
      }
    }
  });
  stop = true;
  changer.join();
  EXPECT_EQ(refused.load(), 0);
  for (int key = 0; key < keys; ++key) {
    const std::string name = "key " + std::to_string(key);
    const Decision left = Ask(*store, Operation::kPeek, {limit, name, Cost{0}});
    EXPECT_EQ(left.limit - left.remaining, 6 * kEach);
  }
}

// Batches over so many keys that every table grows; then time passes, and the tables shrink under
// traffic on other keys. Admitted units are exact for every key.
TEST(StoreStressTest, BatchesAreExactWhileTablesGrowAndShrink) {
  constexpr int kKeys = 400'000;
  constexpr std::size_t kBatch = 32;
  const auto store = MakeStore();
  const LimitHandle bucket = Add(*store, "bucket", SpecOf(3));
  const LimitHandle window = Add(*store, "window", SpecOf(3, kHour, Algorithm::kFixedWindow));
  for (int phase = 0; phase < 3; ++phase) {
    const Time now = kStart + 3 * phase * kHour;
    const int keys = phase == 1 ? 500 : kKeys;
    std::vector<std::atomic<int>> asked(static_cast<std::size_t>(keys));
    std::vector<std::atomic<int>> passed(static_cast<std::size_t>(keys));
    OnThreads(8, [&](int thread) {
      Random random{static_cast<std::uint64_t>(thread + 100 * phase)};
      std::array<std::string, kBatch> names;
      std::array<std::size_t, kBatch> chosen{};
      std::array<Charge, kBatch> charges;
      std::array<Decision, kBatch> decisions;
      for (int i = 0; i < 2000 * Scale(); ++i) {
        for (std::size_t j = 0; j < kBatch; ++j) {
          chosen[j] = static_cast<std::size_t>(random.Between(0, keys - 1));
          names[j] = "key " + std::to_string(chosen[j]);
          charges[j] = {chosen[j] % 2 == 0 ? bucket : window, names[j], Cost{1}};
        }
        store->DecideEach(Operation::kCheck, charges, decisions, now);
        for (std::size_t j = 0; j < kBatch; ++j) {
          ++asked[chosen[j]];
          passed[chosen[j]] += decisions[j].allowed ? 1 : 0;
        }
      }
    });
    for (std::size_t i = 0; i < asked.size(); ++i) {
      ASSERT_EQ(passed[i].load(), std::min(3, asked[i].load())) << "key " << i << " " << phase;
    }
    const MemoryStoreStats stats = store->StatsApprox();
    EXPECT_GT(stats.max_slots_moved, 0U) << "no table grew";
    EXPECT_LE(stats.max_slots_moved, 64U);
    EXPECT_EQ(stats.overflow_decisions, 0U);
  }
}

TEST(StoreStressTest, NeverExceedsMaxInFlight) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = 10;
  const auto store = MakeStore();
  const LimitHandle limit = Add(*store, "permits", spec);
  const Charge charge{limit, "backend", Cost{1}};
  std::atomic<int> in_flight{0};
  std::atomic<int> max{0};
  OnThreads(32, [&](int thread) {
    for (int i = 0; i < 500 * Scale(); ++i) {
      const PermitId id = store->HashPermit(std::to_string(thread) + " " + std::to_string(i));
      if (!store->DecidePermit(Operation::kAcquire, charge, id, kStart).allowed) continue;
      const int now = ++in_flight;
      int before = max.load();
      while (before < now && !max.compare_exchange_weak(before, now)) {
      }
      std::this_thread::yield();
      --in_flight;
      store->DecidePermit(Operation::kRelease, charge, id, kStart);
    }
  });
  EXPECT_LE(max.load(), 10);
  EXPECT_GE(max.load(), 1);
  EXPECT_EQ(Ask(*store, Operation::kPeek, {limit, "backend", Cost{0}}).remaining, 10);
}

// For each key, a snapshot holds the units it had used at some moment during the save.
TEST(StoreStressTest, SavesSnapshotsWhileDeciding) {
  constexpr int kKeys = 600;
  const auto store = MakeStore();
  const LimitHandle limit = Add(*store, "bucket", SpecOf(100'000));
  const LimitHandle log = Add(*store, "log", SpecOf(100'000, kHour, Algorithm::kSlidingLog));
  std::vector<std::atomic<int>> used(kKeys);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      Random random{static_cast<std::uint64_t>(thread)};
      while (!stop.load()) {
        const auto key = static_cast<std::size_t>(random.Between(0, kKeys - 1));
        const std::string name = std::to_string(key);
        Ask(*store, Operation::kCheck, {key % 2 == 0 ? limit : log, name, Cost{1}});
        ++used[key];
        static_cast<void>(store->StatsApprox());
      }
    });
  }
  const std::string path =
      std::filesystem::temp_directory_path() / ("sluice_stress_" + std::to_string(getpid()));
  for (int round = 0; round < 5 * Scale(); ++round) {
    std::vector<int> before;
    for (const auto& count : used) before.push_back(count.load());
    ASSERT_TRUE(Snapshot::Save(*store, path, kStart).ok());
    const auto copy = MakeStore();
    ASSERT_TRUE(Snapshot::Restore(*copy, path, SystemZones(), kStart).ok());
    const LimitHandle again = Add(*copy, "bucket", SpecOf(100'000));
    const LimitHandle log_again = Add(*copy, "log", SpecOf(100'000, kHour, Algorithm::kSlidingLog));
    for (std::size_t key = 0; key < used.size(); ++key) {
      const Decision left = Ask(*copy, Operation::kPeek,
                                {key % 2 == 0 ? again : log_again, std::to_string(key), Cost{0}});
      const auto saved = static_cast<int>(100'000 - left.remaining);
      EXPECT_GE(saved, before[key]);
      // Each of the four threads may have charged a unit that it has not counted yet.
      EXPECT_LE(saved, used[key].load() + 4);
    }
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace sluice::testing
