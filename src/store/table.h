// Table: the states of one width in one shard, found by hash.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "store/region.h"
#include "store/slot.h"
#include "store/stash.h"
#include "store/table_load.h"

namespace sluice {

// A hash table of fixed-width slots with two regions, which have three quarters and one quarter of
// the buckets. A key is in its main bucket if there is room, else in its side bucket; if both are
// full, a neighbour is moved to its own other bucket. Therefore a lookup reads one bucket for most
// keys and never more than two (plus the stash, which is almost always empty).
//
// Thread safety: guarded by the shard's lock, except Prefetch.
// Memory: whole pieces. Grows in place by a sixteenth and shrinks to what is used (see Region), so
// there is never a second copy of the table, and a growing table of some size stays at least three
// quarters full.
// Cost: no operation moves more than kMaxMoves slots; `moved()` counts them.
//
// `Forget` is called with every slot that is removed.
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

  static constexpr int kMaxMoves = 64;

  explicit Table(Forget forget) : forget_(std::move(forget)) {}

  // `memory` is this shard's piece of the table's first row. The rows are zeroed, and there are as
  // many as the table may ever need.
  void Init(std::byte* memory) {
    memory_ = memory;
    SetPieces(1);
  }

  // The size of a table, as passed to Reserve.
  struct Extent {
    std::uint64_t keys = 0;
    std::uint64_t pieces = 0;
  };
  [[nodiscard]] Extent extent() const { return {used_, pieces_}; }

  // Makes room for the keys of another table at once, within `bytes_max` and that table's pieces.
  // In the order of ForEach the keys would not fit a table that grows while they are inserted.
  // REQUIRES: nothing was ever inserted.
  void Reserve(const Extent& extent, std::size_t bytes_max) {
    const std::size_t wanted = extent.keys * 100 / (kSlotsPerPiece * 85) + 1;
    const std::size_t max = std::min<std::size_t>(extent.pieces, bytes_max / kPieceBytes);
    SetPieces(std::max<std::size_t>(std::min(wanted, max), 1));
  }

  // Returns a slot for a key that Reserve has made room for. Searches further than Insert, so that
  // the keys of another table fit again in as many pieces. REQUIRES and null as for Insert.
  SlotType* Restore(KeyHash hash, std::uint8_t terms, std::uint64_t threshold) {
    return Take(MakeRoom(hash.bits, threshold, {.moves = 6, .stash = Stash<kWords>::kSlots}), hash,
                terms);
  }

  // Ends the restore: releases reserved room if nothing was inserted.
  void Restored() {
    if (!touched_) SetPieces(1);
  }

