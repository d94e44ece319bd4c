// What HTTP callers are told who get no answer, or one they will not like.
#pragma once

#include <string>
#include <string_view>

#include "frontend/json_reader.h"
#include "gate/verdict.h"
#include "net/exchange.h"

namespace sluice {

// A request that cannot be answered, whatever the limits say.
struct HttpProblem {
  int status = 400;
  std::string detail;      // a sentence for a person
  std::string field = "";  // of the body at fault, or empty
};

// Makes it the reply, as application/problem+json (RFC 9457):
//
//   {"type":"about:blank","title":"Bad Request","status":400,
//    "detail":"checks[2].cost: expected a whole number, found '1.5' (byte 57).",
//    "field":"checks[2].cost"}
//
// What the reply had is gone.
void ReplyProblem(const HttpProblem& problem, HttpReply& reply);

// The same for a verdict, without its headers. REQUIRES: !verdict.allowed().
void ReplyRefusal(const Verdict& verdict, HttpReply& reply);

// Whether a request came whole; if not, the reply says so.
bool RequireWhole(const HttpRequest& request, HttpReply& reply);

// Whether its method is POST; if not, likewise.
bool RequirePost(const HttpRequest& request, HttpReply& reply);

// Whether it does not come from a page of another site that a browser shows; if not, likewise. A
// page needs no leave to send a body across sites, only to read the reply, and a check takes units.
bool RequireSameSite(const HttpRequest& request, HttpReply& reply);

// Makes what is wrong with a body the reply.
void ReplyBadBody(const JsonFault& fault, HttpReply& reply);

}  // namespace sluice
