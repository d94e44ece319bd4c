#include "config/rules/read_descriptors.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "core/limit/format_limit.h"
#include "unit/config/syntax/read_text.h"

namespace sluice {
namespace {

DescriptorSpec ReadOne(const std::string& descriptor) {
  ReadRulesResult read = ReadYamlRules("domain: rls\ndescriptors:\n  - " + descriptor + "\n");
  EXPECT_EQ(LinesOf(read), Lines()) << descriptor;
  if (read.spec.domains.empty() || read.spec.domains[0].descriptors.size() != 1) return {};
  return std::move(read.spec.domains[0].descriptors[0]);
}

std::string LimitOf(const std::string& rate_limit) {
  const DescriptorSpec read = ReadOne("{ key: a, rate_limit: " + rate_limit + " }");
  return read.limit ? FormatLimit(read.limit->spec) : "";
}

TEST(ReadDescriptorsTest, LeavesUnwrittenKeysEmpty) {
  const DescriptorSpec read = ReadOne("{ key: a }");
  EXPECT_EQ(read.key, "a");
  EXPECT_EQ(read.origin, (Origin{0, {3, 12}}));
  EXPECT_EQ(read.value, std::nullopt);
  EXPECT_FALSE(read.unlimited);
  EXPECT_FALSE(read.limit.has_value());
  EXPECT_EQ(read.limit_name, "");
  EXPECT_FALSE(read.shadow_mode || read.quota_mode || read.detailed_metric ||
               read.value_to_metric || read.share_threshold);
  EXPECT_FALSE(read.metadata.has_value());
  EXPECT_TRUE(read.descriptors.empty());
}

TEST(ReadDescriptorsTest, ReadsEveryKey) {
  const DescriptorSpec read = ReadOne(
      "{ key: a, value: 'b*', shadow_mode: true, quota_mode: true, detailed_metric: true,\n"
      "      value_to_metric: true, share_threshold: true, metadata: { x: [1] },\n"
      "      rate_limit: { unit: minute, requests_per_unit: 7, name: n, replaces: [{ name: m }] "
      "},\n"
      "      descriptors: [{ key: c, value: 5, rate_limit: 9/s }, { key: d }] }");
  EXPECT_EQ(read.value, "b*");
  EXPECT_TRUE(read.shadow_mode && read.quota_mode && read.detailed_metric && read.value_to_metric &&
              read.share_threshold);
  ASSERT_TRUE(read.metadata.has_value());
  EXPECT_EQ(*read.metadata->Find("x")->AsList()->at(0).AsNumber(), "1");
  EXPECT_EQ(read.limit_name, "n");
  ASSERT_EQ(read.replaces.size(), 1U);
  EXPECT_EQ(read.replaces[0].name, "m");
  EXPECT_EQ(read.replaces[0].origin, (Origin{0, {5, 85}}));
  ASSERT_EQ(read.descriptors.size(), 2U);
  EXPECT_EQ(read.descriptors[0].key, "c");
  EXPECT_EQ(read.descriptors[0].value, "5");
  EXPECT_EQ(FormatLimit(read.descriptors[0].limit->spec), "9/s");
  EXPECT_EQ(read.descriptors[1].key, "d");
}

TEST(ReadDescriptorsTest, ReadsFlagsIndependently) {
  EXPECT_TRUE(ReadOne("{ key: a, shadow_mode: true }").shadow_mode);
  EXPECT_FALSE(ReadOne("{ key: a, shadow_mode: true }").quota_mode);
  EXPECT_TRUE(ReadOne("{ key: a, quota_mode: true }").quota_mode);
  EXPECT_FALSE(ReadOne("{ key: a, quota_mode: true }").shadow_mode);
  EXPECT_TRUE(ReadOne("{ key: a, detailed_metric: true }").detailed_metric);
  EXPECT_FALSE(ReadOne("{ key: a, detailed_metric: true }").value_to_metric);
  EXPECT_TRUE(ReadOne("{ key: a, value_to_metric: true }").value_to_metric);
}

TEST(ReadDescriptorsTest, TreatsEmptyValueAsNone) {
  EXPECT_EQ(ReadOne("{ key: a, value: '' }").value, std::nullopt);
  EXPECT_EQ(ReadOne("{ key: a, value: true }").value, "true");
  EXPECT_EQ(ReadOne("{ key: 404, value: 0 }").key, "404");
}

TEST(ReadDescriptorsTest, ReadsUnitAsFixedWindow) {
  const auto window = [](const std::string& rate) {
    return R"({"algorithm":"fixed_window","rate":")" + rate + "\"}";
  };
  EXPECT_EQ(LimitOf("{ unit: second, requests_per_unit: 5 }"), window("5/s"));
  EXPECT_EQ(LimitOf("{ unit: Minute, requests_per_unit: 5 }"), window("5/m"));
  EXPECT_EQ(LimitOf("{ unit: HOUR, requests_per_unit: 5 }"), window("5/h"));
  EXPECT_EQ(LimitOf("{ unit: day, requests_per_unit: 5 }"), window("5/d"));
  EXPECT_EQ(LimitOf("{ unit: week, requests_per_unit: 5 }"), window("5/w"));
  EXPECT_EQ(LimitOf("{ unit: month, requests_per_unit: 5 }"), window("5/month"));
  EXPECT_EQ(LimitOf("{ unit: year, requests_per_unit: 5 }"), window("5/year"));
  EXPECT_EQ(LimitOf("{ unit: second, requests_per_unit: 0 }"), window("0/s"));
  EXPECT_EQ(LimitOf("{ unit: year, requests_per_unit: 4294967295 }"), window("4294967295/year"));
}

TEST(ReadDescriptorsTest, AlignsWindowToEpoch) {
  const DescriptorSpec read =
      ReadOne("{ key: a, rate_limit: { unit: week, requests_per_unit: 5 } }");
  ASSERT_TRUE(read.limit.has_value());
  EXPECT_EQ(read.limit->spec.window.value_or(WindowKind::kAligned), WindowKind::kAligned);
  EXPECT_EQ(read.limit->spec.rate->period, std::chrono::days(7));
}

TEST(ReadDescriptorsTest, UnlimitedHasNoLimit) {
  const DescriptorSpec read = ReadOne("{ key: a, rate_limit: { unlimited: true, name: n } }");
  EXPECT_TRUE(read.unlimited);
  EXPECT_FALSE(read.limit.has_value());
  EXPECT_EQ(read.limit_name, "n");
}

TEST(ReadDescriptorsTest, AcceptsAnyLimitAsRateLimit) {
  EXPECT_EQ(LimitOf("100/5m"), "100/5m");
  EXPECT_EQ(LimitOf("{ rate: 100/5m, burst: 7, name: n, replaces: [m] }"),
            R"({"rate":"100/5m","burst":7})");
  EXPECT_EQ(LimitOf("{ algorithm: concurrency, max_in_flight: 3 }"),
            R"({"algorithm":"concurrency","max_in_flight":3})");
  const DescriptorSpec read =
      ReadOne("{ key: a, rate_limit: { replaces: [x, { name: y }], rate: 1/s, name: n } }");
  EXPECT_EQ(read.limit_name, "n");
  ASSERT_EQ(read.replaces.size(), 2U);
  EXPECT_EQ(read.replaces[0].name, "x");
  EXPECT_EQ(read.replaces[1].name, "y");
}

}  // namespace
}  // namespace sluice
