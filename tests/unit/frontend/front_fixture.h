// A fixture for tests that send HTTP requests to a front over a gate with rules.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "frontend/http/http_front.h"
#include "net/http1/exchange.h"
#include "unit/gate/gate_fixture.h"

namespace sluice::testing {

inline RuleSpec When(std::string attribute, std::string value, RuleSpec rule) {
  rule.match.push_back({std::move(attribute), {.texts = {std::move(value)}, .origin = {}}});
  return rule;
}
inline RuleSpec Per(std::string attribute, RuleSpec rule) {
  rule.per.push_back({{std::move(attribute)}, {}});
  return rule;
}

// One HTTP request. Headers view literals. A call of /v1/ has the content type of JSON unless its
// headers set another.
struct Call {
  std::string method = "POST";
  std::string target = "/";
  std::string body = {};
  std::vector<Header> headers = {};
  std::string peer = "127.0.0.1";
  std::string proxy = {};  // the proxy whose PROXY header named the peer; empty: none
  HttpRequest::Fault fault = HttpRequest::Fault::kNone;
  HttpRequest::Version version = HttpRequest::Version::kHttp1;
};

class CountedExchange final : public Exchange {
 public:
  void Finish() override { ++finished; }
  void Send() override {}
  int finished = 0;
};

// Peers in 10.0.0.0/8 and on this machine are trusted.
class FrontFixture : public GateFixture {
 protected:
  static Hop Judge(std::string_view address) {
    if (address.empty() || address.starts_with("127.") || address.starts_with("10.")) {
      return Hop::kTrusted;
    }
    return address.find_first_of(".:") == std::string_view::npos ? Hop::kNoAddress : Hop::kStranger;
  }

  static HttpFrontOptions Options() {
    HttpFrontOptions options;
    options.trust = Judge;
    options.callers.loopback = true;
    options.limiter = {.max_checks = 5, .max_attributes = 10};
    return options;
  }

  const HttpReply& Ask(const Call& call) { return Ask(front_, call); }
  const HttpReply& Ask(HttpFront& front, const Call& call) {
    const Peer peer{.address = call.peer, .port = 1, .uid = {}, .proxy = call.proxy};
    std::vector<Header> headers = call.headers;
    const auto is_type = [](const Header& each) { return EqualsLower(each.name, "content-type"); };
    const bool is_json = call.target.starts_with("/v1/");
    if (is_json && std::ranges::none_of(headers, is_type))
      headers.push_back({"content-type", kJson});
    exchange_.request = {.fault = call.fault,
                         .version = call.version,
                         .method = call.method,
                         .target = call.target,
                         .authority = "Shop.Test:8080",
                         .headers = headers,
                         .body = call.body,
                         .peer = &peer};
    exchange_.reply.Clear();
    exchange_.finished = 0;
    Exchange* const batch = &exchange_;
    front.Serve({&batch, 1});
    EXPECT_EQ(exchange_.finished, 1);
    return exchange_.reply;
  }

  // Returns a header of the last reply, or "none".
  [[nodiscard]] std::string Told(std::string_view name) const {
    const HeaderList& headers = exchange_.reply.headers;
    for (std::size_t i = 0; i < headers.size(); ++i) {
      if (headers[i].name == name) return std::string(headers[i].value);
    }
    return "none";
  }

  [[nodiscard]] bool Says(std::string_view part) const {
    return exchange_.reply.body.find(part) != std::string::npos;
  }

  static constexpr std::string_view kJson = "application/json";

  CountedExchange exchange_;
  FrontMeter meter_;
  HttpFront front_{gate_, RemoteAccess{}, clock_, meter_, Options()};
};

}  // namespace sluice::testing
