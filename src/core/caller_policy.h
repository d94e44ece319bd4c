// What settings say about callers of front ends.
#pragma once

#include <cstdint>

namespace sluice {

// Which header names the client of a trusted proxy.
enum class ClientHeader : std::uint8_t {
  kEither,         // X-Forwarded-For or Forwarded; where both come, they must name the same client
  kXForwardedFor,  // the other one is ignored, also where this one is missing
  kForwarded,
};

// What becomes of a request for a domain without rules, where the protocol does not say.
enum class UnknownDomain : std::uint8_t { kPass, kRefuse };

}  // namespace sluice
