// RedisClient: redis, however many servers that is.
#pragma once

#include "remote/redis_command.h"
#include "remote/redis_node.h"

namespace sluice {

// Thread safety: that of its loop. It is freed while the loop does not run.
//
// Invariants
//   (1) Each command that was taken is answered once; one that was not taken is nobody's.
//   (2) A command is written a second time only after a server has said that it did not run it.
class RedisClient {
 public:
  using Cause = RedisAnswer::Cause;

  RedisClient() = default;
  RedisClient(const RedisClient&) = delete;
  RedisClient& operator=(const RedisClient&) = delete;
  virtual ~RedisClient() = default;

  // kNone: taken, and the listener is told of it later. Else why it was not.
  [[nodiscard]] virtual Cause Send(RedisCommand& command, RedisListener& listener) = 0;
};

// One server.
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
