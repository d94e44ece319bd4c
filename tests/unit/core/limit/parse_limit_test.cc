#include "core/limit/parse_limit.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

Value Text(std::string text) { return Value::String(std::move(text)); }
Value Num(std::string text) { return Value::Number(std::move(text)); }
Value Bool(bool value) { return Value::Boolean(value); }

constexpr std::uint32_t kKeyColumn = 3;
constexpr std::uint32_t kValueColumn = 20;

Value Placed(const Value& value, Position at) {
  if (const auto* text = value.AsString()) return Value::String(*text, at);
  if (const auto* number = value.AsNumber()) return Value::Number(*number, at);
  if (const auto* boolean = value.AsBoolean()) return Value::Boolean(*boolean, at);
  if (const auto* list = value.AsList()) return Value::MakeList(*list, at);
  if (const auto* map = value.AsMap()) return Value::MakeMap(*map, at);
  return Value(at);
}

// Returns a mapping with one entry per line, starting at line 1.
Value Map(std::initializer_list<std::pair<std::string, Value>> entries) {
  Value::Map map;
  std::uint32_t line = 0;
  for (const auto& [key, value] : entries) {
    ++line;
    map.push_back({key, {line, kKeyColumn}, Placed(value, {line, kValueColumn})});
  }
  return Value::MakeMap(std::move(map), {1, 1});
}

ZoneSource OnlyBerlin() {
  return [](std::string_view name) -> std::shared_ptr<const Zone> {
    if (name != "Europe/Berlin") return nullptr;
    return std::make_shared<const Zone>(Zone{"Europe/Berlin", 3600, {}});
  };
}

std::string ErrorOf(const Value& value) {
  const auto limit = ParseLimit(value, OnlyBerlin());
  const auto* error = std::get_if<PositionedError>(&limit);
  return error == nullptr ? "accepted" : Describe("", *error);
}

