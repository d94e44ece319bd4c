#include "core/algorithm/interval_bucket.h"

#include <algorithm>

#include "base/int128.h"
#include "core/algorithm/aligned.h"
#include "core/algorithm/debt.h"
#include "core/algorithm/refusal.h"

namespace sluice {
namespace {

// The bucket at one point in time.
struct View {
  std::int64_t used = 0;
  Time refill{};  // the next refill; if nothing is used, the first one after a charge at that time
};

std::int64_t CeilDiv(std::int64_t a, std::int64_t b) {
  return a / b + static_cast<std::int64_t>(a % b != 0);
}

Time FirstRefill(const IntervalBucket& limit, Time now) {
  if (limit.phase == RefillPhase::kAligned) return AlignedEnd(now, limit.rate.period);
  return now + limit.rate.period;
}

View ViewAt(const IntervalBucket& limit, const IntervalBucket::State& state, Time now) {
  if (state.used == 0 || state.full_at <= now) return {0, FirstRefill(limit, now)};
  const std::int64_t refills = CeilDiv(state.used, limit.rate.count);
  // A state ahead of `now` is further away than its refills take. None of them is due yet.
  const std::int64_t left =
      std::min(refills, CeilDiv((state.full_at - now).count(), limit.rate.period.count()));
  return {state.used - (refills - left) * limit.rate.count,
          state.full_at - (left - 1) * limit.rate.period};
}

// Returns the refill that makes the bucket full. REQUIRES: view.used > 0.
Time FullAt(const IntervalBucket& limit, const View& view) {
  return view.refill + (CeilDiv(view.used, limit.rate.count) - 1) * limit.rate.period;
}

IntervalBucket::State StateOf(const IntervalBucket& limit, const View& view) {
  if (view.used == 0) return {};
  return {FullAt(limit, view), view.used};
}

Decision Report(const IntervalBucket& limit, const View& view, Time now) {
  Decision decision;
  decision.limit = limit.burst;
  decision.remaining = std::max<std::int64_t>(0, limit.burst - view.used);
  if (view.used > 0) decision.reset_after = FullAt(limit, view) - now;
  return decision;
}

Uint128 UsedAfter(const View& view, Cost cost) {
  return static_cast<Uint128>(view.used) + static_cast<Uint128>(cost.units);
}

// Returns the time until there are enough tokens for the cost.
Nanos WaitFor(const IntervalBucket& limit, const View& view, Cost cost, Time now) {
  const Uint128 used = UsedAfter(view, cost);
  const auto burst = static_cast<Uint128>(limit.burst);
  if (used <= burst) return Nanos{0};
  const Uint128 refills = DivCeil(used - burst, static_cast<std::uint64_t>(limit.rate.count));
  const auto period = static_cast<Uint128>(limit.rate.period.count());
  const auto first = static_cast<Uint128>((view.refill - now).count());
  return Nanos{ToInt64Saturated(first + (refills - 1) * period)};
}

Decision Answer(const IntervalBucket& limit, const View& view, Cost cost, Time now) {
  Decision decision = Report(limit, view, now);
  if (cost.units == 0) return decision;
  if (cost.units > limit.burst) return Refusal(decision, kNever);
  const Nanos wait = WaitFor(limit, view, cost, now);
  if (wait > limit.max_wait) return Refusal(decision, wait - limit.max_wait);
  decision.wait = wait;
  return decision;
}

// Returns the tokens that come back within `length` from `now`, if the next refill is at `refill`.
Uint128 BackWithin(const IntervalBucket& limit, Nanos length, Time refill, Time now) {
  const Nanos first = refill - now;
  if (first > length) return 0;
  const auto refills = static_cast<Uint128>(1 + (length - first) / limit.rate.period);
  return refills * static_cast<Uint128>(limit.rate.count);
}

// Returns the maximum number of tokens that checks can take: the burst plus those that come back
// within max_wait.
std::int64_t MaxUsed(const IntervalBucket& limit, Time refill, Time now) {
  return ToInt64Saturated(static_cast<Uint128>(limit.burst) +
                          BackWithin(limit, limit.max_wait, refill, now));
}

// Returns the maximum number of tokens that can be missing, including debts.
std::int64_t MaxOwed(const IntervalBucket& limit, Time refill, Time now) {
  const Nanos whole = CeilDiv(limit.burst, limit.rate.count) * limit.rate.period;
  const Nanos furthest = std::max(kDebtSpan, whole + limit.max_wait);
  return ToInt64Saturated(BackWithin(limit, furthest, refill, now));
}

}  // namespace

Decision Peek(const IntervalBucket& limit, const IntervalBucket::State& state, Cost cost,
              Time now) {
  return Answer(limit, ViewAt(limit, state, now), cost, now);
}

Decision Check(const IntervalBucket& limit, IntervalBucket::State& state, Cost cost, Time now) {
  View view = ViewAt(limit, state, now);
  const Decision answer = Answer(limit, view, cost, now);
  if (!answer.allowed || cost.units == 0) return answer;
  view.used = ToInt64Saturated(UsedAfter(view, cost));
  state = StateOf(limit, view);
  Decision decision = Report(limit, view, now);
  decision.wait = answer.wait;
  return decision;
}

Decision TakeDebt(const IntervalBucket& limit, IntervalBucket::State& state, Cost cost, Time now) {
  View view = ViewAt(limit, state, now);
  if (cost.units == 0) return Report(limit, view, now);
  const std::int64_t max = std::max(view.used, MaxOwed(limit, view.refill, now));
  view.used = std::min(ToInt64Saturated(UsedAfter(view, cost)), max);
  state = StateOf(limit, view);
  return Report(limit, view, now);
}

void Refund(const IntervalBucket& limit, IntervalBucket::State& state, Cost cost, Time now) {
  View view = ViewAt(limit, state, now);
  view.used -= std::min(view.used, cost.units);
  state = StateOf(limit, view);
}

void Convert(const IntervalBucket& from, const IntervalBucket& to, IntervalBucket::State& state,
             Time now) {
  const auto [within, beyond] = UsedAt(from, state, now);
  View view = ViewAt(from, state, now);
  const bool phase_holds = to.phase == from.phase || to.phase == RefillPhase::kFromFirstCharge;
  if (to.rate.period != from.rate.period || !phase_holds) view.refill = FirstRefill(to, now);
  view.used = std::min(std::min(within, MaxUsed(to, view.refill, now)) + beyond,
                       MaxOwed(to, view.refill, now));
  state = StateOf(to, view);
}

TokensUsed UsedAt(const IntervalBucket& limit, const IntervalBucket::State& state, Time now) {
  const std::int64_t used = ViewAt(limit, state, now).used;
  const std::int64_t within = std::min(used, limit.burst);
  return {within, used - within};
}

Time UnusedAt(const IntervalBucket& /*limit*/, const IntervalBucket::State& state) {
  return state.used == 0 ? Time{} : state.full_at;
}

}  // namespace sluice
