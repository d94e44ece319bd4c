// JsonFront: the HTTP JSON API, /v1/check and so on.
#pragma once

#include <string>
#include <string_view>

#include "frontend/caller.h"
#include "frontend/front_session.h"
#include "frontend/http/check_request.h"
#include "gate/headers.h"
#include "gate/request.h"
#include "gate/verdict.h"
#include "net/http1/exchange.h"
#include "wire/grpc/limiter_messages.h"

namespace sluice {

// Answers POST /v1/check, /v1/peek, /v1/refund and /v1/reset, one request at a time:
//
//   200  {"allowed":true,"retry_after_ms":null,"decisions":[...]}
//   429  (or the status of the rule; 403 for a deny) the same members in a problem body
//   200  [...] for `checks`, one of these for each; they are independent and take effect in order
//   400  a body that cannot be read, with the field at fault
//   401  a refund or reset by a caller without permission, if a token would give it
//   403  a refund or reset by a caller without permission, if the server has no token
//   403  a call from a page of another site
//   404  an unknown path or domain
//   405  a method other than POST
//   415  a body that is not declared as JSON
//
// Thread safety: none; one for each worker. Ownership: the session and the headers outlive it.
//
// Invariants
//   (1) A body that cannot be read to its end charges nothing, not even its first checks.
//   (2) Refunds and resets require permission, whatever their body is.
//   (3) The rate limit headers are those of a single verdict; a list has none.
class JsonFront {
 public:
  JsonFront(FrontSession& session, const HeaderOptions& headers, const LimiterBounds& bounds)
      : session_(session), headers_(headers), reader_(bounds) {}

  // REQUIRES: `path` begins with "/v1/".
  void Answer(const HttpRequest& request, std::string_view path, Caller& caller, HttpReply& reply);

 private:
  void Decide(const LimiterCheck& check, Purpose purpose, Caller& caller);
  void TellOne(HttpReply& reply);
  void TellList(Purpose purpose, Caller& caller, HttpReply& reply);

  FrontSession& session_;
  const HeaderOptions& headers_;
  CheckRequestReader reader_;
  CheckRequest request_;
  Verdict verdict_;
};

}  // namespace sluice
