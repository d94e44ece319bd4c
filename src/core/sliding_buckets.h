// Sliding buckets: the period cut into equal parts, one counter each.
#pragma once

#include <cstdint>
#include <span>

#include "core/interval.h"
#include "sluice/decision.h"
#include "sluice/limit.h"

namespace sluice {

// Counters in memory the caller owns. parts[i] counts the part whose index since 1970 is
// congruent to i; parts older than the ones in view are stale and read as 0. All are 0 for a fresh
// key.
//
// Invariant: parts.size() is exactly buckets + 1 of the terms in use.
struct PartsState {
  std::span<std::int64_t> parts;
  std::int64_t newest = 0;  // index since 1970 of the newest part written
  std::int64_t units = 0;   // sum of all parts; 0 for an unused key
};

// The terms of sliding buckets. Thread safety: a value.
//
// Counted: the current part, the buckets - 1 before it, and of the part before those all
// (kStrict), nothing (kLenient) or (w - e) / w (kWeighted; w the part's length, e = now mod w).
//
// Invariants
//   (1) 1 <= rate.count <= 2^62, so that `units`, up to twice as much, fits; buckets >= 1
//       and divides rate.period; period + w <= kLongestSpan.
//   (2) kStrict never admits more than COUNT in any PERIOD.
//   (3) A refused check, a peek and a cost of 0 leave the state as it was, stale parts apart.
//   (4) The current part and the buckets - 1 before it hold at most rate.count units: a debt that
//       would be more drops their oldest units, which could let nothing pass before the others are
//       out of view.
struct SlidingBuckets {
  using State = PartsState;

  Rate rate;
  std::int32_t buckets = 60;
  OldestPart oldest = OldestPart::kStrict;

  friend bool operator==(const SlidingBuckets&, const SlidingBuckets&) = default;
};

Decision Peek(const SlidingBuckets& limit, const PartsState& state, Cost cost, Time now);
Decision Check(const SlidingBuckets& limit, PartsState& state, Cost cost, Time now);

// Takes `cost` in any case (see debt.h).
Decision TakeDebt(const SlidingBuckets& limit, PartsState& state, Cost cost, Time now);

// Takes back from the newest part first.
void Refund(const SlidingBuckets& limit, PartsState& state, Cost cost, Time now);

// The units in view, rounded up. For new terms the caller books them, at most the new COUNT, into
// a fresh state with Check.
std::int64_t UnitsInView(const SlidingBuckets& limit, const PartsState& state, Time now);

Time UnusedAt(const SlidingBuckets& limit, const PartsState& state);

}  // namespace sluice
