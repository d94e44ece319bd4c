// HttpProblem: error replies of the HTTP front ends.
#pragma once

#include <string>
#include <string_view>

#include "frontend/http/json_reader.h"
#include "gate/verdict.h"
#include "net/http1/exchange.h"

namespace sluice {

// A request that cannot be answered, whatever the limits are.
struct HttpProblem {
  int status = 400;
  std::string detail;      // a sentence for a person
  std::string field = "";  // the field of the body at fault, or empty
};

// Writes the reply as application/problem+json (RFC 9457):
//
//   {"type":"about:blank","title":"Bad Request","status":400,
//    "detail":"checks[2].cost: expected a whole number, found '1.5' (byte 57).",
//    "field":"checks[2].cost"}
//
// Discards earlier contents of the reply.
void ReplyProblem(const HttpProblem& problem, HttpReply& reply);

// Writes a refusal in that format, without rate limit headers. REQUIRES: !verdict.allowed().
void ReplyRefusal(const Verdict& verdict, HttpReply& reply);

// Returns whether the request is complete. If not, writes an error as the reply.
bool RequireWhole(const HttpRequest& request, HttpReply& reply);

// Returns whether the method is POST. If not, writes an error as the reply.
bool RequirePost(const HttpRequest& request, HttpReply& reply);

// Returns whether the request does not come from a browser page of another site; otherwise writes
// an error as the reply. A page may send a body across sites without permission and only needs it
// to read the reply, but a check takes units.
bool RequireSameSite(const HttpRequest& request, HttpReply& reply);

// Writes the fault of a body as the reply.
void ReplyBadBody(const JsonFault& fault, HttpReply& reply);

}  // namespace sluice
