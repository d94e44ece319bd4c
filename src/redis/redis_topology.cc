#include "redis/redis_topology.h"

#include <string>

namespace sluice {
namespace {

constexpr std::int64_t kMaxPort = 65535;

bool IsInteger(const RespNode& node, std::int64_t max) {
  return node.type == RespType::kInteger && node.integer >= 0 && node.integer <= max;
}

}  // namespace

Result<RedisTopology> RedisTopology::Read(std::span<const RespNode> reply,
                                          std::string_view asked_host) {
  RedisTopology topology;
  bool is_good = !reply.empty() && reply[0].type == RespType::kArray;
  for (std::size_t at = 1; is_good && at < reply.size(); at = reply[at].end) {
    is_good = topology.ReadRange(reply, at, asked_host);
  }
  if (!is_good) return Error{"the reply to CLUSTER SLOTS is malformed"};
  return topology;
}

// Layout: [first slot, last slot, [host, port, ...] of the primary, [...] of each replica, ...]
bool RedisTopology::ReadRange(std::span<const RespNode> nodes, std::size_t at,
                              std::string_view asked_host) {
  constexpr std::size_t kFirst = 1;
  constexpr std::size_t kLast = 2;
  constexpr std::size_t kPrimary = 3;
  constexpr std::size_t kHost = 4;
  constexpr std::size_t kPort = 5;
  if (nodes[at].type != RespType::kArray || nodes[at].end < at + kPort + 1) return false;
  const RespNode& first = nodes[at + kFirst];
  const RespNode& last = nodes[at + kLast];
  if (!IsInteger(last, kRedisSlots - 1) || !IsInteger(first, last.integer)) return false;
  if (nodes[at + kPrimary].type != RespType::kArray) return false;
  if (nodes[at + kPrimary].end < at + kPort + 1) return false;
  const std::string_view host = nodes[at + kHost].text;
  if (!IsInteger(nodes[at + kPort], kMaxPort)) return false;
  if (host == "?") return true;
  const TcpEndpoint primary{std::string(host.empty() ? asked_host : host),
                            static_cast<std::uint16_t>(nodes[at + kPort].integer)};
  const std::uint16_t index = IndexOf(primary);
  for (std::int64_t slot = first.integer; slot <= last.integer; ++slot) {
    owners_[static_cast<std::size_t>(slot)] = index;
  }
  return true;
}

std::uint16_t RedisTopology::IndexOf(const TcpEndpoint& primary) {
  for (std::size_t i = 0; i < primaries_.size(); ++i) {
    if (primaries_[i].host == primary.host && primaries_[i].port == primary.port) {
      return static_cast<std::uint16_t>(i);
    }
  }
  primaries_.push_back(primary);
  return static_cast<std::uint16_t>(primaries_.size() - 1);
}

const TcpEndpoint* RedisTopology::Find(std::uint16_t slot) const {
  const std::uint16_t owner = owners_.at(slot);
  return owner == kNobody ? nullptr : &primaries_[owner];
}

void RedisTopology::Set(std::uint16_t slot, const TcpEndpoint& primary) {
  owners_.at(slot) = IndexOf(primary);
}

}  // namespace sluice
