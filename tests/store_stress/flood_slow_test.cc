// Tests what a flood of new keys does to a store with a memory cap, and what growing to ten million
// keys and back costs. Slow; run optimized, alone on the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/memory_store.h"
#include "support/core_state.h"
#include "support/random.h"
#include "support/random_limit.h"

namespace sluice::testing {
namespace {

constexpr Nanos kSecond{1'000'000'000};
constexpr Nanos kHour{3600 * kSecond};
constexpr Time kStart{Nanos{1'700'000'000'000'000'000}};
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;

LimitSpec PerHour(std::int64_t count, Algorithm algorithm = Algorithm::kTokenBucket) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = Rate{count, kHour};
  return spec;
}

// Returns the resident memory of the process.
std::uint64_t ResidentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmRSS:") continue;
    std::uint64_t kibibytes = 0;
    status >> kibibytes;
    return kibibytes * 1024;
  }
  return 0;
}

double Mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

// A store with one limit, called in batches with keys that are numbers.
class Flooded {
 public:
  static constexpr std::size_t kBatch = 64;

  Flooded(std::uint64_t memory_bytes, const LimitSpec& spec) {
    auto made = MemoryStore::Create({memory_bytes, {0x5eed, 0xf00d}});
    if (!made.ok()) {
      ADD_FAILURE() << made.error().message;
      return;
    }
    store_ = std::move(made).value();
    limit_ = store_->Add("limit", MustMake(spec), kStart).value();
  }

  Time now = kStart;

  Decision Ask(Operation operation, std::uint64_t key, std::int64_t cost) {
    const Charge charge{limit_, Bytes(key), Cost{cost}};
    Decision decision;
    store_->DecideEach(operation, {&charge, 1}, {&decision, 1}, now);
    return decision;
  }
  Decision Check(std::uint64_t key, std::int64_t cost = 1) {
    return Ask(Operation::kCheck, key, cost);
  }

  // Charges one unit to each of `count` keys from `first` on. Returns how many were refused.
  std::uint64_t CheckRun(std::uint64_t first, std::uint64_t count) {
    std::array<std::uint64_t, kBatch> keys{};
    std::array<Charge, kBatch> charges;
    std::array<Decision, kBatch> decisions;
    std::uint64_t refused = 0;
    for (std::uint64_t done = 0; done < count; done += kBatch) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kBatch, count - done));
      for (std::size_t i = 0; i < size; ++i) {
        keys[i] = first + done + i;
        charges[i] = {limit_, Bytes(keys[i]), Cost{1}};
      }
      store_->DecideEach(Operation::kCheck, std::span(charges).first(size), decisions, now);
      for (std::size_t i = 0; i < size; ++i) refused += decisions[i].allowed ? 0U : 1U;
    }
    return refused;
  }

  [[nodiscard]] MemoryStoreStats Stats() const { return store_->StatsApprox(); }

 private:
  static std::string_view Bytes(const std::uint64_t& key) {
    return {reinterpret_cast<const char*>(&key), sizeof(key)};
  }

  std::unique_ptr<MemoryStore> store_;
  LimitHandle limit_;
};

// Disjoint ranges of key numbers.
constexpr std::uint64_t kHot = 1'000'000'000'000;
constexpr std::uint64_t kDriven = 2'000'000'000'000;
constexpr std::uint64_t kHonest = 3'000'000'000'000;

// 50 million keys under 10/h within 250 s, so that no key with a unit in use (six minutes) can be
// forgotten.
class Flood {
 public:
  static constexpr std::uint64_t kKeys = 50'000'000;
  static constexpr std::uint64_t kRun = 5'000;
  static constexpr std::uint64_t kMemory = 256 * kMebibyte;
  static constexpr std::size_t kHotKeys = 1000;
  static constexpr std::uint64_t kDrivenKeys = 50'000;  // twice: before the flood, and during it

