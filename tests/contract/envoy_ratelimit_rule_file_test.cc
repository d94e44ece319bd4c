// Tests what envoyproxy/ratelimit promises about the keys of a rule file and how files are loaded.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "contract/rule_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::days;

class EnvoyRatelimitRuleFileTest : public RuleFixture {
 protected:
  const DescriptorSpec& Found(const Entries& entries) {
    return *Decide({Look(entries)}).sets()[0].node->spec;
  }

  const Entries kUser = {{"user", "42"}};
};

constexpr std::string_view kTwoADay = R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: 2 } }
)";

TEST_F(EnvoyRatelimitRuleFileTest, AllowsRequestsPerUnit) {
  ASSERT_EQ(Load(kTwoADay), "");
  EXPECT_EQ(CountPassing(5, kUser), 2);
  EXPECT_EQ(LookAt(kUser).limit, 2);
}

TEST_F(EnvoyRatelimitRuleFileTest, AcceptsRequestsPerUnitUpTo32Bits) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: 4294967295 } }
)"),
            "");
  EXPECT_TRUE(Passes(kUser, 4'294'967'294));
  EXPECT_EQ(Left(kUser), 1);
  EXPECT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: 4294967296 } }
)"),
            "rules.yaml:4:62: 'requests_per_unit' must be a whole number from 0 to 4294967295, "
            "found the number 4294967296\n");
}

TEST_F(EnvoyRatelimitRuleFileTest, RequestsPerUnitOfZeroBlocks) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: 0 } }
)"),
            "");
  EXPECT_FALSE(Passes(kUser));
  EXPECT_EQ(verdict_.retry_after(), kNever);
  clock_.Advance(days{1});
  EXPECT_FALSE(Passes(kUser));
}

TEST_F(EnvoyRatelimitRuleFileTest, UnlimitedPassesWithoutCharge) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, value: vip, rate_limit: { unlimited: true } }
  - { key: user, rate_limit: { unit: day, requests_per_unit: 1 } }
)"),
            "");
  const std::uint64_t keys = store_->StatsApprox().keys;
  EXPECT_EQ(CountPassing(1000, {{"user", "vip"}}), 1000);
  EXPECT_TRUE(verdict_.decisions().empty());
  EXPECT_TRUE(verdict_.sets()[0].node->spec->unlimited);
  EXPECT_EQ(store_->StatsApprox().keys, keys);
  EXPECT_EQ(CountPassing(2, kUser), 1);
}

TEST_F(EnvoyRatelimitRuleFileTest, RejectsUnitWithUnlimited) {
  EXPECT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unlimited: true, unit: day } }
)"),
            "rules.yaml:4:49: 'unit' cannot be used with 'unlimited'\n");
}

TEST_F(EnvoyRatelimitRuleFileTest, RequiresUnitAndRequestsPerUnitUnlessUnlimited) {
  EXPECT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { requests_per_unit: 5 } }
  - { key: path, rate_limit: { unit: day } }
)"),
            "rules.yaml:4:30: 'rate_limit' needs a 'unit'\n"
            "rules.yaml:5:30: 'rate_limit' needs a 'requests_per_unit'\n");
}

TEST_F(EnvoyRatelimitRuleFileTest, RejectsUnknownUnit) {
  EXPECT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: hours, requests_per_unit: 5 } }
)"),
            "rules.yaml:4:38: unknown unit 'hours'; did you mean 'hour'?\n");
}

TEST_F(EnvoyRatelimitRuleFileTest, RequiresKey) {
  EXPECT_EQ(Load(R"(
domain: api
descriptors:
  - { value: "42", rate_limit: { unit: day, requests_per_unit: 5 } }
)"),
            "rules.yaml:4:5: a descriptor needs a 'key'\n");
}

TEST_F(EnvoyRatelimitRuleFileTest, RequiresDomain) {
  EXPECT_EQ(Load("descriptors: []\n"), "rules.yaml:1:1: a document needs a 'domain'\n");
}

TEST_F(EnvoyRatelimitRuleFileTest, RejectsDuplicateKeyAndValue) {
  EXPECT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: 5 } }
  - { key: user, rate_limit: { unit: hour, requests_per_unit: 5 } }
)"),
            "rules.yaml:5:12: duplicate descriptor 'user' without a value; the first is at "
            "rules.yaml:4:12\n");
}

constexpr std::string_view kReplaces = R"(
domain: api
descriptors:
  - { key: user, rate_limit: { name: general, unit: day, requests_per_unit: 2 } }
  - key: path
    rate_limit: { name: special, unit: day, requests_per_unit: 5, replaces: [{ name: general }] }
)";

TEST_F(EnvoyRatelimitRuleFileTest, ReplacesDropsNamedLimitIfBothMatch) {
  ASSERT_EQ(Load(kReplaces), "");
  const Entries path = {{"path", "/"}};
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Decide({Take(kUser), Take(path)}).allowed());
  EXPECT_FALSE(Decide({Take(kUser), Take(path)}).allowed());
  EXPECT_EQ(verdict_.sets()[0].count, 0U);
  EXPECT_EQ(verdict_.sets()[0].kind, VerdictKind::kAllowed);
  EXPECT_EQ(verdict_.nearest()->limit->name, "special");
}

TEST_F(EnvoyRatelimitRuleFileTest, ReplacesDoesNotChargeDroppedLimit) {
  ASSERT_EQ(Load(kReplaces), "");
  EXPECT_TRUE(Passes(kUser));
  EXPECT_TRUE(Decide({Take(kUser), Take({{"path", "/"}})}).allowed());
  EXPECT_TRUE(Decide({Take({{"path", "/"}}), Take(kUser)}).allowed());
  EXPECT_EQ(Left(kUser), 1);
}

