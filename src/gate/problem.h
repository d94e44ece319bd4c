// The HTTP response to a request that is not allowed: its status and the problem body.
#pragma once

#include <string>
#include <string_view>

#include "gate/verdict.h"

namespace sluice {

inline constexpr std::string_view kProblemMediaType = "application/problem+json";

// Returns the HTTP status of a verdict: 200 if allowed; for a refusal the status of the rule of the
// nearest decision, else 429; 403 for a deny, 400 for a bad request, 404 for an unknown domain.
int StatusOf(const Verdict& verdict);

// Appends the problem body (RFC 9457) of a verdict that is not allowed:
//
//   {"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":...,
//    "status":429,"detail":"Rule 'posts', limit 'm': 1 asked for, 0 of 2 left; come back in 30s.",
//    "violated-policies":["posts/m"], and the members of AppendVerdictMembers}
//
// `detail` is the rule's `message` if it has one. Refusals by limits have the problem types of the
// draft of RateLimit headers: quota-exceeded or, with status 503, temporary-reduced-capacity; all
// others have about:blank. The violated policies are those that cause the refusal, by their names
// in headers.
//
// REQUIRES: !verdict.allowed().
void WriteProblem(const Verdict& verdict, std::string& out);

}  // namespace sluice
