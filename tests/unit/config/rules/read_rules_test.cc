#include "config/rules/read_rules.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "base/text.h"
#include "unit/config/syntax/read_text.h"

namespace sluice {
namespace {

TEST(ReadRulesTest, ReadsNoRulesFromNoTexts) {
  const ReadRulesResult read = ReadTexts({});
  EXPECT_TRUE(read.problems.empty());
  EXPECT_TRUE(read.spec.domains.empty());
}

TEST(ReadRulesTest, MergesDocumentsOfDomainInFileOrder) {
  const ReadRulesResult read = ReadTexts({
      {"a.yaml",
       "domain: api\nrules: [{ name: r1, limit: 1/s }]\n---\n"
       "domain: web\nrules: [{ name: w1, limit: 1/s }]\n"},
      {"b.json", R"({"domain": "api", "rules": [{"name": "r2", "limit": "2/s"}],
                     "plans": {"free": "5/s"}, "lists": {"l": ["x"]}})"},
      {"c.yaml",
       "domain: api\nattributes: { user: header.x-user }\nip_prefix: { v6: 48 }\n"
       "descriptors: [{ key: d1 }]\n---\ndomain: api\ndescriptors: [{ key: d2 }]\n"},
  });
  ASSERT_EQ(LinesOf(read), Lines());
  EXPECT_EQ(read.spec.files, Texts({"a.yaml", "b.json", "c.yaml"}));
  ASSERT_EQ(read.spec.domains.size(), 2U);
  const DomainSpec& api = read.spec.domains[0];
  EXPECT_EQ(api.name, "api");
  EXPECT_EQ(api.origin, (Origin{0, {1, 9}}));
  ASSERT_EQ(api.rules.size(), 2U);
  EXPECT_EQ(api.rules[0].name, "r1");
  EXPECT_EQ(api.rules[1].name, "r2");
  EXPECT_EQ(api.rules[1].origin, (Origin{1, {1, 38}}));
  ASSERT_EQ(api.plans.size(), 1U);
  EXPECT_EQ(api.plans[0].name, "free");
  ASSERT_EQ(api.lists.size(), 1U);
  EXPECT_EQ(api.lists[0].values, Texts({"x"}));
  ASSERT_EQ(api.aliases.size(), 1U);
  EXPECT_EQ(api.aliases[0].name, "user");
  EXPECT_EQ(api.aliases[0].source, "header.x-user");
  EXPECT_EQ(api.ip_prefix.v4, 32);
  EXPECT_EQ(api.ip_prefix.v6, 48);
  ASSERT_EQ(api.descriptors.size(), 2U);
  EXPECT_EQ(api.descriptors[1].key, "d2");
  EXPECT_EQ(api.descriptors[1].origin, (Origin{2, {7, 22}}));
  EXPECT_EQ(read.spec.domains[1].name, "web");
}

TEST(ReadRulesTest, KeepsListValuesAsWritten) {
  const ReadRulesResult read =
      ReadYamlRules("domain: api\nlists: { a: [1, 2.50, True, x, \"07\"], b: [] }\n");
  ASSERT_EQ(LinesOf(read), Lines());
  ASSERT_EQ(read.spec.domains[0].lists.size(), 2U);
  EXPECT_EQ(read.spec.domains[0].lists[0].values, Texts({"1", "2.50", "true", "x", "07"}));
  EXPECT_EQ(read.spec.domains[0].lists[1].values, Texts());
}

TEST(ReadRulesTest, SyntaxErrorDoesNotHideErrorsOfOtherTexts) {
  const ReadRulesResult read = ReadTexts({{"a.json", "{"},
                                          {"b.json", R"({"domain": "api", "rules": 5})"},
                                          {"c.json", R"({"domain": 5, "rules": []})"},
                                          {"d.json", "]"}});
  const Lines lines = LinesOf(read);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(lines[0].starts_with("a.json:1:2: ")) << lines[0];
  EXPECT_EQ(lines[1], "b.json:1:28: 'rules' must be a list, found the number 5");
  EXPECT_EQ(lines[2], "c.json:1:12: 'domain' must be a string, found the number 5");
  EXPECT_TRUE(lines[3].starts_with("d.json:1:1: ")) << lines[3];
}

TEST(ReadRulesTest, SortsProblemsByFileAndPlace) {
  const ReadRulesResult read = ReadYamlRules(
      "rules:\n  - limit: 5/x\n    name: ''\n  - { mode: of }\n"
      "attributes: { a: b c }\ndomain: api\n");
  EXPECT_EQ(LinesOf(read),
            Lines({"rules.yaml:2:12: unknown unit 'x' in '5/x'; expected ns, us, ms, s, m, h, d, "
                   "w, month or year",
                   "rules.yaml:3:11: a name must not be empty",
                   "rules.yaml:4:5: a rule needs a 'limit' such as 100/m, or a 'plan'",
                   "rules.yaml:4:5: a rule needs a 'name'",
                   "rules.yaml:4:13: unknown mode 'of'; did you mean 'off'?",
                   "rules.yaml:5:18: an attribute's name must be 1 to 100 of the characters A-Z "
                   "a-z 0-9 _ . -, found 'b c'"}));
}

TEST(ReadRulesTest, ReportsAtMostThousandProblems) {
  std::string text = "domain: api\nrules:\n";
  for (int i = 0; i < 1005; ++i) text += "  - { limit: 5/s }\n";
  const Lines lines = LinesOf(ReadYamlRules(text));
  ASSERT_EQ(lines.size(), 1001U);
  EXPECT_EQ(lines[0], "rules.yaml:3:5: a rule needs a 'name'");
  EXPECT_EQ(lines[999], "rules.yaml:1002:5: a rule needs a 'name'");
  EXPECT_EQ(lines[1000], "rules.yaml:1003:5: and more");
}

std::string ManyRules(std::size_t first, std::size_t count) {
  std::string text = "{\"domain\": \"api\", \"rules\": [";
  for (std::size_t i = first; i < first + count; ++i) {
    text += Concat(i == first ? "\n" : ",\n", R"({"name": "r)", i, R"(", "limit": "5/s"})");
  }
  return text + "]}";
}

TEST(ReadRulesTest, RejectsMoreThanTenThousandRulesPerDomain) {
  const RuleText max{"most.json", ManyRules(0, 10'000)};
  EXPECT_EQ(LinesOf(ReadTexts({max})), Lines());
  EXPECT_EQ(LinesOf(ReadTexts({max, {"more.json", ManyRules(10'000, 3)}})),
            Lines({"more.json:2:10: the domain 'api' has more than 10000 rules"}));
  EXPECT_EQ(LinesOf(ReadTexts({{"all.json", ManyRules(0, 10'001)}})),
            Lines({"all.json:10002:10: the domain 'api' has more than 10000 rules"}));
}

std::string LongList(const std::string& name, std::size_t count) {
  std::string text = Concat(R"({"domain": "api", "lists": {")", name, "\": [0");
  for (std::size_t i = 1; i < count; ++i) text += ",0";
  return text + "]}}";
}

TEST(ReadRulesTest, RejectsMoreThanMillionListValuesPerDomain) {
  const RuleText max{"most.json", LongList("most", 1'000'000)};
  EXPECT_EQ(LinesOf(ReadTexts({max})), Lines());
  EXPECT_EQ(LinesOf(ReadTexts(
                {max, {"more.json", LongList("more", 1)}, {"again.json", LongList("again", 1)}})),
            Lines({"more.json:1:29: the lists of the domain 'api' have more than 1000000 values"}));
}

Lines CheckTexts(const std::vector<RuleText>& texts) {
  return LinesOf(ReadAndCheckRules(texts, AnyZone));
}

TEST(ReadRulesTest, ReadRulesLeavesReferencesToCheckRules) {
  const std::vector<RuleText> unknown = {
      {"a.yaml", "domain: api\nrules: [{ name: a, limit: 1/s, replaces: b }]\n"}};
  EXPECT_EQ(LinesOf(ReadRules(unknown, AnyZone)), Lines());
  EXPECT_EQ(CheckTexts(unknown),
            Lines({"a.yaml:2:42: unknown rule 'b'; the domain has no other rules"}));
}

TEST(ReadRulesTest, ReportsErrorsOfReadingAndCheckingTogether) {
  EXPECT_EQ(CheckTexts({{"a.yaml", "domain: api\nrules: [{ name: a, limt: 1/s }]\n"},
                        {"b.yaml", "domain: api\nrules: [{ name: b, limit: 1/s, replaces: c }]\n"},
                        {"c.yaml", "domain: web\nattributes: { a: b, b: a }\n"}}),
            Lines({"a.yaml:2:20: unknown key 'limt'; did you mean 'limit'?",
                   "b.yaml:2:42: unknown rule 'c'; expected a",
                   "c.yaml:2:15: attributes stand for one another in a circle: a -> b -> a"}));
}

TEST(ReadRulesTest, DoesNotReportNamesThatBrokenTextMayDefine) {
  const RuleText naming{
      "b.yaml",
      "domain: api\nrules:\n"
      "  - { name: a, limit: 1/s, replaces: b, match: { user: { in: l } } }\n"
      "  - { name: c, plan: { by: x, default: p }, match: { z: { regex: '(' } } }\n"};
  const std::string regex = "b.yaml:4:66: the regex does not compile: missing ) in '('";
  EXPECT_EQ(CheckTexts({{"a.yaml", ""}, naming}),
            Lines({"a.yaml:1:1: the file is empty; expected a document with a 'domain'", regex}));
  EXPECT_EQ(CheckTexts({{"a.yaml", "rules: []"}, naming}),
            Lines({"a.yaml:1:1: a document needs a 'domain'", regex}));
  // If a text could not be read or parsed, the rules are not checked.
  EXPECT_EQ(CheckTexts({{"a.yaml", "", "cannot be read: No such file or directory"}, naming}),
            Lines({"a.yaml: cannot be read: No such file or directory"}));
  EXPECT_EQ(CheckTexts({{"a.yaml", "{"}, naming}).size(), 1U);
}

TEST(ReadRulesTest, DoesNotReportNamesThatUnreadPartMayDefine) {
  const std::string rules =
      "rules:\n"
      "  - { name: a, limit: 1/s, replaces: b, match: { user: { in: l } } }\n"
      "  - { name: c, plan: { by: x, default: p } }\n";
  EXPECT_EQ(CheckTexts({{"a.yaml", "domain: api\n" + rules}}).size(), 3U);
  for (const std::string part : {"lists: 5", "plans: 5", "list: { l: [x] }", "plns: {}"}) {
    EXPECT_EQ(CheckTexts({{"a.yaml", "domain: api\n" + part + "\n" + rules}}).size(), 1U) << part;
  }
  for (const std::string rule : {"5", "{ name: '', limit: 1/s }"}) {
    EXPECT_EQ(CheckTexts({{"a.yaml", "domain: api\n" + rules + "  - " + rule + "\n"}}).size(), 1U)
        << rule;
  }
  EXPECT_EQ(CheckTexts({{"a.yaml", "domain: api\n" + rules}, {"b.yaml", "domain: api\nrules: 5\n"}})
                .size(),
            1U);
  // A broken document does not affect other domains.
  EXPECT_EQ(CheckTexts({{"a.yaml", "domain: api\n" + rules}, {"b.yaml", "domain: web\nrules: 5\n"}})
                .size(),
            4U);
}

TEST(ReadRulesTest, ManyWarningsDoNotHideError) {
  std::string text = R"({"domain": "api", "descriptors": [)";
  for (int i = 0; i < 10'001; ++i) {
    text += Concat(R"({"key": "k)", i, R"(", "rate_limit": {"rate": "1/s", "replaces": ["x"]}},)");
  }
  text += R"({"key": "z"}], "rules": [{"name": "a", "limit": "1/s", "replaces": "b"}]})";
  const ReadRulesResult read = ReadAndCheckRules(std::vector<RuleText>{{"a.json", text}}, AnyZone);
  EXPECT_TRUE(HasErrors(read.problems));
}

TEST(ReadRulesTest, ReadsFilesAsYamlUnlessNamedJson) {
  EXPECT_EQ(LinesOf(ReadTexts({{"rules", "domain: api\nrules: []\n"},
                               {"rules.yml", "domain: api\nrules: []\n"}})),
            Lines());
  EXPECT_EQ(LinesOf(ReadTexts({{"rules.json", "domain: api\nrules: []\n"}})).size(), 1U);
}

}  // namespace
}  // namespace sluice
