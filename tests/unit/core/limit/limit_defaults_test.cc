#include "core/limit/limit_defaults.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "core/limit/format_limit.h"
#include "core/limit/limit.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;

LimitSpec RateOf(Algorithm algorithm, Rate rate = {100, 1min}) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = rate;
  return spec;
}

std::vector<LimitSpec> EachVariant() {
  std::vector<LimitSpec> specs;
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kLeakyBucket, Algorithm::kFixedWindow,
        Algorithm::kSlidingLog, Algorithm::kSlidingWindow, Algorithm::kSlidingBuckets,
        Algorithm::kPacer}) {
    specs.push_back(RateOf(algorithm));
  }
  specs.push_back(RateOf(Algorithm::kTokenBucket));
  specs.back().refill = Refill::kInterval;
  specs.push_back(RateOf(Algorithm::kPacer, {5, 2s}));
  specs.push_back(RateOf(Algorithm::kPacer));
  specs.back().warm_up = 10s;
  LimitSpec concurrency;
  concurrency.algorithm = Algorithm::kConcurrency;
  concurrency.max_in_flight = 20;
  specs.push_back(concurrency);
  return specs;
}

Limit Made(const LimitSpec& spec) { return std::get<Limit>(MakeLimit(spec, nullptr)); }

TEST(LimitDefaultsTest, DefaultsMakeTheSameTerms) {
  for (const LimitSpec& spec : EachVariant()) {
    EXPECT_TRUE(Made(WithDefaults(spec)).terms == Made(spec).terms) << FormatLimit(spec);
  }
}

TEST(LimitDefaultsTest, SetsEveryKeyOfTheVariant) {
  std::vector<std::string> texts;
  for (const LimitSpec& spec : EachVariant()) texts.push_back(LimitTitle(WithDefaults(spec)));
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "100/m, burst 100, refill greedy, max_wait 0",
                       "100/m, leaky_bucket, burst 100, delay_after 0",
                       "100/m, fixed_window, window aligned, count_refused false",
                       "100/m, sliding_log, count_refused false, min_gap 0",
                       "100/m, sliding_window",
                       "100/m, sliding_buckets, buckets 60, oldest strict",
                       "100/m, pacer, max_wait 0, warm_up 0",
                       "100/m, burst 100, refill interval, aligned false, max_wait 0",
                       "5/2s, pacer, burst 2.5, max_wait 0, warm_up 0",
                       "100/m, pacer, max_wait 0, warm_up 10s, cold_factor 3",
                       "concurrency, max_in_flight 20, ttl 1m",
                   }));
}

TEST(LimitDefaultsTest, CalendarWindowsDefaultToUtc) {
  LimitSpec spec = RateOf(Algorithm::kFixedWindow, {100, 1h * 24, CalendarUnit::kDay});
  spec.window = WindowKind::kCalendar;
  EXPECT_EQ(WithDefaults(spec).zone, "UTC");
}

TEST(LimitDefaultsTest, KeepsKeysThatAreSet) {
  LimitSpec spec = RateOf(Algorithm::kTokenBucket);
  spec.burst = 7;
  EXPECT_EQ(WithDefaults(spec).burst, Fraction(7));
}

}  // namespace
}  // namespace sluice
