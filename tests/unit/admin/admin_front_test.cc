#include "admin/admin_front.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "admin/metrics_text.h"
#include "config/settings/setting.h"
#include "core/limit/parse_limit.h"
#include "support/fake_clock.h"

namespace sluice {
namespace {

class Asked final : public Exchange {
 public:
  void Finish() override { finished = true; }
  void Send() override {}
  bool finished = false;
};

class AdminFrontTest : public ::testing::Test {
 protected:
  AdminFrontTest() {
    sources_.health = &health_;
    sources_.rules = [this] { return std::make_shared<const RuleStatus>(rules_); };
    sources_.log = &log_;
    sources_.counts = [this] { return counts_; };
    sources_.metrics = [](std::string& out) { out += "more 1\n"; };
    health_.Set(Health::State::kReady);
  }

  const HttpReply& Get(std::string_view target, std::vector<Header> headers = {},
                       std::string_view method = "GET", std::string_view body = {}) {
    asked_.request = {};
    asked_.request.method = method;
    asked_.request.body = body;
    asked_.request.target = target;
    asked_.request.authority = host_;
    asked_.request.headers = headers;
    asked_.reply.Clear();
    asked_.finished = false;
    Exchange* const batch = &asked_;
    AdminFront(sources_, options_).Serve({&batch, 1});
    EXPECT_TRUE(asked_.finished);
    return asked_.reply;
  }

