// Probe: what an address turns out to be if it is asked over HTTP.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/credentials.h"
#include "net/endpoint.h"
#include "sluice/time.h"

namespace sluice::cli {

enum class ProbeFinding : std::uint8_t {
  kNothing,  // a server that knows the domain, or one that is not ours
  kNoRules,  // a server without rules for the domain
  kAdmin,    // the admin address of a server
  kTls,      // a port that speaks TLS
};

// Peeks at the domain over HTTP. Envoy's protocol and forward auth let a request pass if its domain
// has no rules, and clients of RESP and HTTP/2 cannot read what an admin or TLS port answers, so
// only HTTP tells.
ProbeFinding Probe(const Endpoint& server, std::string_view domain, const Credentials& shown,
                   Nanos timeout);

// "127.0.0.1:8080 has no rules for the domain 'aip', so no limit applied"
std::string NoRulesMessage(std::string_view server, std::string_view domain);

// Returns what to do about it, as the end of a sentence, or nothing.
std::string_view AdviceFor(ProbeFinding finding);

}  // namespace sluice::cli
