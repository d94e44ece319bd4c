// FrontSession with front ends whose verdicts arrive later.
#include "frontend/front_session.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/http/http_front.h"
#include "frontend/resp/resp_front.h"
#include "net/resp/resp_session.h"
#include "support/stepped_remote.h"
#include "unit/frontend/front_fixture.h"

namespace sluice::testing {
namespace {

class FrontSessionTest : public ::testing::Test {
 protected:
  void Use(std::vector<RuleSpec> rules) {
    DomainSpec domain;
    domain.name = "api";
    domain.rules = std::move(rules);
    RuleSetSpec spec;
    spec.domains.push_back(std::move(domain));
    ASSERT_TRUE(gate_.Use(RuleSet::Make(std::move(spec))).ok());
  }

  // Serves a request whose bytes are freed when this returns.
  CountedExchange& Post(const std::string& target, const std::string& body) {
    CountedExchange& exchange = exchanges_.emplace_back();
    auto bytes = std::make_unique<std::string>(body);
    auto path = std::make_unique<std::string>(target);
    const std::vector<Header> headers{{"content-type", "application/json"}};
    exchange.request = {.method = "POST",
                        .target = *path,
                        .authority = "a",
                        .headers = headers,
                        .body = *bytes,
                        .peer = &peer_};
    Exchange* const batch = &exchange;
    front_.Serve({&batch, 1});
    *bytes = std::string(body.size(), '?');
    *path = std::string(target.size(), '?');
    return exchange;
  }

  HttpFrontOptions Options() {
    HttpFrontOptions options;
    options.callers.loopback = true;
    options.callers.audit = &audit_;
    options.trust = [](std::string_view) { return Hop::kTrusted; };
    return options;
  }

  static constexpr const char* kCheck = R"({"domain":"api","attributes":{"user":"42"}})";

