#include "core/algorithm/until_more.h"

#include <algorithm>
#include <variant>

namespace sluice {
namespace {

// Returns the time until a state that is `held` ahead is at most `target` ticks ahead.
Nanos UntilWithin(const Interval& interval, Nanos held, Uint128 target) {
  const Uint128 ticks = TicksOf(interval, held);
  return ticks > target ? RoundUp(interval, ticks - target) : Nanos{0};
}

Nanos UntilMoreOf(const TokenBucket& limit, const Decision& decision) {
  const std::int64_t stay = limit.burst - decision.remaining - 1;
  return UntilWithin(limit.interval, decision.reset_after, TicksOf(limit.interval, stay));
}

// `remaining` grows when another unit may join the queue and, if it is 0 now, when the wait is also
// within max_wait.
Nanos UntilMoreOf(const LeakyBucket& limit, const Decision& decision) {
  Uint128 target = TicksOf(limit.interval, limit.burst - decision.remaining);
  if (decision.remaining == 0) {
    const Uint128 wait = TicksOf(limit.interval, limit.max_wait);
    target = std::min(target, TicksOf(limit.interval, limit.delay_after) + wait);
  }
  return UntilWithin(limit.interval, decision.reset_after, target);
}

Nanos UntilMoreOf(const FixedWindow& /*limit*/, const Decision& decision) {
  return decision.reset_after;
}

template <typename L>
Nanos UntilMoreOf(const L& /*limit*/, const Decision& /*decision*/) {
  return Nanos{0};
}

// Returns how long a request may wait although `remaining` counts only units that pass at once.
template <typename L>
Nanos WaitBeside(const L& limit) {
  if constexpr (std::is_same_v<L, TokenBucket> || std::is_same_v<L, IntervalBucket>) {
    return limit.max_wait;
  } else {
    return Nanos{0};
  }
}

}  // namespace

bool TellsMore(const Terms& terms) {
  return std::holds_alternative<TokenBucket>(terms) || std::holds_alternative<LeakyBucket>(terms) ||
         std::holds_alternative<FixedWindow>(terms);
}

Nanos UntilMore(const Terms& terms, const Decision& decision) {
  if (decision.limit == kNoUnits || decision.remaining >= decision.limit) return Nanos{0};
  return std::visit([&](const auto& limit) { return UntilMoreOf(limit, decision); }, terms);
}

Nanos UntilMoreBy(const Terms& terms, const Decision& next) {
  if (next.allowed) return next.wait;
  if (next.retry_after == kNever) return Nanos{0};
  const Nanos beside = std::visit([](const auto& limit) { return WaitBeside(limit); }, terms);
  return next.retry_after + beside;
}

}  // namespace sluice
