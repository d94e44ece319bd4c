#include "frontend/http/rls_json_front.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/frontend/front_fixture.h"

namespace sluice {
namespace {

using testing::Descriptor;
using testing::FrontFixture;

class RlsJsonFrontTest : public FrontFixture {
 protected:
  RlsJsonFrontTest() { Use({}, {Descriptor("user", "2/m")}); }

  const HttpReply& Post(const std::string& body, const std::string& peer = "127.0.0.1") {
    return Ask({.target = "/json", .body = body, .peer = peer});
  }
  // Posts a request of one descriptor, {"user": "42"}, with more fields in it.
  const HttpReply& PostUser(const std::string& more, const std::string& peer = "127.0.0.1") {
    return Post(
        R"({"domain":"api","descriptors":[{"entries":[{"key":"user","value":"42"}])" + more + "}]}",
        peer);
  }
};

TEST_F(RlsJsonFrontTest, Replies429OverALimit) {
  const HttpReply& reply = PostUser("");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(Told("Content-Type"), "application/json");
  EXPECT_TRUE(reply.body.starts_with(
      R"({"overallCode":"OK","statuses":[{"code":"OK","currentLimit":{"requestsPerUnit":2,)"
      R"("unit":"MINUTE","name":"user"},"limitRemaining":1,"durationUntilReset":"30s"}])"))
      << reply.body;
  EXPECT_TRUE(Says(R"("responseHeadersToAdd":[{"key":"RateLimit-Policy","value":)")) << reply.body;
  PostUser("");
  EXPECT_EQ(PostUser("").status, 429);
  EXPECT_TRUE(Says(R"({"overallCode":"OVER_LIMIT","statuses":[{"code":"OVER_LIMIT")"));
  EXPECT_TRUE(Says(R"(,"rawBody":"eyJ0eXBlIjoi)"));  // {"type":"
}

TEST_F(RlsJsonFrontTest, ReadsBothSpellings) {
  EXPECT_EQ(PostUser(R"(,"hitsAddend":"3")").status, 429);
  EXPECT_EQ(PostUser(R"(,"hits_addend":3)").status, 429);
  EXPECT_EQ(Post(R"({"domain":"api","hitsAddend":3,
                     "descriptors":[{"entries":[{"key":"user","value":"42"}]}]})")
                .status,
            429);
  EXPECT_EQ(Post(R"({"hits_addend":3,"domain":"api",
                     "descriptors":[{"entries":[{"key":"user","value":"42"}]}]})")
                .status,
            429);
  EXPECT_EQ(PostUser(R"(,"hitsAddend":1,"hits_addend":1)").status, 400);
  EXPECT_TRUE(Says("duplicate field 'hits_addend'"));
}

TEST_F(RlsJsonFrontTest, TreatsNullAsUnset) {
  EXPECT_EQ(PostUser(R"(,"hitsAddend":null,"limit":null,"isNegativeHits":null)").status, 200);
  EXPECT_TRUE(Says(R"("limitRemaining":1)"));
}

TEST_F(RlsJsonFrontTest, PeeksForAddendOfZero) {
  PostUser(R"(,"hitsAddend":0)");
  PostUser(R"(,"hitsAddend":"0")");
  EXPECT_TRUE(Says(R"("limitRemaining":2)"));
  // This also holds if the request has an addend for its other descriptors.
  const std::string look = R"({"domain":"api","hitsAddend":3,
           "descriptors":[{"entries":[{"key":"user","value":"42"}],"hitsAddend":0}]})";
  EXPECT_EQ(Post(look).status, 200);
  EXPECT_TRUE(Says(R"("limitRemaining":2)"));
  PostUser(R"(,"hitsAddend":2)");
  EXPECT_EQ(Post(look).status, 429) << "a cost of nothing would pass";
}

TEST_F(RlsJsonFrontTest, IgnoresLiftsWithoutPermission) {
  EXPECT_EQ(PostUser(R"(,"hitsAddend":2)").status, 200);
  EXPECT_EQ(PostUser(R"(,"isNegativeHits":true)", "192.0.2.1").status, 200);
  EXPECT_EQ(PostUser(R"(,"limit":{"requestsPerUnit":9,"unit":"HOUR"})", "192.0.2.1").status, 429);
  EXPECT_EQ(PostUser("").status, 429);
  EXPECT_EQ(PostUser(R"(,"is_negative_hits":true)").status, 200);
  EXPECT_EQ(PostUser("").status, 200);
}

