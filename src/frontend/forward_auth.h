// ForwardAuth: proxies that ask before they pass a request on.
#pragma once

#include <string_view>

#include "frontend/front_session.h"
#include "frontend/original_request.h"
#include "gate/headers.h"
#include "gate/verdict.h"
#include "net/exchange.h"

namespace sluice {

// Answers ANY /auth/DOMAIN[/...] for nginx's auth_request, Traefik's forwardAuth, Caddy's
// forward_auth and Envoy's ext_authz over HTTP: exactly 200 with the headers of the verdict, or the
// refusal, which the proxy passes on to the client.
//
// nginx knows no refusal but 401 and 403. With ?deny=403 on a call without a path after its domain
// every refusal is 403, and X-RateLimit-Status says what it would have been. Where there is such a
// path the query is the client's.
//
// Thread safety: none; one for each worker. Ownership: what it is made of outlives it.
//
// Invariants
//   (1) A domain without rules is 200.
//   (2) What cannot be understood (OriginalRequest) is 400, and charges nothing.
class ForwardAuth {
 public:
  ForwardAuth(FrontSession& session, const HeaderOptions& headers, TrustFunction trust)
      : session_(session), headers_(headers), original_(std::move(trust)) {}

  // Whether a path is one of these.
  static bool IsPath(std::string_view path) { return path.starts_with(kPrefix); }

  void Answer(const HttpRequest& request, HttpReply& reply);

 private:
  static constexpr std::string_view kPrefix = "/auth/";

  void Decide(std::string_view domain, std::string_view suffix, const HttpRequest& request,
              HttpReply& reply);

  FrontSession& session_;
  const HeaderOptions& headers_;
  OriginalRequest original_;
  Verdict verdict_;
};

}  // namespace sluice
