// Region: an array of buckets that grows and shrinks in place, a few buckets at a time.
#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/int128.h"
#include "store/pages.h"
#include "store/slot.h"

namespace sluice {

// A table takes memory in pieces of this size. Each row (see pages.h) holds one piece for each of
// the 256 shards.
inline constexpr std::size_t kPieceBytes = kRowBytes / 256;

// The part of every piece that a region uses.
enum class Part : std::uint8_t {
  kMain,  // the first three quarters
  kSide,  // the last quarter
};

// An array of buckets in reserved address space, measured in pieces. A key belongs to exactly one
// bucket: the one at spread * buckets / 2^64, where `spread` is a hash of the key. That index grows
// with the number of buckets and preserves the order of keys, so the array can be resized in place:
// to grow, buckets are emptied from the top down and their keys are re-placed above; to shrink,
// from the bottom up.
//
// Thread safety: guarded by the shard's lock, except Place, which a thread that is about to take
// the lock may call to prefetch (its answer may then be stale).
//
// Invariants
//   (1) While resizing, a key is placed by the new count if its old place is beyond the frontier
//       (growing: at or above it; shrinking: below it), else by the old count.
//   (2) A physical bucket holds keys of only one of the two layouts.
//   (2) A physical bucket holds keys of one of the two layouts, never of both.
template <std::size_t kWords, Part kPart>
class Region {
 public:
  using BucketType = Bucket<kWords>;
  // Buckets per piece.
  static constexpr std::size_t kPerPiece =
      kPieceBytes / 4 * (kPart == Part::kMain ? 3 : 1) / sizeof(BucketType);

  // `memory` is this shard's piece of the first row. May be called again with another number of
  // pieces as long as no bucket has been used.
  void Init(std::byte* memory, std::size_t pieces) {
    memory_ = memory;
    Rest(pieces);
  }

  [[nodiscard]] BucketType& At(std::size_t index) const {
    return AtPlace({index / kPerPiece, index % kPerPiece});
  }

  // REQUIRES: spread != 0 while resizing.
  [[nodiscard]] BucketType& Place(std::uint64_t spread) const {
    // Relaxed: under the lock the counts cannot change, and a prefetch may be wrong. The count is
    // chosen without a branch, which would be unpredictable.
    const std::size_t below = below_.load(std::memory_order_relaxed);
    const std::size_t above = above_.load(std::memory_order_relaxed);
    return AtPlace(Scale(spread, spread <= split_.load(std::memory_order_relaxed) ? below : above));
  }

  [[nodiscard]] bool resizing() const { return Below() != Above(); }
  [[nodiscard]] bool growing() const { return resizing() && growing_; }
  [[nodiscard]] std::size_t buckets() const { return To() * kPerPiece; }

  // The number of buckets that may hold keys.
  [[nodiscard]] std::size_t extent() const { return Above() * kPerPiece; }

  // REQUIRES: !resizing(), and a different number of pieces.
  void StartResize(std::size_t pieces) {
    assert(!resizing());
    const std::size_t from = Below();
    growing_ = pieces > from;
    (growing_ ? above_ : below_).store(pieces, std::memory_order_relaxed);
    SetFrontier(growing_ ? from * kPerPiece : 0);
  }

  // Empties the next bucket to be re-placed and returns its slots, which the caller inserts again.
  // REQUIRES: resizing().
  BucketType TakeNext() {
    const std::size_t index = growing() ? frontier_ - 1 : frontier_;
    SetFrontier(growing() ? index : index + 1);
    return std::exchange(At(index), BucketType{});
  }

  // Prefetches the buckets that the next `count` calls of TakeNext empty, and their likely targets.
  void PrefetchNext(std::size_t count) const {
    const std::size_t left = growing() ? frontier_ : From() * kPerPiece - frontier_;
    for (std::size_t i = 0; i < count && i < left; ++i) {
      const std::size_t index = growing() ? frontier_ - 1 - i : frontier_ + i;
      PrefetchBucket(At(index));
      // The keys of a bucket stay together, in the buckets at the same fraction of the new array.
      PrefetchBucket(At(index * To() / From()));
    }
  }

  static void PrefetchBucket(const BucketType& bucket) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&bucket);
    for (std::size_t i = 0; i < sizeof(BucketType); i += 64) __builtin_prefetch(bytes + i, 1);
  }

  // Returns whether every bucket has been taken, and ends the resize if so.
  bool Finish() {
    if (frontier_ != (growing() ? 0 : From() * kPerPiece)) return false;
    Rest(To());
    return true;
  }

  // The number of pieces before and after a resize.
  [[nodiscard]] std::size_t From() const { return growing_ ? Below() : Above(); }
  [[nodiscard]] std::size_t To() const { return growing_ ? Above() : Below(); }

 private:
  static constexpr std::size_t kOffset = kPart == Part::kMain ? 0 : kPieceBytes / 4 * 3;

  struct PlaceInPiece {
    std::size_t piece;
    std::size_t bucket;
  };

  // Computes spread * buckets / 2^64 without a division: the integer part of spread * pieces / 2^64
  // is the piece, and its fractional part times kPerPiece is the bucket within the piece.
  static PlaceInPiece Scale(std::uint64_t spread, std::size_t pieces) {
    const Uint128 place = static_cast<Uint128>(spread) * pieces;
    const auto rest = static_cast<std::uint64_t>(place);
    return {static_cast<std::size_t>(place >> 64U),
            static_cast<std::size_t>((static_cast<Uint128>(rest) * kPerPiece) >> 64U)};
  }
  [[nodiscard]] BucketType& AtPlace(PlaceInPiece place) const {
    std::byte* const buckets = memory_ + place.piece * kRowBytes + kOffset;
    return reinterpret_cast<BucketType*>(buckets)[place.bucket];
  }
  // Sets a single layout for all keys.
  void Rest(std::size_t pieces) {
    below_.store(pieces, std::memory_order_relaxed);
    above_.store(pieces, std::memory_order_relaxed);
  }

  // Moves the border between the layouts: keys whose old place is before `bucket` are below it.
  void SetFrontier(std::size_t bucket) {
    frontier_ = bucket;
    // The largest spread with spread * buckets < bucket * 2^64, in 64 bits: 2^64 is whole * buckets
    // + rest.
    const std::uint64_t buckets = From() * kPerPiece;
    const std::uint64_t whole = UINT64_MAX / buckets;
    const std::uint64_t rest = UINT64_MAX % buckets + 1;
    const std::uint64_t first_beyond = bucket * whole + (bucket * rest + buckets - 1) / buckets;
    split_.store(bucket == 0 ? 0 : first_beyond - 1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t Below() const { return below_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t Above() const { return above_.load(std::memory_order_relaxed); }

  std::byte* memory_ = nullptr;
  // The piece counts for keys whose spread is at most split_, and for all others. Equal at rest;
  // while resizing in either direction, above_ is the larger one.
  std::atomic<std::size_t> below_{0};
  std::atomic<std::size_t> above_{0};
  std::atomic<std::uint64_t> split_{0};
  std::size_t frontier_ = 0;  // a bucket of the old layout; see invariant (1)
  bool growing_ = false;      // false: shrinking; only meaningful while resizing
};

}  // namespace sluice
