// RedisTalk: a conversation with one server of redis, question by question.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/endpoint.h"
#include "net/event_loop.h"
#include "remote/name_lookup.h"
#include "remote/redis_command.h"
#include "remote/redis_counts.h"
#include "remote/redis_jitter.h"
#include "remote/redis_node.h"
#include "sluice/clock.h"
#include "wire/resp_value_reader.h"

namespace sluice::cli {

// What conversations wait in. It outlives them.
struct TalkRoom {
  TalkRoom(Clock& time, std::uint64_t seed) : clock(time), jitter(seed) {}

  [[nodiscard]] RedisParts parts() { return {{loop, clock}, names, counts, jitter}; }

  EventLoop loop;
  Clock& clock;
  NameLookup names;
  RedisCounts counts;
  RedisJitter jitter;
};

// A reply that is kept. Where the connection broke it is an error that says so.
//
// Invariants
//   (1) It has at least one node.
struct TalkReply {
  std::vector<RespNode> nodes;    // view the texts
  std::deque<std::string> texts;  // stay where they are when the reply is moved
  RedisErrorKind error = RedisErrorKind::kNone;

  [[nodiscard]] bool ok() const { return error == RedisErrorKind::kNone; }
  [[nodiscard]] std::string_view text() const { return nodes.front().text; }
  // Of a map, or of an array of names and values, as RESP2 has it: the text of the value. Empty
  // where there is none.
  [[nodiscard]] std::string_view Find(std::string_view name) const;
};

// Each call returns once there is an answer, or the server has kept quiet for too long.
//
// Thread safety: none. The breaker stays out of it: what is asked may be forbidden.
//
// Invariants
//   (1) No answer shows the password, whatever the server says.
class RedisTalk final : private RedisListener {
 public:
  // Why there is no connection.
  struct Refusal {
    RedisErrorKind error = RedisErrorKind::kNone;  // that the server refused us with
    std::string words;
  };

  // Begins to connect.
  RedisTalk(TalkRoom& room, const Endpoint& endpoint, const RedisNodeSettings& settings);
  ~RedisTalk() = default;

  // Waits until we are let in. Nothing if we are.
  [[nodiscard]] std::optional<Refusal> Open();

  TalkReply Ask(std::initializer_list<std::string_view> words);
  // As AppendRedisCommand and the calls of scripts write it.
  TalkReply AskBytes(std::string bytes);

 private:
  void OnOverdue(RedisCommand& /*command*/) override {}
  void OnAnswer(RedisCommand& command, const RedisAnswer& answer) override;

  [[nodiscard]] std::uint64_t LossesApprox() const;
  [[nodiscard]] TalkReply Lost() const;

  TalkRoom& room_;
  const std::string password_;
  const std::uint64_t losses_before_;  // connections of this room
  RedisErrorKind refusal_ = RedisErrorKind::kNone;
  RedisCommand command_;
  std::optional<TalkReply> reply_;
  RedisNode node_;
};

}  // namespace sluice::cli
