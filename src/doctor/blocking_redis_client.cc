#include "doctor/blocking_redis_client.h"

#include <chrono>
#include <limits>
#include <utility>

#include "base/text.h"

namespace sluice::cli {
namespace {

// The maximum time to look up the name and connect. The connection has timeouts of its own, too.
constexpr Nanos kOpenPatience = std::chrono::seconds{10};
constexpr Nanos kLook = std::chrono::milliseconds{1};

RedisNodeSettings WithoutBreaker(RedisNodeSettings settings) {
  settings.breaker.max_failures = std::numeric_limits<std::uint32_t>::max();
  return settings;
}

BlockingReply Keep(const RedisAnswer& answer) {
  BlockingReply kept;
  kept.nodes.assign(answer.reply.begin(), answer.reply.end());
  for (RespNode& node : kept.nodes) node.text = kept.texts.emplace_back(node.text);
  kept.error = answer.error.kind;
  return kept;
}

}  // namespace

std::string_view BlockingReply::Find(std::string_view name) const {
  std::size_t at = 1;
  while (at + 1 < nodes.size()) {
    const std::size_t value = nodes[at].end;
    if (value >= nodes.size()) break;
    if (nodes[at].text == name) return nodes[value].text;
    at = nodes[value].end;
  }
  return {};
}

BlockingRedisClient::BlockingRedisClient(RedisClientContext& room, const Endpoint& endpoint,
                                         const RedisNodeSettings& settings)
    : room_(room),
      password_(settings.connection.greeting.password),
      losses_before_(LossesApprox()),
      node_(room.parts(), endpoint, WithoutBreaker(settings)) {
  node_.on_lost = [this](const RedisConnection::End& end) { refusal_ = end.error; };
}

std::uint64_t BlockingRedisClient::LossesApprox() const {
  return room_.counts.connect_failures.ReadApprox() + room_.counts.disconnects.ReadApprox();
}

std::optional<BlockingRedisClient::Refusal> BlockingRedisClient::Open() {
  const Time deadline = room_.clock.Now() + kOpenPatience;
  LoopTimer look(room_.loop, [&] {
    const bool is_decided = node_.is_open() || LossesApprox() != losses_before_;
    if (is_decided || room_.clock.Now() >= deadline) room_.loop.End();
  });
  look.SetEvery(kLook);
  room_.loop.Run();
  if (node_.is_open()) return std::nullopt;
  const std::string& words = node_.last_words();
  if (!words.empty()) return Refusal{refusal_, words};
  return Refusal{refusal_, Concat(Describe(node_.endpoint()), " could not be found in time")};
}

BlockingReply BlockingRedisClient::Lost() const {
  BlockingReply lost;
  const std::string& words = node_.last_words();
  const std::string_view told =
      lost.texts.emplace_back(Concat("the connection was lost", words.empty() ? "" : ": ", words));
  lost.nodes.push_back({.type = RespType::kError, .end = 1, .text = told});
  lost.error = RedisErrorKind::kOther;
  return lost;
}

BlockingReply BlockingRedisClient::Ask(std::initializer_list<std::string_view> words) {
  std::string bytes;
  AppendRedisCommand(words, bytes);
  return AskBytes(std::move(bytes));
}

BlockingReply BlockingRedisClient::AskBytes(std::string bytes) {
  command_ = {};
  command_.bytes = std::move(bytes);
  reply_.reset();
  if (node_.Send(command_, *this) != RedisAnswer::Cause::kNone) return Lost();
  room_.loop.Run();
  return reply_ ? *std::exchange(reply_, std::nullopt) : Lost();
}

void BlockingRedisClient::OnAnswer(RedisCommand& /*command*/, const RedisAnswer& answer) {
  if (answer.outcome == RedisAnswer::Fate::kReplied) {
    reply_ = Keep(answer);
    if (!reply_->ok()) {
      std::string& words = reply_->texts.front();
      words = Printable(HidePassword(std::move(words), password_));
      reply_->nodes.front().text = words;
    }
  }
  room_.loop.End();
}

}  // namespace sluice::cli
