// FleetKey: what one state is kept under by all nodes of a fleet.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/sip_hash.h"

namespace sluice {

// What the nodes of a fleet hash keys with. Whoever knows it can find out keys by trying.
struct FleetSecret {
  HashSeed first;
  HashSeed second;

  friend bool operator==(const FleetSecret&, const FleetSecret&) = default;
};

// 128 bits that stand for a limit and a key. They are as good as random, and nobody can choose
// them.
struct FleetKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend bool operator==(const FleetKey&, const FleetKey&) = default;
};

// The hash of the keys of one limit.
//
// Thread safety: a value.
class FleetHash {
 public:
  FleetHash() = default;
  // `id` is the limit's, the same on every node.
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

// Equal for keys of equal bytes, whatever their limit: their states are kept together.
inline std::uint32_t RouteOf(const FleetSecret& secret, std::string_view key) {
  return static_cast<std::uint32_t>(SipHash(secret.first).Finish(key));
}

}  // namespace sluice
