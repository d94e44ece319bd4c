// ForwardAuth: answers proxies that ask before they forward a request.
#pragma once

#include <string_view>

#include "core/caller_policy.h"
#include "frontend/front_session.h"
#include "frontend/front_warnings.h"
#include "frontend/http/original_request.h"
#include "gate/headers.h"
#include "gate/verdict.h"
#include "net/http1/exchange.h"

namespace sluice {

// Answers any method on /auth/DOMAIN[/...] for nginx's auth_request, Traefik's forwardAuth, Caddy's
// forward_auth and Envoy's ext_authz over HTTP: exactly 200 with the headers of the verdict, or the
// refusal, which the proxy returns to the client.
//
// nginx accepts only 401 and 403 as refusals. With ?deny=403, on a call without a path after its
// domain, every refusal is 403, and X-RateLimit-Status has the original status. If there is such a
// path, the query belongs to the client.
//
// Thread safety: none; one for each worker. Ownership: the session, headers and warnings outlive
// it.
//
// Invariants
//   (1) A domain without rules is 200, or 403 if UnknownDomain demands it.
//   (2) A call that is invalid (OriginalRequest) is 400 and charges nothing.
//   (3) Domains without rules, headers of a proxy that is not trusted, and calls without the path
//       of the original request are reported as warnings.
class ForwardAuth {
 public:
  struct Options {
    TrustFunction trust;
    ClientHeader client_header = ClientHeader::kEither;
    UnknownDomain unknown_domain = UnknownDomain::kPass;
    FrontWarnings* warnings = nullptr;  // null: no warnings
  };

  ForwardAuth(FrontSession& session, const HeaderOptions& headers, const Options& options)
      : session_(session),
        headers_(headers),
        unknown_domain_(options.unknown_domain),
        warnings_(options.warnings),
        original_(options.trust, options.client_header) {}

  // Whether a path is one of forward auth.
  static bool IsPath(std::string_view path) { return path.starts_with(kPrefix); }

  void Answer(const HttpRequest& request, HttpReply& reply);

 private:
  static constexpr std::string_view kPrefix = "/auth/";

  void Decide(std::string_view domain, std::string_view suffix, const HttpRequest& request,
              HttpReply& reply);
  // `unknown_domain` is empty if the domain has rules or was not looked up. `fault` is empty if the
  // call can be decided.
  void Warn(std::string_view unknown_domain, std::string_view fault, const HttpRequest& request);

  FrontSession& session_;
  const HeaderOptions& headers_;
  UnknownDomain unknown_domain_;
  FrontWarnings* warnings_;
  OriginalRequest original_;
  Verdict verdict_;
};

}  // namespace sluice
