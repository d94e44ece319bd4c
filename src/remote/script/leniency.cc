#include "remote/script/leniency.h"

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "core/limit/interval.h"

namespace sluice {
namespace {

// For this long, a node that is reloaded last may still have the old terms.
constexpr Nanos kReloadTakes = std::chrono::minutes{1};

// The pace of terms: units / nanos in the long run, and `at_once` on top.
struct Pace {
  std::uint64_t units = 0;
  std::uint64_t nanos = 1;
  Uint128 at_once = 0;
};

Nanos PeriodOf(const FixedWindow& terms) {
  return terms.window == WindowKind::kCalendar ? LongestOf(terms.unit) : terms.rate.period;
}

Pace PaceOf(std::int64_t count, Nanos period, std::int64_t at_once) {
  return {static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(period.count()),
          static_cast<Uint128>(static_cast<std::uint64_t>(at_once))};
}

Pace PaceOf(const Interval& interval, Uint128 at_once) {
  return {interval.ticks_per_ns, interval.ticks_per_unit, at_once};
}

Pace PaceOf(const Terms& terms) {
  return std::visit(
      []<typename T>(const T& of) -> Pace {
        if constexpr (std::is_same_v<T, TokenBucket> || std::is_same_v<T, LeakyBucket>) {
          return PaceOf(of.interval, static_cast<Uint128>(static_cast<std::uint64_t>(of.burst)));
        } else if constexpr (std::is_same_v<T, Pacer>) {
          return PaceOf(of.interval, of.burst_ticks / of.interval.ticks_per_unit);
        } else if constexpr (std::is_same_v<T, IntervalBucket>) {
          return PaceOf(of.rate.count, of.rate.period, of.burst);
        } else if constexpr (std::is_same_v<T, FixedWindow>) {
          return PaceOf(of.rate.count, PeriodOf(of), of.rate.count);
        } else if constexpr (std::is_same_v<T, SlidingWindow> || std::is_same_v<T, SlidingLog> ||
                             std::is_same_v<T, SlidingBuckets>) {
          return PaceOf(of.rate.count, of.rate.period, of.rate.count);
        } else {
          return {};
        }
      },
      terms);
}

std::strong_ordering Compare(const Pace& one, const Pace& other) {
  const Uint128 faster = static_cast<Uint128>(one.units) * other.nanos;
  const Uint128 slower = static_cast<Uint128>(other.units) * one.nanos;
  if (faster != slower) return faster <=> slower;
  return one.at_once <=> other.at_once;
}

Nanos FillsIn(const Interval& interval, std::int64_t units) {
  return RoundUp(interval, TicksOf(interval, units));
}

template <typename N>
bool Raise(N& number, const N& min) {
  const bool is_less = number < min;
  if (is_less) number = min;
  return is_less;
}

// Raises the burst and the maximum wait to at least those of the other terms. Returns whether that
// changed anything.
struct Widen {
  template <typename T>
  bool operator()(T& first, const T& own) const {
    if constexpr (std::is_same_v<T, TokenBucket> || std::is_same_v<T, LeakyBucket> ||
                  std::is_same_v<T, IntervalBucket>) {
      const bool has_more_burst = Raise(first.burst, own.burst);
      return Raise(first.max_wait, own.max_wait) || has_more_burst;
    } else if constexpr (std::is_same_v<T, Pacer>) {
      return Raise(first.max_wait, own.max_wait);
    } else {
      return false;
    }
  }
  template <typename T, typename U>
  bool operator()(T& /*first*/, const U& /*own*/) const {
    return false;
  }
};

}  // namespace

Nanos FillsIn(const Terms& terms) {
  return std::visit(
      []<typename T>(const T& of) -> Nanos {
        if constexpr (std::is_same_v<T, TokenBucket> || std::is_same_v<T, LeakyBucket>) {
          return FillsIn(of.interval, of.burst);
        } else if constexpr (std::is_same_v<T, Pacer>) {
          return RoundUp(of.interval, of.burst_ticks + of.interval.ticks_per_unit);
        } else if constexpr (std::is_same_v<T, IntervalBucket>) {
          const Uint128 periods =
              DivCeil(static_cast<Uint128>(of.burst), static_cast<std::uint64_t>(of.rate.count));
          return Nanos{ToInt64Saturated(periods * static_cast<Uint128>(of.rate.period.count()))};
        } else if constexpr (std::is_same_v<T, FixedWindow>) {
          return PeriodOf(of);
        } else if constexpr (std::is_same_v<T, SlidingWindow> || std::is_same_v<T, SlidingLog> ||
                             std::is_same_v<T, SlidingBuckets>) {
          return std::min(2 * of.rate.period, kLongestSpan);
        } else {
          return Nanos{0};
        }
      },
      terms);
}

std::shared_ptr<const RemoteLimit> Widened(const RemoteLimit& first, const RemoteLimit& own) {
  Terms terms = first.terms();
  if (!std::visit(Widen{}, terms, own.terms())) return nullptr;
  return std::make_shared<const RemoteLimit>(first.WithTerms(std::move(terms)));
}

bool IsMoreLenient(const RemoteLimit& one, const RemoteLimit& other) {
  const std::strong_ordering order = Compare(PaceOf(one.terms()), PaceOf(other.terms()));
  return order == 0 ? one.tag() > other.tag() : order > 0;
}

Nanos KeptFor(const Terms& terms) { return std::min(FillsIn(terms), kLongestSpan) + kReloadTakes; }

}  // namespace sluice
