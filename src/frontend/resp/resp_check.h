// RespCheck: SLUICE.CHECK, which decides a request by rules.
#pragma once

#include <vector>

#include "frontend/front_session.h"
#include "gate/request.h"
#include "gate/verdict.h"
#include "net/resp/resp_service.h"

namespace sluice {

// SLUICE.CHECK domain [COST n] [PEEK] key value ...: the options come before the attributes.
//
// Replies allowed (0 or 1), limit, remaining, retry_after_ms, reset_after_ms, rule, wait_ms; in
// RESP3 a map of these names. The numbers belong to the limit nearest to refusal. If no limit
// applies, limit and remaining are -1 and the rule is the one that allowed or denied the request,
// or null.
//
// Thread safety: none; one for each worker. Ownership: the session outlives it.
//
// Rounding: milliseconds round up. retry_after_ms is 0 when allowed and -1 when no wait helps.
class RespCheck {
 public:
  explicit RespCheck(FrontSession& session) : session_(session) {}

  // REQUIRES: 2 or more arguments.
  void Answer(RespExchange& exchange);

 private:
  // Fills set_ from the arguments. Returns false if it has written an error.
  bool Read(RespExchange& exchange);
  void Tell(RespExchange& exchange) const;

  FrontSession& session_;
  std::vector<Attribute> attributes_;
  AttributeSet set_;
  Verdict verdict_;
};

}  // namespace sluice
