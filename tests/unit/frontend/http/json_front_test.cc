#include "frontend/http/json_front.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/frontend/front_fixture.h"

namespace sluice {
namespace {

using testing::Call;
using testing::Deny;
using testing::FrontFixture;
using testing::Per;
using testing::Rule;
using testing::When;

class JsonFrontTest : public FrontFixture {
 protected:
  JsonFrontTest() { Use({Per("user", Rule("posts", "2/m")), When("user", "666", Deny("banned"))}); }

  const HttpReply& Post(const std::string& path, const std::string& body) {
    return Ask({.target = path, .body = body});
  }
  const HttpReply& Check(const std::string& user, const std::string& rest = "") {
    return Post("/v1/check",
                R"({"domain":"api","attributes":{"user":")" + user + "\"}" + rest + "}");
  }
};

TEST_F(JsonFrontTest, RepliesWithDecisionsIfAllowed) {
  const HttpReply& reply = Check("42");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body,
            R"({"allowed":true,"retry_after_ms":null,"decisions":[{"rule":"posts","name":"m",)"
            R"("allowed":true,"limit":2,"remaining":1,"retry_after_ms":null,)"
            R"("reset_after_ms":30000,"mode":"enforce","source":"memory"}]})");
  EXPECT_EQ(Told("Content-Type"), "application/json");
  EXPECT_EQ(Told("RateLimit"), R"("posts/m";r=1;t=30)");
  EXPECT_EQ(Told("RateLimit-Policy"), R"("posts/m";q=2;w=60)");
}

TEST_F(JsonFrontTest, RefusalIsProblemWithSameMembers) {
  Check("42", R"(,"cost":2)");
  const HttpReply& reply = Check("42");
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(Told("Content-Type"), "application/problem+json");
  EXPECT_EQ(Told("Retry-After"), "30");
  EXPECT_TRUE(Says(R"("status":429)")) << reply.body;
  EXPECT_TRUE(Says(R"("violated-policies":["posts/m"])")) << reply.body;
  EXPECT_TRUE(Says(R"("allowed":false,"retry_after_ms":30000,"decisions":[{"rule":"posts")"))
      << reply.body;
  EXPECT_EQ(Check("43").status, 200);
}

TEST_F(JsonFrontTest, ReportsCostThatNeverPasses) {
  EXPECT_EQ(Check("42", R"(,"cost":3)").status, 429);
  EXPECT_TRUE(Says(R"("retry_after_ms":"never")"));
  EXPECT_EQ(Told("Retry-After"), "none");
}

TEST_F(JsonFrontTest, Replies403ForDeny) {
  EXPECT_EQ(Check("666").status, 403);
  EXPECT_TRUE(Says("'banned'"));
}

TEST_F(JsonFrontTest, PeekTakesNothing) {
  const std::string body = R"({"domain":"api","attributes":{"user":"42"},"cost":2})";
  EXPECT_EQ(Post("/v1/peek", body).status, 200);
  EXPECT_EQ(Post("/v1/peek", body).status, 200);
  EXPECT_EQ(Post("/v1/check", body).status, 200);
  EXPECT_EQ(Post("/v1/peek", body).status, 429);
}

TEST_F(JsonFrontTest, RefundReturnsUnits) {
  Check("42", R"(,"cost":2)");
  EXPECT_EQ(Post("/v1/refund", R"({"domain":"api","attributes":{"user":"42"}})").status, 200);
  EXPECT_TRUE(Says(R"("remaining":1)"));
  EXPECT_EQ(Check("42").status, 200);
  EXPECT_EQ(Check("42").status, 429);
}

TEST_F(JsonFrontTest, ResetForgetsUsage) {
  Check("42", R"(,"cost":2)");
  EXPECT_EQ(Post("/v1/reset", R"({"domain":"api","attributes":{"user":"42"}})").status, 200);
  EXPECT_TRUE(Says(R"("remaining":2)"));
  EXPECT_EQ(Check("42", R"(,"cost":2)").status, 200);
}

