#include "config/rules/read_match.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "unit/config/syntax/read_text.h"

namespace sluice {
namespace {

using Kind = MatcherSpec::Kind;

std::vector<ConditionSpec> ReadConditions(const std::string& match) {
  ReadRulesResult read =
      ReadYamlRules("domain: api\nrules:\n  - name: a\n    limit: 1/s\n    match: " + match + "\n");
  EXPECT_EQ(LinesOf(read), Lines()) << match;
  if (read.spec.domains.empty() || read.spec.domains[0].rules.empty()) return {};
  return std::move(read.spec.domains[0].rules[0].match);
}

MatcherSpec ReadMatcher(const std::string& matcher) {
  std::vector<ConditionSpec> conditions = ReadConditions("{ a: " + matcher + " }");
  return conditions.size() == 1 ? conditions[0].matcher : MatcherSpec{};
}

MatcherSpec Made(Kind kind, Texts texts, bool negated = false) {
  return {.kind = kind, .texts = std::move(texts), .negated = negated, .origin = {}};
}

TEST(ReadMatchTest, KeepsFileOrderOfConditions) {
  const auto conditions = ReadConditions("{ path: /a, method: GET, ip: 10.0.0.0/8 }");
  ASSERT_EQ(conditions.size(), 3U);
  EXPECT_EQ(conditions[0].attribute, "path");
  EXPECT_EQ(conditions[1].attribute, "method");
  EXPECT_EQ(conditions[2].attribute, "ip");
  EXPECT_EQ(conditions[2].matcher, Made(Kind::kValues, {"10.0.0.0/8"}));
  EXPECT_EQ(conditions[2].matcher.origin, (Origin{0, {5, 41}}));
}

TEST(ReadMatchTest, ReadsScalarAndListAsValues) {
  EXPECT_EQ(ReadMatcher("GET"), Made(Kind::kValues, {"GET"}));
  EXPECT_EQ(ReadMatcher("[GET, 'a*']"), Made(Kind::kValues, {"GET", "a*"}));
  EXPECT_EQ(ReadMatcher("''"), Made(Kind::kValues, {""}));
}

TEST(ReadMatchTest, ReadsNumbersAndBooleansAsText) {
  EXPECT_EQ(ReadMatcher("2"), Made(Kind::kValues, {"2"}));
  EXPECT_EQ(ReadMatcher("[1.50, 1e3, true, FALSE]"),
            Made(Kind::kValues, {"1.50", "1e3", "true", "false"}));
}

TEST(ReadMatchTest, ReadsEveryMatcher) {
  EXPECT_EQ(ReadMatcher("{ regex: 'a.*' }"), Made(Kind::kRegex, {"a.*"}));
  EXPECT_EQ(ReadMatcher("{ in: offices }"), Made(Kind::kIn, {"offices"}));
  EXPECT_EQ(ReadMatcher("{ present: true }"), Made(Kind::kPresent, {}));
  EXPECT_EQ(ReadMatcher("{ present: false }"), Made(Kind::kPresent, {}, true));
}

TEST(ReadMatchTest, NotInvertsMatcher) {
  EXPECT_EQ(ReadMatcher("{ not: GET }"), Made(Kind::kValues, {"GET"}, true));
  EXPECT_EQ(ReadMatcher("{ not: [a, b] }"), Made(Kind::kValues, {"a", "b"}, true));
  EXPECT_EQ(ReadMatcher("{ not: { regex: x } }"), Made(Kind::kRegex, {"x"}, true));
  EXPECT_EQ(ReadMatcher("{ not: { in: l } }"), Made(Kind::kIn, {"l"}, true));
  EXPECT_EQ(ReadMatcher("{ not: { present: true } }"), Made(Kind::kPresent, {}, true));
  EXPECT_EQ(ReadMatcher("{ not: { present: false } }"), Made(Kind::kPresent, {}));
  EXPECT_EQ(ReadMatcher("{ not: { not: GET } }"), Made(Kind::kValues, {"GET"}));
  EXPECT_EQ(ReadMatcher("{ not: { not: { not: GET } } }"), Made(Kind::kValues, {"GET"}, true));
}

TEST(ReadMatchTest, RecordsPlaceOfMatcherText) {
  EXPECT_EQ(ReadMatcher("{ regex: 'a.*' }").origin, (Origin{0, {5, 26}}));
  EXPECT_EQ(ReadMatcher("{ not: { in: offices } }").origin, (Origin{0, {5, 30}}));
}

}  // namespace
}  // namespace sluice
