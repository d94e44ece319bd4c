#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "core/limit/limit.h"

namespace sluice {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::seconds;

constexpr std::int64_t kMaxUnits = 1'000'000'000'000'000'000;

LimitSpec Spec(Algorithm algorithm, Rate rate) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = rate;
  return spec;
}

template <typename T>
T TermsOf(const LimitSpec& spec) {
  const auto limit = MakeLimit(spec, nullptr);
  const auto* error = std::get_if<LimitError>(&limit);
  EXPECT_EQ(error, nullptr) << error->message;
  if (error != nullptr) return T{};
  const auto* terms = std::get_if<T>(&std::get<Limit>(limit).terms);
  EXPECT_NE(terms, nullptr);
  return terms == nullptr ? T{} : *terms;
}

// Returns "key: message".
std::string Refusal(const LimitSpec& spec) {
  const auto limit = MakeLimit(spec, nullptr);
  const auto* error = std::get_if<LimitError>(&limit);
  return error == nullptr ? "accepted" : error->key + ": " + error->message;
}

TEST(MakeLimitTest, TokenBucketBurstDefaultsToCount) {
  const auto terms = TermsOf<TokenBucket>(Spec(Algorithm::kTokenBucket, {10, seconds{1}}));
  EXPECT_EQ(terms, (TokenBucket{{100'000'000, 1}, 10, Nanos{0}}));
}

TEST(MakeLimitTest, MakesIntervalBucketForRefillInterval) {
  LimitSpec spec = Spec(Algorithm::kTokenBucket, {10, seconds{1}});
  spec.refill = Refill::kInterval;
  spec.burst = 25;
  spec.max_wait = seconds{2};
  EXPECT_EQ(TermsOf<IntervalBucket>(spec),
            (IntervalBucket{{10, seconds{1}}, 25, seconds{2}, RefillPhase::kFromFirstCharge}));
  spec.aligned = true;
  EXPECT_EQ(TermsOf<IntervalBucket>(spec).phase, RefillPhase::kAligned);
}

TEST(MakeLimitTest, LeakyBucketHasNoMaxWaitByDefault) {
  LimitSpec spec = Spec(Algorithm::kLeakyBucket, {10, seconds{1}});
  EXPECT_EQ(TermsOf<LeakyBucket>(spec), (LeakyBucket{{100'000'000, 1}, 10, 0, kLongestSpan}));
  spec.burst = 0;
  spec.delay_after = 3;
  spec.max_wait = Nanos{0};
  EXPECT_EQ(TermsOf<LeakyBucket>(spec), (LeakyBucket{{100'000'000, 1}, 0, 3, Nanos{0}}));
}

TEST(MakeLimitTest, CalendarWindowInUtcNeedsNoZoneFiles) {
  LimitSpec spec = Spec(Algorithm::kFixedWindow, {2, days{30}, CalendarUnit::kMonth});
  spec.window = WindowKind::kCalendar;
  const auto terms = TermsOf<FixedWindow>(spec);
  EXPECT_EQ(terms.unit, CalendarUnit::kMonth);
  ASSERT_NE(terms.zone, nullptr);
  EXPECT_EQ(terms.zone->name, "UTC");
  spec.zone = "Europe/Berlin";
  EXPECT_EQ(Refusal(spec), "zone: unknown time zone 'Europe/Berlin'");
}

TEST(MakeLimitTest, OtherWindowsHaveNoZone) {
  const auto terms = TermsOf<FixedWindow>(Spec(Algorithm::kFixedWindow, {0, seconds{1}}));
  EXPECT_EQ(
      terms,
      (FixedWindow{
          {0, seconds{1}}, WindowKind::kAligned, CalendarUnit::kDay, nullptr, Refused::kFree}));
}

TEST(MakeLimitTest, SetsCountRefused) {
  LimitSpec spec = Spec(Algorithm::kSlidingLog, {3, seconds{1}});
  spec.count_refused = true;
  spec.min_gap = Nanos{5};
  EXPECT_EQ(TermsOf<SlidingLog>(spec), (SlidingLog{{3, seconds{1}}, Nanos{5}, Refused::kRecord}));
}

TEST(MakeLimitTest, SlidingBucketsDefaultToSixty) {
  EXPECT_EQ(TermsOf<SlidingBuckets>(Spec(Algorithm::kSlidingBuckets, {3, hours{1}})),
            (SlidingBuckets{{3, hours{1}}, 60, OldestPart::kStrict}));
}

