// Tests the places that the loader records for written values.
#include <gtest/gtest.h>

#include <string>

#include "unit/config/syntax/read_text.h"

namespace sluice {
namespace {

// Formats each key as "rate 3:20".
Texts PlacesOf(const WrittenKeys& written) {
  Texts places;
  for (const WrittenKey& each : written) {
    places.push_back(each.key + " " + std::to_string(each.origin.at.line) + ":" +
                     std::to_string(each.origin.at.column));
  }
  return places;
}

TEST(WrittenKeysTest, RecordsPlaceOfEachRuleKey) {
  const ReadRulesResult read = ReadYamlRules(
      "domain: api\n"
      "rules:\n"
      "  - name: a\n"
      "    mode: shadow\n"
      "    limit: [5/s, { rate: 2/m, name: x }]\n");
  ASSERT_EQ(LinesOf(read), Lines());
  const RuleSpec& rule = read.spec.domains[0].rules[0];
  EXPECT_EQ(PlacesOf(rule.written), Texts({"name 3:11", "mode 4:11", "limit 5:12"}));
  EXPECT_EQ(PlacesOf(rule.limits[0].written), Texts({"rate 5:13"}));
  EXPECT_EQ(PlacesOf(rule.limits[1].written), Texts({"rate 5:26", "name 5:37"}));
}

TEST(WrittenKeysTest, RecordsPlaceOfRateDerivedFromUnits) {
  const ReadRulesResult read = ReadYamlRules(
      "domain: api\n"
      "descriptors:\n"
      "  - key: a\n"
      "    rate_limit: { unit: day, requests_per_unit: 5 }\n"
      "  - { key: b, rate_limit: 5/s }\n");
  ASSERT_EQ(LinesOf(read), Lines());
  const auto& descriptors = read.spec.domains[0].descriptors;
  EXPECT_EQ(PlacesOf(descriptors[0].written), Texts({"key 3:10", "rate_limit 4:17"}));
  EXPECT_EQ(PlacesOf(descriptors[0].rate_limit_written),
            Texts({"unit 4:25", "requests_per_unit 4:49", "algorithm 4:17", "rate 4:49"}));
  EXPECT_EQ(PlacesOf(descriptors[1].rate_limit_written), Texts({"rate 5:27"}));
}

TEST(WrittenKeysTest, RecordsPlacesOfIpPrefixFromSeveralDocuments) {
  const ReadRulesResult read = ReadYamlRules(
      "domain: api\n"
      "ip_prefix: { v6: 56 }\n"
      "rules: []\n"
      "---\n"
      "domain: api\n"
      "ip_prefix: { v4: 24 }\n"
      "rules: []\n");
  ASSERT_EQ(LinesOf(read), Lines());
  EXPECT_EQ(PlacesOf(read.spec.domains[0].ip_prefix_written), Texts({"v4 6:18", "v6 2:18"}));
  const ReadRulesResult half = ReadYamlRules("domain: api\nip_prefix: { v4: 24 }\nrules: []\n");
  EXPECT_EQ(PlacesOf(half.spec.domains[0].ip_prefix_written), Texts({"v4 2:18"}));
}

}  // namespace
}  // namespace sluice
