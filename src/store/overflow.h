// Overflow: states that new keys share once the memory cap is reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/limit.h"
#include "sluice/decision.h"

namespace sluice {

// A coarse token bucket that stands in for a limit on shared states: never more lenient than the
// limit itself.
//
// For token buckets it is the limit's own burst and interval, for leaky buckets as much of them as
// passes without a wait. For windows and logs it is a half-sized burst and an interval so long that
// no PERIOD ever sees more than COUNT units. Refused requests are not recorded (count_refused).
//
// A debt goes below zero here too, for windows and logs until one that was filled up would be over.
// A state is shared, and its 32 bits are few, so it goes less far than in a state of the key's own:
// `furthest`, which for a bucket is five times its depth or more, but at most a year.
//
// Time is counted in grains of 2^grain_shift ns, coarse enough that a state fits 32 bits; what that
// rounds away is added to the interval or taken off the burst.
struct OverflowTerms {
  std::int64_t limit = 0;     // units; 0: nothing passes (concurrency, whose permits need ids)
  std::uint64_t unit_ns = 1;  // time in which one unit comes back, rounded up
  unsigned grain_shift = 0;
  std::uint32_t depth = 0;     // limit * unit_ns in grains
  std::uint32_t hold = 0;      // grains for which a drained state still binds its keys
  std::uint32_t furthest = 0;  // grains by which a debt may push a state ahead; at least depth

  static OverflowTerms For(const Terms& terms);
};

// The shared states of one shard: for each limit an array of 32-bit cells, picked by key hash.
//
// Thread safety: guarded by the shard's lock.
// Memory: `memory` is cut up on demand; each limit that needs an array gets three quarters of what
// is left, so the one that is flooded has most of it.
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

  // Whether any cell may still bind a key.
  [[nodiscard]] bool active(Time now) const { return now < active_until_; }

  // Whether the key must be decided here.
  [[nodiscard]] bool Binds(std::uint32_t limit, const OverflowTerms& terms, std::uint64_t hash,
                           Time now) const;

  Decision Peek(std::uint32_t limit, const OverflowTerms& terms, std::uint64_t hash, Cost cost,
                Time now) const;
  // Takes the cost if it passes, which it does exactly if Peek says so.
  Decision Check(std::uint32_t limit, const OverflowTerms& terms, std::uint64_t hash, Cost cost,
                 Time now);

  // Takes the cost in any case, and answers with the state it leaves. Where every cell belongs to
  // another limit there is nothing to take it from.
  Decision TakeDebt(std::uint32_t limit, const OverflowTerms& terms, std::uint64_t hash, Cost cost,
                    Time now);

  // Makes the array of a limit, if it has none and there are cells left, and sees to it that it is
  // not given back at this time. To be followed by DropUnused.
  void Reserve(std::uint32_t limit, Time now);
  // Takes back arrays that were made and then not used.
  void DropUnused();

  // Whether two keys of a limit fall on one cell.
  [[nodiscard]] bool SameCell(std::uint32_t limit, std::uint64_t hash, std::uint64_t other) const;

  // Once no cell binds a key any more, gives their memory back to the system.
  void GiveBack(Time now);

  [[nodiscard]] std::size_t Bytes() const { return bytes_used_; }

 private:
  struct Array {
    std::uint32_t limit = 0;
    std::size_t first = 0;
    std::size_t cells = 0;
    OverflowTerms terms;  // its cells are written under these while it is active
    Time active_until{};  // until when a cell of it may bind a key
    Time debt_until{};    // until when a cell of it may be more than `depth` ahead
  };

  // Grains held by a cell; one that is further ahead than any can be is stale.
  static std::uint32_t Held(const Array& array, const OverflowTerms& used, std::uint32_t cell,
                            Time now);
  static std::uint32_t FurthestAhead(const Array& array, const OverflowTerms& used, Time now);
  // Makes a cell hold so many grains.
  Decision Hold(Array& array, std::uint32_t& cell, std::uint32_t grains, Time now);

  static const OverflowTerms& TermsFor(const Array& array, const OverflowTerms& terms, Time now);

  [[nodiscard]] const Array* Find(std::uint32_t limit) const;
  Array* FindOrMake(std::uint32_t limit);
  // Cells that the next array would have.
  [[nodiscard]] std::size_t CellsForNext() const;
  [[nodiscard]] std::uint32_t* CellOf(const Array& array, std::uint64_t hash) const;

  std::uint32_t* cells_ = nullptr;
  std::size_t cells_size_ = 0;
  std::size_t cells_taken_ = 0;
  std::size_t bytes_used_ = 0;
  std::vector<Array> arrays_;  // few: one for each limit that ever overflowed here
  Time active_until_{};
};

}  // namespace sluice
