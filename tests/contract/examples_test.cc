// Tests that every file in examples/rules does what its comment promises.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "config/rules/rule_files.h"
#include "contract/rule_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year;

constexpr Nanos kInstant{1};  // the resolution of time

std::vector<RuleText> ReadExamples() {
  return ReadRuleFiles(std::vector<std::string>{SLUICE_EXAMPLE_RULES});
}

// Loads all of them together, as `sluice rules check examples/rules` does.
class ExamplesTest : public RuleFixture {
 protected:
  ExamplesTest() { EXPECT_EQ(Load(ReadExamples()), ""); }

  static Entries UserOf(std::string_view plan, std::string_view user) {
    return {{"header.x-user-id", user}, {"header.x-plan", plan}, {"path", "/v1/feed"}};
  }
  static Entries Post(std::string_view user) {
    return {{"user", user}, {"plan", "pro"}, {"method", "POST"}, {"path", "/v1/posts"}};
  }
  // Expects that `asked` passes exactly after the last retry_after, and not a nanosecond earlier.
  void ExpectPassesAtRetryAfter(const Asked& asked) {
    clock_.Advance(verdict_.retry_after() - kInstant);
    EXPECT_FALSE(Decide({asked}).allowed());
    EXPECT_EQ(verdict_.retry_after(), kInstant);
    clock_.Advance(kInstant);
    EXPECT_TRUE(Decide({asked}).allowed());
  }
};

TEST(ExampleFilesTest, ListsTestedFiles) {
  std::vector<std::string> names;
  for (const RuleText& file : ReadExamples()) {
    names.push_back(file.name.substr(std::string_view(SLUICE_EXAMPLE_RULES "/").size()));
  }
  EXPECT_EQ(names,
            std::vector<std::string>({"allow-list.yaml", "api.yaml", "login.yaml", "messaging.yaml",
                                      "monthly-quota.yaml", "tokens.yaml"}));
}

TEST(ExampleFilesTest, EachBeginsWithComment) {
  for (const RuleText& file : ReadExamples()) EXPECT_EQ(file.text.substr(0, 2), "# ") << file.name;
}

TEST_F(ExamplesTest, EachLoadsAlone) {
  for (const RuleText& file : ReadExamples()) EXPECT_EQ(Load({file}), "");
}

TEST_F(ExamplesTest, ApiGivesEachUserTheRateOfTheirPlan) {
  EXPECT_EQ(CountPassing(2000, UserOf("free", "ann")), 50);
  EXPECT_EQ(CountPassing(2000, UserOf("free", "bob")), 50);
  EXPECT_EQ(CountPassing(2000, UserOf("standard", "cid")), 500);
  EXPECT_EQ(CountPassing(2000, UserOf("pro", "dan")), 1000);
  EXPECT_EQ(verdict_.nearest()->limit->rule, "plan");
  EXPECT_EQ(verdict_.retry_after(), milliseconds{1});
  clock_.Advance(seconds{1});
  EXPECT_EQ(CountPassing(2000, UserOf("free", "ann")), 50);
  EXPECT_EQ(CountPassing(2000, UserOf("pro", "dan")), 1000);
}

TEST_F(ExamplesTest, ApiUsesFreePlanByDefault) {
  EXPECT_EQ(CountPassing(100, UserOf("platinum", "ann")), 50);
  EXPECT_EQ(CountPassing(100, {{"user", "bob"}}), 50);
  EXPECT_EQ(CountPassing(100, {{"ip", "192.0.2.1"}}), 50);
}

TEST_F(ExamplesTest, ApiRefusesTheThirdPostInAMinute) {
  EXPECT_EQ(CountPassing(2, Post("ann")), 2);
  EXPECT_FALSE(Passes(Post("ann")));
  EXPECT_EQ(verdict_.nearest()->limit->rule, "posts");
  EXPECT_EQ(verdict_.retry_after(), seconds{30});
  EXPECT_TRUE(Passes(Post("bob")));
  EXPECT_TRUE(Passes({{"user", "ann"}, {"method", "GET"}, {"path", "/v1/posts"}}));
  EXPECT_FALSE(Passes(Post("ann")));
  ExpectPassesAtRetryAfter(Take(Post("ann")));
}

