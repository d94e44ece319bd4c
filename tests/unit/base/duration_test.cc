#include "base/duration.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice {
namespace {

std::string ErrorOf(std::string_view text) {
  const Result<Nanos> length = ParseDuration(text);
  return length.ok() ? "accepted" : length.error().message;
}

TEST(DurationTest, ReadsEveryUnit) {
  const auto read = [](std::string_view text) { return ParseDuration(text).value(); };
  EXPECT_EQ(read("3ns"), Nanos{3});
  EXPECT_EQ(read("3us"), Nanos{3'000});
  EXPECT_EQ(read("3ms"), Nanos{3'000'000});
  EXPECT_EQ(read("3s"), std::chrono::seconds{3});
  EXPECT_EQ(read("3m"), std::chrono::minutes{3});
  EXPECT_EQ(read("3h"), std::chrono::hours{3});
  EXPECT_EQ(read("3d"), std::chrono::days{3});
  EXPECT_EQ(read("3w"), std::chrono::days{21});
  EXPECT_EQ(read("3month"), std::chrono::days{90});
  EXPECT_EQ(read("3year"), std::chrono::days{3 * 365});
  EXPECT_EQ(read("3second"), std::chrono::seconds{3});
  EXPECT_EQ(read("3minute"), std::chrono::minutes{3});
  EXPECT_EQ(read("3hour"), std::chrono::hours{3});
  EXPECT_EQ(read("3day"), std::chrono::days{3});
  EXPECT_EQ(read("3week"), std::chrono::days{21});
  EXPECT_EQ(read("0s"), Nanos{0});
  EXPECT_EQ(read("1.5h"), std::chrono::minutes{90});
  EXPECT_EQ(read("0.5us"), Nanos{500});
  // A year has at most this many decimals in whole nanoseconds, because a year of nanoseconds
  // has a factor of 2^16.
  EXPECT_EQ(read("0.0000152587890625year"), Nanos{481'201'171'875});
}

TEST(DurationTest, RejectsDurationWithoutNumberOrUnit) {
  EXPECT_EQ(ErrorOf(""), "'' is no duration; expected a number and a unit such as 250ms");
  EXPECT_EQ(ErrorOf("s"), "'s' is no duration; expected a number and a unit such as 250ms");
  EXPECT_EQ(ErrorOf("-5s"), "'-5s' is no duration; expected a number and a unit such as 250ms");
  EXPECT_EQ(ErrorOf("5"), "'5' needs a unit: ns, us, ms, s, m, h, d, w, month or year");
  EXPECT_EQ(ErrorOf("5 s"), "unknown unit ' s' in '5 s'; did you mean '5s'?");
  EXPECT_EQ(ErrorOf("5x"),
            "unknown unit 'x' in '5x'; expected ns, us, ms, s, m, h, d, w, month or year");
}

TEST(DurationTest, RejectsPartialNanosecondsAndSpansOver100Years) {
  EXPECT_EQ(ErrorOf("1.5ns"), "'1.5ns' is no whole number of nanoseconds");
  EXPECT_EQ(ErrorOf("0.0001us"), "'0.0001us' is no whole number of nanoseconds");
  EXPECT_EQ(ErrorOf("3153600000000000000ns"), "accepted");
  EXPECT_EQ(ErrorOf("3153600000000000001ns"),
            "'3153600000000000001ns' is above the longest time, 100 years of 365 days");
  EXPECT_EQ(ErrorOf("9999999999999999999999ns"),
            "'9999999999999999999999ns' is above the longest time, 100 years of 365 days");
}

TEST(DurationTest, FormatsInLargestSuitableUnit) {
  EXPECT_EQ(FormatDuration(Nanos{0}), "0s");
  EXPECT_EQ(FormatDuration(Nanos{1}), "1ns");
  EXPECT_EQ(FormatDuration(Nanos{1500}), "1.5us");
  EXPECT_EQ(FormatDuration(Nanos{1'000'001}), "1000.001us");
  EXPECT_EQ(FormatDuration(std::chrono::milliseconds{250}), "250ms");
  EXPECT_EQ(FormatDuration(std::chrono::seconds{100}), "100s");
  EXPECT_EQ(FormatDuration(std::chrono::minutes{90}), "1.5h");
  EXPECT_EQ(FormatDuration(std::chrono::days{7}), "1w");
  EXPECT_EQ(FormatDuration(std::chrono::days{30}), "30d");
  EXPECT_EQ(FormatDuration(Nanos::max()), "9223372036854775.807us");
}

TEST(DurationTest, ReadsBackWhatItFormats) {
  std::uint64_t random = 1;
  for (int round = 0; round < 2000; ++round) {
    random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    const auto some = static_cast<std::int64_t>((random >> 2U) >> (random % 60U));
    const Nanos length{some % kLongestSpan.count()};
    EXPECT_EQ(ParseDuration(FormatDuration(length)).value(), length);
    const Nanos round_one = length / 1'000'000 * 1'000'000;
    EXPECT_EQ(ParseDuration(FormatDuration(round_one)).value(), round_one);
  }
}

}  // namespace
}  // namespace sluice
