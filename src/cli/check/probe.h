// Probe: finds out over HTTP what an address serves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/check/credentials.h"
#include "net/loop/endpoint.h"
#include "sluice/time.h"

namespace sluice::cli {

enum class ProbeFinding : std::uint8_t {
  kNothing,  // a server that knows the domain, or one that is not ours
  kNoRules,  // a server without rules for the domain
  kAdmin,    // the admin address of a server
  kTls,      // a port that speaks TLS
};

// Peeks at the domain over HTTP. Only HTTP can tell: Envoy's protocol and forward auth pass a
// request if its domain has no rules, and clients of RESP and HTTP/2 cannot read the answer of an
// admin or TLS port.
ProbeFinding Probe(const Endpoint& server, std::string_view domain, const Credentials& shown,
                   Nanos timeout);

// "127.0.0.1:8080 has no rules for the domain 'aip', so no limit applied"
std::string NoRulesMessage(std::string_view server, std::string_view domain);

// Returns what to do about it as the end of a sentence; empty if there is nothing to do.
std::string_view AdviceFor(ProbeFinding finding);

}  // namespace sluice::cli
