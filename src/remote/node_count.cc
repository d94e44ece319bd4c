#include "remote/node_count.h"

#include <chrono>
#include <utility>

#include "remote/hex_digits.h"
#include "remote/redis_script.h"
#include "remote/redis_slot.h"

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
      // A beat that is missed is a silence.
      believed_({.lasting = settings.dead_after,
                 .silence_most = 2 * settings.every,
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
  // Else whoever finds Redis too slow would be taken for dead, and the others would take its share.
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
  const bool is_count = answer.fate == RedisAnswer::Fate::kReplied &&
                        answer.reply.front().type == RespType::kInteger &&
                        answer.reply.front().integer > 0;
  if (!is_count) return Fail();
  ++beats_answered_;
  Rest();
  heard_(believed_.Hear(answer.reply.front().integer, parts_.clock.Now()));
}

}  // namespace sluice
