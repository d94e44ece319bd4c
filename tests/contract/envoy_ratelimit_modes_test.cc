// Tests what envoyproxy/ratelimit promises about shadow_mode and quota_mode.
#include <gtest/gtest.h>

#include <chrono>
#include <string_view>

#include "contract/rule_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::hours;
using std::chrono::sys_days;
using std::chrono::year;

class EnvoyRatelimitModesTest : public RuleFixture {
 protected:
  const Entries kUser = {{"user", "42"}};
  const Entries kPath = {{"path", "/"}};
};

constexpr std::string_view kShadow = R"(
domain: api
descriptors:
  - { key: user, shadow_mode: true, rate_limit: { unit: day, requests_per_unit: 2 } }
  - { key: path, rate_limit: { unit: day, requests_per_unit: 3 } }
)";

TEST_F(EnvoyRatelimitModesTest, ShadowModeAlwaysAnswersOk) {
  ASSERT_EQ(Load(kShadow), "");
  EXPECT_EQ(CountPassing(100, kUser), 100);
  EXPECT_EQ(verdict_.sets()[0].kind, VerdictKind::kAllowed);
  EXPECT_EQ(verdict_.retry_after(), Nanos{0});
}

TEST_F(EnvoyRatelimitModesTest, ShadowModeEvaluatesAndCounts) {
  ASSERT_EQ(Load(kShadow), "");
  EXPECT_TRUE(Passes(kUser));
  EXPECT_TRUE(verdict_.decisions()[0].decision.allowed);
  EXPECT_EQ(verdict_.decisions()[0].decision.remaining, 1);
  EXPECT_TRUE(Passes(kUser));
  EXPECT_TRUE(Passes(kUser));
  EXPECT_FALSE(verdict_.decisions()[0].decision.allowed);
  EXPECT_EQ(verdict_.decisions()[0].enforcement, Enforcement::kShadow);
}

TEST_F(EnvoyRatelimitModesTest, ShadowModeAppliesToItsDescriptorOnly) {
  ASSERT_EQ(Load(kShadow), "");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Decide({Take(kUser), Take(kPath)}).allowed());
  EXPECT_FALSE(Decide({Take(kUser), Take(kPath)}).allowed());
  EXPECT_EQ(verdict_.sets()[0].kind, VerdictKind::kAllowed);
  EXPECT_EQ(verdict_.sets()[1].kind, VerdictKind::kRefused);
}

TEST_F(EnvoyRatelimitModesTest, LeavingShadowModeKeepsCounters) {
  ASSERT_EQ(Load(kShadow), "");
  EXPECT_TRUE(Passes(kUser));
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: 2 } }
)"),
            "");
  EXPECT_EQ(CountPassing(5, kUser), 1);
}

constexpr std::string_view kQuota = R"(
domain: api
descriptors:
  - { key: user, quota_mode: true, rate_limit: { unit: day, requests_per_unit: 1 } }
  - { key: path, quota_mode: true, rate_limit: { unit: hour, requests_per_unit: 2 } }
  - { key: ip, rate_limit: { unit: day, requests_per_unit: 1 } }
)";

TEST_F(EnvoyRatelimitModesTest, QuotaModeDoesNotDenyByItself) {
  ASSERT_EQ(Load(kQuota), "");
  EXPECT_TRUE(Decide({Take(kUser), Take(kPath)}).allowed());
  EXPECT_TRUE(Decide({Take(kUser), Take(kPath)}).allowed());
  EXPECT_EQ(verdict_.sets()[0].kind, VerdictKind::kRefused);
  EXPECT_EQ(verdict_.sets()[1].kind, VerdictKind::kAllowed);
}

TEST_F(EnvoyRatelimitModesTest, QuotaModeDeniesIfEveryQuotaDescriptorIsOver) {
  ASSERT_EQ(Load(kQuota), "");
  clock_.Set(Time{sys_days{year{2026} / 3 / 5}});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(Decide({Take(kUser), Take(kPath)}).allowed());
  EXPECT_FALSE(Decide({Take(kUser), Take(kPath)}).allowed());
  EXPECT_EQ(verdict_.sets()[0].kind, VerdictKind::kRefused);
  EXPECT_EQ(verdict_.sets()[1].kind, VerdictKind::kRefused);
  // One quota descriptor with units left is enough to pass.
  EXPECT_EQ(verdict_.retry_after(), hours{1});
  EXPECT_FALSE(Decide({Take(kPath), Take(kUser)}).allowed());
  EXPECT_EQ(verdict_.retry_after(), hours{1});
  clock_.Advance(hours{1});
  EXPECT_TRUE(Decide({Take(kUser), Take(kPath)}).allowed());
}

TEST_F(EnvoyRatelimitModesTest, QuotaModeDeniesIfOnlyQuotaDescriptorIsOver) {
  ASSERT_EQ(Load(kQuota), "");
  EXPECT_EQ(CountPassing(5, kUser), 1);
  EXPECT_FALSE(Decide({Take(kUser), Take({{"other", ""}})}).allowed());
}

TEST_F(EnvoyRatelimitModesTest, QuotaModeDoesNotStopOtherDescriptorsFromDenying) {
  ASSERT_EQ(Load(kQuota), "");
  const Entries ip = {{"ip", "192.0.2.1"}};
  EXPECT_TRUE(Decide({Take(kPath), Take(ip)}).allowed());
  EXPECT_FALSE(Decide({Take(kPath), Take(ip)}).allowed());
  EXPECT_EQ(verdict_.sets()[0].kind, VerdictKind::kAllowed);
  EXPECT_EQ(verdict_.sets()[1].kind, VerdictKind::kRefused);
}

}  // namespace
}  // namespace sluice::testing