  FakeClock clock_{Time{std::chrono::seconds{1'700'000'000}}};
  std::unique_ptr<MemoryStore> store_ = MemoryStore::Create({.seed = {1, 2}}).value();
  SteppedLimits limits_;
  SteppedRemote remote_{clock_};
  Gate gate_{*store_, clock_, &limits_};
  AuditLog audit_{clock_, [](std::string_view) {}};
  const RemoteAccess way_{.remote = &remote_, .timeout = std::chrono::milliseconds{5}};
  FrontMeters meters_;
  Peer peer_{"127.0.0.1", 4711, {}};
  HttpFront front_{gate_, way_, clock_, meters_.Add(), Options()};
  std::deque<CountedExchange> exchanges_;
};

TEST_F(FrontSessionTest, FinishesReplyWhenVerdictArrives) {
  Use({Per("user", Rule("a", "1/m"))});
  CountedExchange& first = Post("/v1/check", kCheck);
  EXPECT_EQ(first.finished, 0);
  remote_.Answer();
  EXPECT_EQ(first.finished, 1);
  EXPECT_EQ(first.reply.status, 200);
  EXPECT_NE(first.reply.body.find(R"("source":"redis")"), std::string::npos) << first.reply.body;
  CountedExchange& second = Post("/v1/check", kCheck);
  remote_.Answer();
  EXPECT_EQ(second.reply.status, 429);
}

// Invariant (1).
TEST_F(FrontSessionTest, RequestsListTogetherAndDecidesItOnce) {
  RuleSpec near = When("kind", "near", Rule("near", "10/m"));
  near.consistency = Consistency::kLocal;
  Use({near, When("kind", "far", Rule("far", "10/m"))});
  const std::string near_check = R"({"domain":"api","attributes":{"kind":"near"}})";
  const std::string far_check = R"({"domain":"api","attributes":{"kind":"far"}})";
  CountedExchange& exchange = Post("/v1/check", Concat(R"({"checks":[)", near_check, ",", far_check,
                                                       ",", near_check, ",", far_check, "]}"));
  EXPECT_EQ(exchange.finished, 0);
  ASSERT_EQ(remote_.waiting(), 2U);
  remote_.Answer();
  EXPECT_EQ(exchange.finished, 0);
  remote_.Answer();
  ASSERT_EQ(exchange.finished, 1);
  std::vector<std::string> remaining;
  const std::string& body = exchange.reply.body;
  for (std::size_t at = 0; (at = body.find("\"remaining\":", at)) != std::string::npos;) {
    at += 12;
    remaining.push_back(body.substr(at, 1));
  }
  EXPECT_EQ(remaining, (std::vector<std::string>{"9", "9", "8", "8"})) << body;
}

TEST_F(FrontSessionTest, KeepsManyRequestsPending) {
  Use({Rule("a", "100/m")});
  std::vector<CountedExchange*> all;
  for (int i = 0; i < 20; ++i) all.push_back(&Post("/v1/check", kCheck));
  EXPECT_EQ(remote_.waiting(), 20U);
  while (remote_.waiting() > 0) remote_.Answer();
  for (const CountedExchange* each : all) {
    EXPECT_EQ(each->finished, 1);
    EXPECT_EQ(each->reply.status, 200);
  }
  const FrontTotals totals = meters_.SumApprox()[static_cast<std::size_t>(FrontEnd::kHttp)];
  EXPECT_EQ(totals.checks[static_cast<std::size_t>(CheckOutcome::kAllowed)], 20U);
}

TEST_F(FrontSessionTest, ReportsFallbackInReply) {
  Use({Rule("a", "1/m")});
  CountedExchange& exchange = Post("/v1/check", kCheck);
  remote_.PassDeadline();
  ASSERT_EQ(exchange.finished, 1);
  EXPECT_NE(exchange.reply.body.find(R"("source":"fallback")"), std::string::npos);
  remote_.Answer();
  EXPECT_EQ(exchange.finished, 1);
}

TEST_F(FrontSessionTest, AuditsPendingResetOnce) {
  Use({Rule("a", "1/m")});
  CountedExchange& exchange = Post("/v1/reset", kCheck);
  EXPECT_EQ(exchange.finished, 0);
  while (remote_.waiting() > 0) remote_.Answer();
  EXPECT_EQ(exchange.finished, 1);
  EXPECT_EQ(exchange.reply.status, 200);
  EXPECT_EQ(audit_.count(), 1U);
}

TEST_F(FrontSessionTest, ForwardAuthWaitsForVerdict) {
  Use({Rule("a", "1/m")});
  CountedExchange& first = Post("/auth/api/", "");
  CountedExchange& second = Post("/auth/api/", "");
  remote_.Answer();
  remote_.Answer();
  EXPECT_EQ(first.reply.status, 200);
  EXPECT_EQ(second.reply.status, 429);
}

TEST_F(FrontSessionTest, KeepsOrderOfRespReplies) {
  Use({Rule("a", "1/m")});
  Callers callers;
  RespClientIds ids;
  RespFront front({gate_, way_, callers, ids, "1.2.3", clock_, meters_.Add()});
  RespSession resp(front, peer_, {});
  const std::string check = "*4\r\n$12\r\nSLUICE.CHECK\r\n$3\r\napi\r\n$4\r\nuser\r\n$2\r\n42\r\n";
  const std::string bytes = Concat(check, "*1\r\n$4\r\nPING\r\n", check);
  EXPECT_EQ(resp.Receive(bytes), bytes.size());
  EXPECT_EQ(resp.output, "");
  remote_.Answer();
  remote_.Answer();
  EXPECT_TRUE(resp.output.starts_with("*7\r\n:1\r\n")) << resp.output;
  EXPECT_NE(resp.output.find("+PONG\r\n*7\r\n:0\r\n"), std::string::npos) << resp.output;
}

TEST_F(FrontSessionTest, CountsMemoryOfPendingRespTransaction) {
  Use({Per("user", Rule("a", "1/m"))});
  Callers callers;
  RespClientIds ids;
  RespFront front({gate_, way_, callers, ids, "1.2.3", clock_, meters_.Add()});
  RespSession resp(front, peer_, {});
  constexpr std::size_t kUserBytes = 20'000;
  const std::string check = Concat("*4\r\n$12\r\nSLUICE.CHECK\r\n$3\r\napi\r\n$4\r\nuser\r\n$",
                                   kUserBytes, "\r\n", std::string(kUserBytes, 'u'), "\r\n");
  resp.Receive(Concat("*1\r\n$5\r\nMULTI\r\n", check, "*1\r\n$4\r\nPING\r\n", check,
                      "*1\r\n$4\r\nEXEC\r\n"));
  ASSERT_EQ(remote_.waiting(), 2U);
  const std::size_t kept = resp.kept_bytes();
  EXPECT_GE(kept, 4 * kUserBytes) << "the queue, and a copy of each check that waits";
  remote_.Answer();
  EXPECT_LE(resp.kept_bytes(), kept - kUserBytes * 9 / 10) << "a reply is short";
  EXPECT_GE(resp.kept_bytes(), 3 * kUserBytes);
  remote_.Answer();
  EXPECT_LT(resp.kept_bytes(), kUserBytes);
  EXPECT_NE(resp.output.find("*3\r\n*7\r\n:1\r\n"), std::string::npos) << resp.output;
}

}  // namespace
}  // namespace sluice::testing