TEST_F(JsonFrontTest, RequiresPermissionToLiftLimits) {
  const std::string body = R"({"domain":"api","attributes":{"user":"42"}})";
  Check("42", R"(,"cost":2)");
  for (const std::string path : {"/v1/refund", "/v1/reset"}) {
    EXPECT_EQ(Ask({.target = path, .body = body, .peer = "192.0.2.1"}).status, 403) << path;
    EXPECT_EQ(Told("Content-Type"), "application/problem+json");
    EXPECT_EQ(Ask({.target = path, .body = "not read", .peer = "192.0.2.1"}).status, 403) << path;
  }
  EXPECT_EQ(Check("42").status, 429);
  EXPECT_EQ(Ask({.target = "/v1/peek", .body = body, .peer = "192.0.2.1"}).status, 429);
}

TEST_F(JsonFrontTest, RepliesToListWith200AndArray) {
  const HttpReply& reply = Post("/v1/check", R"({"checks":[
      {"domain":"api","attributes":{"user":"1"},"cost":2},
      {"domain":"api","attributes":{"user":"1"}},
      {"domain":"elsewhere"},
      {"domain":"api","attributes":{"user":"666"}},
      {"domain":"api","attributes":{"user":"2"}}]})");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(Told("Content-Type"), "application/json");
  EXPECT_EQ(Told("RateLimit"), "none");
  EXPECT_TRUE(reply.body.starts_with(R"([{"allowed":true,)")) << reply.body;
  EXPECT_TRUE(
      Says(R"(]},{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded")"));
  EXPECT_TRUE(Says(R"("status":404)"));
  EXPECT_TRUE(Says(R"("status":403)"));
  EXPECT_TRUE(reply.body.ends_with(R"("source":"memory"}]}])")) << reply.body;
  EXPECT_EQ(Post("/v1/check", R"({"checks":[]})").body, "[]");
}

TEST_F(JsonFrontTest, ChargesNothingForUnreadableBody) {
  EXPECT_EQ(Post("/v1/check", R"({"checks":[{"domain":"api","attributes":{"user":"1"},"cost":2},
                                            {"domain":"api","cost":-1}]})")
                .status,
            400);
  EXPECT_EQ(Post("/v1/check", R"({"domain":"api","attributes":{"user":"1"},"cost":2} x)").status,
            400);
  EXPECT_EQ(Check("1", R"(,"cost":2)").status, 200);
}

TEST_F(JsonFrontTest, NamesFieldAtFault) {
  const HttpReply& reply = Post("/v1/check", R"({"checks":[{"domain":"api","cost":1.5}]})");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(Told("Content-Type"), "application/problem+json");
  EXPECT_EQ(reply.body,
            R"({"type":"about:blank","title":"Bad Request","status":400,"detail":)"
            R"("checks[0].cost: expected a whole number from 0 to 1000000000000000000, )"
            R"(found '1.5' (byte 34).","field":"checks[0].cost"})");
}

