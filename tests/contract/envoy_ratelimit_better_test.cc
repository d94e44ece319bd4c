// Tests where Sluice deliberately improves on envoyproxy/ratelimit with the same rule files.
#include <gtest/gtest.h>

#include <chrono>
#include <string_view>

#include "contract/rule_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year;
using Period = LimitOverride::Period;

class EnvoyRatelimitBetterTest : public RuleFixture {
 protected:
  // Starts at a time at which windows of every unit up to a week begin.
  EnvoyRatelimitBetterTest() { clock_.Set(Time{sys_days{year{2026} / 3 / 5}}); }

  const Entries kUser = {{"user", "42"}};
  const Entries kIp = {{"ip", "192.0.2.1"}};
};

TEST_F(EnvoyRatelimitBetterTest, KeysEqualWhenJoinedDoNotShareCounter) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - key: b
    rate_limit: { unit: day, requests_per_unit: 1 }
    descriptors:
      - { key: d, rate_limit: { unit: day, requests_per_unit: 1 } }
  - { key: b_c, rate_limit: { unit: day, requests_per_unit: 1 } }
)"),
            "");
  EXPECT_TRUE(Passes({{"b", "c_d_e"}}));
  EXPECT_TRUE(Passes({{"b", "c"}, {"d", "e"}}));
  EXPECT_TRUE(Passes({{"b_c", "d_e"}}));
  EXPECT_TRUE(Passes({{"b", "c_d"}, {"d", "e"}}));
  EXPECT_FALSE(Passes({{"b", "c_d_e"}}));
  const LimitOverride one{1, Period::kDay};
  EXPECT_TRUE(Decide({Bring(one, {{"b", "c_d_e"}})}).allowed());
  EXPECT_TRUE(Decide({Bring(one, {{"b", "c"}, {"d", "e"}})}).allowed());
  EXPECT_FALSE(Decide({Bring(one, {{"b", "c_d_e"}})}).allowed());
}

TEST_F(EnvoyRatelimitBetterTest, RulesThatDifferInUnitDoNotShareCounter) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: b, value: c_d_e, rate_limit: { unit: minute, requests_per_unit: 1 } }
  - key: b
    value: c
    descriptors:
      - { key: d, value: e, rate_limit: { unit: hour, requests_per_unit: 1 } }
)"),
            "");
  EXPECT_TRUE(Passes({{"b", "c_d_e"}}));
  EXPECT_TRUE(Passes({{"b", "c"}, {"d", "e"}}));
  // One descriptor is limited per second, per minute and per hour.
  EXPECT_TRUE(Decide({Bring({1, Period::kSecond}, kUser)}).allowed());
  EXPECT_TRUE(Decide({Bring({1, Period::kMinute}, kUser)}).allowed());
  EXPECT_TRUE(Decide({Bring({1, Period::kHour}, kUser)}).allowed());
  EXPECT_FALSE(Decide({Bring({1, Period::kMinute}, kUser)}).allowed());
}

constexpr std::string_view kUserAndIp = R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: 2 } }
  - { key: ip, rate_limit: { unit: day, requests_per_unit: 100 } }
)";

TEST_F(EnvoyRatelimitBetterTest, RefusedDescriptorDoesNotChargeOthers) {
  ASSERT_EQ(Load(kUserAndIp), "");
  for (int i = 0; i < 50; ++i) Decide({Take(kIp), Take(kUser)});
  EXPECT_EQ(Left(kIp), 98);
  EXPECT_FALSE(Decide({Take(kIp), Take(kUser)}).allowed());
  EXPECT_EQ(verdict_.NearestOf(verdict_.sets()[0])->decision.remaining, 98);
}

TEST_F(EnvoyRatelimitBetterTest, DoesNotCountRefusedRequests) {
  ASSERT_EQ(Load(kUserAndIp), "");
  EXPECT_EQ(CountPassing(50, kUser), 2);
  // If all fifty had been counted, a refund of one unit would not help.
  EXPECT_TRUE(Decide({GiveBack(kUser, 1)}).allowed());
  EXPECT_EQ(CountPassing(50, kUser), 1);
  EXPECT_FALSE(Passes(kIp, 101));
  EXPECT_EQ(Left(kIp), 100);
}

TEST_F(EnvoyRatelimitBetterTest, RaisedLimitTakesEffectWithinWindow) {
  ASSERT_EQ(Load(kUserAndIp), "");
  EXPECT_EQ(CountPassing(50, kUser), 2);
  clock_.Advance(hours{1});
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: 5 } }
)"),
            "");
  EXPECT_EQ(CountPassing(50, kUser), 3);
  EXPECT_EQ(verdict_.retry_after(), hours{23});
}

