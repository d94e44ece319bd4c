#include "frontend/http/forward_auth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "unit/frontend/front_fixture.h"

namespace sluice {
namespace {

using testing::Call;
using testing::FrontFixture;
using testing::Per;
using testing::Rule;
using testing::When;

class ForwardAuthTest : public FrontFixture {
 protected:
  // Returns whether the rule "seen", which matches this value, applies to a call.
  bool Sees(const std::string& attribute, const std::string& value, const Call& call) {
    Use({When(attribute, value, Rule("seen", "1000/m"))});
    EXPECT_EQ(Ask(call).status, 200);
    return Told("RateLimit").starts_with(R"("seen/m")");
  }

  static Call Get(std::string target, std::vector<Header> headers = {}) {
    return {.method = "GET", .target = std::move(target), .headers = std::move(headers)};
  }
  // Makes a call whose target does not contain the original request.
  static Call About(std::vector<Header> headers = {}) {
    headers.push_back({"X-Forwarded-Uri", "/a"});
    return Get("/auth/api", std::move(headers));
  }
  static Call From(std::string peer, Call call) {
    call.peer = std::move(peer);
    return call;
  }
};

TEST_F(ForwardAuthTest, RepliesExactly200OrTheRefusal) {
  Use({When("path", "/v1/posts", Rule("posts", "1/m"))});
  const HttpReply& reply = Ask(Get("/auth/api/v1/posts"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "");
  EXPECT_EQ(Told("RateLimit"), R"("posts/m";r=0;t=60)");
  EXPECT_EQ(Ask(Get("/auth/api/v1/posts")).status, 429);
  EXPECT_EQ(Told("Retry-After"), "60");
  EXPECT_EQ(Told("Content-Type"), "application/problem+json");
  EXPECT_EQ(Ask(Get("/auth/api/v1/other")).status, 200);
}

TEST_F(ForwardAuthTest, AnswersEveryMethod) {
  Use({Rule("all", "1000/m")});
  for (const std::string method : {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "BREW"}) {
    EXPECT_EQ(Ask({.method = method, .target = "/auth/api/x", .body = "not json"}).status, 200);
    EXPECT_EQ(Told("RateLimit").substr(0, 7), R"("all/m")");
  }
}

TEST_F(ForwardAuthTest, NormalizesPath) {
  for (const std::string path :
       {"/v1/posts", "/v1//posts", "/v1/./posts", "/v1/%70osts", "//v1/posts", "/v1/x/../posts",
        "/v1/posts?page=2", "/../v1/posts"}) {
    EXPECT_TRUE(Sees("path", "/v1/posts", Get("/auth/api" + path))) << path;
  }
  EXPECT_FALSE(Sees("path", "/v1/posts", Get("/auth/api/v1/posts2")));
  EXPECT_TRUE(Sees("path.raw", "/v1//%70osts", Get("/auth/api/v1//%70osts?page=2")));
  EXPECT_TRUE(Sees("path", "/", Get("/auth/api/")));
}

TEST_F(ForwardAuthTest, ReadsOriginalFromHeadersOrTarget) {
  EXPECT_TRUE(Sees("path", "/a", Get("/auth/api", {{"X-Forwarded-Uri", "/a?b=c"}})));
  EXPECT_TRUE(Sees("query.b", "c", Get("/auth/api", {{"X-Forwarded-Uri", "/a?b=c"}})));
  EXPECT_TRUE(Sees("path", "/a", Get("/auth/api", {{"x-original-uri", "/a"}})));
  EXPECT_TRUE(Sees("method", "POST", About({{"X-Forwarded-Method", "POST"}})));
  EXPECT_TRUE(Sees("method", "POST", About({{"X-Original-Method", "post"}})));
  EXPECT_TRUE(Sees("method", "GET", Get("/auth/api/a")));
  EXPECT_TRUE(Sees("method", "PUT", {.method = "PUT", .target = "/auth/api/a"}));
  EXPECT_TRUE(Sees("host", "shop.test", About()));
  EXPECT_TRUE(Sees("host", "other.test", About({{"X-Forwarded-Host", "Other.test:443"}})));
  EXPECT_TRUE(Sees("host", "b.test", About({{"X-Forwarded-Host", "a.test, b.test"}})));
  EXPECT_TRUE(Sees("host", "c.test", About({{"X-Forwarded-Host", "a.test, b.test , c.test:80"}})));
  EXPECT_TRUE(Sees("host", "[::1]", About({{"X-Forwarded-Host", "[::1]"}})));
}

TEST_F(ForwardAuthTest, IgnoresProxyHeadersOfUntrustedPeers) {
  const auto from_stranger = [](Header header) {
    return From("192.0.2.1", Get("/auth/api/true", {header}));
  };
  EXPECT_TRUE(Sees("path", "/true", from_stranger({"X-Forwarded-Uri", "/false"})));
  EXPECT_TRUE(Sees("path", "/true", from_stranger({"X-Original-URI", "/false"})));
  EXPECT_TRUE(Sees("method", "GET", from_stranger({"X-Forwarded-Method", "POST"})));
  EXPECT_TRUE(Sees("host", "shop.test", from_stranger({"X-Forwarded-Host", "other.test"})));
  EXPECT_TRUE(Sees("ip", "192.0.2.1", from_stranger({"X-Forwarded-For", "198.51.100.7"})));
  EXPECT_TRUE(Sees("ip", "192.0.2.1", from_stranger({"Forwarded", "for=198.51.100.7"})));
}

TEST_F(ForwardAuthTest, RejectsAmbiguousPathAndMethod) {
  Use({Rule("all", "1000/m")});
  const std::vector<Call> ambiguous = {
      Get("/auth/api", {{"X-Forwarded-Uri", "/a"}, {"X-Original-URI", "/b"}}),
      Get("/auth/api", {{"X-Forwarded-Uri", "/a"}, {"x-forwarded-uri", "/b"}}),
      Get("/auth/api/a", {{"X-Forwarded-Uri", "/b"}}),
      About({{"X-Forwarded-Method", "GET"}, {"X-Original-Method", "POST"}}),
      Get("/auth/api/a", {{"X-Forwarded-Method", "POST"}}),
      // The last two of three values agree.
      Get("/auth/api",
          {{"X-Forwarded-Uri", "/a"}, {"X-Original-URI", "/b"}, {"X-Forwarded-Uri", "/b"}}),
      Get("/auth/api/a", {{"X-Forwarded-Uri", "/b"}, {"X-Original-URI", "/b"}}),
      About({{"X-Forwarded-Method", "GET"},
             {"X-Original-Method", "POST"},
             {"X-Forwarded-Method", "POST"}}),
  };
  for (const Call& call : ambiguous) {
    EXPECT_EQ(Ask(call).status, 400) << call.target << " " << call.headers.front().value;
    EXPECT_TRUE(Says("differ"));
  }
  EXPECT_EQ(Ask(Get("/auth/api", {{"X-Forwarded-Uri", "/a"}, {"X-Original-URI", "/a"}})).status,
            200);
  EXPECT_EQ(Ask(Get("/auth/api/a", {{"X-Forwarded-Method", "GET"}})).status, 200);
}

TEST_F(ForwardAuthTest, RejectsMalformedHost) {
  Use({Rule("all", "1000/m")});
  const auto status = [this](std::string_view host) {
    return Ask(About({{"X-Forwarded-Host", host}})).status;
  };
  for (const char* host : {"x@secret.example", "secret.example/", "secret.example:80:80",
                           "secret%2eexample", "secret.example#", "[secret.example]", "[::1"}) {
    EXPECT_EQ(status(host), 400) << host;
    EXPECT_TRUE(Says("host"));
  }
  for (const char* host : {"Secret.example:80", "secret.example.", "a_b.example", "[::1]:80"}) {
    EXPECT_EQ(status(host), 200) << host;
  }
  EXPECT_EQ(Ask(About({{"X-Forwarded-Host", "a"}, {"X-Forwarded-Host", "b"}})).status, 400);
}

TEST_F(ForwardAuthTest, RejectsParametersInAFragment) {
  Use({Rule("all", "1000/m")});
  const auto status = [this](std::string_view target) {
    return Ask(Get("/auth/api", {{"X-Forwarded-Uri", target}})).status;
  };
  for (const char* target : {"/a?b=1#&action=export", "/a?b#action=export", "/a?b=1#;c"}) {
    EXPECT_EQ(status(target), 400) << target;
    EXPECT_TRUE(Says("fragment"));
  }
  EXPECT_EQ(status("/a?b=1#top"), 200);
}

TEST_F(ForwardAuthTest, RejectsCallWithoutOriginalPath) {
  Use({Rule("all", "1/m")});
  const std::vector<Call> calls = {
      Get("/auth/api"),
      Get("/auth/api?deny=403"),
      Get("/auth/api", {{"X-Forwarded-Uri", ""}}),
      Get("/auth/api", {{"X-Forwarded-Method", "POST"}, {"X-Forwarded-Host", "a.test"}}),
      From("192.0.2.1", Get("/auth/api", {{"X-Forwarded-Uri", "/a"}})),
      From("192.0.2.1", Get("/auth/api", {{"X-Original-URI", "/a"}})),
  };
  for (const Call& call : calls) {
    const bool as_403 = call.target.ends_with("403");
    EXPECT_EQ(Ask(call).status, as_403 ? 403 : 400) << call.target;
    EXPECT_TRUE(Says("\"status\":400")) << call.target;
    EXPECT_TRUE(Says("X-Original-URI")) << call.target;
    EXPECT_EQ(Says("trusted_proxies"), call.peer == "192.0.2.1");
  }
  EXPECT_EQ(Ask(Get("/auth/api/")).status, 200);  // nothing was charged
}

TEST_F(ForwardAuthTest, FindsClientFromTheRight) {
  const auto sees = [&](const std::string& ip, std::vector<Header> headers) {
    return Sees("ip", ip, From("10.0.0.1", About(std::move(headers))));
  };
  EXPECT_TRUE(sees("10.0.0.1", {}));
  EXPECT_TRUE(sees("198.51.100.7", {{"X-Forwarded-For", "1.2.3.4, 198.51.100.7, 10.0.0.2"}}));
  EXPECT_TRUE(
      sees("198.51.100.7", {{"X-Forwarded-For", "1.2.3.4"}, {"x-forwarded-for", "198.51.100.7"}}));
  EXPECT_TRUE(sees("2001:db8::1", {{"Forwarded", "for=1.2.3.4, for=\"[2001:db8::1]:99\""}}));
  EXPECT_TRUE(sees("10.0.0.1", {{"X-Forwarded-For", "1.2.3.4, unknown"}}));
  EXPECT_TRUE(Sees("ip", "198.51.100.7", From("", About({{"X-Forwarded-For", "198.51.100.7"}}))));
}

TEST_F(ForwardAuthTest, RejectsHeadersThatNameDifferentClients) {
  const auto status = [&](std::string_view forwarded_for, std::string_view forwarded) {
    return Ask(From("10.0.0.1",
                    About({{"X-Forwarded-For", forwarded_for}, {"Forwarded", forwarded}})))
        .status;
  };
  Use({Rule("all", "1000/m")});
  // One of them is from the proxy and the other from the client, and there is no way to know which.
  EXPECT_EQ(status("198.51.100.7", "for=1.2.3.4"), 400);
  EXPECT_TRUE(Says("client_header"));
  EXPECT_EQ(status("1.2.3.4, 198.51.100.7", "for=1.2.3.4, for=198.51.100.8"), 400);
  EXPECT_EQ(status("198.51.100.7", "for=_hidden"), 400);
  EXPECT_EQ(status("unknown", "for=198.51.100.7"), 400);
  EXPECT_EQ(status("198.51.100.7", "proto=https"), 400);

  EXPECT_EQ(status("1.2.3.4, 198.51.100.7", "for=5.6.7.8, for=198.51.100.7"), 200);
  EXPECT_EQ(status("198.51.100.7, 10.0.0.2", "for=198.51.100.7"), 200);
  EXPECT_EQ(status("2001:DB8::1", "for=\"[2001:db8:0::1]:99\""), 200);
  EXPECT_EQ(status("::ffff:198.51.100.7", "for=198.51.100.7"), 200);
  // Neither counts from an untrusted peer.
  EXPECT_EQ(Ask(From("192.0.2.1", Get("/auth/api/a", {{"X-Forwarded-For", "1.2.3.4"},
                                                      {"Forwarded", "for=5.6.7.8"}})))
                .status,
            200);
}

TEST_F(ForwardAuthTest, SettingChoosesClientHeader) {
  const std::vector<Header> both = {{"X-Forwarded-For", "198.51.100.7"},
                                    {"Forwarded", "for=198.51.100.8"}};
  const auto client = [&](ClientHeader header, std::vector<Header> headers) {
    OriginalRequest original(Judge, header);
    const Peer peer{.address = "10.0.0.1", .port = 1, .uid = {}};
    HttpRequest call;
    call.method = "GET";
    call.headers = headers;
    call.peer = &peer;
    EXPECT_EQ(original.Read(call, "/a"), std::nullopt);
    for (const Attribute& each : original.attributes()) {
      if (each.name == "ip") return std::string(each.value);
    }
    return std::string("none");
  };
  EXPECT_EQ(client(ClientHeader::kXForwardedFor, both), "198.51.100.7");
  EXPECT_EQ(client(ClientHeader::kForwarded, both), "198.51.100.8");
  // The other header is no substitute, because a client may have written it.
  EXPECT_EQ(client(ClientHeader::kXForwardedFor, {both[1]}), "10.0.0.1");
  EXPECT_EQ(client(ClientHeader::kForwarded, {both[0]}), "10.0.0.1");
  EXPECT_EQ(client(ClientHeader::kEither, {both[0]}), "198.51.100.7");
  EXPECT_EQ(client(ClientHeader::kEither, {both[1]}), "198.51.100.8");
}

TEST_F(ForwardAuthTest, HasNoAddressOverUnixSocketWithoutHeaders) {
  Use({Per("ip", Rule("clients", "1/m"))});
  EXPECT_EQ(Ask(From("", Get("/auth/api/"))).status, 200);
  EXPECT_EQ(Told("RateLimit"), "none");
}

TEST_F(ForwardAuthTest, ReadsHeadersCookiesAndParametersAsAttributes) {
  const Call call =
      Get("/auth/api/a?x=1&y=a%20b+c&%7a=3&x=1&bad=%zz&flag",
          {{"X-User-Id", "42"}, {"Cookie", "sid=\"abc\"; Theme=dark"}, {"cookie", "c=d"}});
  const std::vector<Attribute> expected = {
      {"header.x-user-id", "42"}, {"cookie.sid", "abc"}, {"cookie.Theme", "dark"},
      {"cookie.c", "d"},          {"query.x", "1"},      {"query.y", "a b c"},
      {"query.z", "3"},           {"query.bad", "%zz"},  {"query.flag", ""}};
  for (const Attribute& each : expected) {
    EXPECT_TRUE(Sees(std::string(each.name), std::string(each.value), call)) << each.name;
  }
}

TEST_F(ForwardAuthTest, RejectsMoreAttributesThanTheBound) {
  Use({Per("query.user", Rule("users", "1/m"))});
  std::string target = "/auth/api/a?";
  for (int i = 0; i < 990; ++i) target += Concat("q", i, "=1&");
  EXPECT_EQ(Ask(Get(target + "user=1")).status, 200);
  EXPECT_EQ(Told("RateLimit").substr(0, 9), R"("users/m")");
  for (int i = 0; i < 10; ++i) target += Concat("r", i, "=1&");
  EXPECT_EQ(Ask(Get(target + "user=1")).status, 400);
  std::string semicolons = "/auth/api/a?user=2&x=";
  for (int i = 0; i < 998; ++i) semicolons += ";y";
  EXPECT_EQ(Ask(Get(semicolons)).status, 200);
  EXPECT_EQ(Ask(Get(semicolons + ";y")).status, 400);
}

TEST_F(ForwardAuthTest, RejectsInvalidPath) {
  Use({Rule("all", "1/m")});
  for (const std::string_view target : {"a", "http://shop.test/a", "/%zz", "/a%", "*"}) {
    EXPECT_EQ(Ask(Get("/auth/api", {{"X-Forwarded-Uri", target}})).status, 400) << target;
  }
  EXPECT_EQ(Ask(Get("/auth/api/%g0")).status, 400);
  EXPECT_EQ(Ask(Get("/auth/api/")).status, 200);  // nothing was charged
}

TEST_F(ForwardAuthTest, PassesDomainWithoutRules) {
  EXPECT_EQ(Ask(Get("/auth/elsewhere/a")).status, 200);
  Use({Rule("all", "1/m")});
  EXPECT_EQ(Ask(Get("/auth/elsewhere/")).status, 200);
  EXPECT_EQ(Ask(Get("/auth/")).status, 404);
  EXPECT_EQ(Ask(Get("/auth")).status, 404);
}

TEST_F(ForwardAuthTest, Replies403ForEveryRefusalIfAsked) {
  Use({When("path", "/a", Rule("all", "1/m"))});
  const Call call = Get("/auth/api?deny=403", {{"X-Original-URI", "/a?deny=no"}});
  EXPECT_EQ(Ask(call).status, 200);
  EXPECT_EQ(Told("X-RateLimit-Status"), "none");
  EXPECT_EQ(Ask(call).status, 403);
  EXPECT_EQ(Told("X-RateLimit-Status"), "429");
  EXPECT_EQ(Told("Retry-After"), "60");
  EXPECT_TRUE(Says(R"("status":429)"));
  EXPECT_EQ(Ask(Get("/auth/api?deny=403", {{"X-Original-URI", "b"}})).status, 403);
  EXPECT_EQ(Told("X-RateLimit-Status"), "400");
}

TEST_F(ForwardAuthTest, RejectsOtherValuesOfTheDenyOption) {
  Use({When("path", "/a", Rule("all", "1/m"))});
  for (const std::string_view value : {"401", "429", "no", ""}) {
    const std::string target = Concat("/auth/api?deny=", value);
    EXPECT_EQ(Ask(Get(target, {{"X-Original-URI", "/a"}})).status, 400) << target;
    EXPECT_TRUE(Says("Expected deny=403.")) << target;
  }
}

TEST_F(ForwardAuthTest, IgnoresDenyOptionInClientQuery) {
  Use({When("path", "/a", Rule("all", "1/m"))});
  Ask(Get("/auth/api/a?deny=403"));
  EXPECT_EQ(Ask(Get("/auth/api/a?deny=403")).status, 429);
  EXPECT_TRUE(Sees("query.deny", "no", Get("/auth/api/a?deny=no")));
}

// The 127.0.0.1 in it is a loopback address of another machine, or of a client of the proxy.
TEST_F(ForwardAuthTest, LoopbackAddressInProxyHeaderIsNotTrusted) {
  const std::vector<Header> claims = {{"X-Forwarded-For", "203.0.113.7"},
                                      {"X-Forwarded-Uri", "/other"}};
  for (const std::string proxy : {"10.0.0.1", "127.0.0.1"}) {
    Call call = From("127.0.0.1", Get("/auth/api/own", claims));
    call.proxy = proxy;
    EXPECT_TRUE(Sees("ip", "127.0.0.1", call)) << proxy;
    EXPECT_TRUE(Sees("path", "/own", call)) << proxy;
    call.peer = "10.0.0.9";
    call.target = "/auth/api";
    EXPECT_TRUE(Sees("ip", "203.0.113.7", call)) << "a trusted proxy behind another one";
    EXPECT_TRUE(Sees("path", "/other", call)) << proxy;
  }
}

TEST_F(ForwardAuthTest, IgnoresClientHeadersBehindProxyHeaderWithLoopbackAddress) {
  const Header forwarded_for = {"X-Forwarded-For", "203.0.113.7"};
  const Header forwarded = {"Forwarded", "for=203.0.113.7"};
  const std::vector<std::vector<Header>> claims = {
      {forwarded_for}, {forwarded}, {forwarded_for, forwarded}};
  const auto client = [](const Peer& peer, ClientHeader header, std::vector<Header> headers) {
    OriginalRequest original([](std::string_view) { return Hop::kTrusted; }, header);
    HttpRequest call;
    call.method = "GET";
    call.headers = std::move(headers);
    call.peer = &peer;
    EXPECT_EQ(original.Read(call, "/a"), std::nullopt);
    EXPECT_EQ(original.HasIgnoredHeaders(), !peer.proxy.empty());
    const auto attributes = original.attributes();
    const auto ip = std::ranges::find(attributes, std::string_view("ip"), &Attribute::name);
    return ip == attributes.end() ? "none" : std::string(ip->value);
  };
  for (const std::string address : {"127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"}) {
    for (const auto header :
         {ClientHeader::kEither, ClientHeader::kXForwardedFor, ClientHeader::kForwarded}) {
      for (const std::vector<Header>& each : claims) {
        Peer peer{.address = address, .port = 1, .uid = {}, .proxy = "10.0.0.1"};
        EXPECT_EQ(client(peer, header, each), address) << each.front().name;
      }
    }
  }
  const Peer proxy{.address = "127.0.0.1", .port = 1, .uid = {}};
  EXPECT_EQ(client(proxy, ClientHeader::kEither, {forwarded_for, forwarded}), "203.0.113.7");
}

}  // namespace
}  // namespace sluice
