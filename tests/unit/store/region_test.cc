#include "store/region.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "store/pages.h"
#include "support/random.h"

namespace sluice {
namespace {

using testing::ForEachSeed;
using testing::Random;

constexpr std::size_t kRows = 24;

Pages Reserve() {
  Result<Pages> pages = Pages::Reserve(kRows * kRowBytes);
  if (pages.ok()) return std::move(pages).value();
  ADD_FAILURE() << pages.error().message;
  return {};
}

// A region with a few keys in it, and the same keys in a list.
template <std::size_t kWords, Part kPart = Part::kSide>
class Filled {
 public:
  explicit Filled(std::size_t pieces) : pages_(Reserve()) { region_.Init(pages_.data(), pieces); }

  Region<kWords, kPart>& region() { return region_; }
  std::size_t size() const { return spreads_.size(); }

  // Adds a key unless its bucket is full.
  void Add(std::uint64_t spread) {
    if (Put(spread)) spreads_.push_back(spread);
  }

  // Re-places the keys of the next bucket. Keys that find no room are dropped.
  void MoveNext() {
    const Bucket<kWords> taken = region_.TakeNext();
    for (const Slot<kWords>& slot : taken.slots) {
      if (slot.key == 0 || Put(slot.key)) continue;
      std::erase(spreads_, slot.key);
    }
  }

  void Resize(std::size_t pieces) {
    region_.StartResize(pieces);
    while (region_.resizing()) {
      MoveNext();
      region_.Finish();
      if (::testing::Test::HasFatalFailure()) return;
      ExpectAllInPlace();
    }
  }

  // Invariants (1) and (2): every key is where Place says, under the layout that applies there.
  void ExpectAllInPlace() {
    for (const std::uint64_t spread : spreads_) {
      const Bucket<kWords>& bucket = region_.Place(spread);
      const auto found = [spread](const Slot<kWords>& slot) { return slot.key == spread; };
      ASSERT_TRUE(std::any_of(std::begin(bucket.slots), std::end(bucket.slots), found));
    }
    std::size_t held = 0;
    for (std::size_t i = 0; i < region_.extent(); ++i) {
      for (const Slot<kWords>& slot : region_.At(i).slots) {
        held += slot.key != 0 ? 1 : 0;
        ASSERT_TRUE(slot.key == 0 || &region_.Place(slot.key) == &region_.At(i));
      }
    }
    ASSERT_EQ(held, spreads_.size());
  }

 private:
  bool Put(std::uint64_t spread) {
    for (Slot<kWords>& slot : region_.Place(spread).slots) {
      if (slot.key != 0) continue;
      slot.key = spread;
      return true;
    }
    return false;
  }

  Pages pages_;
  Region<kWords, kPart> region_;
  std::vector<std::uint64_t> spreads_;
};

template <std::size_t kWords, Part kPart>
void GrowAndShrinkAtRandom(Random& random) {
  const auto any = [&random] { return static_cast<std::size_t>(random.Between(1, 8)); };
  Filled<kWords, kPart> filled(any());
  constexpr std::size_t kPerPiece = Region<kWords, kPart>::kPerPiece;
  for (int i = 0; i < 120; ++i) filled.Add(random.Bits() | 1U);
  for (int i = 0; i < 6 && !::testing::Test::HasFailure(); ++i) {
    const std::size_t to = any();
    if (to * kPerPiece == filled.region().buckets()) continue;
    filled.Resize(to);
    EXPECT_EQ(filled.region().buckets(), to * kPerPiece);
    EXPECT_EQ(filled.region().extent(), to * kPerPiece);
  }
  EXPECT_GT(filled.size(), 10U);
}

TEST(RegionTest, KeepsEveryKeyInItsPlaceWhileResizing) {
  ForEachSeed(10, [](Random& random) {
    GrowAndShrinkAtRandom<1, Part::kMain>(random);
    GrowAndShrinkAtRandom<1, Part::kSide>(random);
    GrowAndShrinkAtRandom<2, Part::kMain>(random);
    GrowAndShrinkAtRandom<3, Part::kSide>(random);
  });
}

TEST(RegionTest, AcceptsKeysWhileResizing) {
  ForEachSeed(10, [](Random& random) {
    for (const std::size_t to : {std::size_t{3}, std::size_t{1}}) {
      Filled<1> filled(2);
      for (int i = 0; i < 60; ++i) filled.Add(random.Bits() | 1U);
      filled.region().StartResize(to);
      while (!filled.region().Finish()) {
        filled.MoveNext();
        filled.Add(random.Bits() | 1U);
        ASSERT_NO_FATAL_FAILURE(filled.ExpectAllInPlace());
      }
    }
  });
}

TEST(RegionTest, ExtentCoversBothLayoutsWhileResizing) {
  Filled<1> filled(2);
  filled.region().StartResize(3);
  EXPECT_EQ(filled.region().extent(), 96U);
  while (!filled.region().Finish()) filled.MoveNext();
  filled.region().StartResize(2);
  EXPECT_EQ(filled.region().buckets(), 64U);
  EXPECT_EQ(filled.region().extent(), 96U);
}

TEST(RegionTest, KeepsKeysOfEverySpreadWithinTheRegion) {
  Filled<1> filled(7);
  EXPECT_EQ(&filled.region().Place(0), &filled.region().At(0));
  EXPECT_EQ(&filled.region().Place(UINT64_MAX), &filled.region().At(7 * 32 - 1));
}

TEST(RegionTest, PlacesKeepTheOrderOfSpreads) {
  ForEachSeed(10, [](Random& random) {
    const auto pieces = static_cast<std::size_t>(random.Between(1, 20));
    Filled<1, Part::kMain> filled(pieces);
    const std::uint64_t spread = random.Bits();
    const auto buckets = static_cast<Uint128>(filled.region().buckets());
    const auto index = static_cast<std::size_t>((spread * buckets) >> 64U);
    EXPECT_EQ(&filled.region().Place(spread), &filled.region().At(index));
  });
}

TEST(RegionTest, PlacesPiecesInSharedRows) {
  Filled<1, Part::kMain> filled(3);
  const auto* const first = reinterpret_cast<const std::byte*>(&filled.region().At(0));
  const auto* const next = reinterpret_cast<const std::byte*>(&filled.region().At(96));
  EXPECT_EQ(next - first, static_cast<std::ptrdiff_t>(kRowBytes));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % kRowBytes, 0U);
}

TEST(RegionTest, PartsOfAPieceDoNotOverlap) {
  const Pages pages = Reserve();
  Region<2, Part::kMain> main;
  Region<2, Part::kSide> side;
  main.Init(pages.data(), 1);
  side.Init(pages.data(), 1);
  const auto end = [](const auto& bucket) {
    return reinterpret_cast<const std::byte*>(&bucket + 1);
  };
  EXPECT_EQ(end(main.At(main.extent() - 1)), reinterpret_cast<const std::byte*>(&side.At(0)));
  EXPECT_EQ(end(side.At(side.extent() - 1)), pages.data() + kPieceBytes);
}

}  // namespace
}  // namespace sluice
