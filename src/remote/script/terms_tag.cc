#include "remote/script/terms_tag.h"

#include <cstdint>
#include <initializer_list>

#include "core/limit/interval.h"
#include "remote/script/number_text.h"

namespace sluice {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
// Written if there is no max_wait.
constexpr std::int64_t kNone = -1;

std::string Tag(char letter, std::initializer_list<std::int64_t> numbers) {
  std::string tag(1, letter);
  NumberWriter writer(',', tag);
  for (const std::int64_t number : numbers) writer.Add(number);
  return tag;
}

// FNV-1a. Two zones with the same hash would keep each other's windows until these end.
std::int64_t HashOf(std::string_view name) {
  std::uint32_t hash = 2'166'136'261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return hash;
}

struct Writer {
  std::string operator()(const TokenBucket& t) const {
    return Tag('b', {Signed(t.interval.ticks_per_unit), Signed(t.interval.ticks_per_ns), t.burst,
                     t.max_wait.count()});
  }
  std::string operator()(const IntervalBucket& t) const {
    return Tag('i', {t.rate.count, t.rate.period.count(), t.burst, t.max_wait.count(),
                     static_cast<std::int64_t>(t.phase)});
  }
  std::string operator()(const LeakyBucket& t) const {
    return Tag('l', {Signed(t.interval.ticks_per_unit), Signed(t.interval.ticks_per_ns), t.burst,
                     t.delay_after, t.max_wait == kLongestSpan ? kNone : t.max_wait.count()});
  }
  std::string operator()(const FixedWindow& t) const {
    const auto kind = static_cast<std::int64_t>(t.window);
    if (t.window != WindowKind::kCalendar) {
      return Tag('f', {kind, t.rate.count, t.rate.period.count()});
    }
    return Tag('f', {kind, t.rate.count, static_cast<std::int64_t>(t.unit), HashOf(t.zone->name)});
  }
  std::string operator()(const SlidingLog& /*t*/) const { return ""; }
  std::string operator()(const SlidingWindow& t) const {
    return Tag('w', {t.rate.count, t.rate.period.count()});
  }
  std::string operator()(const SlidingBuckets& t) const {
    return Tag(
        's', {t.rate.count, t.rate.period.count(), t.buckets, static_cast<std::int64_t>(t.oldest)});
  }
  std::string operator()(const Pacer& t) const {
    const std::uint64_t per_second = t.interval.ticks_per_ns * kNanosPerSecond;
    const Uint128 whole = DivFloor(t.burst_ticks, per_second);
    return Tag('p', {Signed(t.interval.ticks_per_unit), Signed(t.interval.ticks_per_ns),
                     ToInt64Saturated(whole), ToInt64Saturated(t.burst_ticks - whole * per_second),
                     t.max_wait.count()});
  }
  std::string operator()(const WarmUpPacer& /*t*/) const { return ""; }
  std::string operator()(const Concurrency& /*t*/) const { return ""; }

