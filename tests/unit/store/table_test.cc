// Tests that compare Table with std::unordered_map.
#include "store/table.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "store/pages.h"
#include "support/random.h"

namespace sluice {
namespace {

using testing::ForEachSeed;
using testing::Random;

constexpr std::size_t kNoCap = std::size_t{1} << 40U;
constexpr std::uint64_t kHashMask = (std::uint64_t{1} << 56U) - 1;

// A table whose every result is compared with a map. Time is the threshold: a key whose first word
// is at most `now` is unused.
template <std::size_t kWords>
class Model {
 public:
  struct Forget {
    Model* model;
    void operator()(const Slot<kWords>& slot) const { model->Forgotten(slot); }
  };
  using TableType = Table<kWords, Forget>;

  explicit Model(std::size_t rows = 256) {
    Result<Pages> pages = Pages::Reserve(rows * kRowBytes);
    if (!pages.ok()) {
      ADD_FAILURE() << pages.error().message;
      return;
    }
    pages_ = std::move(pages).value();
    table_.Init(pages_.data());
  }

  std::uint64_t now = 1;
  std::size_t bytes_max = kNoCap;

  TableType& table() { return table_; }
  std::size_t size() const { return map_.size(); }

  // Makes one call as a shard does: a step of housekeeping, then perhaps a key. Returns false if
  // there is no room.
  bool Add(std::uint64_t hash, std::uint64_t unused_at) {
    Step(Pace::kAdding);
    const auto terms = static_cast<std::uint8_t>(hash % 255 + 1);
    Slot<kWords>* const slot = table_.Insert({hash}, terms, now);
    NoteMoves();
    if (slot == nullptr) return false;
    EXPECT_EQ(TableType::HashOf(*slot), hash);
    EXPECT_EQ(TableType::TermsOf(*slot), terms);
    for (std::size_t i = 0; i < kWords; ++i) slot->words[i] = hash + i;
    slot->words[0] = unused_at;
    map_[hash] = unused_at;
    return true;
  }

  void Remove(std::uint64_t hash) {
    Slot<kWords>* const slot = table_.Find({hash});
    ASSERT_NE(slot, nullptr);
    removing_ = hash;
    table_.Erase(*slot);
    removing_ = 0;
    ASSERT_FALSE(map_.contains(hash));
    ASSERT_EQ(table_.Find({hash}), nullptr);
  }

  void Step(Pace pace = Pace::kQuiet) {
    table_.ResetMoved();
    if (table_.WantsResize()) table_.Resize(bytes_max);
    table_.Step(now, pace);
    NoteMoves();
  }

  bool Has(std::uint64_t hash) const { return map_.contains(hash); }
  std::uint64_t AnyKey(Random& random) {
    auto at = map_.begin();
    std::advance(at, random.Between(0, std::min<std::int64_t>(50, Count() - 1)));
    return at->first;
  }

  void ExpectFound(std::uint64_t hash) {
    const Slot<kWords>* const slot = table_.Find({hash});
    ASSERT_NE(slot, nullptr) << "key " << hash << " of " << size();
    ASSERT_EQ(TableType::HashOf(*slot), hash);
    // The quick lookup finds the same slot, or none if the key is in the stash.
    const Slot<kWords>* const quick = table_.Find({hash}, TableType::TermsOf(*slot));
    ASSERT_TRUE(quick == slot || (quick == nullptr && table_.InStash(*slot)));
    const auto other = static_cast<std::uint8_t>(TableType::TermsOf(*slot) ^ 1U);
    ASSERT_EQ(table_.Find({hash}, other), nullptr);
    ASSERT_EQ(slot->words[0], map_.at(hash));
    for (std::size_t i = 1; i < kWords; ++i) ASSERT_EQ(slot->words[i], hash + i);
  }

  // Checks invariants (1) and (2), and that nothing is lost.
  void ExpectSame() {
    ASSERT_EQ(table_.used(), map_.size());
    for (const auto& [hash, unused_at] : map_) ASSERT_NO_FATAL_FAILURE(ExpectFound(hash));
    std::unordered_set<std::uint64_t> seen;
    table_.ForEach([&](const Slot<kWords>& slot) { seen.insert(TableType::HashOf(slot)); });
    std::size_t visited = 0;
    table_.ForEach([&visited](const Slot<kWords>& /*slot*/) { ++visited; });
    ASSERT_EQ(visited, map_.size());
    ASSERT_EQ(seen.size(), map_.size());
  }

