// Table: the states of one width in one shard, found by hash.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "store/region.h"

namespace sluice {

// The 56 bits of a key's hash that tell it apart within a shard. Never 0.
struct KeyHash {
  std::uint64_t bits = 1;
};

// A hash table of fixed-width slots with two regions, three quarters and one quarter of the
// buckets. A key lives in its main bucket where there is room, else in its side bucket; where both
// are full, a neighbour is moved to its own other bucket. So a lookup reads one bucket for most
// keys and never more than two (and the stash, empty but for bad luck).
//
// Thread safety: guarded by the shard's lock, but for Prefetch.
// Memory: grows in place by a tenth and shrinks to what is used (see Region), so there is no second
// copy of the table at any time and a growing table stays 74 to 84 % full.
// Cost: no operation moves more than kMovesMost slots; `moved()` counts.
//
// `Forget` is called with every slot that is dropped because its key is unused.
//
// Invariants
//   (1) A key is in at most one slot.
//   (2) used() counts the slots whose key word is not 0.
//   (3) A slot whose words[0] <= threshold may be dropped by any call that is given a threshold.
template <std::size_t kWords, typename Forget>
class Table {
 public:
  using SlotType = Slot<kWords>;
  using BucketType = Bucket<kWords>;

  static constexpr int kMovesMost = 64;

  explicit Table(Forget forget) : forget_(std::move(forget)) {}

  // Two pieces of zeroed rows, `main` with room for as many bytes as the table may ever have.
  void Init(std::byte* main, std::byte* side) {
    main_.Init(main, 3 * kSideBucketsLeast);
    side_.Init(side, kSideBucketsLeast);
  }

  // Makes room for this many keys at once, within `bytes_max`. Keys that come in the order of their
  // hashes, as ForEach hands them out, would not fit a table that grows under them.
  // REQUIRES: nothing was ever inserted.
  void Reserve(std::size_t keys, std::size_t bytes_max) {
    const std::size_t most = bytes_max / sizeof(BucketType) / 4;
    const std::size_t wanted = keys * 10 / (34 * BucketType::kSlots) + 1;  // 85 % full
    const std::size_t side = std::max(std::min(wanted, most), kSideBucketsLeast);
    main_.SetBuckets(3 * side);
    side_.SetBuckets(side);
  }

  void Prefetch(KeyHash hash) const {
    PrefetchBucket(main_.Place(MainSpread(hash.bits)));
    PrefetchBucket(side_.Place(SideSpread(hash.bits)));
  }

  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] std::size_t Bytes() const {
    return used_ == 0 && !touched_ ? 0 : main_.Bytes() + side_.Bytes();
  }
  // Whether any page may have been written.
  [[nodiscard]] bool touched() const { return touched_; }
  // What even one key takes.
  static constexpr std::size_t kBytesLeast = 2 * kPageBytes;
  [[nodiscard]] int moved() const { return moved_; }
  void ResetMoved() { moved_ = 0; }

  // The slot of a key, or null.
  [[nodiscard]] SlotType* Find(KeyHash hash) {
    if (SlotType* const slot = FindIn(main_.Place(MainSpread(hash.bits)), hash)) return slot;
    if (SlotType* const slot = FindIn(side_.Place(SideSpread(hash.bits)), hash)) return slot;
    for (std::size_t i = 0; i < stash_size_; ++i) {
      if (HashOf(stash_[i]) == hash.bits) return &stash_[i];
    }
    return nullptr;
  }

  // A slot for a key that has none, its key word set under `terms`; null if there is no room.
  // REQUIRES: Find(hash) is null.
  SlotType* Insert(KeyHash hash, std::uint8_t terms, std::uint64_t threshold) {
    touched_ = true;
    SlotType* const slot = MakeRoom(hash.bits, threshold);
    if (slot == nullptr) return nullptr;
    slot->key = (hash.bits << 8U) | terms;
    ++used_;
    return slot;
  }

  // Empties a slot. Pointers to other slots may change meaning.
  void Erase(SlotType& slot) {
    forget_(slot);
    --used_;
    if (&slot >= stash_.data() && &slot < stash_.data() + stash_size_) {
      slot = stash_[--stash_size_];
      stash_[stash_size_] = SlotType{};
    } else {
      slot = SlotType{};
    }
  }

  // A bounded piece of housekeeping: goes on with a resize, or looks for unused keys and starts
  // one. The table may use up to `bytes_max`.
  void Step(std::uint64_t threshold, std::size_t bytes_max) {
    if (used_ == 0 && !touched_) return;
    if (main_.resizing() || side_.resizing()) {
      Migrate(threshold);
    } else {
      MaybeResize(bytes_max);
    }
    for (int i = 0; i < kSweepBuckets; ++i) SweepNext(threshold);
  }