TEST_F(EnvoyRatelimitRuleFileTest, ReplacesDoesNothingIfOnlyOneMatches) {
  ASSERT_EQ(Load(kReplaces), "");
  EXPECT_EQ(CountPassing(5, kUser), 2);
  EXPECT_FALSE(Decide({Take(kUser), Take({{"other", "/"}})}).allowed());
}

TEST_F(EnvoyRatelimitRuleFileTest, UnlimitedMayReplaceSeveralLimits) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { name: users, unit: day, requests_per_unit: 0 } }
  - { key: path, rate_limit: { name: paths, unit: day, requests_per_unit: 0 } }
  - { key: staff, rate_limit: { unlimited: true, replaces: [{ name: users }, { name: paths }] } }
)"),
            "");
  EXPECT_FALSE(Decide({Take(kUser), Take({{"path", "/"}})}).allowed());
  EXPECT_TRUE(Decide({Take(kUser), Take({{"path", "/"}}), Take({{"staff", "ann"}})}).allowed());
}

TEST_F(EnvoyRatelimitRuleFileTest, RejectsLimitThatReplacesItself) {
  EXPECT_EQ(Load(R"(
domain: api
descriptors:
  - key: user
    rate_limit: { name: all, unit: day, requests_per_unit: 5, replaces: [{ name: all }] }
)"),
            "rules.yaml:5:82: the limit 'all' replaces itself\n");
}

TEST_F(EnvoyRatelimitRuleFileTest, AcceptsAndIgnoresMetricFlags) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - key: tenant
    value_to_metric: true
    descriptors:
      - key: user
        detailed_metric: true
        rate_limit: { unit: day, requests_per_unit: 5 }
)"),
            "");
  EXPECT_EQ(CountPassing(7, {{"tenant", "a"}, {"user", "42"}}), 5);
}

TEST_F(EnvoyRatelimitRuleFileTest, ShareThresholdRequiresPattern) {
  EXPECT_EQ(Load(R"(
domain: api
descriptors:
  - { key: file, value: a, share_threshold: true }
)"),
            "rules.yaml:4:45: 'share_threshold' needs a 'value' with a *, whose matches can "
            "share\n");
}

TEST_F(EnvoyRatelimitRuleFileTest, KeepsMetadataAsWritten) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - key: user
    rate_limit: { unit: day, requests_per_unit: 5 }
    metadata: { team: payments, tiers: [1, 2], owner: { any_key: true } }
)"),
            "");
  const std::optional<Value>& metadata = Found(kUser).metadata;
  ASSERT_TRUE(metadata);
  EXPECT_EQ(*metadata->Find("team")->AsString(), "payments");
  EXPECT_EQ(*(*metadata->Find("tiers")->AsList())[1].AsNumber(), "2");
  EXPECT_TRUE(*metadata->Find("owner")->Find("any_key")->AsBoolean());
}

TEST_F(EnvoyRatelimitRuleFileTest, RejectsUnknownKeyAtEveryLevel) {
  EXPECT_EQ(Load("domain: api\ndescriptor: []\n"),
            "rules.yaml:2:1: unknown key 'descriptor'; did you mean 'descriptors'?\n");
  EXPECT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, valeu: x }
  - { key: path, rate_limit: { unit: day, request_per_unit: 5 } }
  - { key: host, rate_limit: { unlimited: true, replaces: [{ nme: a }] } }
  - key: a
    descriptors:
      - { key: b, shadow_mod: true }
)"),
            "rules.yaml:4:18: unknown key 'valeu'; did you mean 'value'?\n"
            "rules.yaml:5:43: unknown key 'request_per_unit'; did you mean 'requests_per_unit'?\n"
            "rules.yaml:6:62: unknown key 'nme'; did you mean 'name'?\n"
            "rules.yaml:9:19: unknown key 'shadow_mod'; did you mean 'shadow_mode'?\n");
}

TEST_F(EnvoyRatelimitRuleFileTest, BadFileKeepsOldConfiguration) {
  ASSERT_EQ(Load(kTwoADay), "");
  EXPECT_TRUE(Passes(kUser));
  const std::shared_ptr<const BoundRules> before = gate_.rules();
  EXPECT_NE(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: fortnight, requests_per_unit: 100 } }
)"),
            "");
  EXPECT_EQ(gate_.rules(), before);
  EXPECT_TRUE(Passes(kUser));
  EXPECT_FALSE(Passes(kUser));
}

TEST_F(EnvoyRatelimitRuleFileTest, OneBadFileRejectsAllFiles) {
  ASSERT_EQ(Load(kTwoADay), "");
  EXPECT_EQ(Load({{"good.yaml", R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: 100 } }
)"},
                  {"bad.yaml", "domain: web\ndescriptors: [\n"}})
                .substr(0, 9),
            "bad.yaml:");
  EXPECT_EQ(CountPassing(5, kUser), 2);
}

TEST_F(EnvoyRatelimitRuleFileTest, RepairedFileIsUsedAndKeepsCounters) {
  ASSERT_EQ(Load(kTwoADay), "");
  EXPECT_TRUE(Passes(kUser));
  EXPECT_NE(Load("domain: api\nlimits: []\n"), "");
  ASSERT_EQ(Load(kTwoADay), "");
  EXPECT_EQ(CountPassing(5, kUser), 1);
}

}  // namespace
}  // namespace sluice::testing
