#include "redis/redis_node.h"

#include <algorithm>
#include <utility>

#include "base/duration.h"
#include "base/text.h"

namespace sluice {
namespace {

// Returns whether the error means that the node cannot serve any command.
bool IsUnfit(RedisErrorKind kind) {
  switch (kind) {
    case RedisErrorKind::kClusterDown:
    case RedisErrorKind::kReadOnly:
    case RedisErrorKind::kLoading:
    case RedisErrorKind::kMasterDown:
    case RedisErrorKind::kBusy:
    case RedisErrorKind::kOutOfMemory:
    case RedisErrorKind::kMisconfigured:
    case RedisErrorKind::kNoReplicas:
    case RedisErrorKind::kNoAuth:
    case RedisErrorKind::kNoPermission:
      return true;
    default:
      return false;
  }
}

// Returns whether the node refuses the login. An operator must fix that, so retries are slower.
bool IsUnwelcome(RedisErrorKind kind) {
  switch (kind) {
    case RedisErrorKind::kNoAuth:
    case RedisErrorKind::kWrongPassword:
    case RedisErrorKind::kNoPermission:
      return true;
    default:
      return false;
  }
}

// Returns whether the error is unexpected in normal operation and must be reported.
bool IsFailure(RedisErrorKind kind) {
  switch (kind) {
    case RedisErrorKind::kNone:
    case RedisErrorKind::kMoved:
    case RedisErrorKind::kAsk:
    case RedisErrorKind::kTryAgain:
    case RedisErrorKind::kNoScript:
      return false;
    default:
      return true;
  }
}

}  // namespace

RedisNode::RedisNode(const RedisParts& parts, Endpoint endpoint, const RedisNodeSettings& settings)
    : parts_(parts),
      settings_(settings),
      connection_(parts.scene, settings.connection, *this),
      reconnect_(parts.scene.loop, [this] { Connect(); }),
      pacing_(settings.reconnect),
      breaker_(settings.breaker) {
  AppendRedisCommand({"ASKING"}, asking_.bytes);
  asking_.reply_nodes = 1;
  SetEndpoint(std::move(endpoint));
  Connect();
}

RedisNode::~RedisNode() { Retire(); }

void RedisNode::Retire() {
  is_ending_ = true;
  reconnect_.Cancel();
  lookup_.reset();
  connection_.Close(Cause::kClosed);
}

// --- commands -------------------------------------------------------------------------------

RedisNode::Cause RedisNode::WhyNot() {
  if (connection_.state() == RedisConnection::State::kClosed) return Cause::kNotConnected;
  const Time now = parts_.scene.clock.Now();
  // The probe's caller may have given up long ago, or may have a longer deadline than others.
  if (probe_ != nullptr && now > probe_->node_way.sent_at + settings_.timeout) {
    Fail(*probe_, RedisBreaker::Failure::kLate);
  }
  return breaker_.Admit(now) ? Cause::kNone : Cause::kResting;
}

void RedisNode::Begin(RedisCommand& command, RedisListener& listener, bool is_apart) {
  command.node_way = {
      .listener = &listener, .sent_at = parts_.scene.clock.Now(), .is_apart = is_apart};
  // While the breaker is probing, it admits no command except the probe.
  if (!is_apart && breaker_.state() == RedisBreaker::State::kProbing) probe_ = &command;
}

RedisNode::Cause RedisNode::Send(RedisCommand& command, RedisListener& listener) {
  const Cause cause = WhyNot();
  const bool is_apart = cause == Cause::kResting && command.passes_breaker;
  if (cause != Cause::kNone && !is_apart) return cause;
  Begin(command, listener, is_apart);
  if (connection_.Send(command, *this)) return Cause::kNone;
  Withdraw(command);
  return Cause::kFull;
}

RedisNode::Cause RedisNode::SendAfterAsking(RedisCommand& command, RedisListener& listener) {
  const Cause cause = WhyNot();
  if (cause != Cause::kNone) return cause;
  Begin(command, listener, false);
  // If there is no room for the command, the ASKING is harmless: the next command clears its
  // effect.
  const bool is_taken = connection_.Send(asking_, *this) && connection_.Send(command, *this);
  if (is_taken) return Cause::kNone;
  Withdraw(command);
  return Cause::kFull;
}

void RedisNode::OnOverdue(RedisCommand& command) {
  RedisListener* const listener = command.node_way.listener;
  if (listener == nullptr) return;
  parts_.counts.overdue.Add(1);
  RecordMiss(command);
  listener->OnOverdue(command);
}

void RedisNode::OnAnswer(RedisCommand& command, const RedisAnswer& answer) {
  RedisListener* const listener = command.node_way.listener;
  if (listener == nullptr) {
    for (const auto& lesson : lessons_) {
      if (&lesson->command == &command) lesson->is_under_way = false;
    }
    return;
  }
  RecordAnswer(command, answer);
  if (answer.error.kind == RedisErrorKind::kNoScript && !answer.is_late && Teach(command)) return;
  listener->OnAnswer(command, answer);
  // The server has revoked the login; a new connection logs in again.
  needs_login_ = needs_login_ || answer.error.kind == RedisErrorKind::kNoAuth;
  if (needs_login_ && connection_.under_way() == 0) connection_.Close(Cause::kClosed);
}

// The commands follow SCRIPT LOAD through the same pipe, so none has to wait for its reply.
bool RedisNode::Teach(RedisCommand& command) {
  if (command.script.empty() || command.node_way.script_loaded) return false;
  Lesson* lesson = nullptr;
  for (const auto& known : lessons_) {
    if (known->script == command.script) lesson = known.get();
  }
  if (lesson == nullptr) {
    lesson = lessons_.emplace_back(std::make_unique<Lesson>()).get();
    lesson->script = command.script;
    AppendRedisCommand({"SCRIPT", "LOAD", command.script}, lesson->command.bytes);
    lesson->command.reply_nodes = 1;
  }
  if (!lesson->is_under_way) {
    if (!connection_.Send(lesson->command, *this)) return false;
    lesson->is_under_way = true;
    parts_.counts.scripts_loaded.Add(1);
  }
  command.node_way.script_loaded = true;
  command.node_way.sent_at = parts_.scene.clock.Now();
  command.node_way.is_judged = false;
  return connection_.Send(command, *this);
}

// --- the breaker ----------------------------------------------------------------------------

void RedisNode::RecordAnswer(RedisCommand& command, const RedisAnswer& answer) {
  if (answer.outcome != RedisAnswer::Fate::kReplied) {
    parts_.counts.AddUnanswered(answer);
    if (answer.outcome == RedisAnswer::Fate::kUnknown) {
      return Fail(command, RedisBreaker::Failure::kLate);
    }
    // A command that was not sent says nothing about the server, unless the server was too slow to
    // take it before its deadline. A probe is then tried again with another command.
    if (answer.cause == Cause::kOverdue) RecordMiss(command);
    return Withdraw(command);
  }
  parts_.counts.AddReply(answer.error.kind);
  if (answer.is_late) parts_.counts.late.Add(1);
  if (IsFailure(answer.error.kind) && parts_.server_observer != nullptr) {
    const std::string_view password = settings_.connection.greeting.password;
    ReportFailure(Concat(name_, " answers: ", ServerWords(answer.reply.front().text, password)));
  }
  if (IsUnfit(answer.error.kind)) return Fail(command, RedisBreaker::Failure::kRefused);
  const Nanos taken = parts_.scene.clock.Now() - command.node_way.sent_at;
  if (taken <= settings_.timeout) return Succeed(command);
  // A server that replies after the deadline may still be too slow for other callers.
  if (answer.is_late || probe_ == &command) Fail(command, RedisBreaker::Failure::kLate);
}

void RedisNode::RecordMiss(RedisCommand& command) {
  const Time since = std::min(command.node_way.sent_at, connection_.owing_since());
  const bool is_late = parts_.scene.clock.Now() - settings_.timeout >= since;
  if (!is_late) return;
  ReportFailure(late_words_);
  Fail(command, RedisBreaker::Failure::kLate);
}

bool RedisNode::Settle(RedisCommand& command) {
  const bool is_probe = probe_ == &command;
  if (is_probe) probe_ = nullptr;
  if (command.node_way.is_apart || std::exchange(command.node_way.is_judged, true)) return false;
  return is_probe || breaker_.state() == RedisBreaker::State::kClosed;
}

void RedisNode::Succeed(RedisCommand& command) {
  if (Settle(command)) breaker_.Succeed(parts_.scene.clock.Now());
}

void RedisNode::Fail(RedisCommand& command, RedisBreaker::Failure failure) {
  if (!Settle(command)) return;
  const bool opened = breaker_.Fail(failure, parts_.scene.clock.Now(), parts_.jitter);
  if (opened) parts_.counts.breaker_opened.Add(1);
}

void RedisNode::Withdraw(const RedisCommand& command) {
  if (probe_ != &command) return;
  probe_ = nullptr;
  breaker_.Withdraw();
}

// --- connections ----------------------------------------------------------------------------

void RedisNode::SetEndpoint(Endpoint endpoint) {
  endpoint_ = std::move(endpoint);
  name_ = Describe(endpoint_);
  late_words_ = Concat(name_, " did not answer in ", FormatDuration(settings_.timeout));
}

void RedisNode::Connect() {
  if (connection_.state() != RedisConnection::State::kClosed) return;
  if (!NameLookup::IsAddress(endpoint_)) return LookUp();
  TakeAddress(FindServer(endpoint_));
}

void RedisNode::ConnectAfter(Nanos wait) {
  if (parts_.pacer != nullptr) {
    wait = parts_.pacer->Reserve(name_, wait, parts_.scene.clock.Now());
  }
  if (wait > Nanos{0}) return reconnect_.SetAfter(wait);
  Connect();
}

void RedisNode::LookUp() {
  lookup_ = std::make_shared<int>();
  parts_.names.Find(endpoint_, parts_.scene.loop, lookup_,
                    [this](Result<ServerAddress> found) { TakeAddress(std::move(found)); });
}

void RedisNode::TakeAddress(Result<ServerAddress> found) {
  if (connection_.state() != RedisConnection::State::kClosed) return;
  if (found.ok()) {
    address_ = std::move(found).value();
  } else if (address_.places.empty()) {
    return OnClosed(
        {Cause::kNotConnected, RedisErrorKind::kNone, Concat(name_, ": ", found.error().message)});
  }
  // If the lookup failed, the last known addresses are used.
  order_.Arrange(address_);
  const auto* const tcp = std::get_if<TcpEndpoint>(&endpoint_);
  connection_.Open(address_, tcp == nullptr ? std::string_view() : tcp->host);
}

void RedisNode::OnOpen() {
  needs_login_ = false;
  order_.Succeeded(address_, connection_.place());
  parts_.counts.connects.Add(1);
  opened_at_ = parts_.scene.clock.Now();
  breaker_.Connected(*opened_at_);
  if (parts_.server_observer != nullptr && settings_.role == RedisServerRole::kStore) {
    parts_.server_observer->OnConnected(name_);
  }
}

void RedisNode::OnClosed(const RedisConnection::End& end) {
  if (is_ending_) return;
  last_words_ = end.words;
  // A connection that was closed on purpose has no message.
  if (!end.words.empty()) ReportFailure(end.words);
  const bool was_open = opened_at_.has_value();
  (was_open ? parts_.counts.disconnects : parts_.counts.connect_failures).Add(1);
  if (end.error != RedisErrorKind::kNone) parts_.counts.AddReply(end.error);
  if (was_open) pacing_.Held(parts_.scene.clock.Now() - *opened_at_);
  if (!was_open && !address_.places.empty()) order_.Failed(address_, connection_.place());
  opened_at_.reset();
  const Nanos longer = IsUnwelcome(end.error) ? settings_.reconnect.max : Nanos{0};
  if (!is_moving_) ConnectAfter(pacing_.Next(parts_.jitter) + longer);
  if (on_lost) on_lost(end);
}

void RedisNode::ReportFailure(std::string_view cause) {
  if (parts_.server_observer == nullptr) return;
  parts_.server_observer->OnFailure(settings_.role, name_, cause);
}

void RedisNode::Move(Endpoint endpoint) {
  SetEndpoint(std::move(endpoint));
  address_ = {};
  order_.Clear();
  lookup_.reset();
  pacing_.Reset();
  reconnect_.Cancel();
  is_moving_ = true;
  connection_.Close(Cause::kClosed);
  is_moving_ = false;
  breaker_.Renew();
  ConnectAfter(Nanos{0});
}

}  // namespace sluice
