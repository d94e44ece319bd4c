#include "core/limit/format_limit.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

// tests/unit/config/syntax/json_limit_test.cc uses the JSON reader to test that these texts are
// read back as equal limits.

TEST(FormatLimitTest, WritesRateAloneAsString) {
  LimitSpec spec;
  spec.rate = Rate{100, std::chrono::minutes{1}};
  EXPECT_EQ(FormatLimit(spec), "100/m");
}

TEST(FormatLimitTest, WritesOnlyKeysThatAreSet) {
  LimitSpec spec;
  spec.rate = Rate{100, std::chrono::minutes{1}};
  spec.burst = 20;
  spec.max_wait = Nanos{0};
  EXPECT_EQ(FormatLimit(spec), R"({"rate":"100/m","burst":20,"max_wait":0})");
}

TEST(FormatLimitTest, WritesEveryTypeOfValue) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kFixedWindow;
  spec.rate = Rate{2, std::chrono::days{30}, CalendarUnit::kMonth};
  spec.window = WindowKind::kCalendar;
  spec.zone = "Europe/Berlin";
  spec.count_refused = false;
  EXPECT_EQ(FormatLimit(spec),
            R"({"algorithm":"fixed_window","rate":"2/month","window":"calendar",)"
            R"("zone":"Europe/Berlin","count_refused":false})");
  spec = LimitSpec{};
  spec.algorithm = Algorithm::kPacer;
  spec.rate = Rate{2, std::chrono::seconds{1}};
  spec.warm_up = std::chrono::minutes{90};
  spec.cold_factor = Fraction{5, 2};
  EXPECT_EQ(FormatLimit(spec),
            R"({"algorithm":"pacer","rate":"2/s","warm_up":"1.5h","cold_factor":2.5})");
}

TEST(FormatLimitTest, BeginsTitleWithRateAndOmitsTokenBucket) {
  LimitSpec spec;
  spec.rate = Rate{100, std::chrono::minutes{1}};
  spec.burst = 20;
  EXPECT_EQ(LimitTitle(spec), "100/m, burst 20");
  spec = LimitSpec{};
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = 20;
  EXPECT_EQ(LimitTitle(spec), "concurrency, max_in_flight 20");
}

}  // namespace
}  // namespace sluice
