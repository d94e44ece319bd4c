#include "admin/admin_front.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "admin/metrics_text.h"
#include "config/setting.h"

namespace sluice {
namespace {

class Asked final : public Exchange {
 public:
  void Finish() override { finished = true; }
  void Send() override {}
  bool finished = false;
};

class AdminFrontTest : public testing::Test {
 protected:
  AdminFrontTest() {
    sources_.health = &health_;
    sources_.rules = [this] { return std::make_shared<const RuleStatus>(rules_); };
    sources_.metrics = [](std::string& out) { out += "more 1\n"; };
    health_.Set(Health::State::kReady);
  }

  const HttpReply& Get(std::string_view target, std::vector<Header> headers = {},
                       std::string_view method = "GET") {
    asked_.request = {};
    asked_.request.method = method;
    asked_.request.target = target;
    asked_.request.headers = headers;
    asked_.reply.Clear();
    asked_.finished = false;
    Exchange* const batch = &asked_;
    AdminFront(sources_, options_).Serve({&batch, 1});
    EXPECT_TRUE(asked_.finished);
    return asked_.reply;
  }

  Health health_;
  RuleStatus rules_;
  AdminSources sources_;
  AdminOptions options_{"", "1.2.3"};
  Asked asked_;
};

TEST_F(AdminFrontTest, ReadinessFollowsHealth) {
  EXPECT_EQ(Get("/healthz").status, 200);
  EXPECT_EQ(Get("/readyz").status, 200);
  EXPECT_EQ(Get("/healthcheck").status, 200);
  health_.Set(Health::State::kDraining);
  EXPECT_EQ(Get("/healthz").status, 200);
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(Get("/readyz?verbose").body, "server: draining\nrules: none in force\n");
}

// Invariant (1).
TEST_F(AdminFrontTest, WithATokenNothingButHealthIsToldToWhoDoesNotShowIt) {
  options_.token = "secret";
  for (const std::string_view path : {"/metrics", "/rules", "/settings", "/nothing"}) {
    EXPECT_EQ(Get(path).status, 401) << path;
    EXPECT_EQ(Get(path, {{"Authorization", "Bearer secreT"}}).status, 401) << path;
    EXPECT_EQ(Get(path, {{"Authorization", "Bearer secret2"}}).status, 401) << path;
  }
  EXPECT_EQ(Get("/metrics", {{"authorization", "Bearer secret"}}).status, 200);
  EXPECT_EQ(Get("/healthz").status, 200);
}

TEST_F(AdminFrontTest, OnlyGetAndHead) {
  EXPECT_EQ(Get("/healthz", {}, "HEAD").status, 200);
  EXPECT_EQ(Get("/healthz", {}, "POST").status, 405);
}

TEST_F(AdminFrontTest, MetricsSayWhatBecameOfTheRules) {
  rules_.loads = 3;
  rules_.failures = 2;
  rules_.failure = LoadFailure{Time{}, {"a.yaml:1:1: bad"}};
  const std::string& text = Get("/metrics").body;
  EXPECT_NE(text.find("sluice_build_info{version=\"1.2.3\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("sluice_config_reloads_total{result=\"failed\"} 2\n"), std::string::npos);
  EXPECT_NE(text.find("sluice_config_last_reload_successful 0\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("more 1\n"));
}

TEST_F(AdminFrontTest, RulesTellOfTheLastFailure) {
  rules_.failure = LoadFailure{Time{}, {"a.yaml:1:1: \"bad\""}};
  EXPECT_EQ(
      Get("/rules").body,
      "{\"in_force\":null,\"failure\":{\"at\":0,\"problems\":[\"a.yaml:1:1: \\\"bad\\\"\"]}}\n");
}

TEST_F(AdminFrontTest, SettingsSayWhereTheyCameFrom) {
  const Setting& memory = AllSettings()[IndexOf("store.memory")];
  const std::vector<EffectiveSetting> effective = {{&memory, "1GiB", "--memory"}};
  sources_.settings = effective;
  EXPECT_EQ(Get("/settings").body,
            "{\"store.memory\":{\"value\":\"1GiB\",\"from\":\"--memory\"}}\n");
}

TEST(MetricsTextTest, ValuesOfLabelsAreEscaped) {
  std::string out;
  MetricsText text(out);
  text.Begin("a_total", MetricKind::kCounter, "Help.");
  text.Sample({{"l", "x\"\\\ny"}, {"m", ""}}, -1);
  text.Sample({}, 2);
  EXPECT_EQ(out,
            "# HELP a_total Help.\n# TYPE a_total counter\n"
            "a_total{l=\"x\\\"\\\\\\ny\",m=\"\"} -1\na_total 2\n");
}

}  // namespace
}  // namespace sluice
