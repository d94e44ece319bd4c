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
template <std::size_t kWords>
class Filled {
 public:
  explicit Filled(std::size_t buckets) : pages_(Reserve()) { region_.Init(pages_.data(), buckets); }

  Region<kWords>& region() { return region_; }
  std::size_t size() const { return spreads_.size(); }

  // Adds a key unless its bucket is full.
  void Add(std::uint64_t spread) {
    if (Put(spread)) spreads_.push_back(spread);
  }

  // Places the keys of the next bucket anew. Those that find no room are forgotten.
  void MoveNext() {
    const Bucket<kWords> taken = region_.TakeNext();
    for (const Slot<kWords>& slot : taken.slots) {
      if (slot.key == 0 || Put(slot.key)) continue;
      std::erase(spreads_, slot.key);
    }
  }

  void Resize(std::size_t buckets) {
    region_.StartResize(buckets);
    while (region_.resizing()) {
      MoveNext();
      region_.Finish();
      if (::testing::Test::HasFatalFailure()) return;
      ExpectAllInPlace();
    }
  }

  // Invariants (1) and (2): every key is where Place says, under whichever layout holds there.
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
  Region<kWords> region_;
  std::vector<std::uint64_t> spreads_;
};

template <std::size_t kWords>
void GrowAndShrinkAtRandom(Random& random) {
  const auto any = [&random] { return static_cast<std::size_t>(random.Between(8, 200)); };
  Filled<kWords> filled(any());
  for (int i = 0; i < 120; ++i) filled.Add(random.Bits() | 1U);
  for (int i = 0; i < 6 && !::testing::Test::HasFailure(); ++i) {
    const std::size_t to = any();
    if (to == filled.region().buckets()) continue;
    filled.Resize(to);
    EXPECT_EQ(filled.region().buckets(), to);
    EXPECT_EQ(filled.region().extent(), to);
  }
  EXPECT_GT(filled.size(), 10U);
}

TEST(RegionTest, EveryKeyIsInItsPlaceAtEveryStepOfAResize) {
  ForEachSeed(10, [](Random& random) {
    GrowAndShrinkAtRandom<1>(random);
    GrowAndShrinkAtRandom<2>(random);
    GrowAndShrinkAtRandom<3>(random);
  });
}

TEST(RegionTest, KeysMayBeAddedInTheMiddleOfAResize) {
  ForEachSeed(10, [](Random& random) {
    for (const std::size_t to : {std::size_t{90}, std::size_t{40}}) {
      Filled<1> filled(64);
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

TEST(RegionTest, TheExtentCoversBothLayoutsWhileResizing) {
  Filled<1> filled(64);
  filled.region().StartResize(80);
  EXPECT_EQ(filled.region().extent(), 80U);
  while (!filled.region().Finish()) filled.MoveNext();
  filled.region().StartResize(70);
  EXPECT_EQ(filled.region().buckets(), 70U);
  EXPECT_EQ(filled.region().extent(), 80U);
}

TEST(RegionTest, KeysOfEverySpreadStayWithinTheRegion) {
  Filled<1> filled(7);
  EXPECT_EQ(&filled.region().Place(0), &filled.region().At(0));
  EXPECT_EQ(&filled.region().Place(UINT64_MAX), &filled.region().At(6));
}

TEST(RegionTest, PiecesLieInRowsSoThatShardsShareThem) {
  Filled<1> filled(300);
  const auto* const first = reinterpret_cast<const std::byte*>(&filled.region().At(0));
  const auto* const next = reinterpret_cast<const std::byte*>(&filled.region().At(128));
  EXPECT_EQ(next - first, static_cast<std::ptrdiff_t>(kRowBytes));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % kRowBytes, 0U);
}

// Growing again must find what it gave back as empty as it was at first.
TEST(RegionTest, WhatWasGivenBackReadsAsEmptyAgain) {
  Filled<1> filled(1000);
  Random random{1};
  for (int i = 0; i < 2000; ++i) filled.Add(random.Bits() | 1U);
  const std::size_t before = filled.region().Bytes();
  filled.Resize(100);
  EXPECT_LT(filled.region().Bytes(), before / 4);
  for (std::size_t i = 100; i < 1000; ++i) {
    for (const Slot<1>& slot : filled.region().At(i).slots) ASSERT_EQ(slot.key, 0U);
  }
  filled.Resize(1000);
}

}  // namespace
}  // namespace sluice
