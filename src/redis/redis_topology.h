// RedisTopology: maps the slots of a cluster to nodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "net/loop/endpoint.h"
#include "redis/redis_slot.h"
#include "sluice/result.h"
#include "wire/resp/resp_value_reader.h"

namespace sluice {

// Thread safety: none.
//
// Invariants
//   (1) A slot has one primary or none.
class RedisTopology {
 public:
  // Creates a topology in which no slot is served.
  RedisTopology() { owners_.fill(kNobody); }

  // Parses the reply to CLUSTER SLOTS. An empty host means the host of the node that was asked.
  // Primaries with an unknown host ("?") are skipped together with their slots.
  static Result<RedisTopology> Read(std::span<const RespNode> reply, std::string_view asked_host);

  // Returns the primary of the slot; null if no node serves it.
  [[nodiscard]] const TcpEndpoint* Find(std::uint16_t slot) const;
  void Set(std::uint16_t slot, const TcpEndpoint& primary);

  // Returns the primaries that serve a slot, or did so before a Set.
  [[nodiscard]] const std::vector<TcpEndpoint>& primaries() const { return primaries_; }

 private:
  static constexpr std::uint16_t kNobody = 0xFFFF;

  std::uint16_t IndexOf(const TcpEndpoint& primary);
  // Parses one slot range. Returns false if it is malformed.
  bool ReadRange(std::span<const RespNode> nodes, std::size_t at, std::string_view asked_host);

  std::vector<TcpEndpoint> primaries_;
  std::array<std::uint16_t, kRedisSlots> owners_;  // indexes into primaries_
};

}  // namespace sluice