TEST_F(ExamplesTest, ApiLimitsFollowsPerMinuteAndPerDay) {
  const Entries follow = {{"user", "ann"}, {"plan", "pro"}, {"path", "/v1/follow/bob"}};
  int followed = CountPassing(151, follow);
  EXPECT_EQ(followed, 150);
  EXPECT_EQ(verdict_.nearest()->limit->name, "m");
  EXPECT_EQ(verdict_.retry_after(), milliseconds{400});
  for (bool passes = true; passes; followed += passes ? 1 : 0) {
    clock_.Advance(milliseconds{400});
    passes = Passes(follow);
  }
  // A thousand, and the three units that were refilled in the meantime.
  EXPECT_EQ(followed, 1003);
  EXPECT_EQ(verdict_.nearest()->limit->name, "d");
}

TEST_F(ExamplesTest, ApiLimitsAllUsersTogetherInShadow) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(CountPassing(1000, UserOf("pro", "user " + std::to_string(i))), 1000);
  }
  EXPECT_EQ(verdict_.decisions().back().limit->rule, "everyone");
  EXPECT_TRUE(verdict_.decisions().back().decision.allowed);
  EXPECT_TRUE(Passes(UserOf("pro", "one more")));
  EXPECT_FALSE(verdict_.decisions().back().decision.allowed);
}

TEST_F(ExamplesTest, AllowListLetsOfficesPassWithoutLimit) {
  for (const std::string_view address : {"10.1.2.3", "::ffff:10.1.2.3", "2001:db8::1"}) {
    EXPECT_EQ(CountPassing(1000, {{"ip", address}, {"method", "POST"}, {"path", "/v1/posts"}}),
              1000);
    ASSERT_NE(verdict_.decided_by(), nullptr) << address;
    EXPECT_EQ(verdict_.decided_by()->name, "office");
    EXPECT_TRUE(verdict_.decisions().empty());
  }
  EXPECT_EQ(CountPassing(1000, {{"ip", "11.1.2.3"}}), 50);
  EXPECT_EQ(CountPassing(1000, {{"ip", "2001:db9::1"}}), 50);
}

TEST_F(ExamplesTest, LoginSlowsAddressThatTriesManyAccounts) {
  domain_ = "login";
  for (const std::string_view account : {"a", "b", "c", "d", "e"}) {
    EXPECT_TRUE(Passes({{"ip", "192.0.2.1"}, {"account", account}}));
  }
  const Entries next = {{"ip", "192.0.2.1"}, {"account", "f"}};
  EXPECT_FALSE(Passes(next));
  EXPECT_EQ(verdict_.nearest()->limit->rule, "by address");
  EXPECT_EQ(verdict_.retry_after(), seconds{3});
  ExpectPassesAtRetryAfter(Take(next));
}

TEST_F(ExamplesTest, LoginLimitsAttemptsOnAccountFromManyAddresses) {
  domain_ = "login";
  for (const std::string_view address : {"192.0.2.1", "192.0.2.2", "192.0.2.3"}) {
    EXPECT_TRUE(Passes({{"ip", address}, {"account", "ann"}}));
  }
  EXPECT_EQ(CountPassing(2, {{"ip", "192.0.2.4"}, {"account", "ann"}}), 2);
  clock_.Advance(seconds{20});
  const Entries next = {{"ip", "192.0.2.5"}, {"account", "ann"}};
  EXPECT_FALSE(Passes(next));
  EXPECT_EQ(verdict_.nearest()->limit->rule, "by account");
  EXPECT_EQ(verdict_.nearest()->rule->message, "too many attempts for this account");
  EXPECT_EQ(verdict_.retry_after(), seconds{40});
  // Refused attempts count as well, but not against the address.
  EXPECT_EQ(CountPassing(4, next), 0);
  EXPECT_EQ(verdict_.retry_after(), seconds{60});
  EXPECT_EQ(Left({{"ip", "192.0.2.5"}}), 5);
  EXPECT_TRUE(Passes({{"ip", "192.0.2.5"}, {"account", "bob"}}));
}

TEST_F(ExamplesTest, MessagingAllowsFiveMarketingMessagesPerDayAndNumber) {
  domain_ = "messaging";
  const auto send = [this](std::string_view type, std::string_view number) {
    return Decide({Take({{"message_type", type}}),
                   Take({{"message_type", type}, {"to_number", number}})})
        .allowed();
  };
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(send("marketing", "+49 1"));
  EXPECT_FALSE(send("marketing", "+49 1"));
  EXPECT_EQ(verdict_.sets()[1].kind, VerdictKind::kRefused);
  EXPECT_EQ(Left({{"message_type", "marketing"}}), 95);
  EXPECT_TRUE(send("marketing", "+49 2"));
  EXPECT_TRUE(send("receipt", "+49 1"));
  clock_.Set(Time{sys_days{year{2026} / 3 / 5}});
  EXPECT_TRUE(send("marketing", "+49 1"));
}

