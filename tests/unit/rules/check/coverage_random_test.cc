// Compares Coverage with the matchers themselves, over every value of a small set.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/check/coverage.h"
#include "rules/compile/matcher.h"

namespace sluice {
namespace {

using Kind = MatcherSpec::Kind;

constexpr std::array<std::string_view, 20> kTexts = {
    "a",   "ab",    "b",   "10.0.0.1", "::ffff:10.0.0.1", "10.0.0.0/8", "10.1.0.0/16", "::/0",
    "a*",  "*b",    "a*b", "10.*",     "10.1.*",          "::*",        "ab*",         "a/",
    "a b", "a%20b", "a*/", "/"};
constexpr std::array<std::string_view, 18> kValues = {
    "",         "a",   "ab",       "abb",        "b",  "ba",  "10.0.0.1", "::ffff:10.0.0.1",
    "10.1.2.3", "::1", "11.0.0.1", "10.0.0.0/8", "a/", "ab/", "a b",      "a%20b",
    "a b/",     "/"};

DomainSpec Fixture() {
  DomainSpec domain;
  domain.lists = {{"texts", {"a", "ab/", "a*", "a b"}, {}},
                  {"fewer", {"a"}, {}},
                  {"addresses", {"10.0.0.0/8", "::1"}, {}},
                  {"one", {"10.0.0.1"}, {}},
                  {"none", {}, {}}};
  return domain;
}

MatcherSpec RandomMatcher(const DomainSpec& domain, std::mt19937& draw) {
  const auto below = [&](std::size_t count) { return draw() % count; };
  MatcherSpec matcher;
  matcher.negated = below(2) == 0;
  switch (below(6)) {
    case 0:
      matcher.kind = Kind::kPresent;
      return matcher;
    case 1:
    case 2:
      matcher.kind = Kind::kIn;
      matcher.texts = {domain.lists[below(domain.lists.size())].name};
      return matcher;
    default:
      for (std::size_t i = 0; i <= below(3); ++i) {
        matcher.texts.emplace_back(kTexts[below(kTexts.size())]);
      }
      return matcher;
  }
}

RuleSpec RuleOf(std::string_view attribute, const MatcherSpec& matcher) {
  RuleSpec rule;
  rule.match = {{std::string(attribute), matcher}};
  return rule;
}

TEST(CoverageRandomTest, CoveredMatcherNeverMatchesMore) {
  const DomainSpec domain = Fixture();
  Matcher::Lists lists;
  for (const ListSpec& list : domain.lists) {
    lists.push_back({list.name, std::make_shared<const ValueList>(list.values),
                     std::make_shared<const ValueList>(ValueList::OfPaths(list.values))});
  }
  DomainValues values(domain);
  std::mt19937 draw(1);  // NOLINT: the same every time
  int covered = 0;
  for (int round = 0; round < 20'000; ++round) {
    constexpr std::array<std::string_view, 3> kAttributes = {kIpAttribute, "a", kPathAttribute};
    const std::string_view attribute = kAttributes[static_cast<std::size_t>(round % 3)];
    const MatcherSpec wide = RandomMatcher(domain, draw);
    const MatcherSpec narrow = RandomMatcher(domain, draw);
    const RuleSpec wide_rule = RuleOf(attribute, wide);
    const RuleSpec narrow_rule = RuleOf(attribute, narrow);
    CompareWork work;
    if (!Coverage(wide_rule, values).Covers(Coverage(narrow_rule, values), work)) continue;
    ++covered;
    // An attribute may hold addresses even if no known alias shows it.
    std::vector<AttributeKind> kinds = {AttributeKind::kAddresses};
    if (attribute == "a") kinds.push_back(AttributeKind::kTexts);
    if (attribute == kPathAttribute) kinds = {AttributeKind::kPaths};
    for (const AttributeKind kind : kinds) {
      const Matcher wide_matcher(wide, kind, lists);
      const Matcher narrow_matcher(narrow, kind, lists);
      std::vector<AttributeValue> all(1);
      for (const std::string_view value : kValues) all.emplace_back(value);
      for (AttributeValue& value : all) {
        EXPECT_TRUE(!narrow_matcher.Holds(value) || wide_matcher.Holds(value))
            << "round " << round << ", value '" << value.text() << "'";
      }
    }
  }
  EXPECT_GT(covered, 1000);
}

}  // namespace
}  // namespace sluice