  int max_moved() const { return max_moved_; }

 private:
  std::int64_t Count() const { return static_cast<std::int64_t>(map_.size()); }

  void NoteMoves() { max_moved_ = std::max(max_moved_, table_.moved()); }

  // Invariant (3): only an unused key, or the one that is being erased.
  void Forgotten(const Slot<kWords>& slot) {
    const std::uint64_t hash = TableType::HashOf(slot);
    const auto found = map_.find(hash);
    ASSERT_NE(found, map_.end()) << "forgotten twice, or never added";
    ASSERT_TRUE(hash == removing_ || found->second <= now) << "a key in use was dropped";
    map_.erase(found);
  }

  Pages pages_;
  TableType table_{Forget{this}};
  std::unordered_map<std::uint64_t, std::uint64_t> map_;
  std::uint64_t removing_ = 0;
  int max_moved_ = 0;
};

std::uint64_t NewHash(Random& random) { return (random.Bits() & kHashMask) | 1U; }

constexpr std::uint64_t kForever = UINT64_MAX - 1;

// Adds and removes keys and lets time pass, looking up every key at every step.
template <std::size_t kWords>
void LiveAtRandom(Random& random) {
  Model<kWords> model;
  for (int i = 0; i < 1200 && !::testing::Test::HasFailure(); ++i) {
    const std::int64_t dice = random.Between(1, 20);
    if (dice <= 12) {
      const std::uint64_t hash = NewHash(random);
      const auto life = static_cast<std::uint64_t>(random.Spread(0, 2000));
      if (!model.Has(hash)) model.Add(hash, random.OneIn(4) ? kForever : model.now + life);
    } else if (dice <= 15 && model.size() > 0) {
      model.Remove(model.AnyKey(random));
    } else if (dice == 16) {
      model.now += static_cast<std::uint64_t>(random.Spread(0, 100));
    } else {
      model.Step();
    }
    model.ExpectSame();
  }
  EXPECT_LE(model.max_moved(), 64);
}

TEST(TableTest, NarrowTableActsAsAMap) { ForEachSeed(4, LiveAtRandom<1>); }
TEST(TableTest, PairTableActsAsAMap) { ForEachSeed(4, LiveAtRandom<2>); }
TEST(TableTest, TripleTableActsAsAMap) { ForEachSeed(4, LiveAtRandom<3>); }

// Expects bytes per key as if slots are 70 % to 90 % full, plus up to two pieces of rounding per
// region.
template <std::size_t kWords>
void ExpectBytesPerKey(Model<kWords>& model) {
  using BucketType = Bucket<kWords>;
  const double slot = static_cast<double>(sizeof(BucketType)) / BucketType::kSlots;
  const auto keys = static_cast<double>(model.size());
  const auto bytes = static_cast<double>(model.table().Bytes());
  EXPECT_GT(bytes, keys * slot / 0.90) << model.size();
  EXPECT_LT(bytes, keys * slot / 0.70 + 4.0 * kPieceBytes) << model.size();
}

template <std::size_t kWords>
void GrowAndShrink(Random& random) {
  Model<kWords> model;
  std::vector<std::uint64_t> added;
  while (added.size() < 12'000) {
    added.push_back(NewHash(random));
    ASSERT_TRUE(model.Add(added.back(), kForever)) << "key " << added.size();
    ASSERT_NO_FATAL_FAILURE(model.ExpectFound(added.back()));
    ASSERT_NO_FATAL_FAILURE(model.ExpectFound(added[added.size() / 2]));
    if (added.size() >= 4'000 && added.size() % 64 == 0) ExpectBytesPerKey(model);
    if (added.size() % 256 == 0) model.ExpectSame();
    if (::testing::Test::HasFailure()) return;
  }
  const std::size_t peak = model.table().Bytes();
  while (added.size() > 10) {
    ASSERT_NO_FATAL_FAILURE(model.Remove(added.back()));
    added.pop_back();
    for (int i = 0; i < 4; ++i) model.Step();
    if (added.size() % 256 == 0) model.ExpectSame();
    if (::testing::Test::HasFailure()) return;
  }
  for (int i = 0; i < 4'000; ++i) model.Step();
  model.ExpectSame();
  EXPECT_LE(model.table().Bytes(), std::max(peak / 20, 2 * kPieceBytes));
  EXPECT_LE(model.max_moved(), 64);
  EXPECT_GT(model.max_moved(), 4);  // the counter counts
}

TEST(TableTest, NarrowTableGrowsAndShrinksInPlace) { ForEachSeed(1, GrowAndShrink<1>); }
TEST(TableTest, PairTableGrowsAndShrinksInPlace) { ForEachSeed(1, GrowAndShrink<2>); }
TEST(TableTest, TripleTableGrowsAndShrinksInPlace) { ForEachSeed(1, GrowAndShrink<3>); }

template <std::size_t kWords>
void FillUpToACap(Random& random) {
  Model<kWords> model;
  model.bytes_max = 32 * kPieceBytes;
  std::uint64_t hash = NewHash(random);
  while (model.Add(hash, kForever)) hash = NewHash(random);
  model.ExpectSame();
  EXPECT_LE(model.table().Bytes(), model.bytes_max + 2 * kPieceBytes);
  const std::size_t slots = model.bytes_max / sizeof(Bucket<kWords>) * Bucket<kWords>::kSlots;
  EXPECT_GT(model.size(), slots * 85 / 100);
  // A key that does not fit changes nothing.
  for (int i = 0; i < 100; ++i) model.Add(NewHash(random), kForever);
  model.ExpectSame();
  // Erasing keys makes room again.
  const std::size_t full = model.size();
  for (int i = 0; i < 500; ++i) model.Remove(model.AnyKey(random));
  int added = 0;
  for (int i = 0; i < 500; ++i) added += model.Add(NewHash(random), kForever) ? 1 : 0;
  EXPECT_GT(added, 450);
  EXPECT_LE(model.size(), full);
  model.ExpectSame();
  EXPECT_LE(model.max_moved(), 64);
}

TEST(TableTest, NarrowTableFillsUpToACap) { ForEachSeed(1, FillUpToACap<1>); }
TEST(TableTest, PairTableFillsUpToACap) { ForEachSeed(1, FillUpToACap<2>); }
TEST(TableTest, TripleTableFillsUpToACap) { ForEachSeed(1, FillUpToACap<3>); }

TEST(TableTest, ReplacesUnusedKeysAtTheCap) {
  ForEachSeed(1, [](Random& random) {
    Model<1> model;
    model.bytes_max = 16 * kPieceBytes;
    std::uint64_t hash = NewHash(random);
    while (model.Add(hash, model.now + 1000)) hash = NewHash(random);
    const std::size_t full = model.size();
    model.now += 1000;
    for (std::size_t i = 0; i < full * 95 / 100; ++i) {
      ASSERT_TRUE(model.Add(NewHash(random), kForever)) << i;
    }
    model.ExpectSame();
  });
}

TEST(TableTest, SweepsEveryUnusedKeyEventually) {
  ForEachSeed(1, [](Random& random) {
    Model<2> model;
    for (int i = 0; i < 3'000; ++i) model.Add(NewHash(random), i % 3 == 0 ? kForever : 500);
    model.now = 499;
    for (int i = 0; i < 3'000; ++i) model.Step();
    EXPECT_EQ(model.size(), 3'000U);
    model.now = 500;
    for (int i = 0; i < 3'000; ++i) model.Step();
    EXPECT_EQ(model.size(), 1'000U);
    model.ExpectSame();
  });
}

// When the table grows again, the returned memory must be as empty as it was at first.
TEST(TableTest, ReturnedMemoryReadsAsEmpty) {
  ForEachSeed(1, [](Random& random) {
    Model<1> model;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 8'000; ++i) model.Add(NewHash(random), model.now + 10);
      model.ExpectSame();
      model.now += 10;
      for (int i = 0; i < 8'000; ++i) model.Step();
      EXPECT_EQ(model.size(), 0U);
      EXPECT_EQ(model.table().Bytes(), kPieceBytes);
      model.ExpectSame();
    }
  });
}

// A half-grown table does not continue to grow while no key is added, but does so once its keys are
// gone.
TEST(TableTest, PausesGrowthWhileNoKeyIsAdded) {
  ForEachSeed(1, [](Random& random) {
    Model<1> model;
    const auto add = [&] { ASSERT_TRUE(model.Add(NewHash(random), 500)); };
    while (model.size() < 8'000) add();
    const std::size_t bytes = model.table().Bytes();
    while (model.table().Bytes() == bytes) add();  // a resize has begun
    for (int i = 0; i < 16; ++i) model.Step();     // until the stash is empty
    for (int i = 0; i < 5'000; ++i) {
      model.Step();
      ASSERT_EQ(model.table().moved(), 0);
    }
    model.ExpectSame();
    add();
    EXPECT_GT(model.table().moved(), 0);
    model.now = 500;
    for (int i = 0; i < 8'000; ++i) model.Step();
    EXPECT_EQ(model.table().Bytes(), kPieceBytes);
    model.ExpectSame();
  });
}

// The bound applies to an operation, however many steps it takes.
template <std::size_t kWords>
void MoveInOneOperation(Random& random) {
  Model<kWords> model;
  const auto add = [&] { ASSERT_TRUE(model.Add(NewHash(random), kForever)); };
  while (model.size() < 8'000) add();
  const std::size_t bytes = model.table().Bytes();
  while (model.table().Bytes() == bytes) add();  // a resize has begun
  for (int i = 0; i < 16; ++i) model.Step();     // until the stash is empty
  model.table().ResetMoved();
  for (int i = 0; i < 20; ++i) model.table().Step(model.now, Pace::kAdding);
  EXPECT_GT(model.table().moved(), 30);
  EXPECT_LE(model.table().moved(), 64);
  model.table().ResetMoved();
  model.table().Step(model.now, Pace::kAdding);
  EXPECT_GT(model.table().moved(), 0) << "the next operation goes on";
  model.ExpectSame();
}

TEST(TableTest, BoundsMovesOfOneOperation) {
  ForEachSeed(2, MoveInOneOperation<1>);
  ForEachSeed(2, MoveInOneOperation<2>);
  ForEachSeed(2, MoveInOneOperation<3>);
}

// However many keys are removed at once, the table is small again after about one sweep over every
// bucket, and accepts new keys meanwhile.
TEST(TableTest, ShrinksInOnePassWhileAcceptingKeys) {
  ForEachSeed(1, [](Random& random) {
    Model<1> model;
    for (int i = 0; i < 12'000; ++i) model.Add(NewHash(random), 500);
    const std::size_t peak = model.table().Bytes();
    model.now = 500;
    for (int i = 0; i < 3'000; ++i) ASSERT_TRUE(model.Add(NewHash(random), kForever)) << i;
    model.ExpectSame();
    EXPECT_EQ(model.size(), 3'000U);
    EXPECT_LT(model.table().Bytes(), peak / 2);
    EXPECT_LE(model.max_moved(), 64);
  });
}

TEST(TableTest, UntouchedTableTakesNoMemory) {
  Model<1> model;
  model.Step();
  EXPECT_EQ(model.table().Bytes(), 0U);
  EXPECT_EQ(model.table().used(), 0U);
  int visited = 0;
  model.table().ForEach([&visited](const Slot<1>& /*slot*/) { ++visited; });
  EXPECT_EQ(visited, 0);
}

// Keys that differ only in their lowest bits share a main bucket: two buckets and the stash hold
// them, and further keys are refused, never lost.
TEST(TableTest, RefusesCollidingKeysInsteadOfLosingThem) {
  Model<1> model;
  int added = 0;
  for (std::uint64_t i = 1; i <= 200; ++i) added += model.Add(i, kForever) ? 1 : 0;
  EXPECT_GE(added, 20);
  model.ExpectSame();
  for (std::uint64_t i = 1; i <= 200; ++i) {
    if (model.Has(i)) model.Remove(i);
    model.ExpectSame();
  }
  EXPECT_EQ(model.size(), 0U);
}

}  // namespace
}  // namespace sluice
