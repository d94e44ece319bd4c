// QuickBucket: a token bucket with precomputed terms in 64-bit integers.
//
// This is the hot path of the memory store, so everything is inline.
#pragma once

#include <cstdint>
#include <optional>

#include "base/reciprocal.h"
#include "core/algorithm/token_bucket.h"

namespace sluice {

// The terms of a token bucket in ticks. It decides exactly as TokenBucket does, without a division.
// Thread safety: a value.
//
// Invariant: depth <= most < 2^62, and no state, in debt or not, is 2^63 - per_ns or more ticks
// ahead. So the state after a check that passes is below 2^62, and after a refusal no dividend
// reaches 2^63, because the excess over `most` is at most the ticks that were held.
struct QuickBucket {
  std::uint64_t per_unit;  // ticks in which one unit comes back
  std::uint64_t per_ns;    // ticks per nanosecond
  std::uint64_t depth;     // burst * T in ticks
  std::uint64_t max;       // depth plus max_wait in ticks
  std::int64_t burst;
  Reciprocal units;  // divides by per_unit
  Reciprocal nanos;  // divides by per_ns

  // Returns nothing if the terms are too large.
  static std::optional<QuickBucket> For(const TokenBucket& limit) {
    const Uint128 depth = TicksOf(limit.interval, limit.burst);
    const Uint128 max = depth + TicksOf(limit.interval, limit.max_wait);
    const auto [per_unit, per_ns] = limit.interval;
    const Uint128 furthest = FurthestAhead(token_bucket::RoomOf(limit));
    if (max >> 62U != 0 || (furthest + per_ns) >> 63U != 0) return std::nullopt;
    return QuickBucket{per_unit,
                       per_ns,
                       static_cast<std::uint64_t>(depth),
                       static_cast<std::uint64_t>(max),
                       limit.burst,
                       Reciprocal{per_unit},
                       Reciprocal{per_ns}};
  }

  // Returns the ticks as a duration, rounded up to the next nanosecond.
  [[nodiscard]] Nanos RoundUp(std::uint64_t ticks) const {
    return Nanos{static_cast<std::int64_t>(nanos.Floor(ticks + per_ns - 1))};
  }
};

// Takes `cost` if it passes, as Check of the token bucket does. `decision` must be newly
// constructed. REQUIRES: 1 <= cost.units <= burst.
inline void Check(const QuickBucket& limit, FineTime& tat, Cost cost, Time now,
                  Decision& decision) {
  const auto ahead = static_cast<std::uint64_t>((tat.whole - now).count());
  const std::uint64_t held = tat.whole < now ? 0 : ahead * limit.per_ns + tat.fraction;
  const std::uint64_t after = held + static_cast<std::uint64_t>(cost.units) * limit.per_unit;
  decision.limit = limit.burst;
  if (after > limit.max) [[unlikely]] {
    decision.allowed = false;
    if (held < limit.depth) {
      decision.remaining = static_cast<std::int64_t>(limit.units.Floor(limit.depth - held));
    }
    decision.reset_after = limit.RoundUp(held);
    decision.retry_after = limit.RoundUp(after - limit.max);
    return;
  }
  const std::uint64_t whole = limit.nanos.Floor(after);
  tat = {now + Nanos{static_cast<std::int64_t>(whole)}, after - whole * limit.per_ns};
  decision.reset_after = RoundUp(tat) - now;
  if (after <= limit.depth) [[likely]] {
    decision.remaining = static_cast<std::int64_t>(limit.units.Floor(limit.depth - after));
  } else {
    decision.wait = limit.RoundUp(after - limit.depth);
  }
}

}  // namespace sluice