 private:
  // Fits: a unit has less than 2^63 ticks (spans are at most 100 years), and a nanosecond at most
  // 2^62.
  static std::int64_t Signed(std::uint64_t number) { return static_cast<std::int64_t>(number); }
};

Interval ReadInterval(NumberReader& reader) {
  const auto per_unit = static_cast<std::uint64_t>(reader.Next());
  const auto per_ns = static_cast<std::uint64_t>(reader.Next());
  return {per_unit, per_ns};
}

bool IsInterval(const Interval& interval) {
  return interval.ticks_per_unit >= 1 && interval.ticks_per_ns >= 1 &&
         interval.ticks_per_unit >> 63U == 0 && interval.ticks_per_ns >> 63U == 0;
}

Rate ReadRate(NumberReader& reader) {
  const std::int64_t count = reader.Next();
  return {count, Nanos{reader.Next()}};
}

bool IsRate(const Rate& rate) {
  return rate.count >= 0 && rate.period > Nanos{0} && rate.period <= kLongestSpan;
}

// Reads a value of an enumeration with values from 0 to `last`.
template <typename E>
E ReadOneOf(NumberReader& reader, E last) {
  const std::int64_t number = reader.Next();
  if (number >= 0 && number <= static_cast<std::int64_t>(last)) return static_cast<E>(number);
  reader.Fail();
  return last;
}

bool IsWait(Nanos wait) { return wait >= Nanos{0} && wait <= kLongestSpan; }

TokenBucket ReadTokenBucket(NumberReader& reader) {
  TokenBucket terms;
  terms.interval = ReadInterval(reader);
  terms.burst = reader.Next();
  terms.max_wait = Nanos{reader.Next()};
  return terms;
}

IntervalBucket ReadIntervalBucket(NumberReader& reader) {
  IntervalBucket terms;
  terms.rate = ReadRate(reader);
  terms.burst = reader.Next();
  terms.max_wait = Nanos{reader.Next()};
  terms.phase = ReadOneOf(reader, RefillPhase::kAligned);
  return terms;
}

LeakyBucket ReadLeakyBucket(NumberReader& reader) {
  LeakyBucket terms;
  terms.interval = ReadInterval(reader);
  terms.burst = reader.Next();
  terms.delay_after = reader.Next();
  const std::int64_t max_wait = reader.Next();
  terms.max_wait = max_wait == kNone ? kLongestSpan : Nanos{max_wait};
  return terms;
}

// The zone of a calendar is not known.
FixedWindow ReadFixedWindow(NumberReader& reader) {
  FixedWindow terms;
  terms.window = ReadOneOf(reader, WindowKind::kStaggered);
  terms.rate.count = reader.Next();
  if (terms.window == WindowKind::kCalendar) {
    terms.unit = ReadOneOf(reader, CalendarUnit::kYear);
    terms.rate.period = kLongestSpan;
    reader.Next();
  } else {
    terms.rate.period = Nanos{reader.Next()};
  }
  return terms;
}

SlidingBuckets ReadSlidingBuckets(NumberReader& reader) {
  SlidingBuckets terms;
  terms.rate = ReadRate(reader);
  const std::int64_t buckets = reader.Next();
  terms.buckets = buckets > 0 && buckets <= 1'000'000 ? static_cast<std::int32_t>(buckets) : 0;
  terms.oldest = ReadOneOf(reader, OldestPart::kWeighted);
  return terms;
}

Pacer ReadPacer(NumberReader& reader) {
  Pacer terms;
  terms.interval = ReadInterval(reader);
  const auto whole = static_cast<Uint128>(reader.Next());
  const auto ticks = static_cast<Uint128>(reader.Next());
  terms.burst_ticks = whole * TicksOf(terms.interval, Nanos{kNanosPerSecond}) + ticks;
  terms.max_wait = Nanos{reader.Next()};
  return terms;
}

// Checks that no decision under the terms can divide by 0 or overflow, whatever the tag says.
struct IsSound {
  bool operator()(const TokenBucket& t) const {
    return IsInterval(t.interval) && t.burst >= 1 && IsWait(t.max_wait);
  }
  bool operator()(const LeakyBucket& t) const {
    return IsInterval(t.interval) && t.burst >= 0 && t.delay_after >= 0 && IsWait(t.max_wait);
  }
  bool operator()(const Pacer& t) const { return IsInterval(t.interval) && IsWait(t.max_wait); }
  bool operator()(const IntervalBucket& t) const {
    return IsRate(t.rate) && t.rate.count >= 1 && t.burst >= 1 && IsWait(t.max_wait);
  }
  bool operator()(const FixedWindow& t) const { return IsRate(t.rate); }
  bool operator()(const SlidingWindow& t) const { return IsRate(t.rate); }
  bool operator()(const SlidingBuckets& t) const {
    const std::int64_t part = t.buckets < 1 ? 0 : t.rate.period.count() / t.buckets;
    return IsRate(t.rate) && part >= 1000 && part * t.buckets == t.rate.period.count();
  }
  template <typename T>
  bool operator()(const T& /*t*/) const {
    return false;
  }
};

std::optional<Terms> ReadTerms(char letter, NumberReader& reader) {
  switch (letter) {
    case 'b':
      return ReadTokenBucket(reader);
    case 'i':
      return ReadIntervalBucket(reader);
    case 'l':
      return ReadLeakyBucket(reader);
    case 'f':
      return ReadFixedWindow(reader);
    case 'w':
      return SlidingWindow{ReadRate(reader)};
    case 's':
      return ReadSlidingBuckets(reader);
    case 'p':
      return ReadPacer(reader);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string TagOf(const Terms& terms) { return std::visit(Writer{}, terms); }

std::optional<Terms> TermsOfTag(std::string_view tag) {
  if (tag.empty()) return std::nullopt;
  NumberReader reader(',', tag.substr(1));
  std::optional<Terms> terms = ReadTerms(tag.front(), reader);
  if (!terms || !reader.IsDone() || !std::visit(IsSound{}, *terms)) return std::nullopt;
  return terms;
}

}  // namespace sluice
