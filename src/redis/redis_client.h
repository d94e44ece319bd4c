// RedisClient: sends commands to Redis, whether one server, Sentinel or Cluster.
#pragma once

#include "redis/redis_command.h"
#include "redis/redis_node.h"

namespace sluice {

// Thread safety: use only on its loop's thread. Destroy it while the loop is not running.
//
// Invariants
//   (1) Each accepted command is answered exactly once; a rejected command is never answered.
//   (2) A command is written a second time only after a server has replied that it did not run it.
class RedisClient {
 public:
  using Cause = RedisAnswer::Cause;

  RedisClient() = default;
  RedisClient(const RedisClient&) = delete;
  RedisClient& operator=(const RedisClient&) = delete;
  virtual ~RedisClient() = default;

  // Returns kNone if the command was accepted; its listener is notified later. Otherwise returns
  // why it was rejected, and the listener is not notified.
  [[nodiscard]] virtual Cause Send(RedisCommand& command, RedisListener& listener) = 0;
};

// A client of one server.
class RedisSingle final : public RedisClient {
 public:
  RedisSingle(const RedisParts& parts, Endpoint endpoint, const RedisNodeSettings& settings)
      : node_(parts, std::move(endpoint), settings) {}

  [[nodiscard]] Cause Send(RedisCommand& command, RedisListener& listener) override {
    return node_.Send(command, listener);
  }
  [[nodiscard]] const RedisNode& NodeForTest() const { return node_; }

 private:
  RedisNode node_;
};

}  // namespace sluice
