// JsonFront: the HTTP JSON API, /v1/check and so on.
#pragma once

#include <string>
#include <string_view>

#include "frontend/caller.h"
#include "frontend/check_request.h"
#include "frontend/front_session.h"
#include "gate/headers.h"
#include "gate/request.h"
#include "gate/verdict.h"
#include "net/exchange.h"
#include "wire/limiter_messages.h"

namespace sluice {

// Answers POST /v1/check, /v1/peek, /v1/refund and /v1/reset, one request at a time:
//
//   200  {"allowed":true,"retry_after_ms":null,"decisions":[...]}
//   429  (or what the rule says, 403 for a deny) the same members in a problem body
//   200  [...] for `checks`, one of these each; they are independent and take effect in order
//   400  a body that cannot be read, with the field at fault
//   401  a refund or reset by a caller without permission, where a token would give it
//   403  the same where there is no token
//   404  a path or a domain that is not known
//   405  a method that is not POST
//   403  likewise a call by a page of another site
//   415  a body that does not say that it is JSON
//
// Thread safety: none; one for each worker. Ownership: what it is made of outlives it.
//
// Invariants
//   (1) A body that cannot be read to its end charges nothing, also not its first checks.
//   (2) Refunds and resets are for callers with leave, whatever their body.
//   (3) The headers are those of the one verdict; a list has none.
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