  // Calls visit(slot) for every slot in use.
  template <typename Visit>
  void ForEach(Visit visit) {
    const auto each = [&visit](BucketType& bucket) {
      for (SlotType& slot : bucket.slots) {
        if (slot.key != 0) visit(slot);
      }
    };
    if (!touched_) return;
    for (std::size_t i = 0; i < main_.extent(); ++i) each(main_.At(i));
    for (std::size_t i = 0; i < side_.extent(); ++i) each(side_.At(i));
    for (std::size_t i = 0; i < stash_size_; ++i) visit(stash_[i]);
  }

  static std::uint64_t HashOf(const SlotType& slot) { return slot.key >> 8U; }
  static std::uint8_t TermsOf(const SlotType& slot) { return static_cast<std::uint8_t>(slot.key); }

 private:
  static constexpr std::size_t kSideBucketsLeast = 1024 / sizeof(BucketType);
  static constexpr std::size_t kStashSlots = 16;
  static constexpr int kSweepBuckets = 2;
  // Load from which on the table grows. What is not yet placed anew when growing ends is 8 %
  // fuller, and even there a key finds room within two moves but for one in millions.
  static constexpr std::size_t kPercentFull = BucketType::kSlots == 5 ? 84 : 82;
  // Buckets placed anew by one step: three of the main region, which has three times the buckets,
  // for one of the side region.
  static constexpr int kMainBucketsPerStep = 3;
  // Another bucket is taken only while its slots, each with two moves to make room, and the two
  // moves of an insert fit below kMovesMost.
  static constexpr int kMovesForBucket = 3 * static_cast<int>(BucketType::kSlots) + 2;

  // The two places are drawn from different mixes of the same 56 bits.
  static std::uint64_t MainSpread(std::uint64_t hash) { return hash << 8U; }
  static std::uint64_t SideSpread(std::uint64_t hash) { return hash * 0x9e3779b97f4a7c15U; }
  BucketType& MainOf(const SlotType& slot) const { return main_.Place(MainSpread(HashOf(slot))); }
  BucketType& SideOf(const SlotType& slot) const { return side_.Place(SideSpread(HashOf(slot))); }

