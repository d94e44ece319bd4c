#include "doctor/doctor_permissions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <string>

#include "base/text.h"
#include "remote/script/decide_script.h"
#include "remote/script/new_terms_script.h"
#include "remote/script/nodes_script.h"
#include "remote/script/permit_script.h"

namespace sluice::cli {
namespace {

StoreUrl UrlOf(const std::string& text) { return ParseStoreUrl(text).value(); }

std::set<std::string> WordsOf(const std::string& text) {
  const std::regex word("\\S+");
  return {std::sregex_token_iterator(text.begin(), text.end(), word), {}};
}

TEST(AclRulesTest, AllowsEveryCommandOfTheScripts) {
  const std::set<std::string> rules = WordsOf(AclRules(UrlOf("redis://a"), "sluice:"));
  const std::regex call("redis\\.p?call\\(\\s*'(\\w+)'");
  std::set<std::string> called;
  for (const std::string& script :
       {std::string(DecideScriptText()), std::string(NewTermsScriptText()),
        std::string(PermitScriptText()), std::string(NodesScriptText())}) {
    const auto count = std::count(script.begin(), script.end(), '\n');
    EXPECT_GT(count, 5);
    called.insert(std::sregex_token_iterator(script.begin(), script.end(), call, 1), {});
  }
  EXPECT_GT(called.size(), 10U);
  for (std::string name : called) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    EXPECT_TRUE(rules.contains("+" + name)) << name;
  }
}

TEST(AclRulesTest, AddsRulesForEachKindOfStore) {
  const std::set<std::string> single = WordsOf(AclRules(UrlOf("redis://a"), "sluice:"));
  EXPECT_TRUE(single.contains("~sluice:*"));
  EXPECT_TRUE(single.contains("+evalsha"));
  for (const char* const rule : {"+select", "+role", "+asking", "+cluster|slots"}) {
    EXPECT_FALSE(single.contains(rule)) << rule;
  }
  EXPECT_TRUE(WordsOf(AclRules(UrlOf("redis://a/1"), "sluice:")).contains("+select"));
  EXPECT_TRUE(WordsOf(AclRules(UrlOf("redis+sentinel://a/main"), "sluice:")).contains("+role"));
  const std::set<std::string> cluster = WordsOf(AclRules(UrlOf("redis+cluster://a"), "sluice:"));
  EXPECT_TRUE(cluster.contains("+asking"));
  EXPECT_TRUE(cluster.contains("+cluster|slots"));
}

TEST(KeyPatternTest, EscapesGlobCharacters) {
  EXPECT_EQ(KeyPattern("shop:"), "~shop:*");
  EXPECT_EQ(KeyPattern("a*b[?"), "~a\\*b\\[\\?*");
}

TEST(IsNewEnoughTest, AcceptsRedis6Point2AndLater) {
  for (const char* const good : {"6.2", "6.2.0", "6.10.1", "7.0.15", "10.0.0"}) {
    EXPECT_TRUE(IsNewEnough(good)) << good;
  }
  for (const char* const bad : {"", "6", "6.1.9", "5.9.9", "6.x", "x.2", "-7.0", "6."}) {
    EXPECT_FALSE(IsNewEnough(bad)) << bad;
  }
}

}  // namespace
}  // namespace sluice::cli