  Flood() : hot_(kHotKeys, CoreState(MustMake(PerHour(10)).terms)), before_(ResidentBytes()) {
    flooded = std::make_unique<Flooded>(kMemory, PerHour(10));
    for (std::size_t i = 0; i < kHotKeys; ++i) ChargeHot(i);
  }

  // Charges keys until they are refused.
  void Drive(std::uint64_t first) {
    for (std::uint64_t i = 0; i < kDrivenKeys; ++i) {
      while (flooded->Check(kDriven + first + i).allowed) {
      }
    }
    driven_ = first + kDrivenKeys;
  }

  void Run() {
    Random random{42};
    for (std::uint64_t first = 0; first < kKeys; first += kRun) {
      flooded->CheckRun(first, kRun);
      flooded->now += Nanos{250 * kSecond.count() / (kKeys / kRun)};
      ChargeHot(static_cast<std::size_t>(random.Between(0, kHotKeys - 1)));
      const auto any =
          static_cast<std::uint64_t>(random.Between(0, static_cast<std::int64_t>(driven_) - 1));
      fresh_allowances += flooded->Check(kDriven + any).allowed ? 1U : 0U;
      if (first == kKeys * 3 / 5) Drive(kDrivenKeys);
      if (first % (kKeys / 100) == 0) peak_ = std::max(peak_, Resident());
    }
    peak_ = std::max(peak_, Resident());
  }

  // Charges every driven key again. Returns how many passed.
  std::uint64_t AskDriven() {
    std::uint64_t passed = 0;
    for (std::uint64_t i = 0; i < driven_; ++i) {
      passed += flooded->Check(kDriven + i).allowed ? 1U : 0U;
    }
    return passed;
  }

  [[nodiscard]] std::uint64_t peak() const { return peak_; }

  std::unique_ptr<Flooded> flooded;
  int wrong_hot = 0;
  std::uint64_t fresh_allowances = 0;

 private:
  [[nodiscard]] std::uint64_t Resident() const {
    const std::uint64_t now = ResidentBytes();
    return now > before_ ? now - before_ : 0;
  }

  void ChargeHot(std::size_t index) {
    const Decision want = hot_[index].Check(Cost{1}, flooded->now);
    wrong_hot += flooded->Check(kHot + index) == want ? 0 : 1;
  }

  std::vector<CoreState> hot_;
  std::uint64_t before_;
  std::uint64_t driven_ = 0;
  std::uint64_t peak_ = 0;
};

TEST(FloodTest, SurvivesFiftyMillionKeysIn256MiB) {
  Flood flood;
  flood.Drive(0);
  const Time driven_at = flood.flooded->now;
  flood.Run();
  const MemoryStoreStats stats = flood.flooded->Stats();
  std::printf(
      "resident %.1f MiB at most, %.1f MiB by its own count, %llu keys of their own, %llu "
      "decisions on shared states\n",
      Mebibytes(flood.peak()), Mebibytes(stats.bytes), static_cast<unsigned long long>(stats.keys),
      static_cast<unsigned long long>(stats.overflow_decisions));
  EXPECT_LE(flood.peak(), Flood::kMemory + Flood::kMemory / 10);
  EXPECT_LE(stats.bytes, Flood::kMemory);
  EXPECT_GT(stats.overflow_decisions, 20'000'000U) << "the flood did not fill the memory";
  EXPECT_EQ(flood.wrong_hot, 0) << "hot keys that were there first stay exact";
  EXPECT_EQ(flood.fresh_allowances, 0U);
  EXPECT_EQ(flood.AskDriven(), 0U) << "a key at its limit got a fresh allowance";
  EXPECT_LE(stats.max_slots_moved, 64U);

  // Legitimate new keys, one request each, right after the flood.
  constexpr std::uint64_t kAsked = 100'000;
  const std::uint64_t refused = flood.flooded->CheckRun(kHonest, kAsked);
  std::printf("%.3f %% of honest new keys refused\n",
              100 * static_cast<double>(refused) / static_cast<double>(kAsked));
  EXPECT_LT(refused, kAsked / 100);

  // The first half was charged up to its limit in single units: the next unit comes exactly six
  // minutes after the first.
  flood.flooded->now = driven_at + kHour / 10 - Nanos{1};
  std::uint64_t early = 0;
  std::uint64_t late = 0;
  for (std::uint64_t i = 0; i < Flood::kDrivenKeys; ++i) {
    early += flood.flooded->Check(kDriven + i).allowed ? 1U : 0U;
  }
  flood.flooded->now += Nanos{1};
  for (std::uint64_t i = 0; i < Flood::kDrivenKeys; ++i) {
    late += flood.flooded->Check(kDriven + i).allowed ? 0U : 1U;
  }
  EXPECT_EQ(early, 0U);
  EXPECT_EQ(late, 0U);
}

