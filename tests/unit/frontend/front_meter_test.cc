#include "frontend/front_meter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <string>

#include "base/text.h"
#include "unit/frontend/front_fixture.h"
#include "unit/frontend/resp/resp_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

// Returns "allowed refused bad_request unknown_domain failed / requests" of a front end.
std::string TotalsOf(const FrontMeter& meter, FrontEnd front) {
  FrontSums sums;
  meter.AddTo(sums);
  const FrontTotals& totals = sums[static_cast<std::size_t>(front)];
  std::string text;
  for (const std::uint64_t count : totals.checks) text += Concat(count, " ");
  return Concat(text, "/ ",
                std::accumulate(totals.requests.begin(), totals.requests.end(), std::uint64_t{0}));
}

TEST(FrontMeterTest, MetersEachRequestWithTheTimeOfItsBatch) {
  FrontMeters meters;
  FrontMeter& one = meters.Add();
  FrontMeter& two = meters.Add();
  one.AddRequest(FrontEnd::kRls, CheckOutcome::kAllowed);
  one.AddRequest(FrontEnd::kRls, CheckOutcome::kRefused);
  one.AddRequest(FrontEnd::kHttp, CheckOutcome::kAllowed);
  one.EndBatch(microseconds{50});
  one.EndBatch(seconds{1});  // other requests
  two.AddRequest(FrontEnd::kRls, CheckOutcome::kAllowed);
  two.EndBatch(microseconds{51});
  const FrontSums sums = meters.SumApprox();
  const FrontTotals& rls = sums[static_cast<std::size_t>(FrontEnd::kRls)];
  EXPECT_EQ(rls.requests[0], 2U);
  EXPECT_EQ(rls.requests[1], 1U);
  EXPECT_EQ(rls.nanos, 151'000U);
  EXPECT_EQ(sums[static_cast<std::size_t>(FrontEnd::kHttp)].nanos, 50'000U);
}

TEST(FrontMeterTest, CountsTimesBeyondTheBounds) {
  FrontMeter meter;
  for (const Nanos taken : {Nanos{seconds{1}}, Nanos{seconds{1}} + Nanos{1}, Nanos{-1}}) {
    meter.AddRequest(FrontEnd::kResp, CheckOutcome::kAllowed);
    meter.EndBatch(taken);
  }
  FrontSums sums;
  meter.AddTo(sums);
  const FrontTotals& resp = sums[static_cast<std::size_t>(FrontEnd::kResp)];
  EXPECT_EQ(resp.requests[0], 1U);
  EXPECT_EQ(resp.requests[kTimeBounds.size() - 1], 1U);
  EXPECT_EQ(resp.requests[kTimeBounds.size()], 1U);
  EXPECT_EQ(resp.nanos, 2'000'000'001U);
}

class HttpMeterTest : public FrontFixture {};

// HttpFront, invariant (2).
TEST_F(HttpMeterTest, CountsEveryRequestByFrontEndAndOutcome) {
  Use({Per("user", Rule("one", "1/h"))});
  const std::string check = R"({"domain":"api","attributes":{"user":"1"}})";
  Ask({.target = "/v1/check", .body = check});
  Ask({.target = "/v1/check", .body = check});
  Ask({.target = "/v1/check", .body = R"({"domain":"none","attributes":{}})"});
  Ask({.target = "/v1/check", .body = "{"});
  Ask({.method = "GET", .target = "/v1/check"});
  Ask({.target = "/v1/nothing"});
  EXPECT_EQ(TotalsOf(meter_, FrontEnd::kHttp), "1 1 3 1 0 / 6");
  Ask({.target = "/v1/check", .body = Concat(R"({"checks":[)", check, ",", check, "]}")});
  EXPECT_EQ(TotalsOf(meter_, FrontEnd::kHttp), "1 3 3 1 0 / 7");
  Ask({.target = "/json", .body = R"({"domain":"api","descriptors":[{"entries":[{"key":"a"}]}]})"});
  EXPECT_EQ(TotalsOf(meter_, FrontEnd::kHttp), "2 3 3 1 0 / 8");
}

// HttpFront, invariant (2).
TEST_F(HttpMeterTest, CountsForwardAuthAndGrpcSeparately) {
  Use({Deny("all")});
  Ask({.method = "GET", .target = "/auth/api/x"});
  Ask({.method = "GET", .target = "/auth/none/x"});
  Ask({.method = "GET", .target = "/auth/"});
  EXPECT_EQ(TotalsOf(meter_, FrontEnd::kForwardAuth), "0 1 1 1 0 / 3");
  const std::vector<Header> grpc = {{"content-type", "application/grpc"}};
  // domain "api", one descriptor with the key "a"
  const std::string message = {"\0\0\0\0\x0c\x0a\x03\x61pi\x12\x05\x0a\x03\x0a\x01\x61", 17};
  Ask({.target = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
       .body = message,
       .headers = grpc,
       .version = HttpRequest::Version::kHttp2});
  Ask({.target = "/envoy.service.ratelimit.v3.RateLimitService/Nothing",
       .headers = grpc,
       .version = HttpRequest::Version::kHttp2});
  EXPECT_EQ(TotalsOf(meter_, FrontEnd::kRls), "0 1 1 0 0 / 2");
  Ask({.target = "/sluice.v1.Limiter/Check",
       .body = "bad",
       .headers = grpc,
       .version = HttpRequest::Version::kHttp2});
  EXPECT_EQ(TotalsOf(meter_, FrontEnd::kLimiter), "0 0 1 0 0 / 1");
  Ask({.target = "/nothing"});
  Ask({.target = "/grpc.health.v1.Health/Check",
       .headers = grpc,
       .version = HttpRequest::Version::kHttp2});
  EXPECT_EQ(TotalsOf(meter_, FrontEnd::kHttp), "0 0 0 0 0 / 0");
}

class RespMeterTest : public RespFixture {};

// RespFront, invariant (3).
TEST_F(RespMeterTest, CountsChecksButNoOtherCommands) {
  Use({Rule("one", "1/h")});
  Say("PING");
  Say("CL.THROTTLE k 0 1 60");
  Say("CL.THROTTLE k 0 1 60");
  Say("CL.THROTTLE k 0 1 x");
  Say("CL.THROTTLE k");
  Say("SLUICE.CHECK api");
  Say("SLUICE.CHECK api");
  Say("SLUICE.CHECK none");
  Say("SLUICE.CHECK api odd");
  EXPECT_EQ(TotalsOf(meter_, FrontEnd::kResp), "2 2 3 1 0 / 8");
}

}  // namespace
}  // namespace sluice::testing
