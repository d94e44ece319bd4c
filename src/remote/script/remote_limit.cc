#include "remote/script/remote_limit.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/duration.h"
#include "base/text.h"
#include "core/algorithm/debt.h"
#include "remote/script/terms_tag.h"

namespace sluice {
namespace {

// An error, or none.
using Fault = std::optional<Error>;

// The sum of two of these is exact in a double.
constexpr std::int64_t kMaxUnits = std::int64_t{1} << 52U;
// A log counts units modulo 2^51; sliding buckets hold up to twice COUNT.
constexpr std::int64_t kMaxLogUnits = std::int64_t{1} << 50U;
// The script reads all parts of a key for each decision.
constexpr std::int32_t kMaxBuckets = 1024;
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

Fault CheckTicks(const Interval& interval) {
  if (interval.ticks_per_ns < (std::uint64_t{1} << 52U) / kNanosPerSecond) return std::nullopt;
  return Error{
      "the rate is too fast to be kept in Redis exactly; expected at most 40 units a nanosecond"};
}

Fault CheckMicros(std::string_view name, Nanos length) {
  if (length.count() % 1000 == 0) return std::nullopt;
  return Error{Concat(name, " ", FormatDuration(length),
                      " cannot be kept in Redis, which counts whole microseconds")};
}

Fault CheckUnits(std::string_view name, std::int64_t units, std::int64_t max) {
  if (units <= max) return std::nullopt;
  return Error{
      Concat(name, " ", units, " is more than Redis keeps exactly; expected at most ", max)};
}

struct Checker {
  Fault operator()(const TokenBucket& t) const { return CheckTicks(t.interval); }
  Fault operator()(const LeakyBucket& t) const { return CheckTicks(t.interval); }
  Fault operator()(const Pacer& t) const { return CheckTicks(t.interval); }
  Fault operator()(const WarmUpPacer& /*t*/) const {
    return Error{"a pacer with warm_up cannot be kept in Redis"};
  }
  Fault operator()(const IntervalBucket& t) const {
    if (Fault fault = CheckMicros("the period", t.rate.period)) return fault;
    const auto count = static_cast<std::uint64_t>(t.rate.count);
    const Uint128 periods = DivCeil(static_cast<Uint128>(t.burst), count);
    const Uint128 whole = periods * static_cast<Uint128>(t.rate.period.count());
    const Uint128 furthest = std::max(static_cast<Uint128>(kDebtSpan.count()),
                                      whole + static_cast<Uint128>(t.max_wait.count()));
    const Uint128 refills = furthest / static_cast<Uint128>(t.rate.period.count()) + 1;
    return CheckUnits("what comes back within a year,", ToInt64Saturated(refills * count),
                      kMaxUnits);
  }
  Fault operator()(const FixedWindow& t) const {
    if (t.window != WindowKind::kCalendar) {
      if (Fault fault = CheckMicros("the period", t.rate.period)) return fault;
    }
    return CheckUnits("the count", t.rate.count, kMaxUnits - 1);
  }
  Fault operator()(const SlidingLog& t) const {
    if (Fault fault = CheckMicros("the period", t.rate.period)) return fault;
    return CheckUnits("the count", t.rate.count, kMaxLogUnits);
  }
  Fault operator()(const SlidingWindow& t) const {
    if (Fault fault = CheckMicros("the period", t.rate.period)) return fault;
    return CheckUnits("the count", t.rate.count, kMaxUnits - 1);
  }
  Fault operator()(const SlidingBuckets& t) const {
    if (t.buckets > kMaxBuckets) {
      return Error{Concat("buckets: ", t.buckets, " are too many to be kept in Redis; expected at ",
                          "most ", kMaxBuckets)};
    }
    if (Fault fault = CheckMicros("a bucket of", t.rate.period / t.buckets)) return fault;
    return CheckUnits("the count", t.rate.count, kMaxLogUnits);
  }
  Fault operator()(const Concurrency& t) const {
    if (Fault fault = CheckMicros("the ttl", t.ttl)) return fault;
    return CheckUnits("max_in_flight", t.max_in_flight, kMaxUnits - 1);
  }
};

}  // namespace

Nanos LongestOf(CalendarUnit unit) {
  switch (unit) {
    case CalendarUnit::kHour:
      return std::chrono::hours{1};
    case CalendarUnit::kDay:
      break;
    case CalendarUnit::kWeek:
      return std::chrono::days{7};
    case CalendarUnit::kMonth:
      return std::chrono::days{31};
    case CalendarUnit::kYear:
      return std::chrono::days{366};
  }
  return std::chrono::days{1};
}

Result<Done> CheckRemoteLimit(const Limit& limit) {
  if (Fault fault = std::visit(Checker{}, limit.terms)) return *std::move(fault);
  return Done{};
}

RemoteLimit::RemoteLimit(Limit limit, std::string tag)
    : limit_(std::move(limit)),
      tag_(std::make_shared<const std::string>(std::move(tag))),
      tag_hash_(std::hash<std::string_view>{}(*tag_) | 1U) {}

Result<RemoteLimit> RemoteLimit::Make(const Limit& limit) {
  const Result<Done> checked = CheckRemoteLimit(limit);
  if (!checked.ok()) return checked.error();
  return RemoteLimit(limit, TagOf(limit.terms));
}

RemoteLimit RemoteLimit::WithTerms(Terms terms) const {
  RemoteLimit other = *this;
  other.limit_.terms = std::move(terms);
  return other;
}

std::optional<RemoteLimit> RemoteLimit::OfTag(std::string_view tag, const Terms& like) {
  Limit limit;
  std::optional<Terms> terms = TermsOfTag(tag);
  if (!terms || std::visit(Checker{}, *terms)) return std::nullopt;
  auto* const window = std::get_if<FixedWindow>(&*terms);
  const auto* const known = std::get_if<FixedWindow>(&like);
  if (window != nullptr && window->window == WindowKind::kCalendar) {
    window->zone = known == nullptr ? nullptr : known->zone;
    if (!window->zone || TagOf(*terms) != tag) {
      window->window = WindowKind::kFirstRequest;
      window->rate.period = LongestOf(window->unit);
    }
  }
  limit.terms = *std::move(terms);
  return RemoteLimit(std::move(limit), std::string(tag));
}

}  // namespace sluice
