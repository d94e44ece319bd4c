#include "cli/flags.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {
namespace {

constexpr std::array kKnown = {
    Flag{"--limit", FlagValues::kOne, "LIMIT", "100/m"},
    Flag{"--compare", FlagValues::kSeveral, "LIMIT...", "100/m 2/s"},
    Flag{"--header", FlagValues::kEach, "TEXT", "'a: b'"},
    Flag{"-o", FlagValues::kOne, "FORM", "json"},
    Flag{"--help", FlagValues::kNone},
};

Result<GivenFlags> Read(const std::vector<std::string_view>& args) {
  return ReadFlags(kKnown, args);
}

std::string ErrorOf(const std::vector<std::string_view>& args) {
  const Result<GivenFlags> given = Read(args);
  return given ? "no error" : given.error().message;
}

TEST(FlagsTest, ReadsValueAfterEqualsOrAsNextArgument) {
  EXPECT_EQ(Read({"--limit", "5/s"}).value().ValueOr("--limit", ""), "5/s");
  EXPECT_EQ(Read({"--limit=5/s"}).value().ValueOr("--limit", ""), "5/s");
  EXPECT_EQ(Read({"--limit={\"rate\":\"a=b\"}"}).value().ValueOr("--limit", ""),
            "{\"rate\":\"a=b\"}");
  EXPECT_EQ(Read({"-o", "json"}).value().ValueOr("-o", ""), "json");
}

TEST(FlagsTest, LeavesArgumentsAfterFlagWithOneValue) {
  const std::vector<std::string_view> args = {"--header", "a", "b", "--header=c", "d", "--help"};
  const GivenFlags given = ReadFlags(kKnown, args, Operands::kAny).value();
  EXPECT_EQ(std::vector(given.Values("--header").begin(), given.Values("--header").end()),
            (std::vector<std::string_view>{"a", "c"}));
  EXPECT_EQ(std::vector(given.operands().begin(), given.operands().end()),
            (std::vector<std::string_view>{"b", "d"}));
}

TEST(FlagsTest, ReturnsDefaultForAbsentFlag) {
  const GivenFlags given = Read({}).value();
  EXPECT_FALSE(given.Has("--limit"));
  EXPECT_EQ(given.ValueOr("--limit", "none"), "none");
  EXPECT_TRUE(given.Values("--compare").empty());
}

TEST(FlagsTest, CollectsSeveralValuesUpToNextFlag) {
  const GivenFlags given =
      Read({"--compare", "1/s", "2/s", "-o", "json", "--compare=3/s", "4/s", "--help"}).value();
  const auto values = given.Values("--compare");
  EXPECT_EQ(std::vector<std::string_view>(values.begin(), values.end()),
            (std::vector<std::string_view>{"1/s", "2/s", "3/s", "4/s"}));
  EXPECT_TRUE(given.Has("--help"));
}

TEST(FlagsTest, AcceptsLoneDashAndNegativeNumbersAsValues) {
  EXPECT_EQ(Read({"--limit", "-"}).value().ValueOr("--limit", ""), "-");
  EXPECT_EQ(Read({"--limit", "-1/s"}).value().ValueOr("--limit", ""), "-1/s");
}

TEST(FlagsTest, AcceptsEmptyValue) {
  EXPECT_TRUE(Read({"--limit="}).value().Has("--limit"));
  EXPECT_TRUE(Read({"--limit", ""}).value().Has("--limit"));
}

TEST(FlagsTest, SuggestsNearestFlag) {
  EXPECT_EQ(ErrorOf({"--limt", "5/s"}), "unknown flag '--limt'; did you mean '--limit'?");
  EXPECT_EQ(ErrorOf({"--rate", "5/s"}), "unknown flag '--rate'; did you mean '--limit'?");
  EXPECT_EQ(ErrorOf({"--comapre=5/s"}), "unknown flag '--comapre'; did you mean '--compare'?");
}

TEST(FlagsTest, AcceptsShortFormOfHelp) {
  EXPECT_TRUE(Read({"-h"}).value().Has("--help"));
  EXPECT_TRUE(Read({"--compare", "1/s", "-h"}).value().Has("--help"));
  constexpr std::array kWithout = {Flag{"--limit", FlagValues::kOne, "LIMIT", "100/m"}};
  const std::vector<std::string_view> args = {"-h"};
  EXPECT_FALSE(ReadFlags(kWithout, args).ok());
}

TEST(FlagsTest, ReportsMissingValueWithExample) {
  const std::string expected = "--limit needs a value: --limit LIMIT, for example --limit 100/m";
  EXPECT_EQ(ErrorOf({"--limit"}), expected);
  EXPECT_EQ(ErrorOf({"--limit", "--help"}), expected);
  EXPECT_EQ(ErrorOf({"--limit", "-o", "json"}), expected);
  EXPECT_EQ(ErrorOf({"--compare", "1/s", "--compare"}),
            "--compare needs a value: --compare LIMIT..., for example --compare 100/m 2/s");
}

TEST(FlagsTest, RejectsRepeatedFlag) {
  EXPECT_EQ(ErrorOf({"--limit=1/s", "--limit=2/s"}), "--limit is given twice; once is enough");
}

TEST(FlagsTest, RejectsValueForFlagWithoutOne) {
  EXPECT_EQ(ErrorOf({"--help=yes"}), "--help takes no value");
}

TEST(FlagsTest, RejectsOperands) {
  EXPECT_EQ(ErrorOf({"5/s"}), "unexpected argument '5/s'; expected a flag");
  EXPECT_EQ(ErrorOf({"--help", "5/s"}), "unexpected argument '5/s'; expected a flag");
  EXPECT_EQ(ErrorOf({"--limit=1/s", "2/s"}), "unexpected argument '2/s'; expected a flag");
}

TEST(FlagsTest, ReadsOperandsIfAllowed) {
  const std::vector<std::string_view> args = {"a.yaml", "--limit", "1/s", "-", "b.yaml"};
  const GivenFlags given = ReadFlags(kKnown, args, Operands::kAny).value();
  EXPECT_EQ(std::vector<std::string_view>(given.operands().begin(), given.operands().end()),
            (std::vector<std::string_view>{"a.yaml", "-", "b.yaml"}));
  EXPECT_EQ(given.ValueOr("--limit", ""), "1/s");
  const std::vector<std::string_view> bad = {"a.yaml", "--limt"};
  EXPECT_EQ(ReadFlags(kKnown, bad, Operands::kAny).error().message,
            "unknown flag '--limt'; did you mean '--limit'?");
}

}  // namespace
}  // namespace sluice::cli
