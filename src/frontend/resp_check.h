// RespCheck: SLUICE.CHECK, a request decided by rules.
#pragma once

#include <vector>

#include "frontend/front_session.h"
#include "gate/request.h"
#include "gate/verdict.h"
#include "net/resp_service.h"

namespace sluice {

// SLUICE.CHECK domain [COST n] [PEEK] key value ...: the options stand before the attributes.
//
// Replies allowed (0 or 1), limit, remaining, retry_after_ms, reset_after_ms, rule, wait_ms; in
// RESP3 a map of these names. They are those of the limit nearest to refusal. Where no limit
// applies, limit and remaining are -1 and the rule is the one that allowed or denied, or null.
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
  // Makes set_ of the arguments; false if it has said what is wrong.
  bool Read(RespExchange& exchange);
  void Tell(RespExchange& exchange) const;

  FrontSession& session_;
  std::vector<Attribute> attributes_;
  AttributeSet set_;
  Verdict verdict_;
};

}  // namespace sluice