  static void PrefetchBucket(const BucketType& bucket) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&bucket);
    for (std::size_t i = 0; i < sizeof(BucketType); i += 64) __builtin_prefetch(bytes + i, 1);
  }

  static SlotType* FindIn(BucketType& bucket, KeyHash hash) {
    for (SlotType& slot : bucket.slots) {
      if (HashOf(slot) == hash.bits) return &slot;
    }
    return nullptr;
  }

  // An empty slot of the bucket, made by dropping an unused key if need be; or null.
  SlotType* FreeIn(BucketType& bucket, std::uint64_t threshold) {
    for (SlotType& slot : bucket.slots) {
      if (slot.key == 0) return &slot;
      if (slot.words[0] <= threshold) {
        Erase(slot);
        return &slot;
      }
    }
    return nullptr;
  }

  SlotType* MakeRoom(std::uint64_t hash, std::uint64_t threshold) {
    BucketType& main = main_.Place(MainSpread(hash));
    if (SlotType* const slot = FreeIn(main, threshold)) return slot;
    BucketType& side = side_.Place(SideSpread(hash));
    if (SlotType* const slot = FreeIn(side, threshold)) return slot;
    if (SlotType* const slot = MoveOne(main, side, threshold)) return slot;
    if (SlotType* const slot = MoveTwo(main, side, threshold)) return slot;
    return stash_size_ < kStashSlots ? &stash_[stash_size_++] : nullptr;
  }

  void Move(SlotType& from, SlotType& to) {
    to = from;
    from = SlotType{};
    ++moved_;
  }

  // Frees a slot of either bucket by moving its key to that key's other bucket.
  SlotType* MoveOne(BucketType& main, BucketType& side, std::uint64_t threshold) {
    for (SlotType& slot : main.slots) {
      if (SlotType* const free = FreeIn(SideOf(slot), threshold)) return Move(slot, *free), &slot;
    }
    for (SlotType& slot : side.slots) {
      if (SlotType* const free = FreeIn(MainOf(slot), threshold)) return Move(slot, *free), &slot;
    }
    return nullptr;
  }

  // The same by way of a second key that has to give way first.
  SlotType* MoveTwo(BucketType& main, BucketType& side, std::uint64_t threshold) {
    for (SlotType& slot : main.slots) {
      for (SlotType& second : SideOf(slot).slots) {
        SlotType* const free = FreeIn(MainOf(second), threshold);
        if (free != nullptr) return Move(second, *free), Move(slot, second), &slot;
      }
    }
    for (SlotType& slot : side.slots) {
      for (SlotType& second : MainOf(slot).slots) {
        SlotType* const free = FreeIn(SideOf(second), threshold);
        if (free != nullptr) return Move(second, *free), Move(slot, second), &slot;
      }
    }
    return nullptr;
  }

  void Replace(const BucketType& taken, std::uint64_t threshold) {
    for (const SlotType& slot : taken.slots) {
      if (slot.key == 0) continue;
      if (slot.words[0] <= threshold) {
        SlotType dropped = slot;
        forget_(dropped);
        --used_;
        continue;
      }
      // Migrate has seen to it that the stash has room, so this cannot fail.
      *MakeRoom(HashOf(slot), threshold) = slot;
      ++moved_;
    }
  }

  [[nodiscard]] bool MayTakeBucket() const {
    return stash_size_ + BucketType::kSlots <= kStashSlots &&
           moved_ + kMovesForBucket <= kMovesMost;
  }

  void Migrate(std::uint64_t threshold) {
    DrainStash(threshold);
    for (int i = 0; i < kMainBucketsPerStep && main_.resizing() && MayTakeBucket(); ++i) {
      Replace(main_.TakeNext(), threshold);
      main_.Finish();
    }
    if (side_.resizing() && MayTakeBucket()) {
      Replace(side_.TakeNext(), threshold);
      side_.Finish();
    }
  }

  // Tries to find a bucket for the last key of the stash.
  void DrainStash(std::uint64_t threshold) {
    if (stash_size_ == 0) return;
    const SlotType slot = stash_[stash_size_ - 1];
    stash_[--stash_size_] = SlotType{};
    *MakeRoom(HashOf(slot), threshold) = slot;
    ++moved_;
  }

  [[nodiscard]] std::size_t Buckets() const { return main_.buckets() + side_.buckets(); }

  void MaybeResize(std::size_t bytes_max) {
    DrainStash(0);
    const std::size_t buckets = Buckets();
    const std::size_t slots = buckets * BucketType::kSlots;
    // A stash that fills up says that the buckets are too full, whatever the load.
    if (used_ * 100 > slots * kPercentFull || stash_size_ > kStashSlots / 2) {
      ResizeTo(buckets + std::max<std::size_t>(buckets / 10, 16), bytes_max);
    } else if (buckets > 4 * kSideBucketsLeast && used_ * 100 < slots * 60) {
      // Three quarters full at the end, with a key added at every step on the way: one pass,
      // however empty the table is.
      const std::size_t fits = (used_ + side_.buckets()) * 4 / (3 * BucketType::kSlots) + 4;
      ResizeTo(std::min(fits, buckets - 1), bytes_max);
    }
  }

  // Starts a resize to about `buckets`, of which a quarter is for the side region. A table of some
  // size is cut to whole pieces, since that is how it takes memory.
  void ResizeTo(std::size_t buckets, std::size_t bytes_max) {
    constexpr std::size_t kPerPiece = Region<kWords>::kPerPiece;
    std::size_t side = std::max(buckets / 4, kSideBucketsLeast);
    std::size_t main = 3 * side;
    if (buckets >= 4 * kPerPiece) {
      const std::size_t wanted = (buckets + kPerPiece - 1) / kPerPiece;
      const std::size_t pieces =
          std::max<std::size_t>(std::min(wanted, bytes_max / kPieceBytes), 4);
      side = (pieces + 2) / 4 * kPerPiece;
      main = pieces * kPerPiece - side;
    }
    if (main > main_.buckets() && Region<kWords>::BytesFor(main) + side_.Bytes() > bytes_max)
      return;
    if (main != main_.buckets()) main_.StartResize(main);
    if (side != side_.buckets()) side_.StartResize(side);
  }

  // Looks at one bucket, in turn, and drops its unused keys.
  void SweepNext(std::uint64_t threshold) {
    const std::size_t main = main_.extent();
    if (sweep_at_ >= main + side_.extent()) sweep_at_ = 0;
    BucketType& bucket = sweep_at_ < main ? main_.At(sweep_at_) : side_.At(sweep_at_ - main);
    for (SlotType& slot : bucket.slots) {
      if (slot.key != 0 && slot.words[0] <= threshold) Erase(slot);
    }
    ++sweep_at_;
  }

  Region<kWords> main_;
  Region<kWords> side_;
  std::size_t used_ = 0;
  std::size_t sweep_at_ = 0;  // next bucket to sweep, main region first
  std::size_t stash_size_ = 0;
  int moved_ = 0;         // slots moved since ResetMoved
  bool touched_ = false;  // whether any page may have been written
  std::array<SlotType, kStashSlots> stash_{};
  [[no_unique_address]] Forget forget_;
};

}  // namespace sluice