TEST_F(ExamplesTest, MessagingAllowsAHundredMarketingMessagesPerDay) {
  domain_ = "messaging";
  EXPECT_EQ(CountPassing(200, {{"message_type", "marketing"}}), 100);
}

TEST_F(ExamplesTest, MessagingAllowsFiveLoginsPerMinute) {
  domain_ = "messaging";
  clock_.Set(Time{sys_days{year{2026} / 3 / 5}} + seconds{20});
  EXPECT_EQ(CountPassing(9, {{"auth_type", "login"}}), 5);
  EXPECT_EQ(verdict_.retry_after(), seconds{40});
  ExpectPassesAtRetryAfter(Take({{"auth_type", "login"}}));
  EXPECT_EQ(CountPassing(9, {{"auth_type", "token"}}), 9);
}

TEST_F(ExamplesTest, MonthlyQuotaResetsWithMonthInBerlin) {
  domain_ = "reports";
  const Entries ann = {{"customer", "ann"}};
  EXPECT_TRUE(Passes(ann, 99'999));
  EXPECT_EQ(CountPassing(5, ann), 1);
  EXPECT_EQ(verdict_.nearest()->rule->message, "this month's reports are used up");
  EXPECT_TRUE(Passes({{"customer", "bob"}}));
  // In Berlin, April begins in summer time, two hours before it begins in UTC.
  const Time april = Time{sys_days{year{2026} / 4 / 1}} - hours{2};
  EXPECT_FALSE(Passes(ann));
  EXPECT_EQ(verdict_.retry_after(), april - clock_.Now());
  ExpectPassesAtRetryAfter(Take(ann));
  EXPECT_EQ(Left(ann), 99'999);
  // November begins in winter time.
  clock_.Set(Time{sys_days{year{2026} / 10 / 20}});
  EXPECT_EQ(LookAt(ann).reset_after, Nanos{0});
  EXPECT_TRUE(Passes(ann));
  EXPECT_EQ(LookAt(ann).reset_after, days{12} - hours{1});
}

TEST_F(ExamplesTest, MonthlyQuotaDeniesRequestsWithoutCustomer) {
  domain_ = "reports";
  ASSERT_EQ(Decide({Take({{"ip", "192.0.2.1"}})}).kind(), VerdictKind::kDenied);
  EXPECT_EQ(verdict_.decided_by()->message, "say who you are");
}

TEST_F(ExamplesTest, TokensRefusesCallsUntilDebtIsPaid) {
  domain_ = "tokens";
  const Entries ann = {{"customer", "ann"}};
  EXPECT_EQ(Left(ann), 100'000);
  EXPECT_TRUE(Passes({{"customer", "ann"}, {"tokens", "70000"}}));
  EXPECT_EQ(Left(ann), 30'000);
  // This exceeds the remaining units by thirty thousand.
  EXPECT_TRUE(Passes({{"customer", "ann"}, {"tokens", "60000"}}));
  EXPECT_FALSE(Decide({Look(ann)}).allowed());
  EXPECT_EQ(verdict_.decisions()[0].decision.remaining, 0);
  EXPECT_EQ(verdict_.retry_after(), milliseconds{30'001});
  ExpectPassesAtRetryAfter(Look(ann));
  EXPECT_EQ(Left(ann), 1);
  EXPECT_TRUE(Decide({Look({{"customer", "bob"}})}).allowed());
}

TEST_F(ExamplesTest, TokensChargesCustomerInDebt) {
  domain_ = "tokens";
  // The cost exceeds a full bucket, and then comes another one.
  EXPECT_TRUE(Passes({{"customer", "ann"}, {"tokens", "160000"}}));
  EXPECT_TRUE(Passes({{"customer", "ann"}, {"tokens", "60000"}}));
  EXPECT_FALSE(Decide({Look({{"customer", "ann"}})}).allowed());
  EXPECT_EQ(verdict_.retry_after(), minutes{2} + milliseconds{1});
}

TEST_F(ExamplesTest, TokensRejectsInvalidCost) {
  domain_ = "tokens";
  EXPECT_EQ(Decide({Take({{"customer", "ann"}, {"tokens", "many"}})}).kind(),
            VerdictKind::kBadRequest);
}

}  // namespace
}  // namespace sluice::testing
