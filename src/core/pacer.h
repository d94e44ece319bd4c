// Pacer: an even pace where the cost of a request is paid by the next one.
#pragma once

#include <cstdint>

#include "core/interval.h"
#include "sluice/decision.h"

namespace sluice {

// The terms of a pacer without warm-up. Thread safety: a value.
//
// Guava's bursty limiter in one number. It keeps stored units s (at most `burst`, full for an
// unused key) and the time `next`; kept here as tat = next - s * T + burst * T, which every cost
// moves by cost * T: passes if tat - burst * T <= now + max_wait, with wait = max(0, tat -
// burst * T - now). All integers.
//
// Invariants
//   (1) burst * T + max_wait <= kLongestSpan.
//   (2) A cost * T above kLongestSpan is refused with kNever. One that would push tat beyond now +
//       kLongestSpan is refused until it no longer does, so that no sum overflows.
//   (3) limit and remaining are kNoUnits; refunds change nothing.
//   (4) `tat <= now` and "never used" are the same state.
//   (5) A refused check, a peek and a cost of 0 leave the state as it was.
//   (6) A debt moves tat by cost * T whatever max_wait says, at most to now + kLongestSpan.
struct Pacer {
  // tat: when the store will be full again.
  using State = FineTime;

  Interval interval;
  Uint128 burst_ticks = 0;
  Nanos max_wait{0};

  friend bool operator==(const Pacer&, const Pacer&) = default;
};

Decision Peek(const Pacer& limit, const FineTime& tat, Cost cost, Time now);
Decision Check(const Pacer& limit, FineTime& tat, Cost cost, Time now);

// Takes `cost` in any case (see debt.h).
Decision TakeDebt(const Pacer& limit, FineTime& tat, Cost cost, Time now);

// Time already booked stays booked; stored units are cut to the new burst. An unused key stays
// unused.
void Convert(const Pacer& from, const Pacer& to, FineTime& tat, Time now);

Time UnusedAt(const Pacer& limit, const FineTime& tat);

}  // namespace sluice
