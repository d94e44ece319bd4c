#include "support/random_limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/naive_calendar.h"
#include "support/oracle_models.h"

namespace sluice::testing {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;
constexpr std::int64_t kYear = 365 * kDay;
constexpr std::int64_t kMaxUnits = 1'000'000'000'000'000'000;

// Returns counts and periods that have gone wrong before: one, primes above 256 (an inexact
// interval), intervals below 400 ns (finer ticks), more than one unit per nanosecond, and decades.
Rate RandomRate(Random& random) {
  Rate rate;
  switch (random.Between(0, 5)) {
    case 0:
      rate.count = 1;
      break;
    case 1:
      rate.count = random.Between(2, 10);
      break;
    case 2:
      rate.count = random.Between(11, 1000);
      break;
    case 3:
      rate.count = random.Pick<std::int64_t>({251, 255, 256, 257, 1009, 99'991, 1'000'003});
      break;
    case 4:
      rate.count = random.Spread(1, 1'000'000'000'000);
      break;
    default:
      rate.count = random.Spread(1, kMaxUnits);
  }
  std::int64_t period =
      random.Pick<std::int64_t>({1'000, 1'000'000, kSecond, 10 * kSecond, 60 * kSecond,
                                 3600 * kSecond, kDay, 7 * kDay, 30 * kDay, kYear});
  if (random.OneIn(4)) period = random.Between(1, 1000);
  if (random.OneIn(3)) period = random.Spread(1, 20 * kYear);
  rate.period = Nanos{period};
  const Wide fastest = (Wide{period} << 45U) - 1;
  if (rate.count > fastest) rate.count = static_cast<std::int64_t>(fastest);
  return rate;
}

Nanos RandomWait(Random& random, Nanos period) {
  switch (random.Between(0, 3)) {
    case 0:
      return Nanos{random.Between(1, 3 * period.count())};
    case 1:
      return Nanos{random.Spread(1, 10 * kYear)};
    case 2:
      return period;
    default:
      return Nanos{random.Between(1, 100)};
  }
}

// Returns the maximum number of units, of T each, that fit the longest span next to `beside`.
std::int64_t MaxUnitsBeside(Rate rate, Nanos beside) {
  const TickScale scale = ScaleOf(rate);
  const Wide max = Wide{(kLongestSpan - beside).count()} * scale.ns / scale.unit;
  return static_cast<std::int64_t>(std::min(max, Wide{kMaxUnits}));
}

std::int64_t RandomBurst(Random& random, std::int64_t count, std::int64_t max) {
  std::int64_t burst = 1;
  switch (random.Between(0, 3)) {
    case 0:
      burst = random.Between(1, 20);
      break;
    case 1:
      burst = random.Spread(1, kMaxUnits);
      break;
    case 2:
      burst = random.Between(1, count);
      break;
    default:
      break;
  }
  return std::min(burst, max);
}

void FillTokenBucket(LimitSpec& spec, Random& random) {
  if (random.OneIn(2)) spec.max_wait = RandomWait(random, spec.rate->period);
  const std::int64_t max = MaxUnitsBeside(*spec.rate, spec.max_wait.value_or(Nanos{0}));
  if (random.OneIn(2)) spec.burst = RandomBurst(random, spec.rate->count, max);
}

void FillIntervalRefill(LimitSpec& spec, Random& random) {
  spec.refill = Refill::kInterval;
  if (random.OneIn(2)) spec.aligned = random.OneIn(2);
  // The tokens that may be booked ahead must fit a counter.
  spec.rate->count = std::min(spec.rate->count, kMaxUnits / 4);
  const Wide bookable = (kMaxUnits / 2 / spec.rate->count - 1) * Wide{spec.rate->period.count()};
  if (random.OneIn(2)) spec.max_wait = RandomWait(random, spec.rate->period);
  if (spec.max_wait && spec.max_wait->count() > bookable) spec.max_wait = spec.rate->period;
  const Wide periods = (kLongestSpan - spec.max_wait.value_or(Nanos{0})) / spec.rate->period - 1;
  const Wide max = std::min(periods * spec.rate->count, Wide{kMaxUnits / 2});
  if (random.OneIn(2)) {
    spec.burst = RandomBurst(random, spec.rate->count, static_cast<std::int64_t>(max));
  }
}

void FillLeakyBucket(LimitSpec& spec, Random& random) {
  spec.algorithm = Algorithm::kLeakyBucket;
  if (random.OneIn(2)) spec.max_wait = RandomWait(random, spec.rate->period);
  const std::int64_t max = MaxUnitsBeside(*spec.rate, Nanos{0}) - 1;
  std::int64_t burst = spec.rate->count;
  if (random.OneIn(2)) {
    burst = random.OneIn(5) ? 0 : RandomBurst(random, spec.rate->count, max);
    spec.burst = burst;
  }
  if (random.OneIn(2)) spec.delay_after = random.OneIn(3) ? burst : random.Spread(0, burst);
}

void FillCalendar(LimitSpec& spec, Random& random) {
  const auto unit = random.Pick({CalendarUnit::kHour, CalendarUnit::kHour, CalendarUnit::kHour,
                                 CalendarUnit::kDay, CalendarUnit::kDay, CalendarUnit::kWeek,
                                 CalendarUnit::kMonth, CalendarUnit::kYear});
  const std::int64_t days[] = {0, 1, 7, 30, 365};
  const std::int64_t length = days[static_cast<std::size_t>(unit)] * kDay;
  spec.rate->unit = unit;
  spec.rate->period = Nanos{unit == CalendarUnit::kHour ? 3600 * kSecond : length};
  // These zones have clocks that change at midnight, by half an hour, by a day, around Ramadan, or
  // not at all.
  spec.zone = random.Pick({"Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe",
                           "Pacific/Apia", "Africa/Casablanca", "America/Havana", "Asia/Kathmandu",
                           "America/New_York", "Pacific/Chatham", "Antarctica/Troll", "UTC"});
}

void FillFixedWindow(LimitSpec& spec, Kind kind, Random& random) {
  spec.algorithm = Algorithm::kFixedWindow;
  if (random.OneIn(30)) spec.rate->count = 0;
  if (random.OneIn(3)) spec.count_refused = random.OneIn(2);
  if (kind == Kind::kFirstRequestWindow) spec.window = WindowKind::kFirstRequest;
  if (kind == Kind::kStaggeredWindow) spec.window = WindowKind::kStaggered;
  if (kind == Kind::kCalendarWindow) {
    spec.window = WindowKind::kCalendar;
    FillCalendar(spec, random);
  }
}

void FillSlidingLog(LimitSpec& spec, Random& random) {
  spec.algorithm = Algorithm::kSlidingLog;
  if (random.OneIn(3)) spec.count_refused = !random.OneIn(4);
  if (random.OneIn(3)) spec.min_gap = Nanos{random.Spread(0, spec.rate->period.count())};
  if (random.OneIn(20)) spec.min_gap = spec.rate->period;
}

void FillSlidingBuckets(LimitSpec& spec, Random& random) {
  spec.algorithm = Algorithm::kSlidingBuckets;
  spec.buckets = random.OneIn(3) ? random.Between(1, 3) : random.Between(1, 60);
  const std::int64_t part = std::max<std::int64_t>(1, spec.rate->period.count() / *spec.buckets);
  spec.rate->period = Nanos{part * *spec.buckets};
  if (*spec.buckets == 60 && random.OneIn(2)) spec.buckets.reset();
  spec.oldest = random.Pick({OldestPart::kStrict, OldestPart::kLenient, OldestPart::kWeighted});
}

void FillPacer(LimitSpec& spec, Random& random) {
  spec.algorithm = Algorithm::kPacer;
  if (random.OneIn(2)) spec.max_wait = RandomWait(random, spec.rate->period);
  if (random.OneIn(2)) return;
  const std::int64_t max = MaxUnitsBeside(*spec.rate, spec.max_wait.value_or(Nanos{0}));
  const std::int64_t whole = std::min<std::int64_t>(max, 1'000'000'000);
  const auto denominator = random.Pick<std::int64_t>({1, 1, 1, 2, 4, 5, 8, 10, 100, 1000});
  spec.burst = Fraction{random.Spread(1, whole), denominator};
}

void FillWarmUp(LimitSpec& spec, Random& random) {
  spec.algorithm = Algorithm::kPacer;
  // Only whole intervals from a microsecond to a minute; the plain pacer covers the others.
  spec.rate = Rate{random.Pick<std::int64_t>({1, 2, 5, 100, 1000}),
                   Nanos{random.Pick<std::int64_t>({1'000'000, kSecond, 60 * kSecond})}};
  spec.warm_up = Nanos{random.Spread(1'000, kDay)};
  if (random.OneIn(2)) {
    spec.cold_factor = random.Pick({Fraction{1}, Fraction{3, 2}, Fraction{3}, Fraction{10}});
  }
  if (random.OneIn(2)) spec.max_wait = Nanos{random.Spread(1, 3600 * kSecond)};
}

LimitSpec RandomConcurrency(Random& random) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = random.OneIn(5) ? random.Spread(1, 1'000'000) : random.Between(1, 12);
  if (random.OneIn(2)) spec.ttl = Nanos{random.Spread(1, kYear)};
  return spec;
}

}  // namespace

std::vector<Kind> RateKinds() {
  std::vector<Kind> kinds;
  for (int kind = 0; kind < static_cast<int>(Kind::kConcurrency); ++kind) {
    kinds.push_back(static_cast<Kind>(kind));
  }
  return kinds;
}

std::string NameOf(Kind kind) {
  static const char* const names[] = {
      "token_bucket",    "interval_refill", "leaky_bucket", "aligned_window", "first_request",
      "calendar_window", "staggered",       "sliding_log",  "sliding_window", "sliding_buckets",
      "pacer",           "warm_up_pacer",   "concurrency"};
  return names[static_cast<std::size_t>(kind)];
}

void PrintTo(Kind kind, std::ostream* out) { *out << NameOf(kind); }

LimitSpec RandomLimit(Kind kind, Random& random) {
  if (kind == Kind::kConcurrency) return RandomConcurrency(random);
  LimitSpec spec;
  spec.rate = RandomRate(random);
  switch (kind) {
    case Kind::kTokenBucket:
      FillTokenBucket(spec, random);
      break;
    case Kind::kIntervalRefill:
      FillIntervalRefill(spec, random);
      break;
    case Kind::kLeakyBucket:
      FillLeakyBucket(spec, random);
      break;
    case Kind::kSlidingLog:
      FillSlidingLog(spec, random);
      break;
    case Kind::kSlidingWindow:
      spec.algorithm = Algorithm::kSlidingWindow;
      break;
    case Kind::kSlidingBuckets:
      FillSlidingBuckets(spec, random);
      break;
    case Kind::kPacer:
      FillPacer(spec, random);
      break;
    case Kind::kWarmUpPacer:
      FillWarmUp(spec, random);
      break;
    default:
      FillFixedWindow(spec, kind, random);
  }
  return spec;
}

Limit MustMake(const LimitSpec& spec) {
  auto made = MakeLimit(spec, [](std::string_view name) { return LibcZone(std::string(name)); });
  if (const auto* error = std::get_if<LimitError>(&made)) {
    ADD_FAILURE() << "a valid limit was refused: " << ToText(spec) << "\n"
                  << error->key << ": " << error->message;
    return {};
  }
  return std::get<Limit>(std::move(made));
}

std::shared_ptr<const Zone> ZoneOf(const LimitSpec& spec) {
  if (spec.window != WindowKind::kCalendar) return nullptr;
  return LibcZone(spec.zone.value_or("UTC"));
}

bool HasUnits(const LimitSpec& spec) { return spec.algorithm != Algorithm::kPacer; }

}  // namespace sluice::testing
