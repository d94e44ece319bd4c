// Sliding buckets: the period is cut into equal parts with one counter each.
#pragma once

#include <cstdint>
#include <span>

#include "core/limit/interval.h"
#include "sluice/decision.h"
#include "sluice/limit.h"

namespace sluice {

// Counters in memory that the caller owns. parts[i] counts the part whose index since 1970 is
// congruent to i modulo the number of parts. Parts older than those in view are stale and read as
// 0. All are 0 for a new key.
//
// Invariant: parts.size() is exactly buckets + 1 of the current terms.
struct PartsState {
  std::span<std::int64_t> parts;
  std::int64_t newest = 0;  // index since 1970 of the newest part written
  std::int64_t units = 0;   // sum of all parts; 0 for an unused key
};

// The terms of sliding buckets. Thread safety: a value.
//
// The count is the current part, the buckets - 1 parts before it, and of the part before those all
// (kStrict), nothing (kLenient) or (w - e) / w (kWeighted), where w is the length of a part and e =
// now mod w.
//
// Invariants
//   (1) 1 <= rate.count <= 2^62, so that `units`, which can be twice as many, fits. buckets >= 1
//       and divides rate.period; period + w <= kLongestSpan.
//   (2) kStrict never admits more than COUNT in any PERIOD.
//   (3) A refused check, a peek and a cost of 0 do not change the state, except that stale parts
//       may be cleared.
//   (4) The current part and the buckets - 1 parts before it hold at most rate.count units. A debt
//       that would exceed this drops their oldest units. That has no effect on decisions, because
//       nothing could pass before the other units are out of view anyway.
struct SlidingBuckets {
  using State = PartsState;

  Rate rate;
  std::int32_t buckets = 60;
  OldestPart oldest = OldestPart::kStrict;

  friend bool operator==(const SlidingBuckets&, const SlidingBuckets&) = default;
};

Decision Peek(const SlidingBuckets& limit, const PartsState& state, Cost cost, Time now);
Decision Check(const SlidingBuckets& limit, PartsState& state, Cost cost, Time now);

// Takes `cost` unconditionally (see debt.h).
Decision TakeDebt(const SlidingBuckets& limit, PartsState& state, Cost cost, Time now);

// Gives units back from the newest part first.
void Refund(const SlidingBuckets& limit, PartsState& state, Cost cost, Time now);

// Returns the units in view, rounded up. To change the terms, the caller charges them, at most the
// new COUNT, to an empty state with Check.
std::int64_t UnitsInView(const SlidingBuckets& limit, const PartsState& state, Time now);

Time UnusedAt(const SlidingBuckets& limit, const PartsState& state);

}  // namespace sluice
