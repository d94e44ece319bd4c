// ForwardAuth: proxies that ask before they pass a request on.
#pragma once

#include <string_view>

#include "core/caller_policy.h"
#include "frontend/front_session.h"
#include "frontend/front_warnings.h"
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
//   (1) A domain without rules is 200, or 403 where UnknownDomain says so.
//   (2) What cannot be understood (OriginalRequest) is 400, and charges nothing.
//   (3) A domain without rules, headers of a proxy that is not trusted, and a call without the path
//       of the original are reported as warnings.
class ForwardAuth {
 public:
  struct Options {
    TrustFunction trust;
    ClientHeader client_header = ClientHeader::kEither;
    UnknownDomain unknown_domain = UnknownDomain::kPass;
    FrontWarnings* warnings = nullptr;  // null: nobody is told
  };

  ForwardAuth(FrontSession& session, const HeaderOptions& headers, const Options& options)
      : session_(session),
        headers_(headers),
        unknown_domain_(options.unknown_domain),
        warnings_(options.warnings),
        original_(options.trust, options.client_header) {}

  // Whether a path is one of these.
  static bool IsPath(std::string_view path) { return path.starts_with(kPrefix); }

  void Answer(const HttpRequest& request, HttpReply& reply);

 private:
  static constexpr std::string_view kPrefix = "/auth/";

  void Decide(std::string_view domain, std::string_view suffix, const HttpRequest& request,
              HttpReply& reply);
  // `unknown_domain` is empty if the domain has rules or was not looked up, and `fault` if nothing
  // keeps the call from being decided.
  void Warn(std::string_view unknown_domain, std::string_view fault, const HttpRequest& request);

  FrontSession& session_;
  const HeaderOptions& headers_;
  UnknownDomain unknown_domain_;
  FrontWarnings* warnings_;
  OriginalRequest original_;
  Verdict verdict_;
};

}  // namespace sluice
