// FleetKey: identifies one state for all nodes of a fleet.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/sip_hash.h"

namespace sluice {

// The secret with which the nodes of a fleet hash keys. Anyone who knows it can find keys by brute
// force.
struct FleetSecret {
  HashSeed first;
  HashSeed second;

  friend bool operator==(const FleetSecret&, const FleetSecret&) = default;
};

// 128 bits that identify a limit and a key. They are indistinguishable from random, and clients
// cannot choose them.
struct FleetKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend bool operator==(const FleetKey&, const FleetKey&) = default;
};

// Hashes the keys of one limit.
//
// Thread safety: a value.
class FleetHash {
 public:
  FleetHash() = default;
  // `id` identifies the limit and is the same on every node.
  FleetHash(const FleetSecret& secret, std::string_view id)
      : first_(secret.first), second_(secret.second) {
    first_.Absorb(id);
    second_.Absorb(id);
  }

  [[nodiscard]] FleetKey Of(std::string_view key) const {
    return {.high = first_.Finish(key), .low = second_.Finish(key)};
  }

 private:
  SipHash first_;
  SipHash second_;
};

// Returns a hash of the key alone. Equal keys get the same route whatever their limit, so that
// their states are kept together.
inline std::uint32_t RouteOf(const FleetSecret& secret, std::string_view key) {
  return static_cast<std::uint32_t>(SipHash(secret.first).Finish(key));
}

}  // namespace sluice