  Health health_;
  testing::FakeClock clock_;
  Log log_{{.descriptor = -1}, clock_};
  RuleStatus rules_;
  RuleSums counts_;
  AdminSources sources_;
  AdminOptions options_{.token = "", .version = "1.2.3", .compiler = "gcc 12"};
  std::string_view host_;
  Asked asked_;
};

TEST_F(AdminFrontTest, ReportsReadinessFromHealth) {
  EXPECT_EQ(Get("/healthz").status, 200);
  EXPECT_EQ(Get("/readyz").status, 200);
  EXPECT_EQ(Get("/healthcheck").status, 200);
  health_.Set(Health::State::kDraining);
  EXPECT_EQ(Get("/healthz").status, 200);
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(Get("/readyz?verbose").body, "server: draining\nrules: none in force\n");
}

TEST_F(AdminFrontTest, ShowsNamesInWarningsOnlyToAuthorizedCallers) {
  sources_.warnings = [](Names names, std::string& out) {
    out +=
        names == Names::kTold ? "unknown_domain: 2 calls ('apii')\n" : "unknown_domain: 2 calls\n";
  };
  EXPECT_EQ(Get("/readyz").body, "ready\n");
  EXPECT_EQ(Get("/readyz?verbose").body,
            "server: ready\nrules: none in force\nunknown_domain: 2 calls ('apii')\n");
  options_.hosts = AdminHosts::kLocal;
  host_ = "rebound.example";
  EXPECT_TRUE(Get("/readyz?verbose").body.ends_with("2 calls\n"));
  host_ = "";
  options_.token = "secret";
  EXPECT_TRUE(Get("/readyz?verbose").body.ends_with("2 calls\n"));
  EXPECT_TRUE(
      Get("/readyz?verbose", {{"authorization", "Bearer secret"}}).body.ends_with("apii')\n"));
}

// An unauthorized client must not be able to hold a connection by sending a body slowly.
TEST_F(AdminFrontTest, ReadsBodyOnlyOfAuthorizedPutLog) {
  const auto delivery = [&](std::string_view method, std::string_view target,
                            std::vector<Header> headers = {}) {
    HttpRequest head;
    head.method = method;
    head.target = target;
    head.authority = host_;
    head.headers = headers;
    return AdminFront(sources_, options_).DeliveryFor(head);
  };
  EXPECT_EQ(delivery("PUT", "/log"), BodyDelivery::kWhole);
  EXPECT_EQ(delivery("PUT", "/log?a"), BodyDelivery::kWhole);
  EXPECT_EQ(delivery("PUT", "/healthz"), BodyDelivery::kUnread);
  EXPECT_EQ(delivery("POST", "/log"), BodyDelivery::kUnread);
  EXPECT_EQ(delivery("GET", "/log"), BodyDelivery::kUnread);
  options_.hosts = AdminHosts::kLocal;
  host_ = "rebound.example";
  EXPECT_EQ(delivery("PUT", "/log"), BodyDelivery::kUnread);
  host_ = "";
  options_.token = "secret";
  EXPECT_EQ(delivery("PUT", "/log"), BodyDelivery::kUnread);
  EXPECT_EQ(delivery("PUT", "/log", {{"authorization", "Bearer secret"}}), BodyDelivery::kWhole);
}

// Invariant (1).
TEST_F(AdminFrontTest, ServesOnlyHealthWithoutToken) {
  options_.token = "secret";
  EXPECT_EQ(Get("/log", {}, "PUT", "debug").status, 401);
  EXPECT_EQ(log_.min_level(), LogLevel::kInfo);
  for (const std::string_view path : {"/metrics", "/rules", "/settings", "/log", "/nothing"}) {
    EXPECT_EQ(Get(path).status, 401) << path;
    EXPECT_EQ(Get(path, {{"Authorization", "Bearer secreT"}}).status, 401) << path;
    EXPECT_EQ(Get(path, {{"Authorization", "Bearer secret2"}}).status, 401) << path;
  }
  EXPECT_EQ(Get("/metrics", {{"authorization", "Bearer secret"}}).status, 200);
  EXPECT_EQ(Get("/healthz").status, 200);
}

// Invariant (2).
TEST_F(AdminFrontTest, ServesOnlyHealthForForeignHost) {
  options_.hosts = AdminHosts::kLocal;
  for (const std::string_view other : {"rebound.example:9090", "localhost.example",
                                       "127.0.0.1.example", "[rebound]:1", "1.2.3:9"}) {
    host_ = other;
    EXPECT_EQ(Get("/log", {}, "PUT", "debug").status, 403) << other;
    EXPECT_EQ(Get("/settings").status, 403) << other;
    EXPECT_EQ(Get("/readyz").status, 200) << other;
  }
  EXPECT_EQ(log_.min_level(), LogLevel::kInfo);
  for (const std::string_view own :
       {"127.0.0.1:9090", "127.0.0.1", "[::1]:9090", "[::1]", "localhost:9090", "localhost", ""}) {
    host_ = own;
    EXPECT_EQ(Get("/settings").status, 200) << own;
  }
  options_.hosts = AdminHosts::kAny;
  host_ = "sluice.example:9090";
  EXPECT_EQ(Get("/settings").status, 200);
}

TEST_F(AdminFrontTest, RejectsOtherMethods) {
  EXPECT_EQ(Get("/healthz", {}, "HEAD").status, 200);
  EXPECT_EQ(Get("/healthz", {}, "POST").status, 405);
  EXPECT_EQ(Get("/rules", {}, "PUT").status, 405);
  EXPECT_EQ(Get("/log", {}, "POST", "debug").status, 405);
  EXPECT_EQ(log_.min_level(), LogLevel::kInfo);
}

TEST_F(AdminFrontTest, ChangesLogLevelAtRuntime) {
  EXPECT_EQ(Get("/log").body, "info\n");
  EXPECT_EQ(Get("/log", {}, "PUT", "debug").body, "debug\n");
  EXPECT_EQ(log_.min_level(), LogLevel::kDebug);
  EXPECT_EQ(Get("/log", {}, "PUT", "error\n").body, "error\n");
  EXPECT_EQ(log_.min_level(), LogLevel::kError);
  for (const std::string_view bad : {"", "\n", "loud", "Debug", "debug info"}) {
    EXPECT_EQ(Get("/log", {}, "PUT", bad).status, 400) << bad;
  }
  EXPECT_EQ(Get("/log").body, "error\n");
}

TEST_F(AdminFrontTest, ReportsReloadsAsMetrics) {
  rules_.loads = 3;
  rules_.failures = 2;
  rules_.failure = LoadFailure{Time{}, {"a.yaml:1:1: bad"}};
  const std::string& text = Get("/metrics").body;
  EXPECT_NE(text.find("sluice_build_info{version=\"1.2.3\",compiler=\"gcc 12\"} 1\n"),
            std::string::npos);
  EXPECT_NE(text.find("sluice_config_reloads_total{result=\"failed\"} 2\n"), std::string::npos);
  EXPECT_NE(text.find("sluice_config_last_reload_successful 0\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("more 1\n"));
}

TEST_F(AdminFrontTest, ReportsLastReloadFailure) {
  rules_.failure = LoadFailure{Time{}, {"a.yaml:1:1: \"bad\""}};
  EXPECT_EQ(Get("/rules").body,
            "{\"in_force\":null,\"failure\":{\"at\":0,\"problems\":[\"a.yaml:1:1: \\\"bad\\\"\"]},"
            "\"counts\":[]}\n");
}

// Invariant (3).
TEST_F(AdminFrontTest, LabelsCountersWithRuleNames) {
  DescriptorSpec spec;
  spec.key = "a\"b";
  spec.limit = ParseLimit("2/m", {}).value();
  DomainSpec domain;
  domain.name = "api";
  domain.descriptors.push_back(spec);
  RuleSetSpec rules;
  rules.domains.push_back(domain);
  counts_.series = std::make_shared<const RuleSeries>(*RuleSet::Make(rules), OverrideLimits());
  counts_.totals.resize(counts_.series->labels().size());
  counts_.totals[*counts_.series->Find({"api", "a\"b", ""})] = {{1, 2, 3, 4}, 5};
  counts_.totals[*counts_.series->Find({"api", "", ""})] = {{6}, 0};
  const std::string& text = Get("/metrics").body;
  const std::string labels = R"({domain="api",rule="a\"b",limit="")";
  for (const std::string& line : {
           "sluice_decisions_total" + labels + ",outcome=\"allowed\"} 1\n",
           "sluice_decisions_total" + labels + ",outcome=\"refused\"} 2\n",
           "sluice_decisions_total" + labels + ",outcome=\"shadow_refused\"} 3\n",
           "sluice_decisions_total" + labels + ",outcome=\"failed\"} 4\n",
           "sluice_units_total" + labels + "} 5\n",
           std::string(R"(sluice_decisions_total{domain="api",rule="",limit="",)") +
               "outcome=\"unmatched\"} 6\n",
       }) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  const std::string& json = Get("/rules").body;
  EXPECT_NE(json.find(R"({"domain":"api","rule":"a\"b","limit":"","allowed":1,"refused":2,)"
                      R"("shadow_refused":3,"failed":4,"fallback_allowed":0,"fallback_refused":0,)"
                      R"("units":5})"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"({"domain":"api","unmatched":6})"), std::string::npos) << json;
}

TEST_F(AdminFrontTest, ReportsOriginOfSettings) {
  const Setting& memory = AllSettings()[IndexOf("store.memory")];
  const std::vector<EffectiveSetting> effective = {{&memory, "1GiB", "--memory"}};
  sources_.settings = effective;
  EXPECT_EQ(Get("/settings").body,
            "{\"store.memory\":{\"value\":\"1GiB\",\"from\":\"--memory\"}}\n");
}

TEST(MetricsTextTest, EscapesLabelValues) {
  std::string out;
  MetricsText text(out);
  text.Begin("a_total", MetricKind::kCounter, "Help.");
  text.Sample({{"l", "x\"\\\ny"}, {"m", ""}}, -1);
  text.Sample({}, 2);
  EXPECT_EQ(out,
            "# HELP a_total Help.\n# TYPE a_total counter\n"
            "a_total{l=\"x\\\"\\\\\\ny\",m=\"\"} -1\na_total 2\n");
}

TEST(MetricsTextTest, AccumulatesHistogramBuckets) {
  std::string out;
  MetricsText text(out);
  text.Begin("t_seconds", MetricKind::kHistogram, "Help.");
  const std::vector<Nanos> bounds = {Nanos{50'000}, Nanos{2'000'000'000}};
  const std::vector<std::uint64_t> counts = {1, 0, 3};
  text.Histogram({"l", "x"}, {bounds, counts, 12'000'000'034});
  EXPECT_EQ(out,
            "# HELP t_seconds Help.\n# TYPE t_seconds histogram\n"
            "t_seconds_bucket{l=\"x\",le=\"0.00005\"} 1\n"
            "t_seconds_bucket{l=\"x\",le=\"2\"} 1\n"
            "t_seconds_bucket{l=\"x\",le=\"+Inf\"} 4\n"
            "t_seconds_sum{l=\"x\"} 12.000000034\n"
            "t_seconds_count{l=\"x\"} 4\n");
}

TEST(MetricsTextTest, WritesDurationsInSeconds) {
  std::string out;
  MetricsText text(out);
  text.Begin("s", MetricKind::kGauge, "Help.");
  out.clear();
  text.Sample({}, Nanos{1'020'000'000});
  text.Sample({}, Nanos{0});
  text.Sample({}, Nanos{-1});
  EXPECT_EQ(out, "s 1.02\ns 0\ns -0.000000001\n");
}

}  // namespace
}  // namespace sluice
