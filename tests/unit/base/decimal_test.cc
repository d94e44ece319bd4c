
#include "base/decimal.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace sluice {
namespace {

NumberFault WholeFault(std::string_view text) {
  const auto number = ReadWhole(text);
  const auto* fault = std::get_if<NumberFault>(&number);
  EXPECT_NE(fault, nullptr) << text;
  return fault == nullptr ? NumberFault::kTooFine : *fault;
}

Decimal Read(std::string_view text) {
  const auto number = ReadDecimal(text);
  const auto* decimal = std::get_if<Decimal>(&number);
  EXPECT_NE(decimal, nullptr) << text;
  return decimal == nullptr ? Decimal{} : *decimal;
}

TEST(DecimalTest, ReadsWholeNumbersOfDigitsOnly) {
  EXPECT_EQ(std::get<std::int64_t>(ReadWhole("0")), 0);
  EXPECT_EQ(std::get<std::int64_t>(ReadWhole("9223372036854775807")),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(WholeFault("9223372036854775808"), NumberFault::kTooLarge);
  EXPECT_EQ(WholeFault(std::string(10'000, '9')), NumberFault::kTooLarge);
  for (const char* text : {"", "-1", "+1", "1.0", "1e3", "01", "1 ", " 1", "x", "0x10", "1'000"}) {
    EXPECT_EQ(WholeFault(text), NumberFault::kMalformed) << text;
  }
}

TEST(DecimalTest, DropsTrailingZerosOfDecimals) {
  EXPECT_EQ(Read("2.50").scaled, Uint128{25});
  EXPECT_EQ(Read("2.50").places, 1U);
  EXPECT_EQ(Read("2.0").places, 0U);
  EXPECT_EQ(Read("0.000000000000000001").places, 18U);
}

TEST(DecimalTest, RejectsMoreThanEighteenDecimals) {
  EXPECT_EQ(std::get<NumberFault>(ReadDecimal("0.1234567890123456789")), NumberFault::kTooFine);
  EXPECT_EQ(Read("0.1000000000000000000000").places, 1U);
}

TEST(DecimalTest, RejectsMalformedDecimals) {
  for (const char* text : {"", ".", ".5", "5.", "1.2.3", "1.-2", "-1.5", "1.5e3", "00.5"}) {
    EXPECT_EQ(std::get<NumberFault>(ReadDecimal(text)), NumberFault::kMalformed) << text;
  }
}

TEST(DecimalTest, ReducesFractionsToLowestTerms) {
  EXPECT_EQ(ToFraction(Read("2.5")), (Fraction{5, 2}));
  EXPECT_EQ(ToFraction(Read("3")), Fraction{3});
  EXPECT_EQ(ToFraction(Read("0")), Fraction{0});
  EXPECT_EQ(ToFraction(Read("9223372036854775807.3")), std::nullopt);
  EXPECT_EQ(ToFraction(Read("1000000000000000000.5")), (Fraction{2'000'000'000'000'000'001, 2}));
}

TEST(DecimalTest, HasNoDecimalForInfiniteFraction) {
  EXPECT_FALSE(ToDecimal({1, 3}).has_value());
  EXPECT_FALSE(ToDecimal({1, std::int64_t{1} << 40U}).has_value());
  EXPECT_TRUE(ToDecimal({3, 6}).has_value());
}

TEST(DecimalTest, ReadsBackWhatItFormats) {
  for (const char* text : {"0", "1", "0.5", "2.5", "0.001", "1000000000000000000",
                           "0.000000000000000001", "123.456"}) {
    EXPECT_EQ(Format(Read(text)), text);
    EXPECT_EQ(Format(*ToDecimal(*ToFraction(Read(text)))), text);
  }
}

}  // namespace
}  // namespace sluice
