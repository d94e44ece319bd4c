// Tests what envoyproxy/ratelimit promises about requests and replies.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string_view>

#include "contract/rule_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::sys_days;
using std::chrono::year;
using Period = LimitOverride::Period;

constexpr std::string_view kRules = R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: hour, requests_per_unit: 5 } }
  - { key: ip, rate_limit: { unit: day, requests_per_unit: 100 } }
  - { key: shadow, shadow_mode: true, rate_limit: { unit: hour, requests_per_unit: 1 } }
  - { key: quota, quota_mode: true, rate_limit: { unit: hour, requests_per_unit: 9 } }
  - { key: free, rate_limit: { unlimited: true } }
  - { key: basic, rate_limit: { name: basic, unit: hour, requests_per_unit: 1 } }
  - key: special
    rate_limit: { unit: hour, requests_per_unit: 1, replaces: [{ name: basic }] }
    metadata: { team: payments }
)";

class EnvoyRatelimitRequestTest : public RuleFixture {
 protected:
  EnvoyRatelimitRequestTest() {
    clock_.Set(Time{sys_days{year{2026} / 3 / 5}} + minutes{15});
    EXPECT_EQ(Load(kRules), "");
  }

  const Entries kUser = {{"user", "42"}};
  const Entries kIp = {{"ip", "192.0.2.1"}};
};

TEST_F(EnvoyRatelimitRequestTest, AnswersEachDescriptorIndividually) {
  EXPECT_TRUE(Passes(kUser, 4));
  EXPECT_TRUE(Decide({Take(kIp), Take(kUser), Take({{"nobody", ""}})}).allowed());
  ASSERT_EQ(verdict_.sets().size(), 3U);
  EXPECT_EQ(verdict_.NearestOf(verdict_.sets()[0])->decision.remaining, 99);
  EXPECT_EQ(verdict_.NearestOf(verdict_.sets()[1])->decision.remaining, 0);
  EXPECT_EQ(verdict_.NearestOf(verdict_.sets()[2]), nullptr);
}

TEST_F(EnvoyRatelimitRequestTest, RefusesCallIfOneDescriptorIsOver) {
  EXPECT_TRUE(Passes(kUser, 5));
  EXPECT_EQ(Decide({Take(kIp), Take(kUser)}).kind(), VerdictKind::kRefused);
  EXPECT_EQ(verdict_.sets()[0].kind, VerdictKind::kAllowed);
  EXPECT_EQ(verdict_.sets()[1].kind, VerdictKind::kRefused);
  EXPECT_EQ(verdict_.retry_after(), minutes{45});
}

TEST_F(EnvoyRatelimitRequestTest, ReturnsLimitRemainingAndResetAfter) {
  EXPECT_TRUE(Passes(kUser, 2));
  const Decision& decision = verdict_.decisions()[0].decision;
  EXPECT_EQ(decision.limit, 5);
  EXPECT_EQ(decision.remaining, 3);
  EXPECT_EQ(decision.reset_after, minutes{45});
}

TEST_F(EnvoyRatelimitRequestTest, ReportsNearestLimitForCall) {
  EXPECT_TRUE(Decide({Take(kIp, 50), Take(kUser, 1)}).allowed());
  EXPECT_EQ(verdict_.nearest()->limit->rule, "ip");
  EXPECT_TRUE(Decide({Take(kIp), Take(kUser, 3)}).allowed());
  EXPECT_EQ(verdict_.nearest()->limit->rule, "user");
  EXPECT_FALSE(Decide({Take(kIp, 60), Take(kUser)}).allowed());
  EXPECT_EQ(verdict_.nearest()->limit->rule, "ip");
  EXPECT_EQ(verdict_.retry_after(), days{1} - minutes{15});
}

TEST_F(EnvoyRatelimitRequestTest, CountsAddend) {
  EXPECT_TRUE(Passes(kUser, 3));
  EXPECT_EQ(Left(kUser), 2);
  EXPECT_FALSE(Passes(kUser, 3));
  EXPECT_TRUE(Passes(kUser, 2));
  EXPECT_EQ(Left(kUser), 0);
}

TEST_F(EnvoyRatelimitRequestTest, CountsAddendPerDescriptor) {
  EXPECT_TRUE(Decide({Take(kIp, 30), Take(kUser, 2)}).allowed());
  EXPECT_EQ(Left(kIp), 70);
  EXPECT_EQ(Left(kUser), 3);
}

TEST_F(EnvoyRatelimitRequestTest, ZeroAddendPeeksWithoutCounting) {
  EXPECT_TRUE(Passes(kUser, 4));
  EXPECT_TRUE(Decide({Look(kUser), Take(kIp)}).allowed());
  EXPECT_EQ(Left(kUser), 1);
  EXPECT_EQ(Left(kIp), 99);
  EXPECT_TRUE(Passes(kUser));
  EXPECT_FALSE(Decide({Look(kUser), Take(kIp)}).allowed());
  EXPECT_EQ(verdict_.sets()[0].kind, VerdictKind::kRefused);
  EXPECT_EQ(Left(kIp), 99);
}

