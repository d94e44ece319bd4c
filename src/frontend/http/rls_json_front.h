// RlsJsonFront: Envoy's rate limit service over JSON.
#pragma once

#include "frontend/caller.h"
#include "frontend/grpc/rls_front.h"
#include "frontend/http/rls_json.h"
#include "net/http1/exchange.h"
#include "wire/grpc/rls_messages.h"

namespace sluice {

// Answers POST /json as envoyproxy/ratelimit does: a RateLimitRequest in, a RateLimitResponse out,
// with 200, or with 429 if the request is over a limit. The body is read as JSON whatever its
// content type is, because curl -d sends another one. A page of another site gets 403.
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
