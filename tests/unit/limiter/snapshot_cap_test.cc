// Tests of snapshots of a store at its memory cap, restored into the same amount of memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sluice/limiter.h"
#include "unit/limiter/snapshot_folder.h"

namespace sluice::testing {
namespace {

constexpr Nanos kHour = kSnapshotHour;
constexpr Nanos kSecond = kHour / 3600;
constexpr std::uint64_t kMebibyte = kSnapshotMebibyte;

class SnapshotCapTest : public SnapshotFolder {
 protected:
  void SaveAndRestore(Limiter& from, Limiter& to, Nanos later = Nanos{0}) {
    const auto saved = from.SaveSnapshot(Path());
    ASSERT_TRUE(saved.ok()) << saved.error().message;
    clock_.Advance(later);
    const auto restored = to.RestoreSnapshot(Path());
    ASSERT_TRUE(restored.ok()) << restored.error().message;
  }
};

// Alternates between `narrow` narrow states and `pairs` pairs until neither finds room.
struct Mix {
  std::uint64_t mebibytes;
  int narrow;
  int pairs;

  [[nodiscard]] std::string Name() const {
    return std::to_string(mebibytes) + "MiB" + std::to_string(narrow) + "To" +
           std::to_string(pairs);
  }
};
void PrintTo(const Mix& mix, std::ostream* out) { *out << mix.Name(); }

class FullMixTest : public SnapshotCapTest, public ::testing::WithParamInterface<Mix> {};

TEST_P(FullMixTest, FitsTheSameMemoryWithoutNewAllowances) {
  const Mix mix = GetParam();
  const std::uint64_t memory = mix.mebibytes * kMebibyte;
  const std::vector<LimitSpec> specs{SpecOf(10, kHour),
                                     SpecOf(10, 24 * kHour, Algorithm::kFixedWindow)};
  const std::vector<std::string> names{"narrow", "pairs"};
  ShardKeys narrow(names[0], specs[0].algorithm, 0);
  ShardKeys pairs(names[1], specs[1].algorithm, 0);
  const auto first = Make(memory);
  const std::vector<LimitHandle> limits{Add(*first, names[0], specs[0]),
                                        Add(*first, names[1], specs[1])};
  std::vector<std::vector<std::string>> used(2);
  while (first->StatsApprox().overflow_decisions < 200) {
    for (int turn = 0; turn < mix.narrow + mix.pairs; ++turn) {
      const std::size_t which = turn < mix.narrow ? 0 : 1;
      std::string key = which == 0 ? narrow.Next() : pairs.Next();
      const Decision decision = first->Check({limits[which], key, Cost{10}});
      const bool own = decision.allowed && decision.source == Source::kMemory;
      if (own) used[which].push_back(std::move(key));
    }
  }
  const auto second = Make(memory, 2);
  ASSERT_NO_FATAL_FAILURE(SaveAndRestore(*first, *second));
  EXPECT_EQ(second->StatsApprox().keys, first->StatsApprox().keys);
  for (std::size_t which = 0; which < 2; ++which) {
    const LimitHandle again = Add(*second, names[which], specs[which]);
    for (const std::string& key : used[which]) {
      ASSERT_FALSE(second->Check({again, key}).allowed) << key << " of " << names[which];
    }
  }
  EXPECT_LE(second->StatsApprox().bytes, memory / 256) << "what one shard may use";
}

INSTANTIATE_TEST_SUITE_P(Snapshot, FullMixTest,
                         ::testing::Values(Mix{16, 2, 1}, Mix{16, 1, 2}, Mix{16, 3, 1},
                                           Mix{24, 1, 1}, Mix{64, 1, 1}),
                         [](const auto& mix) { return mix.param.Name(); });

// Room that was reserved for keys that were not restored is available to others meanwhile.
TEST_F(SnapshotCapTest, StaysBelowTheCapIfEverySavedKeyHasExpired) {
  constexpr std::uint64_t kMemory = 64 * kMebibyte;
  const auto first = Make(kMemory);
  const LimitHandle posts = Add(*first, "posts", SpecOf(1, 10 * kSecond));
  ShardKeys saved("posts", Algorithm::kTokenBucket, 0);
  for (int i = 0; i < 8000; ++i) first->Check({posts, saved.Next()});
  const auto second = Make(kMemory, 2);
  ASSERT_NO_FATAL_FAILURE(SaveAndRestore(*first, *second, kHour));
  EXPECT_EQ(second->StatsApprox().keys, 0U);
  const LimitHandle pairs = Add(*second, "pairs", SpecOf(1, 24 * kHour, Algorithm::kFixedWindow));
  const LimitHandle narrow = Add(*second, "narrow", SpecOf(1, 24 * kHour));
  ShardKeys pair_keys("pairs", Algorithm::kFixedWindow, 0);
  ShardKeys narrow_keys("narrow", Algorithm::kTokenBucket, 0);
  std::uint64_t max = 0;
  for (int i = 0; i < 10'000; ++i) {
    second->Check(i < 8000 ? Charge{pairs, pair_keys.Next()} : Charge{narrow, narrow_keys.Next()});
    if (i % 100 == 0) max = std::max(max, second->StatsApprox().bytes);
  }
  EXPECT_LE(max, kMemory / 256) << "what one shard may use";
}

}  // namespace
}  // namespace sluice::testing
