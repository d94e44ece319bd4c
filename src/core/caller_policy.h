// Settings for how front ends identify callers and treat unknown domains.
#pragma once

#include <cstdint>

namespace sluice {

// The header that names the client behind a trusted proxy.
enum class ClientHeader : std::uint8_t {
  kEither,         // X-Forwarded-For or Forwarded; if both are sent, they must name the same client
  kXForwardedFor,  // Forwarded is ignored, even if this header is missing
  kForwarded,
};

// The answer to a request for a domain without rules, if the protocol does not define one.
enum class UnknownDomain : std::uint8_t { kPass, kRefuse };

}  // namespace sluice