  void Prefetch(KeyHash hash) const {
    main_.PrefetchBucket(main_.Place(MainSpread(hash.bits)));
    side_.PrefetchBucket(side_.Place(SideSpread(hash.bits)));
  }

  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] std::size_t Bytes() const { return touched_ ? pieces_ * kPieceBytes : 0; }
  [[nodiscard]] bool touched() const { return touched_; }
  // The memory that a single key takes.
  static constexpr std::size_t kMinBytes = kPieceBytes;
  [[nodiscard]] int moved() const { return moved_; }
  void ResetMoved() { moved_ = 0; }

  // Returns the slot of a key, or null.
  [[nodiscard]] SlotType* Find(KeyHash hash) {
    if (SlotType* const slot = FindIn(main_.Place(MainSpread(hash.bits)), hash)) return slot;
    if (SlotType* const slot = FindIn(side_.Place(SideSpread(hash.bits)), hash)) return slot;
    return stash_.Find(hash);
  }

  // Returns the slot of a key that was written under `terms`, or null, also if it is in the stash.
  // Looks at every slot of a bucket instead of stopping at the right one, which would be an
  // unpredictable branch.
  [[nodiscard]] SlotType* Find(KeyHash hash, std::uint8_t terms) {
    const std::uint64_t key = (hash.bits << 8U) | terms;
    if (SlotType* const slot = FindIn(main_.Place(MainSpread(hash.bits)), key)) return slot;
    return FindIn(side_.Place(SideSpread(hash.bits)), key);
  }

  // Returns whether a slot is neither in its main bucket nor in its side bucket.
  [[nodiscard]] bool InStash(const SlotType& slot) const { return stash_.Holds(slot); }

  // Returns a slot for a key that has none, with its key word set under `terms`; null if there is
  // no room. REQUIRES: Find(hash) is null.
  SlotType* Insert(KeyHash hash, std::uint8_t terms, std::uint64_t threshold) {
    if (LoadOf(pieces_).IsBrimful()) [[unlikely]] {
      DropUnusedIn(main_.Place(MainSpread(hash.bits)), threshold);
      DropUnusedIn(side_.Place(SideSpread(hash.bits)), threshold);
      if (LoadOf(pieces_).IsBrimful()) return nullptr;
    }
    return Take(MakeRoom(hash.bits, threshold, {.moves = 2, .stash = Stash<kWords>::kForAdded}),
                hash, terms);
  }

  // Empties a slot. Pointers to other slots may refer to other keys afterwards.
  void Erase(SlotType& slot) {
    forget_(slot);
    --used_;
    if (InStash(slot)) {
      stash_.Erase(slot);
    } else {
      slot = SlotType{};
    }
  }

  // Returns whether the table is too full or too empty for its size and is not being resized.
  [[nodiscard]] bool WantsResize() const { return !resizing() && (TooFull() || TooEmpty()); }

  // Starts to grow or to shrink. The table may use up to `bytes_max`. REQUIRES: WantsResize().
  void Resize(std::size_t bytes_max) {
    // By a sixteenth, rounded to a piece: little enough that the memory taken by the first shards
    // to grow is no significant waste, and more than the keys that may be added during the resize.
    const std::size_t more = std::max<std::size_t>((pieces_ + 8) / 16, 1);
    const std::size_t wanted = TooFull() ? pieces_ + more : PiecesThatFit();
    const std::size_t pieces = std::max<std::size_t>(std::min(wanted, bytes_max / kPieceBytes), 1);
    if (pieces == pieces_ || (pieces < pieces_ && TooFull())) return;
    main_.StartResize(pieces);
    side_.StartResize(pieces);
    pieces_ = std::max(pieces_, pieces);
  }

  // Does a bounded step of housekeeping: continues a resize, and drops unused keys.
  void Step(std::uint64_t threshold, Pace pace) {
    if (!touched_) return;
    if (stash_.size() != 0) DrainStash(threshold);
    if (resizing()) Migrate(threshold, pace);
    for (std::size_t i = 0; i < kSweepBuckets; ++i) SweepNext(threshold);
    PrefetchForNextStep(pace);
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
    stash_.ForEach(visit);
  }

  static std::uint64_t HashOf(const SlotType& slot) { return slot.key >> 8U; }
  static std::uint8_t TermsOf(const SlotType& slot) { return static_cast<std::uint8_t>(slot.key); }

 private:
  static constexpr std::size_t kSlotsPerPiece =
      (Region<kWords, Part::kMain>::kPerPiece + Region<kWords, Part::kSide>::kPerPiece) *
      BucketType::kSlots;
  static constexpr std::size_t kSweepBuckets = 2;
  // Buckets re-placed by one step, in the same ratio as the sizes of the two regions.
  static constexpr std::size_t kMainBucketsPerStep = 6;
  static constexpr std::size_t kSideBucketsPerStep = 2;
  // Another bucket is taken only while its slots, each with two moves to make room, and the two
  // moves of an insert fit below kMaxMoves.
  static constexpr int kMovesForBucket = 3 * static_cast<int>(BucketType::kSlots) + 2;

  // The two places are derived from different mixes of the same 56 bits.
  static std::uint64_t MainSpread(std::uint64_t hash) { return hash << 8U; }
  static std::uint64_t SideSpread(std::uint64_t hash) { return hash * 0x9e3779b97f4a7c15U; }
  BucketType& MainOf(const SlotType& slot) const { return main_.Place(MainSpread(HashOf(slot))); }
  BucketType& SideOf(const SlotType& slot) const { return side_.Place(SideSpread(HashOf(slot))); }

  static SlotType* FindIn(BucketType& bucket, KeyHash hash) {
    for (SlotType& slot : bucket.slots) {
      if (HashOf(slot) == hash.bits) return &slot;
    }
    return nullptr;
  }

  static SlotType* FindIn(BucketType& bucket, std::uint64_t key) {
    unsigned found = 0;
    for (std::size_t i = 0; i < BucketType::kSlots; ++i) {
      found |= static_cast<unsigned>(bucket.slots[i].key == key) << i;
    }
    return found != 0 ? &bucket.slots[std::countr_zero(found)] : nullptr;
  }

  // Returns an empty slot of the bucket, dropping an unused key if needed; or null.
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

  // How hard to search for a free slot.
  struct Effort {
    int moves = 0;          // maximum moves of other keys
    std::size_t stash = 0;  // maximum number of keys in the stash afterwards
  };

  SlotType* MakeRoom(std::uint64_t hash, std::uint64_t threshold, const Effort& effort) {
    BucketType& main = main_.Place(MainSpread(hash));
    if (SlotType* const slot = FreeIn(main, threshold)) return slot;
    BucketType& side = side_.Place(SideSpread(hash));
    if (SlotType* const slot = FreeIn(side, threshold)) return slot;
    for (int moves = 1; moves <= effort.moves; ++moves) {
      if (SlotType* const slot = MoveFromMain(main, moves, threshold)) return slot;
      if (SlotType* const slot = MoveFromSide(side, moves, threshold)) return slot;
    }
    return stash_.Take(effort.stash);
  }

  // Assigns the slot that was found for a key to the key.
  SlotType* Take(SlotType* slot, KeyHash hash, std::uint8_t terms) {
    touched_ = true;
    if (slot == nullptr) return nullptr;
    slot->key = (hash.bits << 8U) | terms;
    ++used_;
    return slot;
  }

  void Move(SlotType& from, SlotType& to) {
    to = from;
    from = SlotType{};
    ++moved_;
  }

  // Frees a slot of a full bucket by moving a key to that key's other bucket, which may first take
  // `moves - 1` moves of other keys. Returns null if that is not enough.
  SlotType* MoveFromMain(BucketType& main, int moves, std::uint64_t threshold) {
    for (SlotType& slot : main.slots) {
      BucketType& side = SideOf(slot);
      SlotType* const free =
          moves == 1 ? FreeIn(side, threshold) : MoveFromSide(side, moves - 1, threshold);
      if (free != nullptr) return Move(slot, *free), &slot;
    }
    return nullptr;
  }
  SlotType* MoveFromSide(BucketType& side, int moves, std::uint64_t threshold) {
    for (SlotType& slot : side.slots) {
      BucketType& main = MainOf(slot);
      SlotType* const free =
          moves == 1 ? FreeIn(main, threshold) : MoveFromMain(main, moves - 1, threshold);
      if (free != nullptr) return Move(slot, *free), &slot;
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
      // Migrate has checked that the stash has room, so this cannot fail.
      *MakeRoom(HashOf(slot), threshold, {.moves = 2, .stash = Stash<kWords>::kSlots}) = slot;
      ++moved_;
    }
  }

  [[nodiscard]] bool MayTakeBucket() const {
    return stash_.size() + BucketType::kSlots <= Stash<kWords>::kSlots &&
           moved_ + kMovesForBucket <= kMaxMoves;
  }

  template <typename RegionType>
  void MigrateSome(RegionType& region, std::size_t buckets, std::uint64_t threshold) {
    for (std::size_t i = 0; i < buckets && region.resizing() && MayTakeBucket(); ++i) {
      Replace(region.TakeNext(), threshold);
      region.Finish();
    }
  }

  void Migrate(std::uint64_t threshold, Pace pace) {
    if (!GoesOn(pace)) return;
    MigrateSome(main_, kMainBucketsPerStep, threshold);
    MigrateSome(side_, kSideBucketsPerStep, threshold);
    if (!resizing()) GiveBack();
  }

  // Discards the pieces that a shrunk table no longer uses.
  void GiveBack() {
    for (; pieces_ * Region<kWords, Part::kMain>::kPerPiece > main_.buckets(); --pieces_) {
      Pages::Discard(memory_ + (pieces_ - 1) * kRowBytes, kPieceBytes);
    }
  }

  // Tries to find a bucket for a key of the stash, each time for another key. REQUIRES: the stash
  // is not empty.
  void DrainStash(std::uint64_t threshold) {
    SlotType& waiting = stash_.Next();
    SlotType* const place = MakeRoom(HashOf(waiting), threshold, {.moves = 2, .stash = 0});
    if (place == nullptr) return;
    *place = waiting;
    stash_.Erase(waiting);
    ++moved_;
  }

  void SetPieces(std::size_t pieces) {
    pieces_ = pieces;
    main_.Init(memory_, pieces);
    side_.Init(memory_, pieces);
  }

  [[nodiscard]] bool resizing() const { return main_.resizing() || side_.resizing(); }

  [[nodiscard]] TableLoad<BucketType::kSlots> LoadOf(std::size_t pieces) const {
    return {used_, pieces * kSlotsPerPiece};
  }
  [[nodiscard]] bool TooFull() const {
    // A stash that fills up means that the buckets are too full, whatever the load.
    return LoadOf(pieces_).IsFull() || stash_.size() > Stash<kWords>::kForAdded / 2;
  }
  [[nodiscard]] bool TooEmpty() const {
    return LoadOf(pieces_).IsLow() && PiecesThatFit() < pieces_;
  }
  // Returns whether this step continues a resize. Growing serves keys that are added: while none is
  // added, and as long as the existing keys need the room, a half-grown table is as good as any,
  // unless its old buckets are so full that the next keys would not fit.
  [[nodiscard]] bool GoesOn(Pace pace) const {
    if (pace == Pace::kAdding || !(main_.growing() || side_.growing())) return true;
    return !LoadOf(pieces_).IsWorthGrowing() || LoadOf(main_.From()).IsPressing();
  }
  // Returns the pieces that are three quarters full once shrinking has ended, if a key is added at
  // every step until then. Therefore one pass is enough, however empty the table is.
  [[nodiscard]] std::size_t PiecesThatFit() const {
    return (used_ + side_.buckets()) * 4 / (3 * kSlotsPerPiece) + 1;
  }

  // Prefetches the buckets that the next step will use.
  void PrefetchForNextStep(Pace pace) const {
    for (std::size_t i = 0; i < kSweepBuckets; ++i) main_.PrefetchBucket(ToSweep(i));
    if (!GoesOn(pace)) return;
    if (main_.resizing()) main_.PrefetchNext(kMainBucketsPerStep);
    if (side_.resizing()) side_.PrefetchNext(kSideBucketsPerStep);
  }

  // Returns the bucket to be swept after `later` others, main region first. May be one past the
  // last.
  [[nodiscard]] BucketType& ToSweep(std::size_t later) const {
    const std::size_t main = main_.extent();
    const std::size_t at = sweep_at_ + later;
    return at < main ? main_.At(at) : side_.At(at - main);
  }

  void DropUnusedIn(BucketType& bucket, std::uint64_t threshold) {
    for (SlotType& slot : bucket.slots) {
      if (slot.key != 0 && slot.words[0] <= threshold) Erase(slot);
    }
  }

  void SweepNext(std::uint64_t threshold) {
    if (sweep_at_ >= main_.extent() + side_.extent()) sweep_at_ = 0;
    DropUnusedIn(ToSweep(0), threshold);
    ++sweep_at_;
  }

  Region<kWords, Part::kMain> main_;
  Region<kWords, Part::kSide> side_;
  std::size_t used_ = 0;
  std::size_t sweep_at_ = 0;     // next bucket to sweep, main region first
  int moved_ = 0;                // slots moved since ResetMoved
  bool touched_ = false;         // whether any page may have been written
  std::size_t pieces_ = 0;       // pieces that may hold keys
  std::byte* memory_ = nullptr;  // first piece
  Stash<kWords> stash_;
  [[no_unique_address]] Forget forget_;
};

}  // namespace sluice
