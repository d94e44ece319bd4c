// RedisSentinel: the primary that sentinels name.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/endpoint.h"
#include "net/event_loop.h"
#include "remote/redis_client.h"
#include "remote/redis_node.h"
#include "wire/resp_value_reader.h"

namespace sluice {

struct RedisSentinelSettings {
  std::vector<TcpEndpoint> sentinels;  // REQUIRES: at least one
  std::string primary;                 // as they know it
  RedisNodeSettings sentinel;          // how they are reached
  RedisNodeSettings node;              // how the primary is
  // How often they are asked while all is well; half of it to half more.
  Nanos ask_every = std::chrono::seconds{1};
  // Waits before they are asked because something went wrong.
  RedisPacing::Settings ask{.least = std::chrono::milliseconds{1},
                            .first = std::chrono::milliseconds{50},
                            .most = std::chrono::milliseconds{500}};
};

// The reply to SENTINEL get-master-addr-by-name: [host, port], both texts. None where the sentinel
// knows no such primary, or says something else.
std::optional<TcpEndpoint> ReadPrimaryPlace(std::span<const RespNode> reply);

// Follows the primary from server to server. Sentinels are asked again and again, at once after a
// connection was lost and when a server says that it takes no writes. Of the server they name it is
// asked whether it is a primary, before any command is sent to it.
//
// Thread safety and ownership: as RedisClient.
//
// Invariants, beside those of RedisClient
//   (1) Commands go to a server that sentinels have named last and that has said to be a primary.
//   (2) One sentinel is asked at a time. One that does not answer, or knows no primary, is followed
//       by the next.
class RedisSentinel final : public RedisClient, private RedisListener {
 public:
  RedisSentinel(const RedisParts& parts, RedisSentinelSettings settings);
  ~RedisSentinel() override;

  // kNoNode until the primary has been named.
  [[nodiscard]] Cause Send(RedisCommand& command, RedisListener& listener) override;

  // Null until it has been named.
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
  RedisNodeSettings node_settings_;  // of a server that must be the primary
  std::vector<std::unique_ptr<RedisNode>> sentinels_;
  std::size_t turn_ = 0;  // whom is asked next
  std::unique_ptr<RedisNode> primary_;
  LoopTimer ask_timer_;
  RedisPacing ask_pacing_;
  RedisCommand ask_;
  bool is_asking_ = false;
  bool is_ask_near_ = false;  // the timer is set because something went wrong
  bool is_ending_ = false;
};

}  // namespace sluice
