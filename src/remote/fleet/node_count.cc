#include "remote/fleet/node_count.h"

#include <chrono>
#include <utility>

#include "base/hex_digits.h"
#include "redis/redis_slot.h"
#include "remote/script/redis_scripts.h"

namespace sluice {
namespace {

std::string TextOf(const NodeId& id) {
  std::string text;
  AppendHexDigits(id.high, text);
  AppendHexDigits(id.low, text);
  return text;
}

}  // namespace

NodeCount::NodeCount(const Parts& parts, NodeId id, const NodeCountSettings& settings, Heard heard)
    : parts_(parts),
      every_(settings.every),
      heard_(std::move(heard)),
      // One missed heartbeat already counts as a silence.
      believed_({.lasting = settings.dead_after,
                 .max_silence = 2 * settings.every,
                 .at_first = settings.at_first}),
      timer_(parts.loop, [this] { Beat(); }) {
  const std::string key = settings.prefix + "nodes";
  const auto dead_after = std::chrono::ceil<std::chrono::milliseconds>(settings.dead_after).count();
  AppendRedisCommand(
      {"EVALSHA", NodesScript().sha1, "1", key, TextOf(id), std::to_string(dead_after)},
      command_.bytes);
  command_.slot = SlotOf(key);
  command_.script = NodesScript().text;
  command_.reply_nodes = 1;
  // Otherwise a node that finds Redis too slow would count as dead, and the others would take over
  // its share.
  command_.passes_breaker = true;
  Beat();
}

void NodeCount::Beat() {
  if (parts_.client.Send(command_, *this) != RedisClient::Cause::kNone) Fail();
}

void NodeCount::Fail() {
  ++beats_failed_;
  Rest();
}

void NodeCount::Rest() { timer_.SetAfter(parts_.jitter.Between(every_ / 2, every_)); }

void NodeCount::OnAnswer(RedisCommand& /*command*/, const RedisAnswer& answer) {
  const bool is_count = answer.outcome == RedisAnswer::Fate::kReplied &&
                        answer.reply.front().type == RespType::kInteger &&
                        answer.reply.front().integer > 0;
  if (!is_count) return Fail();
  ++beats_answered_;
  Rest();
  heard_(believed_.OnReply(answer.reply.front().integer, parts_.clock.Now()));
}

}  // namespace sluice
