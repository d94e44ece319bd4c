// Region: an array of buckets that grows and shrinks in place, a few buckets at a time.
#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/int128.h"
#include "store/pages.h"
#include "store/slot.h"

namespace sluice {

// A table takes memory in pieces of this size, one in each row (see pages.h): a row holds one piece
// for each of the 256 shards.
inline constexpr std::size_t kPieceBytes = kRowBytes / 256;

// Which part of every piece a region has.
enum class Part : std::uint8_t {
  kMain,  // the first three quarters
  kSide,  // the last quarter
};

// An array of buckets in reserved address space, of a number of pieces. A key belongs to exactly
// one bucket: the one at spread * buckets / 2^64, where `spread` is a hash of it. That place grows
// with the number of buckets and keeps the order of keys, so the array can be resized in place: to
// grow, buckets are emptied from the top down and their keys placed anew above; to shrink, from the
// bottom up.
//
// Thread safety: guarded by the shard's lock, but for Place, which a thread about to take the lock
// may call to prefetch (its answer may then be stale).
//
// Invariants
//   (1) While resizing, a key is placed by the new count if its old place is beyond the frontier
//       (growing: at or above it; shrinking: below it), else by the old count.
//   (2) A physical bucket holds keys of one of the two layouts, never of both.
template <std::size_t kWords, Part kPart>
class Region {
 public:
  using BucketType = Bucket<kWords>;
  // Buckets a piece.
  static constexpr std::size_t kPerPiece =
      kPieceBytes / 4 * (kPart == Part::kMain ? 3 : 1) / sizeof(BucketType);

  // `memory` is this shard's piece of the first row. Also to start with another number of pieces,
  // as long as no bucket was ever used.
  void Init(std::byte* memory, std::size_t pieces) {
    memory_ = memory;
    Rest(pieces);
  }

  [[nodiscard]] BucketType& At(std::size_t index) const {
    return AtPlace({index / kPerPiece, index % kPerPiece});
  }

  // REQUIRES: spread != 0 while resizing.
  [[nodiscard]] BucketType& Place(std::uint64_t spread) const {
    // Relaxed: under the lock they cannot change, and a prefetch may be wrong. One count or the
    // other is chosen without a branch, which no predictor could guess.
    const std::size_t below = below_.load(std::memory_order_relaxed);
    const std::size_t above = above_.load(std::memory_order_relaxed);
    return AtPlace(Scale(spread, spread <= split_.load(std::memory_order_relaxed) ? below : above));
  }

  [[nodiscard]] bool resizing() const { return Below() != Above(); }
  [[nodiscard]] bool growing() const { return resizing() && growing_; }
  [[nodiscard]] std::size_t buckets() const { return To() * kPerPiece; }

  // Buckets that may hold keys.
  [[nodiscard]] std::size_t extent() const { return Above() * kPerPiece; }

  // REQUIRES: !resizing(), and another number of pieces than it has.
  void StartResize(std::size_t pieces) {
    assert(!resizing());
    const std::size_t from = Below();
    growing_ = pieces > from;
    (growing_ ? above_ : below_).store(pieces, std::memory_order_relaxed);
    SetFrontier(growing_ ? from * kPerPiece : 0);
  }

  // Empties the next bucket to be placed anew and hands out its slots; the caller inserts them.
  // REQUIRES: resizing().
  BucketType TakeNext() {
    const std::size_t index = growing() ? frontier_ - 1 : frontier_;
    SetFrontier(growing() ? index : index + 1);
    return std::exchange(At(index), BucketType{});
  }

  // Prefetches what the next `count` calls of TakeNext will empty, and where most of that will go.
  void PrefetchNext(std::size_t count) const {
    const std::size_t left = growing() ? frontier_ : From() * kPerPiece - frontier_;
    for (std::size_t i = 0; i < count && i < left; ++i) {
      const std::size_t index = growing() ? frontier_ - 1 - i : frontier_ + i;
      PrefetchBucket(At(index));
      // The keys of a bucket stay together, in the buckets around the same share of the new array.
      PrefetchBucket(At(index * To() / From()));
    }
  }

  static void PrefetchBucket(const BucketType& bucket) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&bucket);
    for (std::size_t i = 0; i < sizeof(BucketType); i += 64) __builtin_prefetch(bytes + i, 1);
  }

  // Whether every bucket has been taken; ends the resize if so.
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

  // spread * buckets / 2^64, without a division: the whole part of spread * pieces / 2^64 is the
  // piece, and the same share of its buckets as the rest is of 2^64 lies before the bucket.
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
  // One layout for all keys.
  void Rest(std::size_t pieces) {
    below_.store(pieces, std::memory_order_relaxed);
    above_.store(pieces, std::memory_order_relaxed);
  }

  // Moves the border between the layouts: keys whose old place is before `bucket` are below it.
  void SetFrontier(std::size_t bucket) {
    frontier_ = bucket;
    // The largest spread with spread * buckets < bucket * 2^64, in 64 bits: 2^64 is
    // whole * buckets + rest.
    const std::uint64_t buckets = From() * kPerPiece;
    const std::uint64_t whole = UINT64_MAX / buckets;
    const std::uint64_t rest = UINT64_MAX % buckets + 1;
    const std::uint64_t first_beyond = bucket * whole + (bucket * rest + buckets - 1) / buckets;
    split_.store(bucket == 0 ? 0 : first_beyond - 1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t Below() const { return below_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t Above() const { return above_.load(std::memory_order_relaxed); }

  std::byte* memory_ = nullptr;
  // Pieces by which keys are placed whose spread is at most split_, and the others. Equal at rest;
  // while resizing, whichever way, those above are more.
  std::atomic<std::size_t> below_{0};
  std::atomic<std::size_t> above_{0};
  std::atomic<std::uint64_t> split_{0};
  std::size_t frontier_ = 0;  // a bucket of the old layout; see invariant (1)
  bool growing_ = false;      // or shrinking, while resizing
};

}  // namespace sluice
