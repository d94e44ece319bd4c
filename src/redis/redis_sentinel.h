// RedisSentinel: a client that follows the primary named by Sentinel.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/loop/endpoint.h"
#include "net/loop/event_loop.h"
#include "redis/redis_client.h"
#include "redis/redis_node.h"
#include "wire/resp/resp_value_reader.h"

namespace sluice {

struct RedisSentinelSettings {
  std::vector<TcpEndpoint> sentinels;  // REQUIRES: at least one
  std::string primary;                 // its name in the Sentinel configuration
  RedisNodeSettings sentinel;          // for connections to the sentinels
  RedisNodeSettings node;              // for the connection to the primary
  // Interval of routine queries; each wait is between half and one and a half of it.
  Nanos ask_every = std::chrono::seconds{1};
  // Backoff before a query after a failure.
  RedisPacing::Settings ask{.min = std::chrono::milliseconds{1},
                            .first = std::chrono::milliseconds{50},
                            .max = std::chrono::milliseconds{500}};
};

// Parses the reply to SENTINEL get-master-addr-by-name: [host, port], both as text. Returns none if
// the sentinel does not know the primary or the reply is malformed.
std::optional<TcpEndpoint> ReadPrimaryPlace(std::span<const RespNode> reply);

// Follows the primary from server to server. It polls the sentinels, and polls early when a
// connection is lost or a server replies that it accepts no writes. Before it sends commands to the
// server they name, it checks with ROLE that the server is a primary.
//
// Thread safety and ownership: see RedisClient.
//
// Invariants, in addition to those of RedisClient
//   (1) Commands go only to the server that a sentinel named last and that has confirmed to be a
//       primary.
//   (2) One sentinel is queried at a time. If it does not answer or does not know the primary, the
//       next one is queried.
class RedisSentinel final : public RedisClient, private RedisListener {
 public:
  RedisSentinel(const RedisParts& parts, RedisSentinelSettings settings);
  ~RedisSentinel() override;

  // Returns kNoNode until a sentinel has named the primary.
  [[nodiscard]] Cause Send(RedisCommand& command, RedisListener& listener) override;

  // Null until a sentinel has named the primary.
  [[nodiscard]] const RedisNode* PrimaryForTest() const { return primary_.get(); }

 private:
  void OnOverdue(RedisCommand& command) override;
  void OnAnswer(RedisCommand& command, const RedisAnswer& answer) override;

  void Ask();
  void AskSoon();
  void TakeName(const RedisAnswer& answer);
  void ReportUnknownPrimary(const RedisAnswer& answer);
  void Follow(const TcpEndpoint& place);

  const RedisParts parts_;
  const RedisSentinelSettings settings_;
  RedisNodeSettings node_settings_;  // for the primary; requires its role
  std::vector<std::unique_ptr<RedisNode>> sentinels_;
  std::size_t turn_ = 0;  // index of the sentinel to query next
  std::unique_ptr<RedisNode> primary_;
  LoopTimer ask_timer_;
  RedisPacing ask_pacing_;
  RedisCommand ask_;
  bool is_asking_ = false;
  bool is_ask_near_ = false;  // the timer is set for an early query
  bool is_ending_ = false;
};

}  // namespace sluice