// Grows to ten million keys and back down, with bounds on bytes per key from the first million on.
// Tables grow in steps, so bytes per key vary: `max_bytes` applies at whole millions, 34
// everywhere.
void GrowAndGiveBack(const LimitSpec& spec, double max_bytes) {
  constexpr std::uint64_t kKeys = 10'000'000;
  constexpr std::uint64_t kStep = 100'000;
  const std::uint64_t before = ResidentBytes();
  Flooded flooded(1024 * kMebibyte, spec);
  double max = 0;
  for (std::uint64_t keys = 0; keys < kKeys; keys += kStep) {
    flooded.CheckRun(keys, kStep);
    const MemoryStoreStats stats = flooded.Stats();
    ASSERT_EQ(stats.keys, keys + kStep);
    ASSERT_EQ(stats.overflow_decisions, 0U);
    if (stats.keys < 1'000'000) continue;
    const double each = static_cast<double>(stats.bytes) / static_cast<double>(stats.keys);
    max = std::max(max, each);
    if (stats.keys % 1'000'000 != 0) continue;
    std::printf("%.2f ", each);
    EXPECT_LT(each, max_bytes) << stats.keys << " keys";
  }
  const MemoryStoreStats peak = flooded.Stats();
  const std::uint64_t resident_peak = ResidentBytes() - before;
  std::printf(
      "bytes a key at 1 to 10 million, %.2f at most between; %.2f resident; %llu slots "
      "moved at most\n",
      max, static_cast<double>(resident_peak) / static_cast<double>(peak.keys),
      static_cast<unsigned long long>(peak.max_slots_moved));
  EXPECT_LT(max, std::min(34.0, max_bytes * 1.1));
  EXPECT_LE(peak.max_slots_moved, 64U);

  // All keys are unused now; ordinary traffic on a few keys does the rest.
  flooded.now += 3 * kHour;
  std::uint64_t calls = 0;
  while (flooded.Stats().bytes > peak.bytes / 10 && calls < 100'000'000) {
    for (int i = 0; i < 100; ++i) flooded.CheckRun(kHot, 5'000);
    calls += 500'000;
  }
  const MemoryStoreStats after = flooded.Stats();
  const std::uint64_t now = ResidentBytes();
  const std::uint64_t resident = now > before ? now - before : 0;
  std::printf("after %.1f million calls: %.1f MiB of %.1f, resident %.1f MiB of %.1f\n",
              static_cast<double>(calls) / 1e6, Mebibytes(after.bytes), Mebibytes(peak.bytes),
              Mebibytes(resident), Mebibytes(resident_peak));
  EXPECT_LE(after.bytes, peak.bytes / 10);
  EXPECT_LE(resident, resident_peak / 4);
  EXPECT_LE(after.max_slots_moved, 64U);
  EXPECT_EQ(after.overflow_decisions, 0U);
}

TEST(GrowthTest, TokenBucketsGrowToTenMillionKeysAndBack) { GrowAndGiveBack(PerHour(10), 22); }

TEST(GrowthTest, SlidingWindowsGrowToTenMillionKeysAndBack) {
  GrowAndGiveBack(PerHour(10, Algorithm::kSlidingWindow), 34);
}

}  // namespace
}  // namespace sluice::testing
