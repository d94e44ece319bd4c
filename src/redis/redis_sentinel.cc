#include "redis/redis_sentinel.h"

#include <charconv>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace sluice {
namespace {

constexpr Nanos kAskPatience = std::chrono::milliseconds{500};

}  // namespace

std::optional<TcpEndpoint> ReadPrimaryPlace(std::span<const RespNode> reply) {
  constexpr std::size_t kNodes = 3;
  if (reply.size() != kNodes || reply[0].type != RespType::kArray) return std::nullopt;
  const std::string_view port = reply[2].text;
  TcpEndpoint place{std::string(reply[1].text), 0};
  const char* const end = port.data() + port.size();
  const auto [stop, error] = std::from_chars(port.data(), end, place.port);
  const bool is_good = error == std::errc() && stop == end && !place.host.empty();
  return is_good ? std::optional(place) : std::nullopt;
}

RedisSentinel::RedisSentinel(const RedisParts& parts, RedisSentinelSettings settings)
    : parts_(parts),
      settings_(std::move(settings)),
      node_settings_(settings_.node),
      ask_timer_(parts.scene.loop, [this] { Ask(); }),
      ask_pacing_(settings_.ask) {
  node_settings_.connection.greeting.role = RedisGreeting::Role::kPrimary;
  AppendRedisCommand({"SENTINEL", "get-master-addr-by-name", settings_.primary}, ask_.bytes);
  RedisNodeSettings sentinel_settings = settings_.sentinel;
  sentinel_settings.role = RedisServerRole::kSentinel;
  for (const TcpEndpoint& sentinel : settings_.sentinels) {
    sentinels_.push_back(std::make_unique<RedisNode>(parts_, sentinel, sentinel_settings));
  }
  Ask();
}

RedisSentinel::~RedisSentinel() {
  is_ending_ = true;
  if (primary_ != nullptr) primary_->Retire();
  for (const auto& sentinel : sentinels_) sentinel->Retire();
}

// --- commands -------------------------------------------------------------------------------

RedisSentinel::Cause RedisSentinel::Send(RedisCommand& command, RedisListener& listener) {
  if (primary_ == nullptr) return Cause::kNoNode;
  command.client_way = {.listener = &listener};
  return primary_->Send(command, *this);
}

void RedisSentinel::OnOverdue(RedisCommand& command) {
  if (command.client_way.listener != nullptr) command.client_way.listener->OnOverdue(command);
}

void RedisSentinel::OnAnswer(RedisCommand& command, const RedisAnswer& answer) {
  if (&command == &ask_) return TakeName(answer);
  const RedisErrorKind kind = answer.error.kind;
  const bool is_demoted = kind == RedisErrorKind::kReadOnly || kind == RedisErrorKind::kMasterDown;
  if (is_demoted && !is_ending_) AskSoon();
  command.client_way.listener->OnAnswer(command, answer);
}

// --- the primary ----------------------------------------------------------------------------

void RedisSentinel::AskSoon() {
  if (is_asking_ || std::exchange(is_ask_near_, true)) return;
  ask_timer_.SetAfter(ask_pacing_.Next(parts_.jitter));
}

void RedisSentinel::Ask() {
  is_ask_near_ = false;
  if (is_asking_) return;
  RedisNode& sentinel = *sentinels_[turn_ % sentinels_.size()];
  ask_.deadline = parts_.scene.clock.Now() + kAskPatience;
  ask_.client_way = {};
  is_asking_ = sentinel.Send(ask_, *this) == Cause::kNone;
  if (is_asking_) return;
  ++turn_;
  parts_.counts.refresh_failures.Add(1);
  AskSoon();
}

void RedisSentinel::TakeName(const RedisAnswer& answer) {
  is_asking_ = false;
  if (is_ending_) return;
  const std::optional<TcpEndpoint> place = ReadPrimaryPlace(answer.reply);
  if (!place) {
    ReportUnknownPrimary(answer);
    ++turn_;
    parts_.counts.refresh_failures.Add(1);
    return AskSoon();
  }
  parts_.counts.refreshes.Add(1);
  Follow(*place);
  if (is_ask_near_) return;
  // Until the named server accepts the login, the answer may be outdated, so poll often.
  if (!primary_->is_open()) return AskSoon();
  ask_pacing_.Reset();
  const Nanos half = settings_.ask_every / 2;
  ask_timer_.SetAfter(parts_.jitter.Between(half, half * 3));
}

// A sentinel that does not know the name replies null. Nodes report all other failures.
void RedisSentinel::ReportUnknownPrimary(const RedisAnswer& answer) {
  if (parts_.server_observer == nullptr || answer.outcome != RedisAnswer::Fate::kReplied ||
      answer.error.kind != RedisErrorKind::kNone) {
    return;
  }
  const std::string server = Describe(sentinels_[turn_ % sentinels_.size()]->endpoint());
  parts_.server_observer->OnFailure(
      RedisServerRole::kSentinel, server,
      Concat("the sentinel ", server, " knows no primary ", Quoted(settings_.primary)));
}

void RedisSentinel::Follow(const TcpEndpoint& place) {
  if (primary_ == nullptr) {
    primary_ = std::make_unique<RedisNode>(parts_, place, node_settings_);
    primary_->on_lost = [this](const RedisConnection::End& /*end*/) {
      if (!is_ending_) AskSoon();
    };
    return;
  }
  if (Describe(primary_->endpoint()) == Describe(place)) return;
  parts_.counts.primary_switches.Add(1);
  primary_->Move(place);
}

}  // namespace sluice
