// RedisTopology: which node of a cluster serves which slot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "net/endpoint.h"
#include "remote/redis_slot.h"
#include "sluice/result.h"
#include "wire/resp_value_reader.h"

namespace sluice {

// Thread safety: none.
//
// Invariants
//   (1) A slot has one primary or none.
class RedisTopology {
 public:
  // Nobody serves anything.
  RedisTopology() { owners_.fill(kNobody); }

  // Reads the reply to CLUSTER SLOTS. Where it names no host, it is that of the node which was
  // asked; primaries whose host is not known are left out, with their slots.
  static Result<RedisTopology> Read(std::span<const RespNode> reply, std::string_view asked_host);

  // Null: nobody.
  [[nodiscard]] const TcpEndpoint* Find(std::uint16_t slot) const;
  void Set(std::uint16_t slot, const TcpEndpoint& primary);

  // Those that serve a slot, or did before Set.
  [[nodiscard]] const std::vector<TcpEndpoint>& primaries() const { return primaries_; }

 private:
  static constexpr std::uint16_t kNobody = 0xFFFF;

  std::uint16_t IndexOf(const TcpEndpoint& primary);
  // One range; false if it is malformed.
  bool ReadRange(std::span<const RespNode> nodes, std::size_t at, std::string_view asked_host);

  std::vector<TcpEndpoint> primaries_;
  std::array<std::uint16_t, kRedisSlots> owners_;  // indexes of primaries_
};

}  // namespace sluice