TEST(MakeLimitTest, PacerBurstDefaultsToOneSecond) {
  LimitSpec spec = Spec(Algorithm::kPacer, {3, seconds{1}});
  EXPECT_EQ(TermsOf<Pacer>(spec), (Pacer{{1'000'000'000, 3}, 3'000'000'000, Nanos{0}}));
  spec.burst = Fraction{5, 2};
  EXPECT_EQ(TermsOf<Pacer>(spec).burst_ticks, Uint128{2'500'000'000});
  spec.burst = 0;
  EXPECT_EQ(TermsOf<Pacer>(spec).burst_ticks, Uint128{0});
}

TEST(MakeLimitTest, MakesWarmUpPacerForWarmUpAboveZero) {
  LimitSpec spec = Spec(Algorithm::kPacer, {2, seconds{1}});
  spec.warm_up = seconds{4};
  EXPECT_EQ(TermsOf<WarmUpPacer>(spec), (WarmUpPacer{5e8, seconds{4}, 3, Nanos{0}}));
  spec.cold_factor = Fraction{5, 2};
  EXPECT_EQ(TermsOf<WarmUpPacer>(spec).cold_factor, 2.5);
  spec = Spec(Algorithm::kPacer, {2, seconds{1}});
  spec.warm_up = Nanos{0};
  TermsOf<Pacer>(spec);
}

TEST(MakeLimitTest, TtlDefaultsToOneMinute) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = 20;
  EXPECT_EQ(TermsOf<Concurrency>(spec), (Concurrency{20, seconds{60}}));
}

TEST(MakeLimitTest, KeepsSpecWithFractionsInLowestTerms) {
  LimitSpec spec = Spec(Algorithm::kPacer, {2, seconds{1}});
  spec.burst = Fraction{10, 4};
  const auto limit = MakeLimit(spec, nullptr);
  EXPECT_EQ(std::get<Limit>(limit).spec.burst, (Fraction{5, 2}));
}

TEST(MakeLimitTest, RejectsValuesThatOnlyCppCallersCanSet) {
  LimitSpec spec = Spec(Algorithm::kTokenBucket, {-1, seconds{1}});
  EXPECT_EQ(Refusal(spec), "rate: the count must be from 0 to 1000000000000000000, found -1");
  spec.rate = Rate{kMaxUnits + 1, seconds{1}};
  EXPECT_EQ(Refusal(spec),
            "rate: the count must be from 0 to 1000000000000000000, found "
            "1000000000000000001");
  spec.rate = Rate{1, seconds{-1}};
  EXPECT_EQ(Refusal(spec), "rate: the period must be above 0");
  spec.rate = Rate{1, kLongestSpan + Nanos{1}};
  EXPECT_EQ(Refusal(spec), "rate: the period must be at most 100 years");
  spec.rate = Rate{1, seconds{1}, CalendarUnit::kDay};
  EXPECT_EQ(Refusal(spec), "rate: the period must be as long as its unit, 1d");
  spec = LimitSpec{};
  EXPECT_EQ(Refusal(spec), "rate: a limit needs a 'rate' such as 100/m");
}

TEST(MakeLimitTest, RejectsNegativeNumbersAndInfiniteDecimals) {
  LimitSpec spec = Spec(Algorithm::kTokenBucket, {1, seconds{1}});
  spec.burst = -1;
  EXPECT_EQ(Refusal(spec), "burst: 'burst' must not be negative");
  spec.burst = Fraction{1, 0};
  EXPECT_EQ(Refusal(spec), "burst: 'burst' must not be negative");
  spec.burst = Fraction{1, 3};
  EXPECT_EQ(Refusal(spec), "burst: 'burst' must have at most 18 decimals");
  spec.burst = Fraction{5, 2};
  EXPECT_EQ(Refusal(spec), "burst: 'burst' must be a whole number");
  spec.burst = kMaxUnits + 1;
  EXPECT_EQ(Refusal(spec), "burst: 'burst' must be at most 1000000000000000000");
  spec.burst.reset();
  spec.max_wait = Nanos{-1};
  EXPECT_EQ(Refusal(spec), "max_wait: 'max_wait' must not be negative");
  spec.max_wait = kLongestSpan + Nanos{1};
  EXPECT_EQ(Refusal(spec), "max_wait: 'max_wait' must be at most 100 years");
}

TEST(MakeLimitTest, RejectsUnknownEnumerators) {
  LimitSpec spec = Spec(static_cast<Algorithm>(77), {1, seconds{1}});
  EXPECT_EQ(Refusal(spec), "algorithm: there is no such algorithm");
  spec = Spec(Algorithm::kTokenBucket, {1, seconds{1}});
  spec.refill = static_cast<Refill>(77);
  EXPECT_EQ(Refusal(spec), "refill: there is no such refill");
}

TEST(MakeLimitTest, RejectsKeysOfOtherAlgorithm) {
  LimitSpec spec = Spec(Algorithm::kTokenBucket, {1, seconds{1}});
  spec.delay_after = 1;
  EXPECT_EQ(Refusal(spec), "delay_after: 'delay_after' belongs to leaky_bucket, not token_bucket");
}

TEST(MakeLimitTest, RejectsMaxWaitWhoseRefillsOverflow) {
  LimitSpec spec = Spec(Algorithm::kTokenBucket, {kMaxUnits, Nanos{1}});
  spec.refill = Refill::kInterval;
  spec.burst = 1;
  EXPECT_EQ(Refusal(spec), "accepted");
  spec.max_wait = seconds{1};
  EXPECT_EQ(Refusal(spec),
            "max_wait: what comes back within 'max_wait' must be at most 4000000000000000000 "
            "units");
}

TEST(MakeLimitTest, AcceptsLongestSpan) {
  LimitSpec spec = Spec(Algorithm::kTokenBucket, {1, kLongestSpan});
  EXPECT_EQ(Refusal(spec), "accepted");
  spec = Spec(Algorithm::kLeakyBucket, {1, kLongestSpan});
  spec.burst = 0;
  EXPECT_EQ(Refusal(spec), "accepted");
  spec = Spec(Algorithm::kSlidingWindow, {kMaxUnits, kLongestSpan / 2});
  EXPECT_EQ(Refusal(spec), "accepted");
  spec = Spec(Algorithm::kFixedWindow, {kMaxUnits, kLongestSpan});
  EXPECT_EQ(Refusal(spec), "accepted");
}

}  // namespace
}  // namespace sluice
