#include "rules/check/coverage.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/text.h"
#include "unit/rules/spec_builder.h"

namespace sluice {
namespace {

using Kind = MatcherSpec::Kind;

// Returns whether one rule covers another in a domain with the given lists and aliases.
bool Covers(const RuleSpec& wide, const RuleSpec& narrow, const DomainSpec& domain = {}) {
  DomainValues values(domain);
  CompareWork work;
  return Coverage(wide, values).Covers(Coverage(narrow, values), work);
}

bool CoversOf(const std::string& attribute, const MatcherSpec& wide, const MatcherSpec& narrow,
              const DomainSpec& domain = {}) {
  return Covers(LimitRule("wide", {{attribute, wide}}), LimitRule("narrow", {{attribute, narrow}}),
                domain);
}

bool Covers(const MatcherSpec& wide, const MatcherSpec& narrow) {
  return CoversOf("a", wide, narrow);
}

// Returns a domain with the lists that the tests use.
DomainSpec Lists() {
  DomainSpec domain;
  domain.lists = {{"offices", {"10.0.0.0/8", "2001:db8::/32"}, {}},
                  {"berlin", {"10.1.0.0/16", "10.2.0.1"}, {}},
                  {"elsewhere", {"10.1.0.0/16", "192.0.2.1"}, {}},
                  {"staff", {"ann", "bob", "c*"}, {}},
                  {"night", {"bob"}, {}},
                  {"broken", {"10.1.0.0/16"}, {}, true},
                  {"empty", {}, {}}};
  domain.aliases = {{"client", "ip", {}}};
  return domain;
}

MatcherSpec In(const std::string& list) { return Matcher(Kind::kIn, {list}); }

MatcherSpec Not(MatcherSpec matcher) {
  matcher.negated = true;
  return matcher;
}

TEST(CoverageTest, RuleWithoutConditionsCoversEverything) {
  const RuleSpec all = LimitRule("all");
  EXPECT_TRUE(Covers(all, LimitRule("a")));
  EXPECT_TRUE(Covers(all, LimitRule("a", {{"path", Values({"/a"})}})));
}

TEST(CoverageTest, RequiresEveryCondition) {
  const RuleSpec rule = LimitRule("wide", {{"a", Values({"1"})}, {"b", Values({"2"})}});
  EXPECT_FALSE(Covers(rule, LimitRule("x")));
  EXPECT_FALSE(Covers(rule, LimitRule("x", {{"a", Values({"1"})}})));
  EXPECT_FALSE(Covers(rule, LimitRule("x", {{"b", Values({"2"})}})));
  EXPECT_TRUE(Covers(rule, LimitRule("x", {{"b", Values({"2"})}, {"a", Values({"1"})}})));
  EXPECT_TRUE(Covers(
      rule, LimitRule("x", {{"b", Values({"2"})}, {"a", Values({"1"})}, {"c", Values({"3"})}})));
}

TEST(CoverageTest, EqualMatchersCoverEachOther) {
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

TEST(CoverageTest, ValuesCoverSubset) {
  EXPECT_TRUE(Covers(Values({"1", "2", "3"}), Values({"3", "1"})));
  EXPECT_FALSE(Covers(Values({"1", "2"}), Values({"1", "3"})));
}

TEST(CoverageTest, GlobCoversValuesItMatches) {
  EXPECT_TRUE(Covers(Values({"/a/*"}), Values({"/a/1", "/a/2"})));
  EXPECT_TRUE(Covers(Values({"/a/*", "/b"}), Values({"/b", "/a/*", "/a/"})));
  EXPECT_FALSE(Covers(Values({"/a/*"}), Values({"/a"})));
  EXPECT_FALSE(Covers(Values({"/a/1"}), Values({"/a/*"})));
}

TEST(CoverageTest, GlobCoversNarrowerGlob) {
  EXPECT_TRUE(Covers(Values({"/v1/*"}), Values({"/v1/users/*"})));
  EXPECT_TRUE(Covers(Values({"/v1/*"}), Values({"/v1/*/posts"})));
  EXPECT_TRUE(Covers(Values({"/a*/"}), Values({"/a*x*/"})));
  EXPECT_TRUE(Covers(Values({"*abc*"}), Values({"*xabcx*", "abc*", "*abc", "xabc"})));
  EXPECT_TRUE(Covers(Values({"*.png", "/static/*"}), Values({"/a/*.png", "/static/x*"})));
  EXPECT_FALSE(Covers(Values({"/v1/*"}), Values({"/v1*"})));
  EXPECT_FALSE(Covers(Values({"/v1/*"}), Values({"/v2/*"})));
  EXPECT_FALSE(Covers(Values({"/v1/*"}), Values({"/v1/a*", "/v2/a*"})));
  EXPECT_FALSE(Covers(Values({"*abc*"}), Values({"*ab*c*"})));
  EXPECT_FALSE(Covers(Values({"ab*ba"}), Values({"ab*a"})));
  EXPECT_FALSE(Covers(Values({"a*a"}), Values({"a"})));
}

// The prefixes of the globs begin with one another, and some texts sort between them.
TEST(CoverageTest, FindsGlobPrefixesAmongNestedOnes) {
  const MatcherSpec heads = Values({"b*", "ab*", "abc*", "abd*", "a-*"});
  EXPECT_TRUE(Covers(heads, Values({"ab", "abcz", "abe", "abd", "b", "a-", "bz*", "abd*"})));
  for (const std::string text : {"a", "a.", "aa", "ac", "c", ""}) {
    EXPECT_FALSE(Covers(heads, Values({text}))) << text;
  }
}

TEST(CoverageTest, PresenceCoversMatchersThatNeedTheAttribute) {
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

TEST(CoverageTest, PresenceCoversKeyMadeOfTheAttributeOnly) {
  const RuleSpec rule = LimitRule("wide", {{"a", Matcher(Kind::kPresent)}});
  EXPECT_TRUE(Covers(rule, Per(LimitRule("x"), {{"b"}, {"a"}})));
  EXPECT_FALSE(Covers(rule, Per(LimitRule("x"), {{"a", "b"}})));
  EXPECT_FALSE(Covers(rule, Per(LimitRule("x"), {{"b"}})));
}

TEST(CoverageTest, OtherMatchersDoNotCoverEachOther) {
  EXPECT_FALSE(Covers(Matcher(Kind::kRegex, {".*"}), Values({"1"})));
  EXPECT_FALSE(Covers(Values({"1"}), Matcher(Kind::kRegex, {"1"})));
  EXPECT_FALSE(Covers(In("no such list"), Values({"1"})));
  EXPECT_FALSE(Covers(Values({"1"}), Values({"1"}, true)));
  EXPECT_FALSE(Covers(Values({"1"}), Matcher(Kind::kPresent)));
}

TEST(CoverageTest, PrefixCoversAddressesInIt) {
  const DomainSpec domain = Lists();
  for (const std::string ip : {"ip", "client"}) {
    const auto covers = [&](const MatcherSpec& wide, const MatcherSpec& narrow) {
      return CoversOf(ip, wide, narrow, domain);
    };
    EXPECT_TRUE(covers(Values({"10.0.0.0/8"}), Values({"10.1.2.3"})));
    EXPECT_TRUE(covers(Values({"10.0.0.0/8"}), Values({"10.1.0.0/16", "::ffff:10.2.0.1"})));
    EXPECT_TRUE(covers(Values({"10.0.0.0/8", "::1"}), Values({"10.0.0.0/8"})));
    EXPECT_TRUE(covers(Values({"2001:db8::/32"}), Values({"2001:db8:1::/48"})));
    EXPECT_TRUE(covers(Values({"*"}), Values({"10.0.0.0/8"})));
    EXPECT_FALSE(covers(Values({"10.1.0.0/16"}), Values({"10.0.0.0/8"})));
    EXPECT_FALSE(covers(Values({"10.0.0.0/8"}), Values({"10.1.2.3", "11.0.0.1"})));
    // ::/0 contains no IPv4 address.
    EXPECT_FALSE(covers(Values({"::/0"}), Values({"10.1.2.3"})));
    // A glob and a prefix are only comparable as texts.
    EXPECT_FALSE(covers(Values({"10.0.0.0*"}), Values({"10.0.0.0/8"})));
    EXPECT_FALSE(covers(Values({"10.0.0.0/8"}), Values({"10.1.*"})));
    EXPECT_TRUE(covers(Values({"10.*"}), Values({"10.1.*"})));
  }
  // For any other attribute the value is plain text.
  EXPECT_FALSE(CoversOf("a", Values({"10.0.0.0/8"}), Values({"10.1.2.3"}), domain));
}

TEST(CoverageTest, ListCoversItsValuesAndSublists) {
  const DomainSpec domain = Lists();
  const auto covers = [&](const std::string& attribute, const MatcherSpec& wide,
                          const MatcherSpec& narrow) {
    return CoversOf(attribute, wide, narrow, domain);
  };
  EXPECT_TRUE(covers("ip", In("offices"), Values({"10.1.2.3"})));
  EXPECT_TRUE(covers("ip", In("offices"), Values({"10.1.0.0/16", "2001:db8::1"})));
  EXPECT_FALSE(covers("ip", In("offices"), Values({"192.0.2.1"})));
  EXPECT_TRUE(covers("ip", In("offices"), In("berlin")));
  EXPECT_FALSE(covers("ip", In("offices"), In("elsewhere")));
  EXPECT_FALSE(covers("ip", In("berlin"), In("offices")));
  EXPECT_TRUE(covers("ip", Values({"10.0.0.0/8"}), In("berlin")));
  EXPECT_FALSE(covers("ip", Values({"10.0.0.0/8"}), In("offices")));
  EXPECT_TRUE(covers("user", In("staff"), Values({"ann", "bob"})));
  EXPECT_TRUE(covers("user", In("staff"), In("night")));
  EXPECT_TRUE(covers("user", Values({"b*"}), In("night")));
  EXPECT_FALSE(covers("user", In("staff"), Values({"ann", "eve"})));
  // A star in a list is a literal star.
  EXPECT_FALSE(covers("user", In("staff"), Values({"c*"})));
  // A list of addresses is looked up by address for any attribute; a prefix is not an address.
  EXPECT_TRUE(covers("user", In("offices"), Values({"10.1.2.3"})));
  EXPECT_FALSE(covers("user", In("offices"), Values({"10.1.0.0/16"})));
}

TEST(CoverageTest, EmptyOrFaultyListIsNotCovered) {
  const DomainSpec domain = Lists();
  EXPECT_FALSE(CoversOf("ip", In("offices"), In("broken"), domain));
  EXPECT_FALSE(CoversOf("ip", In("broken"), Values({"10.1.2.3"}), domain));
  EXPECT_FALSE(CoversOf("ip", In("offices"), In("empty"), domain));
  EXPECT_FALSE(CoversOf("ip", Not(In("offices")), In("empty"), domain));
  EXPECT_TRUE(CoversOf("ip", In("broken"), In("broken"), domain));
}

TEST(CoverageTest, NegatedMatcherCoversValuesItDoesNotExclude) {
  EXPECT_TRUE(Covers(Not(Values({"z"})), Values({"q"})));
  EXPECT_TRUE(Covers(Not(Values({"z", "y*"})), Values({"q", "x"})));
  EXPECT_FALSE(Covers(Not(Values({"z"})), Values({"q", "z"})));
  EXPECT_FALSE(Covers(Not(Values({"z*"})), Values({"q", "zz"})));
  EXPECT_FALSE(Covers(Not(Values({"*"})), Values({"q"})));
  EXPECT_FALSE(Covers(Not(Matcher(Kind::kPresent)), Values({"q"})));
  EXPECT_FALSE(Covers(Not(Matcher(Kind::kRegex, {"z"})), Values({"q"})));
  EXPECT_FALSE(Covers(Not(Values({"z"})), Matcher(Kind::kPresent)));
  // Globs.
  EXPECT_FALSE(Covers(Not(Values({"/v1/*", "/health"})), Values({"/v2/*", "*.x", "/v3"})));
  EXPECT_TRUE(Covers(Not(Values({"/v1/*", "/health"})), Values({"/v2/*", "/v3"})));
  EXPECT_TRUE(Covers(Not(Values({"*.png"})), Values({"*.jpg"})));
  EXPECT_FALSE(Covers(Not(Values({"/health"})), Values({"/h*"})));
  EXPECT_FALSE(Covers(Not(Values({"/v1/*"})), Values({"/v1/a*"})));
  EXPECT_FALSE(Covers(Not(Values({"/v1/*"})), Values({"/*"})));
}

TEST(CoverageTest, NegatedMatcherCoversOneThatExcludesMore) {
  EXPECT_TRUE(Covers(Not(Values({"z"})), Not(Values({"y", "z"}))));
  EXPECT_TRUE(Covers(Not(Values({"z"})), Not(Matcher(Kind::kPresent))));
  EXPECT_FALSE(Covers(Not(Values({"y", "z"})), Not(Values({"z"}))));
  EXPECT_FALSE(Covers(Not(Matcher(Kind::kPresent)), Not(Values({"z"}))));
  EXPECT_FALSE(Covers(Values({"z"}), Not(Values({"z"}))));
}

TEST(CoverageTest, NegatedPrefixCoversOtherAddresses) {
  const DomainSpec domain = Lists();
  const auto covers = [&](const MatcherSpec& wide, const MatcherSpec& narrow) {
    return CoversOf("ip", wide, narrow, domain);
  };
  EXPECT_TRUE(covers(Not(Values({"10.0.0.0/8"})), Values({"192.0.2.1", "2001:db8::/32"})));
  EXPECT_FALSE(covers(Not(Values({"10.0.0.0/8"})), Values({"10.1.2.3"})));
  EXPECT_FALSE(covers(Not(Values({"10.1.2.3"})), Values({"10.0.0.0/8"})));
  EXPECT_TRUE(covers(Not(In("offices")), Values({"192.0.2.1"})));
  EXPECT_FALSE(covers(Not(In("offices")), Values({"10.2.0.1"})));
  EXPECT_FALSE(covers(Not(In("offices")), In("elsewhere")));
  // The address may be written in a form that the glob matches.
  EXPECT_FALSE(covers(Not(Values({"::ffff:*"})), Values({"10.1.2.3"})));
  EXPECT_FALSE(covers(Not(Values({"10.0.0.0/8"})), Values({"1*"})));
}

// An alias of `ip` is an address, too, and ::ffff:10.0.0.1 is 10.0.0.1 but does not match 10.*.
TEST(CoverageTest, GlobDoesNotCoverAddress) {
  EXPECT_FALSE(Covers(Values({"10.*"}), Values({"10.0.0.1"})));
  EXPECT_FALSE(Covers(Values({"10.*"}), Values({"10.0.0.0/8"})));
  EXPECT_TRUE(Covers(Values({"10.*"}), Values({"10.0.0.a"})));
  EXPECT_FALSE(Covers(Not(Values({"::ffff:*"})), Values({"10.0.0.1"})));
  EXPECT_FALSE(Covers(Not(Values({"10.0.0.1"})), Values({"::ffff:10.0.0.1"})));
}

// The test measures work instead of time, so that it gives the same result everywhere.
TEST(CoverageTest, WorkIsLinearInNumberOfTexts) {
  constexpr std::size_t kCount = 10'000;
  Texts heads;
  Texts texts;
  for (std::size_t i = 0; i < kCount; ++i) {
    heads.push_back(Concat("/v", i, "/*"));
    texts.push_back(Concat("/v", i, "/users"));
  }
  const RuleSpec wide = LimitRule("wide", {{"path", Values(heads)}});
  const RuleSpec narrow = LimitRule("narrow", {{"path", Values(texts)}});
  const DomainSpec domain;
  DomainValues values(domain);
  CompareWork work;
  EXPECT_TRUE(Coverage(wide, values).Covers(Coverage(narrow, values), work));
  EXPECT_LT(work.spent(), 4 * kCount);
}

TEST(CoverageTest, PathCoversItselfWithTrailingSlash) {
  DomainSpec domain;
  domain.aliases.push_back({"route", "path", {}});
  DomainValues values(domain);
  const auto covers = [&](const Texts& wide, const Texts& narrow, const char* attribute = "path") {
    CompareWork work;
    const RuleSpec one = LimitRule("wide", {{attribute, Values(wide)}});
    const RuleSpec two = LimitRule("narrow", {{attribute, Values(narrow)}});
    return Coverage(one, values).Covers(Coverage(two, values), work);
  };
  EXPECT_TRUE(covers({"/a"}, {"/a/"}));
  EXPECT_TRUE(covers({"/a/", "/b"}, {"/a"}));
  EXPECT_TRUE(covers({"/a"}, {"/a/"}, "route"));
  EXPECT_FALSE(covers({"/a"}, {"/a/"}, "user"));
  EXPECT_TRUE(covers({"/a*"}, {"/a"}));
  EXPECT_FALSE(covers({"/a/*"}, {"/a/"}));  // this is also /a
  EXPECT_TRUE(covers({"/a/*"}, {"/a/b"}));
  EXPECT_TRUE(covers({"*.php"}, {"/a.php"}));  // a glob also ignores the slash of /a.php/
  EXPECT_TRUE(covers({"*.php"}, {"/a/*.php"}));
  EXPECT_FALSE(covers({"/a/*/"}, {"/a/b"}));
  EXPECT_TRUE(covers({"/caf\xC3\xA9"}, {"/caf%C3%A9"}));
  EXPECT_TRUE(covers({"/"}, {"/"}));
}

// A negated *.php also excludes /a.php/, which */ matches.
TEST(CoverageTest, NegatedPathGlobExcludesTrailingSlash) {
  const DomainSpec domain;
  DomainValues values(domain);
  const auto covers = [&](const char* left_out, const char* narrow) {
    CompareWork work;
    const RuleSpec one = LimitRule("wide", {{"path", Values({left_out}, true)}});
    const RuleSpec two = LimitRule("narrow", {{"path", Values({narrow})}});
    return Coverage(one, values).Covers(Coverage(two, values), work);
  };
  EXPECT_TRUE(covers("*.php", "*.js"));
  EXPECT_TRUE(covers("*.php", "*.js/"));
  EXPECT_FALSE(covers("*.php", "*/"));
  EXPECT_FALSE(covers("*/", "*.php"));
}

TEST(CoverageTest, DoesNotCoverOnceWorkIsSpent) {
  const RuleSpec wide = LimitRule("wide", {{"user", Values({"*a", "*b", "*c"})}});
  const RuleSpec apart = LimitRule("apart", {{"user", Values({"*a", "*b", "*c"}, true)}});
  const RuleSpec narrow = LimitRule("narrow", {{"user", Values({"xc"})}});
  const RuleSpec other = LimitRule("other", {{"user", Values({"xd"})}});
  const DomainSpec domain;
  DomainValues values(domain);
  const auto covers = [&](const RuleSpec& one, const RuleSpec& two, std::size_t max) {
    CompareWork work(max);
    const bool covered = Coverage(one, values).Covers(Coverage(two, values), work);
    EXPECT_LE(work.spent(), max);
    return covered;
  };
  EXPECT_TRUE(covers(wide, narrow, 100));
  EXPECT_TRUE(covers(apart, other, 100));
  for (std::size_t max = 1; max < 8; ++max) {
    EXPECT_FALSE(covers(wide, narrow, max)) << max;
    EXPECT_FALSE(covers(apart, other, max)) << max;
    EXPECT_FALSE(covers(apart, narrow, max)) << max;
  }
}

}  // namespace
}  // namespace sluice
