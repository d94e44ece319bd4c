// Overflow: states that new keys share once the memory cap is reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/limit/limit.h"
#include "sluice/decision.h"

namespace sluice {

// A coarse token bucket that replaces a limit on shared states. It is never more lenient than the
// limit itself.
//
// For token buckets it has the limit's own burst and interval; for leaky buckets it admits only
// what passes without a wait. For windows and logs it has half the burst and an interval so long
// that no PERIOD ever sees more than COUNT units. Refused requests are not recorded
// (count_refused).
//
// A debt takes a shared state below zero, too; for windows and logs only until a window that was
// filled up would have ended. Because the state is shared and has only 32 bits, it goes less far
// than a state of the key's own: `furthest`, which for a bucket is at least five times its depth
// but at most a year.
//
// Time is counted in grains of 2^grain_shift ns, coarse enough that a state fits 32 bits. Rounding
// errors are added to the interval or taken off the burst.
struct OverflowTerms {
  std::int64_t limit = 0;     // units; 0: nothing passes (concurrency, whose permits need ids)
  std::uint64_t unit_ns = 1;  // time in which one unit comes back, rounded up
  unsigned grain_shift = 0;
  std::uint32_t depth = 0;     // limit * unit_ns in grains
  std::uint32_t hold = 0;      // grains for which a drained state still binds its keys
  std::uint32_t furthest = 0;  // maximum grains that a debt may push a state ahead; at least depth

  static OverflowTerms For(const Terms& terms);
};

// The shared states of one shard: for each limit an array of 32-bit cells, selected by key hash.
//
// Thread safety: guarded by the shard's lock.
// Memory: `memory` is divided on demand. Each limit that needs an array gets three quarters of what
// is left, so the first limit to be flooded gets the most.
//
// Invariants
//   (1) A cell counts every unit admitted to any of its keys, so a key never gets more than its
//       own limit; it may get less.
//   (2) A key stays with its cell while the cell is in use (Binds), so that moving to a state of
//       its own never brings a second allowance.
//   (3) An array is decided by the terms it was first written under until none of its cells binds
//       any more, so that changed terms never bring a second allowance either.
class Overflow {
 public:
  void Init(std::byte* memory, std::size_t bytes);

  // Returns whether any cell may still bind a key.
  [[nodiscard]] bool active(Time now) const { return now < active_until_; }

  // Returns whether the key must be decided here.
  [[nodiscard]] bool Binds(std::uint32_t limit, const OverflowTerms& terms, std::uint64_t hash,
                           Time now) const;

  Decision Peek(std::uint32_t limit, const OverflowTerms& terms, std::uint64_t hash, Cost cost,
                Time now) const;
  // Takes the cost if it passes, which is the case exactly if Peek allows it.
  Decision Check(std::uint32_t limit, const OverflowTerms& terms, std::uint64_t hash, Cost cost,
                 Time now);

  // Takes the cost in any case and reports the resulting state. Takes nothing if all cells belong
  // to other limits.
  Decision TakeDebt(std::uint32_t limit, const OverflowTerms& terms, std::uint64_t hash, Cost cost,
                    Time now);

  // Allocates the array of a limit, if it has none and there are cells left, and keeps GiveBack
  // from freeing it at this time. Must be followed by DropUnused.
  void Reserve(std::uint32_t limit, Time now);
  // Frees arrays that were reserved but not used.
  void DropUnused();

  // Returns whether two keys of a limit share a cell.
  [[nodiscard]] bool SameCell(std::uint32_t limit, std::uint64_t hash, std::uint64_t other) const;

  // Returns the memory to the system once no cell binds a key any more.
  void GiveBack(Time now);

  [[nodiscard]] std::size_t Bytes() const { return bytes_used_; }

 private:
  struct Array {
    std::uint32_t limit = 0;
    std::size_t first = 0;
    std::size_t cells = 0;
    OverflowTerms terms;  // the terms of its cells while it is active
    Time active_until{};  // until then a cell of it may bind a key
    Time debt_until{};    // until then a cell of it may be more than `depth` ahead
  };

  // Returns the grains held by a cell; 0 if it is stale, that is, further ahead than possible.
  static std::uint32_t Held(const Array& array, const OverflowTerms& used, std::uint32_t cell,
                            Time now);
  static std::uint32_t FurthestAhead(const Array& array, const OverflowTerms& used, Time now);
  // Sets the grains that a cell holds.
  Decision Hold(Array& array, std::uint32_t& cell, std::uint32_t grains, Time now);

  static const OverflowTerms& TermsFor(const Array& array, const OverflowTerms& terms, Time now);

  [[nodiscard]] const Array* Find(std::uint32_t limit) const;
  Array* FindOrMake(std::uint32_t limit);
  // Returns the number of cells that the next array would have.
  [[nodiscard]] std::size_t CellsForNext() const;
  [[nodiscard]] std::uint32_t* CellOf(const Array& array, std::uint64_t hash) const;

  std::uint32_t* cells_ = nullptr;
  std::size_t cells_size_ = 0;
  std::size_t cells_taken_ = 0;
  std::size_t bytes_used_ = 0;
  std::vector<Array> arrays_;  // few: one per limit that ever overflowed here
  Time active_until_{};
};

}  // namespace sluice