TEST(ParseLimitTest, ReadsGoodRatesExactly) {
  const std::vector<std::pair<std::string, Rate>> cases = {
      {"100/m", {100, std::chrono::minutes{1}}},
      {"1/s", {1, std::chrono::seconds{1}}},
      {"7/ns", {7, Nanos{1}}},
      {"7/us", {7, Nanos{1000}}},
      {"7/ms", {7, Nanos{1'000'000}}},
      {"5/h", {5, std::chrono::hours{1}, CalendarUnit::kHour}},
      {"5/d", {5, std::chrono::hours{24}, CalendarUnit::kDay}},
      {"5/w", {5, std::chrono::hours{168}, CalendarUnit::kWeek}},
      {"2/month", {2, std::chrono::days{30}, CalendarUnit::kMonth}},
      {"2/year", {2, std::chrono::days{365}, CalendarUnit::kYear}},
      {"2/1month", {2, std::chrono::days{30}}},
      {"5/1h", {5, std::chrono::hours{1}}},
      {"5/10s", {5, std::chrono::seconds{10}}},
      {"5/250ms", {5, Nanos{250'000'000}}},
      {"5/1.5h", {5, std::chrono::minutes{90}}},
      {"5/0.5us", {5, Nanos{500}}},
      {"5/1.50s", {5, Nanos{1'500'000'000}}},
      {"1/100year", {1, kLongestSpan}},
      {"1000000000000000000/90year", {1'000'000'000'000'000'000, std::chrono::days{90 * 365}}},
  };
  for (const auto& [text, rate] : cases) {
    const Result<Limit> limit = ParseLimit(text, nullptr);
    ASSERT_TRUE(limit.ok()) << text << ": " << limit.error().message;
    EXPECT_EQ(limit.value().spec.rate, rate) << text;
  }
}

TEST(ParseLimitTest, RejectsBadRatesWithExpectation) {
  const std::string units = "ns, us, ms, s, m, h, d, w, month or year";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "'' is no rate; expected COUNT/PERIOD such as 100/m"},
      {"100", "'100' is no rate; expected COUNT/PERIOD such as 100/m"},
      {"100/", "'100/' needs a unit after the slash: " + units},
      {"100/10", "'100/10' needs a unit after the slash: " + units},
      {"/m", "the count of '/m' must be a whole number, written in digits"},
      {"1e3/m", "the count of '1e3/m' must be a whole number, written in digits"},
      {"1.5/m", "the count of '1.5/m' must be a whole number, written in digits"},
      {"-1/m", "the count of '-1/m' must be a whole number, written in digits"},
      {"+1/m", "the count of '+1/m' must be a whole number, written in digits"},
      {"007/m", "the count of '007/m' must be a whole number, written in digits"},
      {" 100/m", "the count of ' 100/m' must be a whole number, written in digits"},
      {"100/m ", "unknown unit 'm ' in '100/m '; did you mean '100/m'?"},
      {"100/min", "unknown unit 'min' in '100/min'; did you mean '100/m'?"},
      {"100/10mins", "unknown unit 'mins' in '100/10mins'; did you mean '100/10m'?"},
      {"100/sec", "unknown unit 'sec' in '100/sec'; did you mean '100/s'?"},
      {"100/hr", "unknown unit 'hr' in '100/hr'; did you mean '100/h'?"},
      {"100/Hour", "unknown unit 'Hour' in '100/Hour'; did you mean '100/hour'?"},
      {"100/days", "unknown unit 'days' in '100/days'; did you mean '100/d'?"},
      {"100/yr", "unknown unit 'yr' in '100/yr'; did you mean '100/year'?"},
      {"5 per minute", "'5 per minute' is no rate; did you mean '5/minute'?"},
      {"5 per min", "'5 per min' is no rate; did you mean '5/m'?"},
      {"5 an hour", "'5 an hour' is no rate; did you mean '5/hour'?"},
      {"5 per 10 seconds", "'5 per 10 seconds' is no rate; did you mean '5/10s'?"},
      {"5 per user", "'5 per user' is no rate; expected COUNT/PERIOD such as 100/m"},
      {"per minute", "'per minute' is no rate; expected COUNT/PERIOD such as 100/m"},
      {"100/M", "unknown unit 'M' in '100/M'; expected " + units},
      {"100/-5s", "unknown unit '-5s' in '100/-5s'; expected " + units},
      {"100/1h30m", "unknown unit 'h30m' in '100/1h30m'; expected " + units},
      {"100/m/s", "unknown unit 'm/s' in '100/m/s'; expected " + units},
      {"100/1.s", "'1.' in '100/1.s' is no number; expected one such as 10 or 1.5"},
      {"100/.5s", "'.5' in '100/.5s' is no number; expected one such as 10 or 1.5"},
      {"100/1.2.3s", "'1.2.3' in '100/1.2.3s' is no number; expected one such as 10 or 1.5"},
      {"100/1.5ns", "'100/1.5ns' is no whole number of nanoseconds"},
      {"100/0.0000000001s", "'100/0.0000000001s' is no whole number of nanoseconds"},
      {"100/0.0000000000000000001s",
       "'100/0.0000000000000000001s' is no whole number of nanoseconds"},
      {"100/0s", "the period must be above 0"},
      {"0/m", "a count of 0, which blocks, is for fixed_window alone; expected at least 1"},
      {"1/101year", "'1/101year' is above the longest time, 100 years of 365 days"},
      {"1/100.1year", "'1/100.1year' is above the longest time, 100 years of 365 days"},
      {"1/99999999999999999999s",
       "'1/99999999999999999999s' is above the longest time, 100 years of 365 days"},
      {"1000000000000000001/year",
       "the count of '1000000000000000001/year' must be at most 1000000000000000000"},
      {"99999999999999999999/m",
       "the count of '99999999999999999999/m' must be at most 1000000000000000000"},
      {"1000000000000000000/ns", "the rate must be below 46 million million units a nanosecond"},
      // PERIOD/COUNT is rounded up, so the whole burst takes slightly more than 100 years.
      {"1000000000000000000/100year",
       "burst times PERIOD/COUNT, plus max_wait, must be at most 100 years"},
      {"100/m\n", "unknown unit 'm\\x0a' in '100/m\\x0a'; expected " + units},
  };
  for (const auto& [text, message] : cases) {
    const Result<Limit> limit = ParseLimit(text, nullptr);
    ASSERT_FALSE(limit.ok()) << text;
    EXPECT_EQ(limit.error().message, message);
  }
}

TEST(ParseLimitTest, ReadsMappingsOfEveryAlgorithm) {
  const std::vector<std::pair<Value, std::size_t>> cases = {
      {Map({{"rate", Text("100/m")}}), 0},
      {Map({{"rate", Text("100/m")}, {"burst", Num("20")}}), 0},
      {Map({{"algorithm", Text("gcra")}, {"rate", Text("1/s")}, {"max_wait", Text("250ms")}}), 0},
      {Map({{"rate", Text("1/s")}, {"max_wait", Num("0")}}), 0},
      {Map({{"rate", Text("1/s")}, {"max_wait", Text("0")}}), 0},
      {Map({{"rate", Text("1/s")}, {"refill", Text("greedy")}}), 0},
      {Map({{"rate", Text("1/s")}, {"refill", Text("interval")}}), 1},
      {Map({{"rate", Text("1/s")}, {"refill", Text("interval")}, {"aligned", Bool(true)}}), 1},
      {Map({{"algorithm", Text("leaky_bucket")}, {"rate", Text("1/s")}, {"burst", Num("0")}}), 2},
      {Map({{"algorithm", Text("leaky_bucket")}, {"rate", Text("1/s")}, {"delay_after", Num("8")}}),
       2},
      {Map({{"algorithm", Text("fixed_window")}, {"rate", Text("0/s")}}), 3},
      {Map({{"algorithm", Text("fixed_window")},
            {"rate", Text("2/month")},
            {"window", Text("calendar")},
            {"zone", Text("Europe/Berlin")}}),
       3},
      {Map({{"algorithm", Text("fixed_window")},
            {"rate", Text("2/h")},
            {"window", Text("calendar")}}),
       3},
      {Map({{"algorithm", Text("fixed_window")},
            {"rate", Text("2/9s")},
            {"window", Text("staggered")},
            {"count_refused", Bool(true)}}),
       3},
      {Map({{"algorithm", Text("sliding_log")}, {"rate", Text("10/s")}, {"min_gap", Text("1s")}}),
       4},
      {Map({{"algorithm", Text("sliding_window")}, {"rate", Text("1/50year")}}), 5},
      {Map({{"algorithm", Text("sliding_buckets")}, {"rate", Text("1/m")}}), 6},
      {Map({{"algorithm", Text("sliding_buckets")},
            {"rate", Text("1/s")},
            {"buckets", Num("100000")},
            {"oldest", Text("weighted")}}),
       6},
      {Map({{"algorithm", Text("pacer")}, {"rate", Text("5/s")}}), 7},
      {Map({{"algorithm", Text("pacer")}, {"rate", Text("5/s")}, {"burst", Num("2.5")}}), 7},
      {Map({{"algorithm", Text("pacer")},
            {"rate", Text("5/s")},
            {"burst", Num("2")},
            {"warm_up", Num("0")}}),
       7},
      {Map({{"algorithm", Text("pacer")}, {"rate", Text("5/s")}, {"warm_up", Text("4s")}}), 8},
      {Map({{"algorithm", Text("pacer")},
            {"rate", Text("5/s")},
            {"warm_up", Text("4s")},
            {"cold_factor", Num("1")}}),
       8},
      {Map({{"algorithm", Text("concurrency")}, {"max_in_flight", Num("20")}}), 9},
      {Map({{"algorithm", Text("concurrency")}, {"max_in_flight", Num("1")}, {"ttl", Text("1ns")}}),
       9},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto limit = ParseLimit(cases[i].first, OnlyBerlin());
    const auto* error = std::get_if<PositionedError>(&limit);
    ASSERT_EQ(error, nullptr) << "case " << i << ": " << error->message;
    EXPECT_EQ(std::get<Limit>(limit).terms.index(), cases[i].second) << "case " << i;
  }
}

struct BadMapping {
  Value value;
  std::string message;
};

void ExpectRefused(const std::vector<BadMapping>& cases) {
  for (const BadMapping& c : cases) EXPECT_EQ(ErrorOf(c.value), c.message);
}

TEST(ParseLimitTest, RejectsUnknownKeysWithSuggestion) {
  ExpectRefused({
      {Map({{"rate", Text("1/s")}, {"brust", Num("2")}}),
       "2:3: unknown key 'brust'; did you mean 'burst'?"},
      {Map({{"rat", Text("1/s")}}), "1:3: unknown key 'rat'; did you mean 'rate'?"},
      {Map({{"algoritm", Text("pacer")}}),
       "1:3: unknown key 'algoritm'; did you mean 'algorithm'?"},
      {Map({{"maxwait", Num("0")}}), "1:3: unknown key 'maxwait'; did you mean 'max_wait'?"},
      {Map({{"xyzzy", Num("0")}}),
       "1:3: unknown key 'xyzzy'; expected algorithm, rate, burst, refill, aligned or max_wait"},
      {Map({{"algorithm", Text("sliding_window")}, {"xyzzy", Num("0")}}),
       "2:3: unknown key 'xyzzy'; expected algorithm or rate"},
      {Map({{"Rate", Text("1/s")}}), "1:3: unknown key 'Rate'; did you mean 'rate'?"},
      {Map({{"rate", Text("1/s")}, {"burst", Num("2")}, {"rate", Text("2/s")}}),
       "3:3: duplicate key 'rate'"},
      {Map({{"algorithm", Text("tokenbucket")}}),
       "1:20: unknown algorithm 'tokenbucket'; did you mean 'token_bucket'?"},
      {Map({{"rate", Text("1/s")}, {"refill", Text("slow")}}),
       "2:20: unknown refill 'slow'; expected greedy or interval"},
      {Map({{"algorithm", Text("fixed_window")}, {"window", Text("calender")}}),
       "2:20: unknown window 'calender'; did you mean 'calendar'?"},
      {Map({{"algorithm", Text("sliding_buckets")}, {"oldest", Text("x")}}),
       "2:20: unknown oldest 'x'; expected strict, lenient or weighted"},
  });
}

TEST(ParseLimitTest, RejectsKeysOfOtherAlgorithmOrVariant) {
  ExpectRefused({
      {Map({{"rate", Text("1/s")}, {"delay_after", Num("2")}}),
       "2:3: 'delay_after' belongs to leaky_bucket, not token_bucket"},
      {Map({{"algorithm", Text("fixed_window")}, {"rate", Text("1/s")}, {"burst", Num("2")}}),
       "3:3: 'burst' belongs to token_bucket, leaky_bucket and pacer, not fixed_window"},
      {Map({{"algorithm", Text("sliding_window")},
            {"rate", Text("1/s")},
            {"count_refused", Bool(true)}}),
       "3:3: 'count_refused' belongs to fixed_window and sliding_log, not sliding_window"},
      {Map({{"rate", Text("1/s")}, {"max_in_flight", Num("2")}}),
       "2:3: 'max_in_flight' belongs to concurrency, not token_bucket"},
      {Map({{"algorithm", Text("concurrency")}, {"rate", Text("1/s")}}),
       "2:3: 'rate' does not belong to concurrency; it has max_in_flight"},
      {Map({{"rate", Text("1/s")}, {"aligned", Bool(false)}}),
       "2:3: 'aligned' needs refill: interval"},
      {Map({{"algorithm", Text("fixed_window")}, {"rate", Text("1/d")}, {"zone", Text("UTC")}}),
       "3:3: 'zone' needs window: calendar"},
      {Map({{"algorithm", Text("pacer")},
            {"burst", Num("1")},
            {"rate", Text("1/s")},
            {"warm_up", Text("1s")}}),
       "2:3: 'burst' cannot be used with 'warm_up'"},
      {Map({{"algorithm", Text("pacer")}, {"rate", Text("1/s")}, {"cold_factor", Num("3")}}),
       "3:3: 'cold_factor' needs a warm_up above 0"},
      {Map({{"algorithm", Text("pacer")},
            {"rate", Text("1/s")},
            {"cold_factor", Num("3")},
            {"warm_up", Num("0")}}),
       "3:3: 'cold_factor' needs a warm_up above 0"},
  });
}

TEST(ParseLimitTest, RejectsValuesOfWrongType) {
  ExpectRefused({
      {Map({{"rate", Num("100")}}),
       "1:20: 'rate' must be a string such as 100/m, found the number 100"},
      {Map({{"rate", Text("1/s")}, {"burst", Text("20")}}),
       "2:20: 'burst' must be a whole number, found the string '20'"},
      {Map({{"rate", Text("1/s")}, {"burst", Num("20.5")}}),
       "2:20: 'burst' must be a whole number, written in digits, found the number 20.5"},
      {Map({{"rate", Text("1/s")}, {"burst", Num("20.0")}}),
       "2:20: 'burst' must be a whole number, written in digits, found the number 20.0"},
      {Map({{"rate", Text("1/s")}, {"burst", Num("1e3")}}),
       "2:20: 'burst' must be a whole number, written in digits, found the number 1e3"},
      {Map({{"rate", Text("1/s")}, {"burst", Num("-5")}}),
       "2:20: 'burst' must be 0 or more, found the number -5"},
      {Map({{"rate", Text("1/s")}, {"burst", Value()}}),
       "2:20: 'burst' must be a whole number, found null"},
      {Map({{"rate", Text("1/s")}, {"max_wait", Num("5")}}),
       "2:20: 'max_wait' must be a duration such as 250ms, found the number 5"},
      {Map({{"rate", Text("1/s")}, {"max_wait", Text("5")}}),
       "2:20: 'max_wait': '5' needs a unit: ns, us, ms, s, m, h, d, w, month or year"},
      {Map({{"rate", Text("1/s")}, {"max_wait", Text("s")}}),
       "2:20: 'max_wait': 's' is no duration; expected a number and a unit such as 250ms"},
      {Map({{"algorithm", Text("concurrency")}, {"max_in_flight", Num("2")}, {"ttl", Num("0")}}),
       "3:20: 'ttl' must be a duration such as 250ms, found the number 0"},
      {Map({{"rate", Text("1/s")}, {"refill", Text("interval")}, {"aligned", Text("yes")}}),
       "3:20: 'aligned' must be true or false, found the string 'yes'"},
      {Map({{"algorithm", Bool(true)}}), "1:20: 'algorithm' must be a name, found true"},
      {Map({{"algorithm", Text("fixed_window")}, {"zone", Num("1")}}),
       "2:20: 'zone' must be a time zone such as Europe/Berlin, found the number 1"},
      {Map({{"algorithm", Text("pacer")}, {"rate", Text("1/s")}, {"burst", Num("1e3")}}),
       "3:20: 'burst' must be a number such as 2.5, written in digits, found the number 1e3"},
      {Map({{"algorithm", Text("pacer")}, {"burst", Num("0.1234567890123456789")}}),
       "2:20: 'burst' must be a number of at most 18 decimals, found the number "
       "0.1234567890123456789"},
      {Map({{"algorithm", Text("concurrency")},
            {"max_in_flight", Map({{"adaptive", Text("vegas")}})}}),
       "2:20: an adaptive 'max_in_flight' is not supported yet; write a whole number"},
      {Value::MakeList({}, {4, 5}),
       "4:5: a limit must be a string such as 100/m or a mapping, found a list"},
      {Value::Number("5", {4, 5}),
       "4:5: a limit must be a string such as 100/m or a mapping, found the number 5"},
      {Value::String("5", {4, 5}), "4:5: '5' is no rate; expected COUNT/PERIOD such as 100/m"},
  });
}

TEST(ParseLimitTest, RejectsNumbersOutOfRange) {
  ExpectRefused({
      {Map({}), "1:1: a limit needs a 'rate' such as 100/m"},
      {Map({{"burst", Num("3")}}), "1:1: a limit needs a 'rate' such as 100/m"},
      {Map({{"rate", Text("1/s")}, {"burst", Num("0")}}),
       "2:20: 'burst' must be at least 1, found 0"},
      {Map({{"rate", Text("1/s")}, {"burst", Num("99999999999999999999")}}),
       "2:20: 'burst' must be at most 1000000000000000000, found the number "
       "99999999999999999999"},
      {Map({{"rate", Text("1/50year")}, {"burst", Num("3")}}),
       "2:20: burst times PERIOD/COUNT, plus max_wait, must be at most 100 years"},
      {Map({{"rate", Text("1/100year")}, {"max_wait", Text("1ns")}}),
       "2:20: burst times PERIOD/COUNT, plus max_wait, must be at most 100 years"},
      {Map({{"rate", Text("1/100year")}, {"refill", Text("interval")}, {"burst", Num("2")}}),
       "3:20: the time to refill the whole burst, plus max_wait, must be at most 100 years"},
      {Map({{"algorithm", Text("leaky_bucket")}, {"rate", Text("1/100year")}}),
       "2:20: burst + 1 times PERIOD/COUNT must be at most 100 years"},
      {Map({{"algorithm", Text("sliding_window")}, {"rate", Text("1/51year")}}),
       "2:20: the period of a sliding_window must be at most 50 years"},
      {Map({{"algorithm", Text("sliding_log")}, {"rate", Text("1/s")}, {"min_gap", Text("2s")}}),
       "3:20: 'min_gap' must be at most the period, 1s"},
      {Map({{"algorithm", Text("sliding_buckets")}, {"rate", Text("1/s")}}),
       "1:1: 'buckets' is 60 unless written, which does not cut 1s into whole nanoseconds; write "
       "buckets: 50"},
      {Map({{"algorithm", Text("sliding_buckets")}, {"rate", Text("1/s")}, {"buckets", Num("7")}}),
       "3:20: 'buckets' is 7, which does not cut 1s into whole nanoseconds; write buckets: 5"},
      {Map({{"algorithm", Text("sliding_buckets")}, {"rate", Text("1/s")}, {"buckets", Num("0")}}),
       "3:20: 'buckets' must be from 1 to 100000, found 0"},
      {Map({{"algorithm", Text("sliding_buckets")},
            {"rate", Text("1/d")},
            {"buckets", Num("100001")}}),
       "3:20: 'buckets' must be from 1 to 100000, found 100001"},
      {Map({{"algorithm", Text("sliding_buckets")}, {"rate", Text("1/100year")}}),
       "2:20: the period plus one of its buckets must be at most 100 years"},
      {Map({{"algorithm", Text("pacer")},
            {"rate", Text("1/s")},
            {"warm_up", Text("1s")},
            {"cold_factor", Num("0.99")}}),
       "4:20: 'cold_factor' must be at least 1, found 0.99"},
      {Map({{"algorithm", Text("pacer")}, {"rate", Text("1/year")}, {"burst", Num("100.5")}}),
       "3:20: burst times PERIOD/COUNT, plus max_wait, must be at most 100 years"},
      {Map({{"algorithm", Text("pacer")},
            {"rate", Text("1/s")},
            {"warm_up", Text("60year")},
            {"max_wait", Text("60year")}}),
       "3:20: 'warm_up' plus max_wait must be at most 100 years"},
      {Map({{"algorithm", Text("fixed_window")},
            {"rate", Text("2/30d")},
            {"window", Text("calendar")}}),
       "2:20: window: calendar needs a period of h, d, w, month or year without a number"},
      {Map({{"algorithm", Text("fixed_window")},
            {"rate", Text("2/m")},
            {"window", Text("calendar")}}),
       "2:20: window: calendar needs a period of h, d, w, month or year without a number"},
      {Map({{"algorithm", Text("fixed_window")},
            {"rate", Text("2/d")},
            {"window", Text("calendar")},
            {"zone", Text("Mars/Olympus")}}),
       "4:20: unknown time zone 'Mars/Olympus'"},
      {Map({{"algorithm", Text("concurrency")}}), "1:1: a concurrency limit needs 'max_in_flight'"},
      {Map({{"algorithm", Text("concurrency")}, {"max_in_flight", Num("0")}}),
       "2:20: 'max_in_flight' must be at least 1, found 0"},
      {Map({{"algorithm", Text("concurrency")}, {"max_in_flight", Num("1")}, {"ttl", Text("0s")}}),
       "3:20: 'ttl' must be above 0"},
  });
}

}  // namespace
}  // namespace sluice
