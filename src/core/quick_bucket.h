// QuickBucket: a token bucket with all that a check needs worked out, in 64-bit integers.
//
// This is the hot path of the memory store, so everything is inline.
#pragma once

#include <cstdint>
#include <optional>

#include "core/reciprocal.h"
#include "core/token_bucket.h"

namespace sluice {

// The terms of a token bucket in ticks. Its answers are those of TokenBucket, without a division.
// Thread safety: a value.
//
// Invariant: depth <= most < 2^62 and no state is 2^63 - per_ns ticks ahead, in debt or not. So
// what passes stays below 2^62, and a refusal divides nothing from 2^63 on: all it is over `most`
// by is no more than the state.
struct QuickBucket {
  std::uint64_t per_unit;  // ticks
  std::uint64_t per_ns;    // ticks
  std::uint64_t depth;     // burst * T in ticks
  std::uint64_t most;      // depth and max_wait in ticks
  std::int64_t burst;
  Reciprocal units;  // of per_unit
  Reciprocal nanos;  // of per_ns

  // None if the terms are too large.
  static std::optional<QuickBucket> For(const TokenBucket& limit) {
    const Uint128 depth = TicksOf(limit.interval, limit.burst);
    const Uint128 most = depth + TicksOf(limit.interval, limit.max_wait);
    const auto [per_unit, per_ns] = limit.interval;
    const Uint128 furthest = FurthestAhead(token_bucket::RoomOf(limit));
    if (most >> 62U != 0 || (furthest + per_ns) >> 63U != 0) return std::nullopt;
    return QuickBucket{per_unit,
                       per_ns,
                       static_cast<std::uint64_t>(depth),
                       static_cast<std::uint64_t>(most),
                       limit.burst,
                       Reciprocal{per_unit},
                       Reciprocal{per_ns}};
  }

  // Ticks as a length of time, rounded up to the next nanosecond.
  [[nodiscard]] Nanos RoundUp(std::uint64_t ticks) const {
    return Nanos{static_cast<std::int64_t>(nanos.Floor(ticks + per_ns - 1))};
  }
};

// Takes `cost` if it passes, as Check of the token bucket does. `decision` is a fresh one.
// REQUIRES: 1 <= cost.units <= burst.
inline void Check(const QuickBucket& limit, FineTime& tat, Cost cost, Time now,
                  Decision& decision) {
  const auto ahead = static_cast<std::uint64_t>((tat.whole - now).count());
  const std::uint64_t held = tat.whole < now ? 0 : ahead * limit.per_ns + tat.fraction;
  const std::uint64_t after = held + static_cast<std::uint64_t>(cost.units) * limit.per_unit;
  decision.limit = limit.burst;
  if (after > limit.most) [[unlikely]] {
    decision.allowed = false;
    if (held < limit.depth) {
      decision.remaining = static_cast<std::int64_t>(limit.units.Floor(limit.depth - held));
    }
    decision.reset_after = limit.RoundUp(held);
    decision.retry_after = limit.RoundUp(after - limit.most);
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
