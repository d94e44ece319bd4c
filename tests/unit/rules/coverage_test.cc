#include "rules/coverage.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/rules/spec_builder.h"

namespace sluice {
namespace {

using Kind = MatcherSpec::Kind;

bool Covers(const MatcherSpec& wide, const MatcherSpec& narrow) {
  const RuleSpec rule = LimitRule("wide", {{"a", wide}});
  return Coverage(rule).Covers(LimitRule("narrow", {{"a", narrow}}));
}

TEST(CoverageTest, NoConditionsCoverEverything) {
  const RuleSpec all = LimitRule("all");
  EXPECT_TRUE(Coverage(all).Covers(LimitRule("a")));
  EXPECT_TRUE(Coverage(all).Covers(LimitRule("a", {{"path", Values({"/a"})}})));
}

TEST(CoverageTest, EveryConditionMustBeMet) {
  const RuleSpec rule = LimitRule("wide", {{"a", Values({"1"})}, {"b", Values({"2"})}});
  const Coverage coverage(rule);
  EXPECT_FALSE(coverage.Covers(LimitRule("x")));
  EXPECT_FALSE(coverage.Covers(LimitRule("x", {{"a", Values({"1"})}})));
  EXPECT_FALSE(coverage.Covers(LimitRule("x", {{"b", Values({"2"})}})));
  EXPECT_TRUE(coverage.Covers(LimitRule("x", {{"b", Values({"2"})}, {"a", Values({"1"})}})));
  EXPECT_TRUE(coverage.Covers(
      LimitRule("x", {{"b", Values({"2"})}, {"a", Values({"1"})}, {"c", Values({"3"})}})));
}

TEST(CoverageTest, EqualMatchersCoverOneAnother) {
  const std::vector<MatcherSpec> matchers = {
      Values({"x"}),
      Values({"x*"}),
      Values({"x"}, true),
      Matcher(Kind::kRegex, {"x"}),
      Matcher(Kind::kRegex, {"x"}, true),
      Matcher(Kind::kIn, {"x"}),
      Matcher(Kind::kIn, {"x"}, true),
      Matcher(Kind::kPresent),
      Matcher(Kind::kPresent, {}, true),
  };
  for (const MatcherSpec& matcher : matchers) EXPECT_TRUE(Covers(matcher, matcher));
}

TEST(CoverageTest, MoreValuesCoverFewer) {
  EXPECT_TRUE(Covers(Values({"1", "2", "3"}), Values({"3", "1"})));
  EXPECT_FALSE(Covers(Values({"1", "2"}), Values({"1", "3"})));
}

TEST(CoverageTest, AGlobCoversTheValuesItMatches) {
  EXPECT_TRUE(Covers(Values({"/a/*"}), Values({"/a/1", "/a/2"})));
  EXPECT_TRUE(Covers(Values({"/a/*", "/b"}), Values({"/b", "/a/*", "/a/"})));
  EXPECT_FALSE(Covers(Values({"/a/*"}), Values({"/a"})));
  EXPECT_FALSE(Covers(Values({"/a/1"}), Values({"/a/*"})));
}

TEST(CoverageTest, GlobsAreNotComparedWithGlobs) {
  EXPECT_FALSE(Covers(Values({"/a*"}), Values({"/a/*"})));
  EXPECT_FALSE(Covers(Values({"/a*/"}), Values({"/a*x*/"})));
}

TEST(CoverageTest, PresenceIsMetByWhateverNeedsTheAttribute) {
  for (const MatcherSpec& wide : {Matcher(Kind::kPresent), Values({"*"}), Values({"x", "*"})}) {
    EXPECT_TRUE(Covers(wide, Values({"1"})));
    EXPECT_TRUE(Covers(wide, Values({"a*"})));
    EXPECT_TRUE(Covers(wide, Matcher(Kind::kRegex, {"x"})));
    EXPECT_TRUE(Covers(wide, Matcher(Kind::kIn, {"l"})));
    EXPECT_TRUE(Covers(wide, Matcher(Kind::kPresent)));
    EXPECT_FALSE(Covers(wide, Values({"1"}, true)));
    EXPECT_FALSE(Covers(wide, Matcher(Kind::kPresent, {}, true)));
  }
}

TEST(CoverageTest, PresenceIsMetByAKeyOfTheAttributeAlone) {
  const RuleSpec rule = LimitRule("wide", {{"a", Matcher(Kind::kPresent)}});
  const Coverage coverage(rule);
  EXPECT_TRUE(coverage.Covers(Per(LimitRule("x"), {{"b"}, {"a"}})));
  EXPECT_FALSE(coverage.Covers(Per(LimitRule("x"), {{"a", "b"}})));
  EXPECT_FALSE(coverage.Covers(Per(LimitRule("x"), {{"b"}})));
}

TEST(CoverageTest, OtherMatchersCoverNothingElse) {
  EXPECT_FALSE(Covers(Matcher(Kind::kRegex, {".*"}), Values({"1"})));
  EXPECT_FALSE(Covers(Matcher(Kind::kIn, {"l"}), Values({"1"})));
  EXPECT_FALSE(Covers(Values({"1"}, true), Values({"2"})));
  EXPECT_FALSE(Covers(Values({"1"}), Values({"1"}, true)));
  EXPECT_FALSE(Covers(Values({"1"}), Matcher(Kind::kPresent)));
}

TEST(CoverageTest, AddressesAreNotComparedAsTexts) {
  const auto covers = [](const MatcherSpec& wide, const MatcherSpec& narrow) {
    const RuleSpec rule = LimitRule("wide", {{"ip", wide}});
    return Coverage(rule).Covers(LimitRule("narrow", {{"ip", narrow}}));
  };
  EXPECT_FALSE(covers(Values({"10.0.0.0*"}), Values({"10.0.0.0/8"})));
  EXPECT_TRUE(covers(Values({"10.0.0.0/8", "::1"}), Values({"10.0.0.0/8"})));
  EXPECT_TRUE(covers(Values({"*"}), Values({"10.0.0.0/8"})));
}

// What stands for `ip` is an address, too, and ::ffff:10.0.0.1 is 10.0.0.1 but does not match 10.*.
TEST(CoverageTest, AGlobDoesNotCoverAnAddressOfAnyAttribute) {
  EXPECT_FALSE(Covers(Values({"10.*"}), Values({"10.0.0.1"})));
  EXPECT_FALSE(Covers(Values({"10.*"}), Values({"10.0.0.0/8"})));
  EXPECT_TRUE(Covers(Values({"10.*"}), Values({"10.0.0.a"})));
}

}  // namespace
}  // namespace sluice
