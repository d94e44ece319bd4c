#include "remote/cache/near_limit.h"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <variant>

namespace sluice {
namespace {

constexpr Nanos kMaxLife = std::chrono::seconds{1};
// A few network round trips and a few intervals at which leases are checked.
constexpr Nanos kMinLife = std::chrono::milliseconds{50};

template <typename T, typename... Others>
constexpr bool kIsOneOf = (std::is_same_v<T, Others> || ...);

Nanos PartOf(const SlidingBuckets& terms) { return terms.rate.period / terms.buckets; }

// Returns how long leased units count the same in the remote; units of another window or part would
// count for longer.
std::optional<Nanos> SpanOf(const Limit& limit) {
  return std::visit(
      [&]<typename T>(const T& of) -> std::optional<Nanos> {
        if constexpr (std::is_same_v<T, TokenBucket>) {
          return limit.spec.rate ? limit.spec.rate->period / 10 : Nanos{0};
        } else if constexpr (std::is_same_v<T, FixedWindow>) {
          if (of.window == WindowKind::kCalendar) return kMaxLife;
          return of.rate.period / 10;
        } else if constexpr (std::is_same_v<T, SlidingBuckets>) {
          return std::min(of.rate.period / 10, PartOf(of) / 2);
        } else if constexpr (kIsOneOf<T, IntervalBucket, SlidingLog, SlidingWindow>) {
          return of.rate.period / 10;
        } else {
          return std::nullopt;
        }
      },
      limit.terms);
}

}  // namespace

bool IsPlain(const Limit& limit) {
  return std::visit(
      []<typename T>(const T& of) {
        if constexpr (kIsOneOf<T, TokenBucket, IntervalBucket>) {
          return of.max_wait == Nanos{0};
        } else if constexpr (std::is_same_v<T, FixedWindow>) {
          return of.count_refused == Refused::kFree;
        } else if constexpr (std::is_same_v<T, SlidingLog>) {
          return of.count_refused == Refused::kFree && of.min_gap == Nanos{0};
        } else {
          return kIsOneOf<T, SlidingWindow, SlidingBuckets>;
        }
      },
      limit.terms);
}

bool HasWholeState(const Limit& limit) {
  return IsPlain(limit) && !std::holds_alternative<SlidingLog>(limit.terms);
}

std::optional<Nanos> LeaseLife(const Limit& limit) {
  if (!IsPlain(limit)) return std::nullopt;
  std::optional<Nanos> life = SpanOf(limit);
  if (life) life = std::min(*life, kMaxLife);
  if (life && *life < kMinLife) life.reset();
  return life;
}

}  // namespace sluice
