// BlockingRedisClient: a blocking client for one Redis server, for the checks of the doctor.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/loop/endpoint.h"
#include "net/loop/event_loop.h"
#include "redis/name_lookup.h"
#include "redis/redis_command.h"
#include "redis/redis_counts.h"
#include "redis/redis_jitter.h"
#include "redis/redis_node.h"
#include "sluice/clock.h"
#include "wire/resp/resp_value_reader.h"

namespace sluice::cli {

// The event loop and other objects that clients share. Must outlive them.
struct RedisClientContext {
  RedisClientContext(Clock& time, std::uint64_t seed) : clock(time), jitter(seed) {}

  [[nodiscard]] RedisParts parts() { return {{loop, clock}, names, counts, jitter}; }

  EventLoop loop;
  Clock& clock;
  NameLookup names;
  RedisCounts counts;
  RedisJitter jitter;
};

// A reply that owns its data. If the connection is lost, it is an error that says so.
//
// Invariants
//   (1) It has at least one node.
struct BlockingReply {
  std::vector<RespNode> nodes;    // view `texts`
  std::deque<std::string> texts;  // a deque, so that they do not move with the reply
  RedisErrorKind error = RedisErrorKind::kNone;

  [[nodiscard]] bool ok() const { return error == RedisErrorKind::kNone; }
  [[nodiscard]] std::string_view text() const { return nodes.front().text; }
  // Returns the value of a name in a map, or in an array of names and values (RESP2); an empty text
  // if there is none.
  [[nodiscard]] std::string_view Find(std::string_view name) const;
};

// Every call blocks until there is a reply or the server has been silent for too long. The circuit
// breaker is disabled, because errors such as NOPERM are expected here.
//
// Thread safety: none.
//
// Invariants
//   (1) No reply contains the password, whatever the server sends.
class BlockingRedisClient final : private RedisListener {
 public:
  // Why the connection failed.
  struct Refusal {
    RedisErrorKind error = RedisErrorKind::kNone;  // error with which the server refused the login
    std::string words;
  };

  // Starts to connect.
  BlockingRedisClient(RedisClientContext& room, const Endpoint& endpoint,
                      const RedisNodeSettings& settings);
  ~BlockingRedisClient() = default;

  // Blocks until the client is logged in. Returns nothing on success.
  [[nodiscard]] std::optional<Refusal> Open();

  BlockingReply Ask(std::initializer_list<std::string_view> words);
  // Sends a command encoded by AppendRedisCommand or a script call.
  BlockingReply AskBytes(std::string bytes);

 private:
  void OnOverdue(RedisCommand& /*command*/) override {}
  void OnAnswer(RedisCommand& command, const RedisAnswer& answer) override;

  [[nodiscard]] std::uint64_t LossesApprox() const;
  [[nodiscard]] BlockingReply Lost() const;

  RedisClientContext& room_;
  const std::string password_;
  const std::uint64_t losses_before_;  // failed and lost connections before this client
  RedisErrorKind refusal_ = RedisErrorKind::kNone;
  RedisCommand command_;
  std::optional<BlockingReply> reply_;
  RedisNode node_;
};

}  // namespace sluice::cli
