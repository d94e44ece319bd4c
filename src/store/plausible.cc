#include "store/plausible.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/algorithm/aligned.h"
#include "core/algorithm/debt.h"

namespace sluice {
namespace {

// No state of any kind is further ahead than this (see kLatestTime).
constexpr Time kLast = kLatestTime + kLongestSpan;

bool IsWithin(Time time, Time now, Nanos ahead) {
  return time <= kLast && time <= (ahead > kLast - now ? kLast : now + ahead);
}

// A debt may push a bucket further ahead than its span. The time of a state is rounded up.
bool IsBucketPlausible(const Interval& interval, const FineTime& state, const PlausibleAt& at) {
  return state.fraction < interval.ticks_per_ns &&
         IsWithin(state.whole, at.now, std::max(at.span, kDebtSpan));
}

bool IsCountPlausible(std::int64_t units, std::int64_t max) { return 0 <= units && units <= max; }

}  // namespace

bool IsPlausible(const TokenBucket& terms, const FineTime& state, const PlausibleAt& at) {
  return IsBucketPlausible(terms.interval, state, at);
}

bool IsPlausible(const LeakyBucket& terms, const FineTime& state, const PlausibleAt& at) {
  return IsBucketPlausible(terms.interval, state, at);
}

bool IsPlausible(const Pacer& terms, const FineTime& state, const PlausibleAt& at) {
  return IsBucketPlausible(terms.interval, state, at);
}

bool IsPlausible(const IntervalBucket& /*terms*/, const IntervalBucket::State& state,
                 const PlausibleAt& at) {
  return state.used >= 0 && IsWithin(state.full_at, at.now, std::max(at.span, kDebtSpan));
}

bool IsPlausible(const FixedWindow& terms, const FixedWindow::State& state, const PlausibleAt& at) {
  return IsCountPlausible(state.count, terms.rate.count) && IsWithin(state.end, at.now, at.span);
}

bool IsPlausible(const SlidingWindow& terms, const SlidingWindow::State& state,
                 const PlausibleAt& at) {
  return IsCountPlausible(state.previous, terms.rate.count) &&
         IsCountPlausible(state.current, terms.rate.count) &&
         IsWithin(state.end, at.now, terms.rate.period);
}

bool IsPlausible(const WarmUpPacer& terms, const WarmUpPacer::State& state, const PlausibleAt& at) {
  return std::isfinite(state.stored) && state.stored >= 0 && state.next >= Time{} &&
         IsWithin(state.next, at.now, kLongestSpan) && state.next <= state.unused_at &&
         // The refill is rounded up.
         IsWithin(state.unused_at, state.next, terms.warm_up + Nanos{1});
}

bool IsPlausible(const SlidingLog& terms, const LogState& state, const PlausibleAt& at) {
  return state.units <= terms.rate.count && IsWithin(state.At(state.size - 1).at, at.now, Nanos{0});
}

bool IsPlausible(const SlidingBuckets& terms, const PartsState& state, const PlausibleAt& at) {
  const Nanos part = terms.rate.period / terms.buckets;
  // COUNT does not bound the oldest part, which is counted in addition.
  return state.parts.size() == static_cast<std::size_t>(terms.buckets) + 1 &&
         state.units / 2 <= terms.rate.count && state.newest >= 0 &&
         state.newest <= PeriodsSince1970(at.now, part);
}

bool IsPlausible(const Concurrency& /*terms*/, const PermitsState& state, const PlausibleAt& at) {
  return IsWithin(state.permits[state.size - 1].deadline, at.now, at.span);
}

}  // namespace sluice
