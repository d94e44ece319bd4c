#include "store/caller_terms.h"

#include <variant>

#include "base/int128.h"
#include "core/limit/limit.h"

namespace sluice {
namespace {

// Returns the interval of a rate in ticks no finer than 1/256 ns, rounded up.
Interval Coarse(const Rate& rate, const Interval& fine, std::uint64_t ticks_per_ns) {
  if (fine.ticks_per_ns <= ticks_per_ns) return fine;
  const auto period = static_cast<Uint128>(static_cast<std::uint64_t>(rate.period.count()));
  const Uint128 ticks = DivCeil(period * ticks_per_ns, static_cast<std::uint64_t>(rate.count));
  return {static_cast<std::uint64_t>(ticks), ticks_per_ns};
}

bool IsTooFast(const Rate& rate) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const auto in_a_second = static_cast<Uint128>(rate.count) * kSecond;
  return in_a_second > static_cast<Uint128>(rate.period.count()) * CallerTerms::kMaxPerSecond;
}

}  // namespace

Result<CallerTerms> CallerTerms::Make(Rate rate, std::int64_t burst) {
  LimitSpec spec;
  spec.rate = rate;
  spec.burst = burst;
  auto made = MakeLimit(spec, {});
  if (const auto* const error = std::get_if<LimitError>(&made)) return Error{error->message};
  if (IsTooFast(rate)) return Error{"the rate is above 1,000,000,000 a second"};
  Limit& limit = std::get<Limit>(made);
  auto& bucket = std::get<TokenBucket>(limit.terms);
  bucket.interval = Coarse(rate, bucket.interval, kMaxTicksPerNs);
  PreparedTerms prepared = PreparedTerms::For(limit, IdOf(bucket.interval.ticks_per_ns));
  if (prepared.shape != Shape::kNarrow) return Error{"the burst takes over a year to come back"};
  prepared.overflow = {};
  return CallerTerms(std::move(prepared));
}

}  // namespace sluice