TEST_F(EnvoyRatelimitBetterTest, LowOverrideDoesNotAffectLaterHigherOne) {
  ASSERT_EQ(Load(kUserAndIp), "");
  EXPECT_TRUE(Decide({Bring({1, Period::kHour}, kUser)}).allowed());
  EXPECT_FALSE(Decide({Bring({1, Period::kHour}, kUser)}).allowed());
  EXPECT_TRUE(Decide({Bring({3, Period::kHour}, kUser)}).allowed());
  EXPECT_TRUE(Decide({Bring({3, Period::kHour}, kUser)}).allowed());
  EXPECT_FALSE(Decide({Bring({3, Period::kHour}, kUser)}).allowed());
}

TEST_F(EnvoyRatelimitBetterTest, RefundedUnitsAreAvailableToRefusedCaller) {
  ASSERT_EQ(Load(kUserAndIp), "");
  GateSession other(gate_);
  Verdict verdict;
  const AttributeSet set{kUser, Cost{1}};
  EXPECT_TRUE(Passes(kUser, 2));
  other.Decide({domain_, {&set, 1}}, verdict);
  EXPECT_FALSE(verdict.allowed());
  EXPECT_TRUE(Decide({GiveBack(kUser, 1)}).allowed());
  other.Decide({domain_, {&set, 1}}, verdict);
  EXPECT_TRUE(verdict.allowed());
}

TEST_F(EnvoyRatelimitBetterTest, MetadataSurvivesValueToMetricAndDetailedMetric) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - key: user
    value_to_metric: true
    rate_limit: { unit: day, requests_per_unit: 2 }
    metadata: { team: payments }
  - key: ip
    detailed_metric: true
    rate_limit: { unit: day, requests_per_unit: 2 }
    metadata: { team: network }
)"),
            "");
  EXPECT_TRUE(Decide({Take(kUser), Take(kIp)}).allowed());
  const DescriptorNode* const user = verdict_.sets()[0].node;
  const DescriptorNode* const ip = verdict_.sets()[1].node;
  EXPECT_EQ(*user->spec->metadata->Find("team")->AsString(), "payments");
  EXPECT_EQ(*ip->spec->metadata->Find("team")->AsString(), "network");
}

TEST_F(EnvoyRatelimitBetterTest, CountsRepeatedDescriptorTwice) {
  ASSERT_EQ(Load(kUserAndIp), "");
  EXPECT_TRUE(Decide({Take(kUser), Take(kUser)}).allowed());
  EXPECT_EQ(Left(kUser), 0);
  EXPECT_FALSE(Decide({Take({{"user", "7"}}, 1), Take({{"user", "7"}}, 2)}).allowed());
  EXPECT_EQ(Left({{"user", "7"}}), 2);
}

TEST_F(EnvoyRatelimitBetterTest, ClockStepBackDoesNotReopenOldWindow) {
  ASSERT_EQ(Load(kUserAndIp), "");
  EXPECT_EQ(CountPassing(5, kUser), 2);
  clock_.Advance(-hours{1});
  EXPECT_FALSE(Passes(kUser));
  EXPECT_EQ(verdict_.retry_after(), days{1});
}

TEST_F(EnvoyRatelimitBetterTest, SlidingLogPreventsDoubleRateAtWindowEdge) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: minute, requests_per_unit: 10 } }
  - { key: ip, rate_limit: { rate: 10/m, algorithm: sliding_log } }
)"),
            "");
  clock_.Advance(seconds{59});
  EXPECT_EQ(CountPassing(10, kUser), 10);
  EXPECT_EQ(CountPassing(10, kIp), 10);
  clock_.Advance(seconds{1});
  EXPECT_EQ(CountPassing(10, kUser), 10);
  EXPECT_EQ(CountPassing(10, kIp), 0);
  EXPECT_EQ(verdict_.retry_after(), seconds{59});
}

TEST_F(EnvoyRatelimitBetterTest, PeriodMayBeMultipleOfUnit) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { rate: 3/5m, algorithm: fixed_window } }
)"),
            "");
  clock_.Advance(minutes{4});
  EXPECT_EQ(CountPassing(9, kUser), 3);
  EXPECT_EQ(verdict_.retry_after(), minutes{1});
}

}  // namespace
}  // namespace sluice::testing
