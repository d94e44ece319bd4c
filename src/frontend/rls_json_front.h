// RlsJsonFront: Envoy's rate limit service for those who speak JSON.
#pragma once

#include "frontend/caller.h"
#include "frontend/rls_front.h"
#include "frontend/rls_json.h"
#include "net/exchange.h"
#include "wire/rls_messages.h"

namespace sluice {

// Answers POST /json as envoyproxy/ratelimit does: a RateLimitRequest in, a RateLimitResponse out,
// 200 or, where the request is over a limit, 429. Whatever type the body says it has, it is read as
// JSON, because curl -d says another one; a page of another site gets 403.
//
// Thread safety: none; one for each worker. Ownership: the RlsFront outlives it.
class RlsJsonFront {
 public:
  static constexpr std::string_view kPath = "/json";

  RlsJsonFront(RlsFront& rls, const RlsBounds& bounds) : rls_(rls), reader_(bounds) {}

  void Answer(const HttpRequest& request, Caller& caller, HttpReply& reply);

 private:
  RlsFront& rls_;
  RlsJsonReader reader_;
  RlsRequest request_;
};

}  // namespace sluice
