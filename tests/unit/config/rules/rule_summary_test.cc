#include "config/rules/rule_summary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sluice::testing {
namespace {

RuleHash Hash(std::vector<RuleText> texts) { return HashOf(texts); }

TEST(RuleSummaryTest, HashDependsOnContentsNamesAndOrder) {
  const RuleHash hash = Hash({{"a.yaml", "one"}, {"b.yaml", "two"}});
  EXPECT_EQ(Hash({{"a.yaml", "one"}, {"b.yaml", "two"}}), hash);
  EXPECT_NE(Hash({{"a.yaml", "one"}, {"b.yaml", "twO"}}), hash);
  EXPECT_NE(Hash({{"a.yaml", "one"}, {"b.json", "two"}}), hash);
  EXPECT_NE(Hash({{"b.yaml", "two"}, {"a.yaml", "one"}}), hash);
  EXPECT_NE(Hash({{"a.yaml", "one"}}), hash);
  EXPECT_NE(Hash({{"a.yaml", "one"}, {"b.yaml", "two"}, {"", ""}}), hash);
}

TEST(RuleSummaryTest, HashDependsOnTextBoundaries) {
  EXPECT_NE(Hash({{"a", "xy"}, {"b", "z"}}), Hash({{"a", "x"}, {"b", "yz"}}));
  EXPECT_NE(Hash({{"a", std::string("x\0", 2)}}), Hash({{"a", "x"}}));
}

TEST(RuleSummaryTest, HashIgnoresDirectories) {
  EXPECT_EQ(Hash({{"/etc/sluice/a.yaml", "one"}}), Hash({{"rules/a.yaml", "one"}}));
}

// The nodes of a fleet and different versions of the program compare these hashes.
TEST(RuleSummaryTest, HashIsStable) {
  EXPECT_EQ(HexText(Hash({{"a.yaml", "domain: api\n"}})), "d9bfeb0652c1dff5");
}

TEST(RuleSummaryTest, FormatsHashWithAllDigits) { EXPECT_EQ(HexText({0xABC}), "0000000000000abc"); }

TEST(RuleSummaryTest, FormatsCounts) {
  RuleSetSpec spec;
  spec.files = {"a.yaml"};
  spec.domains.resize(2);
  spec.domains[0].rules.resize(1);
  EXPECT_EQ(CountText(spec), "1 file, 2 domains, 1 rule");
  spec.domains[1].rules.resize(2);
  EXPECT_EQ(CountText(spec), "1 file, 2 domains, 3 rules");
}

TEST(RuleSummaryTest, CountsOnlyDescriptorsWithLimit) {
  RuleSetSpec spec;
  spec.files = {"a.yaml"};
  spec.domains.resize(1);
  DescriptorSpec above;
  spec.domains[0].descriptors = {above};
  EXPECT_EQ(CountText(spec), "1 file, 1 domain, 0 rules");
  DescriptorSpec unlimited;
  unlimited.unlimited = true;
  spec.domains[0].descriptors[0].descriptors = {unlimited};
  EXPECT_EQ(CountText(spec), "1 file, 1 domain, 0 rules, 1 descriptor");
  DescriptorSpec limited;
  limited.limit.emplace();
  spec.domains[0].descriptors.push_back(limited);
  EXPECT_EQ(CountText(spec), "1 file, 1 domain, 0 rules, 2 descriptors");
}

}  // namespace
}  // namespace sluice::testing
