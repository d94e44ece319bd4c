// Region: an array of buckets that grows and shrinks in place, a few buckets at a time.
#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/int128.h"
#include "store/pages.h"

namespace sluice {

// One state: the key word, then the words of the state. A key word of 0 is an empty slot.
//
// Layout of the key word: 56 bits of the key's hash, then 8 bits naming the terms that wrote it.
// words[0] says, without the limit, from when on the key is unused: a slot whose words[0] is at
// most a threshold that the caller works out from the time is as if empty.
template <std::size_t kWords>
struct Slot {
  std::uint64_t key = 0;
  std::uint64_t words[kWords] = {};
};

// Slots that are read together: as many as fit one or two cache lines.
template <std::size_t kWords>
struct alignas(64) Bucket {
  static constexpr std::size_t kSlots = kWords == 2 ? 5 : 4;
  Slot<kWords> slots[kSlots];
};
static_assert(sizeof(Bucket<1>) == 64 && sizeof(Bucket<2>) == 128 && sizeof(Bucket<3>) == 128);

// The buckets of a region lie in pieces of this size, one in each row (see pages.h): a row holds
// one piece for each of the 256 shards.
inline constexpr std::size_t kPieceBytes = kRowBytes / 256;

// An array of buckets in reserved address space. A key belongs to exactly one bucket: the one at
// spread * buckets / 2^64, where `spread` is a hash of it. That place grows with the number of
// buckets and keeps the order of keys, so the array can be resized in place: to grow, buckets are
// emptied from the top down and their keys placed anew above; to shrink, from the bottom up.
//
// Thread safety: guarded by the shard's lock, but for Place, which a thread about to take the lock
// may call to prefetch (its answer may then be stale).
//
// Invariants
//   (1) While resizing, a key is placed by the new count if its old place is beyond the frontier
//       (growing: at or above it; shrinking: below it), else by the old count.
//   (2) A physical bucket holds keys of one of the two layouts, never of both.
template <std::size_t kWords>
class Region {
 public:
  using BucketType = Bucket<kWords>;
  static constexpr std::size_t kPerPiece = kPieceBytes / sizeof(BucketType);

  // `memory` is this shard's piece of the first row.
  void Init(std::byte* memory, std::size_t buckets) {
    base_ = memory;
    from_.store(buckets, std::memory_order_relaxed);
    to_.store(buckets, std::memory_order_relaxed);
  }

  // REQUIRES: no bucket was ever used.
  void SetBuckets(std::size_t buckets) { Init(base_, buckets); }

  [[nodiscard]] BucketType& At(std::size_t index) const {
    std::byte* const piece = base_ + index / kPerPiece * kRowBytes;
    return reinterpret_cast<BucketType*>(piece)[index % kPerPiece];
  }

  [[nodiscard]] BucketType& Place(std::uint64_t spread) const {
    // Relaxed: under the lock they cannot change, and a prefetch may be wrong.
    const std::size_t from = from_.load(std::memory_order_relaxed);
    const std::size_t to = to_.load(std::memory_order_relaxed);
    const std::size_t place = Scale(spread, from);
    if (from == to) [[likely]]
      return At(place);
    const bool beyond = place >= frontier_.load(std::memory_order_relaxed);
    return At(beyond == (to > from) ? Scale(spread, to) : place);
  }

  [[nodiscard]] bool resizing() const { return From() != To(); }
  [[nodiscard]] std::size_t buckets() const { return To(); }

  // Buckets that may hold keys.
  [[nodiscard]] std::size_t extent() const { return From() > To() ? From() : To(); }

  [[nodiscard]] std::size_t Bytes() const { return BytesFor(extent()); }
  static std::size_t BytesFor(std::size_t buckets) {
    // The first row is on small pages, later ones come a piece at a time.
    const std::size_t bytes = buckets * sizeof(BucketType);
    return RoundUpTo(bytes <= kPieceBytes ? kPageBytes : kPieceBytes, bytes);
  }

  // REQUIRES: !resizing().
  void StartResize(std::size_t buckets) {
    assert(!resizing());
    frontier_.store(buckets > From() ? From() : 0, std::memory_order_relaxed);
    to_.store(buckets, std::memory_order_relaxed);
  }

  // Empties the next bucket to be placed anew and hands out its slots; the caller inserts them.
  // REQUIRES: resizing().
  BucketType TakeNext() {
    const std::size_t frontier = frontier_.load(std::memory_order_relaxed);
    const bool growing = To() > From();
    const std::size_t index = growing ? frontier - 1 : frontier;
    frontier_.store(growing ? index : frontier + 1, std::memory_order_relaxed);
    return std::exchange(At(index), BucketType{});
  }

  // Whether every bucket has been taken; ends the resize if so and gives memory back.
  bool Finish() {
    const std::size_t frontier = frontier_.load(std::memory_order_relaxed);
    const bool growing = To() > From();
    if (growing ? frontier != 0 : frontier != From()) return false;
    const std::size_t pieces_before = RoundUpTo(kPieceBytes, Bytes()) / kPieceBytes;
    from_.store(To(), std::memory_order_relaxed);
    const std::size_t pieces = RoundUpTo(kPieceBytes, Bytes()) / kPieceBytes;
    for (std::size_t piece = pieces; piece < pieces_before; ++piece) {
      Pages::Discard(base_ + piece * kRowBytes, kPieceBytes);
    }
    return true;
  }

 private:
  static std::size_t Scale(std::uint64_t spread, std::size_t buckets) {
    return static_cast<std::size_t>((static_cast<Uint128>(spread) * buckets) >> 64U);
  }
  [[nodiscard]] std::size_t From() const { return from_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t To() const { return to_.load(std::memory_order_relaxed); }

  std::byte* base_ = nullptr;
  std::atomic<std::size_t> from_{0};      // buckets of the old layout
  std::atomic<std::size_t> to_{0};        // buckets of the new layout; equal when at rest
  std::atomic<std::size_t> frontier_{0};  // see invariant (1)
};

}  // namespace sluice