TEST_F(JsonFrontTest, Replies400ForEveryBadBody) {
  for (const std::string& body : std::vector<std::string>{
           "", "null", "[]", "{}", "x", "\xEF\xBB\xBF{}", R"({"domain":"api",})",
           R"({"domain":"api","domain":"api"})", R"({"domain":"api","cost":1e400})",
           R"({"domain":"api","cost":NaN})", R"({"domain":"api","cost":99999999999999999999})",
           R"({"domain":"\uD800"})", "{\"domain\":\"\xFF\"}", R"({"domain":{}})",
           R"({"domain":"api","extra":1})", R"({"domain":"api","attributes":{"user":{}}})",
           std::string(100'000, '['),
           R"({"domain":"api","attributes":)" + std::string(100'000, '{')}) {
    EXPECT_EQ(Post("/v1/check", body).status, 400) << body.substr(0, 60);
    EXPECT_TRUE(Says(R"("detail":")")) << body.substr(0, 60);
  }
}

TEST_F(JsonFrontTest, Replies404ForUnknownDomain) {
  EXPECT_EQ(Post("/v1/check", R"({"domain":"elsewhere"})").status, 404);
  EXPECT_TRUE(Says("There are no rules for this domain."));
}

TEST_F(JsonFrontTest, Replies404ForUnknownPaths) {
  for (const std::string path :
       {"/v1/", "/v1/checks", "/v1/check/", "/v1/CHECK", "/v1/reserve", "/v1/settle", "/v1/acquire",
        "/v1/renew", "/v1/release", "/v1/lease", "/v1/return"}) {
    EXPECT_EQ(Post(path, R"({"domain":"api"})").status, 404) << path;
    EXPECT_EQ(Told("Content-Type"), "application/problem+json");
  }
}

TEST_F(JsonFrontTest, Replies405ForOtherMethods) {
  for (const std::string method : {"GET", "HEAD", "PUT", "OPTIONS", "post"}) {
    EXPECT_EQ(Ask({.method = method, .target = "/v1/check"}).status, 405) << method;
    EXPECT_EQ(Told("Allow"), "POST");
  }
}

TEST_F(JsonFrontTest, Replies415ForOtherMediaTypes) {
  const std::string body = R"({"domain":"api"})";
  const auto with = [&](std::string_view type) {
    return Ask({.target = "/v1/check", .body = body, .headers = {{"Content-Type", type}}}).status;
  };
  EXPECT_EQ(with("application/json"), 200);
  EXPECT_EQ(with("Application/JSON; charset=utf-8"), 200);
  EXPECT_EQ(with("application/json ;charset=utf-8"), 200);
  EXPECT_EQ(with("application/x-www-form-urlencoded"), 415);
  EXPECT_EQ(with("application/jsonp"), 415);
  EXPECT_EQ(with("text/plain"), 415);
  EXPECT_EQ(with(""), 415) << "a web page can send a body without a type";
  EXPECT_TRUE(Says("found none"));
}

// A page may send a request without permission. Its units are taken even if it cannot read the
// reply.
TEST_F(JsonFrontTest, RefusesPagesOfOtherSites) {
  const auto with = [&](std::vector<Header> headers) {
    return Ask({.target = "/v1/peek", .body = R"({"domain":"api"})", .headers = std::move(headers)})
        .status;
  };
  EXPECT_EQ(with({{"Origin", "http://evil.test"}}), 403);
  EXPECT_TRUE(Says("Pages of other sites"));
  EXPECT_EQ(with({{"Origin", "null"}}), 403);
  EXPECT_EQ(with({{"Origin", "http://shop.test"}}), 403) << "another port";
  EXPECT_EQ(with({{"Sec-Fetch-Site", "cross-site"}}), 403);
  EXPECT_EQ(with({{"Sec-Fetch-Site", "same-site"}, {"Origin", "http://shop.test:8080"}}), 403);
  EXPECT_EQ(with({{"Origin", "http://shop.test:8080"}}), 200);
  EXPECT_EQ(with({{"Sec-Fetch-Site", "same-origin"}, {"Origin", "http://behind.a.proxy"}}), 200);
  EXPECT_EQ(with({{"Sec-Fetch-Site", "none"}}), 200);
}

TEST_F(JsonFrontTest, RejectsRequestsThatAreTooLarge) {
  EXPECT_EQ(Ask({.target = "/v1/check", .fault = HttpRequest::Fault::kBodyTooLarge}).status, 413);
  EXPECT_EQ(Ask({.target = "/v1/check", .fault = HttpRequest::Fault::kHeadTooLarge}).status, 431);
}

TEST_F(JsonFrontTest, IgnoresQuery) {
  EXPECT_EQ(Post("/v1/check?pretty", R"({"domain":"api"})").status, 200);
}

}  // namespace
}  // namespace sluice
