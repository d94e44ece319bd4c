#include "support/oracle.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <numeric>

#include "support/oracle_models.h"

namespace sluice::testing {
namespace {

// Returns the first wait for which `holds` is true. REQUIRES: once true, it stays true.
template <typename Predicate>
Wide FirstWait(Predicate holds) {
  if (holds(Wide{0})) return 0;
  Wide no = 0;
  Wide yes = 1;
  while (!holds(yes)) {
    no = yes;
    yes *= 2;
    assert(yes < (Wide{1} << 64U));
  }
  while (yes - no > 1) {
    const Wide middle = no + (yes - no) / 2;
    (holds(middle) ? yes : no) = middle;
  }
  return yes;
}

// Returns the largest number of units from 0 to `most` for which `holds` is true.
template <typename Predicate>
std::int64_t MaxUnits(std::int64_t max, Predicate holds) {
  std::int64_t yes = 0;
  std::int64_t no = max;
  if (holds(max)) return max;
  while (no - yes > 1) {
    const std::int64_t middle = yes + (no - yes) / 2;
    (holds(middle) ? yes : no) = middle;
  }
  return yes;
}

Nanos ToNanos(Wide wait) { return Nanos{static_cast<std::int64_t>(wait)}; }

}  // namespace

void RemoveNewest(History& history, Wide units) {
  while (units > 0 && !history.empty()) {
    const Wide taken = std::min(units, history.back().units);
    history.back().units -= taken;
    units -= taken;
    if (history.back().units == 0) history.pop_back();
  }
}

TickScale ScaleOf(Rate rate) {
  const std::int64_t period = rate.period.count();
  const std::int64_t common = std::gcd(period, rate.count);
  if (rate.count / common <= 256) return {period / common, rate.count / common};
  unsigned k = 8;
  while (Wide{period} * (Wide{1} << k) <= Wide{100'000} * rate.count) ++k;
  const Wide scale = Wide{1} << k;
  return {(Wide{period} * scale + rate.count - 1) / rate.count, scale};
}

std::unique_ptr<Model> Model::Make(const LimitSpec& spec, const Zone* zone,
                                   std::uint64_t key_hash) {
  switch (spec.algorithm) {
    case Algorithm::kTokenBucket:
      return spec.refill == Refill::kInterval ? MakeIntervalModel(spec) : MakeTokenModel(spec);
    case Algorithm::kLeakyBucket:
      return MakeLeakyModel(spec);
    case Algorithm::kFixedWindow:
      return MakeFixedWindowModel(spec, zone, key_hash);
    case Algorithm::kSlidingLog:
      return MakeLogModel(spec);
    case Algorithm::kSlidingWindow:
      return MakeSlidingWindowModel(spec);
    case Algorithm::kSlidingBuckets:
      return MakeSlidingBucketsModel(spec);
    case Algorithm::kPacer:
      return spec.warm_up.value_or(Nanos{0}).count() > 0 ? MakeWarmUpModel(spec)
                                                         : MakePacerModel(spec);
    case Algorithm::kConcurrency:
      return MakePermitsModel(spec);
  }
  return nullptr;
}

bool Model::Hopeless(std::int64_t cost, Wide /*at*/) const { return cost > Most(); }
bool Model::GoesAhead(std::int64_t cost, Wide at) const { return Passes(cost, at); }
bool Model::Remains(std::int64_t cost, Wide at) const { return Passes(cost, at); }

Wide Model::Latest(Time now) {
  latest_ = std::max(latest_, Wide{now.time_since_epoch().count()});
  return latest_;
}

Decision Model::Report(Wide at) const {
  Decision decision;
  decision.limit = Most();
  decision.remaining = kNoUnits;
  if (Most() != kNoUnits) {
    decision.remaining =
        MaxUnits(Most(), [&](std::int64_t units) { return units == 0 || Remains(units, at); });
  }
  decision.reset_after = ToNanos(FirstWait([&](Wide wait) { return Unused(at + wait); }));
  return decision;
}

Decision Model::Refusal(std::int64_t cost, Wide at) const {
  Decision decision = Report(at);
  decision.allowed = false;
  decision.retry_after =
      Hopeless(cost, at) ? kNever
                         : ToNanos(FirstWait([&](Wide wait) { return Passes(cost, at + wait); }));
  return decision;
}

Decision Model::Check(Cost cost, Time now) {
  const Wide at = Latest(now);
  if (cost.units == 0) return Report(at);
  if (Hopeless(cost.units, at) || !Passes(cost.units, at)) {
    TakeRefused(cost.units, at);
    return Refusal(cost.units, at);
  }
  const Wide wait = FirstWait([&](Wide length) { return GoesAhead(cost.units, at + length); });
  Take(cost.units, at);
  Decision decision = Report(at);
  decision.wait = ToNanos(wait);
  return decision;
}

Decision Model::Peek(Cost cost, Time now) {
  const Wide at = Latest(now);
  if (cost.units == 0) return Report(at);
  if (Hopeless(cost.units, at) || !Passes(cost.units, at)) return Refusal(cost.units, at);
  Decision decision = Report(at);
  decision.wait =
      ToNanos(FirstWait([&](Wide length) { return GoesAhead(cost.units, at + length); }));
  return decision;
}

Decision Model::TakeDebt(Cost cost, Time now) {
  const Wide at = Latest(now);
  if (cost.units > 0) Owe(cost.units, at);
  return Report(at);
}

Decision Model::Refund(Cost cost, Time now) {
  const Wide at = Latest(now);
  if (cost.units > 0) GiveBack(cost.units, at);
  return Report(at);
}

Decision Model::Reset(Time now) {
  const Wide at = Latest(now);
  Forget();
  return Report(at);
}

Decision Model::Acquire(std::uint64_t /*id*/, Cost /*cost*/, Time now) {
  return Report(Latest(now));
}
Decision Model::Renew(std::uint64_t /*id*/, Time now) { return Report(Latest(now)); }
Decision Model::Release(std::uint64_t /*id*/, Time now) { return Report(Latest(now)); }

}  // namespace sluice::testing