TEST_F(EnvoyRatelimitRequestTest, NegativeAddendRefunds) {
  EXPECT_TRUE(Passes(kUser, 5));
  EXPECT_TRUE(Decide({GiveBack(kUser, 2)}).allowed());
  EXPECT_EQ(Left(kUser), 2);
  EXPECT_EQ(CountPassing(5, kUser), 2);
}

TEST_F(EnvoyRatelimitRequestTest, RefundsAtMostUsedUnits) {
  EXPECT_TRUE(Passes(kUser, 2));
  EXPECT_TRUE(Decide({GiveBack(kUser, 4'000'000'000)}).allowed());
  EXPECT_EQ(verdict_.decisions()[0].decision.remaining, 5);
  EXPECT_EQ(CountPassing(9, kUser), 5);
}

TEST_F(EnvoyRatelimitRequestTest, RefundIsAlwaysAllowed) {
  EXPECT_TRUE(Decide({GiveBack(kUser, 1)}).allowed());
  EXPECT_TRUE(Passes(kUser, 5));
  EXPECT_FALSE(Passes(kUser));
  EXPECT_TRUE(Decide({GiveBack(kUser, 0)}).allowed());
  EXPECT_EQ(verdict_.sets()[0].kind, VerdictKind::kAllowed);
  EXPECT_EQ(Left(kUser), 0);
}

TEST_F(EnvoyRatelimitRequestTest, OverrideTakesPlaceOfRulesLimit) {
  EXPECT_TRUE(Decide({Bring({20, Period::kMinute}, kUser, 12)}).allowed());
  ASSERT_EQ(verdict_.decisions().size(), 1U);
  EXPECT_EQ(verdict_.decisions()[0].decision.limit, 20);
  EXPECT_EQ(verdict_.decisions()[0].decision.remaining, 8);
  EXPECT_FALSE(Decide({Bring({20, Period::kMinute}, kUser, 9)}).allowed());
  EXPECT_EQ(verdict_.retry_after(), minutes{1});
  EXPECT_EQ(Left(kUser), 5);
}

TEST_F(EnvoyRatelimitRequestTest, OverrideAcceptsEveryUnit) {
  constexpr std::array<Nanos, LimitOverride::kPeriods> kLengths = {
      std::chrono::seconds{1}, minutes{1}, hours{1}, days{1}, days{7}, days{30}, days{365}};
  for (std::size_t i = 0; i < kLengths.size(); ++i) {
    const LimitOverride limit{1, static_cast<Period>(i)};
    EXPECT_TRUE(Decide({Bring(limit, kUser)}).allowed()) << i;
    EXPECT_FALSE(Decide({Bring(limit, kUser)}).allowed()) << i;
    const Nanos used = clock_.Now().time_since_epoch() % kLengths[i];
    EXPECT_EQ(verdict_.retry_after(), kLengths[i] - used) << i;
  }
}

TEST_F(EnvoyRatelimitRequestTest, OverrideAppliesWithoutRule) {
  const Entries nobody = {{"nobody", "42"}, {"deep", "1"}};
  EXPECT_TRUE(Decide({Bring({1, Period::kHour}, nobody)}).allowed());
  EXPECT_FALSE(Decide({Bring({1, Period::kHour}, nobody)}).allowed());
  EXPECT_TRUE(Decide({Bring({1, Period::kHour}, {{"nobody", "42"}, {"deep", "2"}})}).allowed());
}

TEST_F(EnvoyRatelimitRequestTest, OverrideRequiresKnownDomain) {
  domain_ = "other";
  EXPECT_EQ(Decide({Bring({0, Period::kHour}, kUser)}).kind(), VerdictKind::kUnknownDomain);
}

TEST_F(EnvoyRatelimitRequestTest, OverrideIgnoresShadowModeAndQuotaMode) {
  EXPECT_FALSE(Decide({Bring({0, Period::kHour}, {{"shadow", "1"}})}).allowed());
  EXPECT_FALSE(
      Decide({Bring({0, Period::kHour}, {{"quota", "1"}}), Take({{"quota", "2"}})}).allowed());
}

TEST_F(EnvoyRatelimitRequestTest, OverrideLimitsUnlimitedDescriptor) {
  EXPECT_FALSE(Decide({Bring({0, Period::kHour}, {{"free", "1"}})}).allowed());
  EXPECT_EQ(verdict_.sets()[0].node, nullptr);
}

TEST_F(EnvoyRatelimitRequestTest, OverrideNeitherReplacesNorIsReplaced) {
  const LimitOverride none{0, Period::kHour};
  EXPECT_TRUE(Passes({{"basic", "1"}}));
  EXPECT_TRUE(Decide({Take({{"basic", "1"}}), Look({{"special", "1"}})}).allowed());
  EXPECT_FALSE(
      Decide({Take({{"basic", "1"}}), Bring({9, Period::kHour}, {{"special", "1"}})}).allowed());
  EXPECT_FALSE(Decide({Bring(none, {{"basic", "2"}}), Take({{"special", "1"}})}).allowed());
}

}  // namespace
}  // namespace sluice::testing
