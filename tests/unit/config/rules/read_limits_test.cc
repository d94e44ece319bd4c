#include "config/rules/read_limits.h"

#include <gtest/gtest.h>

#include <string>

#include "core/limit/format_limit.h"
#include "core/limit/parse_limit.h"
#include "unit/config/syntax/read_text.h"

namespace sluice {
namespace {

std::string NameOfText(const std::string& text) {
  return NameOf(ParseLimit(text, AnyZone).value().spec);
}

TEST(ReadLimitsTest, NamesLimitByShortestPeriod) {
  EXPECT_EQ(NameOfText("1/s"), "s");
  EXPECT_EQ(NameOfText("1/1s"), "s");
  EXPECT_EQ(NameOfText("1/1000ms"), "s");
  EXPECT_EQ(NameOfText("1/60s"), "m");
  EXPECT_EQ(NameOfText("1/1m"), "m");
  EXPECT_EQ(NameOfText("1/10s"), "10s");
  EXPECT_EQ(NameOfText("1/11s"), "11s");
  EXPECT_EQ(NameOfText("1/100ms"), "100ms");
  EXPECT_EQ(NameOfText("1/1.5h"), "1.5h");
  EXPECT_EQ(NameOfText("1/90m"), "1.5h");
  EXPECT_EQ(NameOfText("1/24h"), "d");
  EXPECT_EQ(NameOfText("1/7d"), "w");
  EXPECT_EQ(NameOfText("1/ns"), "ns");
}

TEST(ReadLimitsTest, NamesThirtyDaysMonthAnd365DaysYear) {
  EXPECT_EQ(NameOfText("1/month"), "month");
  EXPECT_EQ(NameOfText("1/30d"), "month");
  EXPECT_EQ(NameOfText("1/720h"), "month");
  EXPECT_EQ(NameOfText("1/year"), "year");
  EXPECT_EQ(NameOfText("1/365d"), "year");
  EXPECT_EQ(NameOfText("1/31d"), "31d");
}

TEST(ReadLimitsTest, ReadsNamedLimitsOfPlans) {
  const ReadRulesResult read = ReadYamlRules(
      "domain: api\nplans:\n  a: 5/s\n  b: [9/m, { name: x, rate: 9/m, burst: 3 }]\n"
      "  c: { algorithm: concurrency, max_in_flight: 7 }\n");
  ASSERT_EQ(LinesOf(read), Lines());
  const std::vector<PlanSpec>& plans = read.spec.domains[0].plans;
  ASSERT_EQ(plans.size(), 3U);
  ASSERT_EQ(plans[0].limits.size(), 1U);
  EXPECT_EQ(plans[0].limits[0].name, "s");
  EXPECT_EQ(plans[0].origin, (Origin{0, {3, 3}}));
  ASSERT_EQ(plans[1].limits.size(), 2U);
  EXPECT_EQ(plans[1].limits[0].name, "m");
  EXPECT_EQ(plans[1].limits[1].name, "x");
  EXPECT_EQ(FormatLimit(plans[1].limits[1].limit.spec), R"({"rate":"9/m","burst":3})");
  EXPECT_EQ(plans[1].limits[1].origin, (Origin{0, {4, 12}}));
  ASSERT_EQ(plans[2].limits.size(), 1U);
  EXPECT_EQ(plans[2].limits[0].name, "concurrency");
}

}  // namespace
}  // namespace sluice
