// Pacer: an even pace, where the next request waits for the cost of this one.
#pragma once

#include <cstdint>

#include "core/limit/interval.h"
#include "sluice/decision.h"

namespace sluice {

// The terms of a pacer without warm-up. Thread safety: a value.
//
// This is Guava's bursty limiter with its state in one number. Guava keeps stored units s (at most
// `burst`, full for an unused key) and the time `next`. This keeps tat = next - s * T + burst * T,
// which every charge moves by cost * T. A request passes if tat - burst * T <= now + max_wait and
// waits max(0, tat - burst * T - now). All arithmetic is in integers.
//
// Invariants
//   (1) burst * T + max_wait <= kLongestSpan.
//   (2) A cost * T above kLongestSpan is refused with kNever. A cost that would push tat beyond now
//       + kLongestSpan is refused until it no longer would, so that no sum overflows.
//   (3) limit and remaining are kNoUnits; refunds change nothing.
//   (4) `tat <= now` and "never used" are the same state.
//   (5) A refused check, a peek and a cost of 0 do not change the state.
//   (6) A debt moves tat by cost * T regardless of max_wait, at most to now + kLongestSpan.
struct Pacer {
  // tat: the time at which the stored units will be full again.
  using State = FineTime;

  Interval interval;
  Uint128 burst_ticks = 0;
  Nanos max_wait{0};

  friend bool operator==(const Pacer&, const Pacer&) = default;
};

Decision Peek(const Pacer& limit, const FineTime& tat, Cost cost, Time now);
Decision Check(const Pacer& limit, FineTime& tat, Cost cost, Time now);

// Takes `cost` unconditionally (see debt.h).
Decision TakeDebt(const Pacer& limit, FineTime& tat, Cost cost, Time now);

// Time that is already booked stays booked. Stored units are cut to the new burst. An unused key
// stays unused.
void Convert(const Pacer& from, const Pacer& to, FineTime& tat, Time now);

Time UnusedAt(const Pacer& limit, const FineTime& tat);

}  // namespace sluice