TEST_F(RlsJsonFrontTest, AppliesLimitOfDescriptor) {
  EXPECT_EQ(PostUser(R"(,"limit":{"requests_per_unit":1,"unit":3})").status, 200);
  EXPECT_TRUE(Says(R"("requestsPerUnit")"));
  EXPECT_EQ(PostUser(R"(,"limit":{"requestsPerUnit":"1","unit":"HOUR"})").status, 429);
  EXPECT_EQ(PostUser(R"(,"limit":{"requestsPerUnit":1,"unit":"FORTNIGHT"})").status, 400);
  EXPECT_EQ(PostUser(R"(,"limit":{"requestsPerUnit":1,"unit":8})").status, 400);
  EXPECT_EQ(PostUser(R"(,"limit":{"requestsPerUnit":1})").status, 400);
  EXPECT_EQ(PostUser(R"(,"limit":{"requestsPerUnit":4294967296,"unit":"DAY"})").status, 400);
  EXPECT_EQ(PostUser(R"(,"limit":{"requestsPerUnit":1,"unit":"DAY","unitMultiplier":0})").status,
            400);
}

TEST_F(RlsJsonFrontTest, PassesDomainWithoutRules) {
  EXPECT_EQ(Post(R"({"domain":"elsewhere","descriptors":[{"entries":[{"key":"a"}]}]})").body,
            R"({"overallCode":"OK","statuses":[{"code":"OK"}]})");
}

TEST_F(RlsJsonFrontTest, NamesFieldAtFault) {
  struct Case {
    std::string body;
    std::string field;
  };
  const std::vector<Case> cases = {
      {"{}", "domain"},
      {R"({"domain":"api"})", "descriptors"},
      {R"({"domain":"api","descriptors":[]})", "descriptors"},
      {R"({"domain":"api","descriptors":[{}]})", "descriptors[0].entries"},
      {R"({"domain":"api","descriptors":[{"entries":[]}]})", "descriptors[0].entries"},
      {R"({"domain":"api","descriptors":[{"entries":[{"value":"x"}]}]})",
       "descriptors[0].entries[0].key"},
      {R"({"domain":"api","descriptors":[{"entries":[{"key":1}]}]})",
       "descriptors[0].entries[0].key"},
      {R"({"domain":"api","descriptors":[null]})", "descriptors[0]"},
      {R"({"domain":"api","hitsAddend":-1})", "hitsAddend"},
      {R"({"domain":"api","hitsAddend":4294967296})", "hitsAddend"},
      {R"({"domain":"api","hitsAddend":1.5})", "hitsAddend"},
      {R"({"domain":"api","hitsAddend":"1e2"})", "hitsAddend"},
      {R"({"domain":"api","hitAddend":1})", "hitAddend"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(Post(each.body).status, 400) << each.body;
    EXPECT_TRUE(Says("\"field\":\"" + each.field + "\"")) << exchange_.reply.body;
  }
}

TEST_F(RlsJsonFrontTest, ReportsEmptyListsAsEmpty) {
  const auto says = [&](const std::string& body, std::string_view words) {
    return Post(body).body.find(words) != std::string::npos;
  };
  EXPECT_TRUE(says(R"({"domain":"api","descriptors":[]})", "expected at least one descriptor"));
  EXPECT_TRUE(
      says(R"({"domain":"api","descriptors":[{"entries":[]}]})", "expected at least one entry"));
  EXPECT_TRUE(says(R"({"domain":"api"})", "expected the key 'descriptors'"));
}

TEST_F(RlsJsonFrontTest, AcceptsAnyContentTypeButOnlyPost) {
  EXPECT_EQ(Ask({.target = "/json",
                 .body = R"({"domain":"x","descriptors":[{"entries":[{"key":"a"}]}]})",
                 .headers = {{"content-type", "application/x-www-form-urlencoded"}}})
                .status,
            200);
  EXPECT_EQ(Ask({.target = "/json",
                 .body = R"({"domain":"x","descriptors":[{"entries":[{"key":"a"}]}]})",
                 .headers = {{"Origin", "http://evil.test"}}})
                .status,
            403);
  EXPECT_EQ(Ask({.method = "GET", .target = "/json"}).status, 405);
  EXPECT_EQ(Ask({.target = "/json/"}).status, 404);
}

// The reply names the longest unit that divides the period.
TEST_F(RlsJsonFrontTest, ReportsPeriodInUnitThatDividesIt) {
  Use({}, {Descriptor("user", "3/90s")});
  PostUser("");
  EXPECT_TRUE(Says(R"("requestsPerUnit":3,"unit":"SECOND")")) << exchange_.reply.body;
  Use({}, {Descriptor("user", "3/120s")});
  PostUser("");
  EXPECT_TRUE(Says(R"("requestsPerUnit":3,"unit":"MINUTE")")) << exchange_.reply.body;
  Use({}, {Descriptor("user", "3/w")});
  PostUser("");
  EXPECT_TRUE(Says(R"("requestsPerUnit":3,"unit":"WEEK")")) << exchange_.reply.body;
}

// Envoy uses whole seconds, and a client that retries after them must pass.
TEST_F(RlsJsonFrontTest, RoundsSecondsUp) {
  Use({}, {Descriptor("user", "3/s")});
  PostUser("");
  EXPECT_TRUE(Says(R"("durationUntilReset":"1s")")) << exchange_.reply.body;
}

}  // namespace
}  // namespace sluice
