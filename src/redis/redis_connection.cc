#include "redis/redis_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/duration.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr std::size_t kReadBytes = std::size_t{32} << 10U;

// Ends the connection if sent data stays unacknowledged for this long. It has no effect on a Unix
// socket.
void SetUserTimeout(int descriptor, Nanos length) {
  const auto millis = std::chrono::ceil<std::chrono::milliseconds>(length).count();
  const auto value = static_cast<unsigned>(millis);
  setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &value, sizeof value);
}

// The loop may still deliver events of a socket that was closed in this round.
bool IsWritable(int descriptor) {
  pollfd one{descriptor, POLLOUT, 0};
  return poll(&one, 1, 0) > 0;
}

bool IsHelloUnknown(RedisErrorKind kind) {
  return kind == RedisErrorKind::kUnknownCommand || kind == RedisErrorKind::kNoProtocol ||
         kind == RedisErrorKind::kNoPermission;
}

std::string ErrorText() { return std::generic_category().message(errno); }

}  // namespace

RedisConnection::RedisConnection(const RedisContext& scene, const RedisConnectionSettings& settings,
                                 Owner& owner)
    : scene_(scene),
      settings_(settings),
      owner_(owner),
      pipe_(settings.bounds),
      timer_(scene.loop, [this] { OnTime(); }) {
  AppendRedisCommand({"PING"}, ping_.bytes);
  ping_.reply_nodes = 1;
}

void RedisConnection::Open(const ServerAddress& address, std::string_view host) {
  assert(state_ == State::kClosed);
  address_ = address;
  host_ = settings_.tls.server_name.empty() ? host : settings_.tls.server_name;
  state_ = State::kConnecting;
  open_deadline_ = scene_.clock.Now() + settings_.timeouts.max_connect;
  pipe_.Hold();
  connecting_.emplace(address_, settings_.timeouts.max_connect);
  Settle();
}

void RedisConnection::Settle() {
  if (!address_.places.empty()) place_ = connecting_->place();
  if (connecting_->state() == Connecting::State::kFailed) {
    return Finish({Cause::kNotConnected, RedisErrorKind::kNone, connecting_->error().message});
  }
  if (connecting_->state() == Connecting::State::kMade) {
    const bool is_watched = watched_ == connecting_->descriptor();
    socket_ = connecting_->Take();
    connecting_.reset();
    if (!is_watched && !scene_.loop.Watch(socket_.descriptor(), *this)) {
      return Finish({Cause::kNotConnected, RedisErrorKind::kNone,
                     Concat("cannot watch the connection to ", address_.text, ": ", ErrorText())});
    }
    watches_room_ = is_watched;
    return Begin();
  }
  if (watched_ != connecting_->descriptor()) WatchPlace();
  Arm();
}

void RedisConnection::WatchPlace() {
  watched_ = connecting_->descriptor();
  scene_.loop.Watch(watched_, *this);
  scene_.loop.WatchRoom(watched_, *this);
  const Time now = scene_.clock.Now();
  const auto left = static_cast<std::int64_t>(address_.places.size() - place_);
  const Nanos part = std::max((open_deadline_ - now) / left, settings_.timeouts.min_place);
  place_deadline_ = left == 1 ? open_deadline_ : std::min(open_deadline_, now + part);
}

void RedisConnection::Begin() {
  SetUserTimeout(socket_.descriptor(), settings_.timeouts.max_silence);
  state_ = State::kGreeting;
  heard_at_ = scene_.clock.Now();
  if (settings_.tls.context != nullptr) {
    tls_.emplace(settings_.tls.context, host_);
    tls_sent_ = 0;
    if (tls_->state() == TlsClientSession::State::kFailed) {
      return Finish({Cause::kNotConnected, RedisErrorKind::kNone,
                     Concat(address_.text, ": TLS failed: ", tls_->fault())});
    }
  }
  GreetHello();
  Arm();
}

// --- login ----------------------------------------------------------------------------------

void RedisConnection::Greet(std::initializer_list<std::string_view> words) {
  greeting_.bytes.clear();
  AppendRedisCommand(words, greeting_.bytes);
  pipe_.SendAhead(greeting_, *this);
  AskToFlush();
}

void RedisConnection::GreetHello() {
  const RedisGreeting& greeting = settings_.greeting;
  std::string_view user = greeting.user;
  if (user.empty()) user = "default";
  step_ = Step::kHello;
  if (greeting.password.empty()) return Greet({"HELLO", "3", "SETNAME", greeting.name});
  Greet({"HELLO", "3", "AUTH", user, greeting.password, "SETNAME", greeting.name});
}

void RedisConnection::GreetDatabase() {
  if (settings_.greeting.database == 0) return GreetRole();
  step_ = Step::kDatabase;
  const std::string database = std::to_string(settings_.greeting.database);
  Greet({"SELECT", database});
}

void RedisConnection::GreetRole() {
  if (settings_.greeting.role == RedisGreeting::Role::kAny) return BecomeOpen();
  step_ = Step::kRole;
  Greet({"ROLE"});
}

void RedisConnection::TakeGreeting(const RedisAnswer& answer) {
  const RedisGreeting& greeting = settings_.greeting;
  const RedisErrorKind error = answer.error.kind;
  if (step_ == Step::kHello && IsHelloUnknown(error)) {
    step_ = greeting.password.empty() ? Step::kName : Step::kAuth;
    if (step_ == Step::kName) return Greet({"CLIENT", "SETNAME", greeting.name});
    if (greeting.user.empty()) return Greet({"AUTH", greeting.password});
    return Greet({"AUTH", greeting.user, greeting.password});
  }
  // The name only serves CLIENT LIST, and setting it may be forbidden: ignore an error.
  if (error != RedisErrorKind::kNone && step_ != Step::kName) {
    return Finish({Cause::kNotConnected, error,
                   Concat(address_.text, " refused: ",
                          ServerWords(answer.reply.front().text, greeting.password))});
  }
  switch (step_) {
    case Step::kAuth:
      step_ = Step::kName;
      return Greet({"CLIENT", "SETNAME", greeting.name});
    case Step::kHello:
    case Step::kName:
      return GreetDatabase();
    case Step::kDatabase:
      return GreetRole();
    case Step::kRole:
      if (answer.reply.size() > 1 && answer.reply[1].text == "master") return BecomeOpen();
      return Finish({Cause::kNotConnected, RedisErrorKind::kReadOnly,
                     Concat(address_.text, " is not a primary")});
  }
}

void RedisConnection::BecomeOpen() {
  state_ = State::kOpen;
  pipe_.Release();
  AskToFlush();
  owner_.OnOpen();
}

// --- commands -------------------------------------------------------------------------------

bool RedisConnection::Send(RedisCommand& command, RedisListener& listener) {
  assert(state_ != State::kClosed);
  if (!pipe_.Send(command, listener)) return false;
  if (command.deadline < armed_for_) Arm();
  if (state_ == State::kOpen) AskToFlush();
  return true;
}

// Login commands and pings have no deadline except the connection's own.
void RedisConnection::OnOverdue(RedisCommand& /*command*/) {}

void RedisConnection::OnAnswer(RedisCommand& command, const RedisAnswer& answer) {
  if (&command == &ping_) is_pinging_ = false;
  if (&command == &greeting_ && answer.outcome == RedisAnswer::Fate::kReplied) TakeGreeting(answer);
}

RedisConnection::End RedisConnection::Broken(std::string_view why) const {
  return {Cause::kBroken, RedisErrorKind::kNone,
          Concat("the connection to ", address_.text, " was lost: ", why)};
}

RedisConnection::End RedisConnection::TooLate() const {
  const std::string length = FormatDuration(settings_.timeouts.max_connect);
  std::string_view what = " did not answer the login in ";
  if (tls_ && tls_->state() != TlsClientSession::State::kOpen) {
    what = " did not complete the TLS handshake in ";
  } else if (state_ == State::kConnecting) {
    what = ": no connection in ";
  }
  return {Cause::kNotConnected, RedisErrorKind::kNone, Concat(address_.text, what, length)};
}

void RedisConnection::Finish(const End& end) {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  connecting_.reset();
  socket_ = Socket(-1);
  watched_ = -1;
  tls_.reset();
  pipe_.Break(end.cause);
  timer_.Cancel();
  armed_for_ = kLatestTime;
  owner_.OnClosed(end);
}

// --- bytes ----------------------------------------------------------------------------------

void RedisConnection::AskToFlush() {
  if (!std::exchange(will_flush_, true)) scene_.loop.Again(*this);
}

void RedisConnection::OnAgain() {
  will_flush_ = false;
  if (state_ == State::kGreeting || state_ == State::kOpen) Flush();
}

std::string_view RedisConnection::NextBytes() {
  if (!tls_) return pipe_.Output();
  if (tls_->output.empty() && tls_->state() == TlsClientSession::State::kOpen) {
    const std::string_view plain = pipe_.Output();
    if (!plain.empty()) {
      tls_->Send(plain);
      // A TLS record is sent as a whole, so if the connection breaks, any of these bytes may have
      // been written.
      pipe_.Wrote(plain.size());
    }
  }
  return std::string_view(tls_->output).substr(tls_sent_);
}

void RedisConnection::Sent(std::size_t bytes) {
  if (!tls_) return pipe_.Wrote(bytes);
  tls_sent_ += bytes;
  if (tls_sent_ < tls_->output.size()) return;
  tls_->output.clear();
  tls_sent_ = 0;
}

void RedisConnection::Flush() {
  const bool was_quiet = pipe_.unanswered() == 0;
  for (;;) {
    const std::string_view output = NextBytes();
    if (output.empty()) break;
    const ssize_t size =
        send(socket_.descriptor(), output.data(), output.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size >= 0) {
      Sent(static_cast<std::size_t>(size));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Finish(Broken(ErrorText()));
    if (!std::exchange(watches_room_, true)) scene_.loop.WatchRoom(socket_.descriptor(), *this);
    break;
  }
  if (was_quiet && pipe_.unanswered() > 0) {
    asked_at_ = scene_.clock.Now();
    Arm();
  }
}

void RedisConnection::OnReady(const EventLoop::Readiness& ready) {
  if (state_ == State::kConnecting) {
    if (!IsWritable(connecting_->descriptor())) return;
    connecting_->Continue();
    return Settle();
  }
  if (state_ == State::kClosed) return;
  if (ready.input || ready.ended || ready.broken) ReadAll(ready);
  if (state_ != State::kClosed) AskToFlush();
}

void RedisConnection::Receive(std::string_view bytes) {
  if (!tls_) return ReceivePlain(bytes);
  std::string plaintext;
  const TlsClientSession::State now = tls_->Receive(bytes, plaintext);
  const std::string fault = tls_->fault();
  if (!plaintext.empty()) ReceivePlain(plaintext);
  if (now == TlsClientSession::State::kFailed) {
    const Cause cause = state_ == State::kOpen ? Cause::kBroken : Cause::kNotConnected;
    Finish({cause, RedisErrorKind::kNone, Concat(address_.text, ": TLS failed: ", fault)});
  } else if (now == TlsClientSession::State::kEnded) {
    Finish(Broken("the server closed it"));
  }
}

void RedisConnection::ReceivePlain(std::string_view bytes) {
  const Result<Done> received = pipe_.Receive(bytes);
  if (received.ok()) return;
  Finish({Cause::kFault, RedisErrorKind::kNone,
          Concat(address_.text, " does not speak the Redis protocol: ", received.error().message)});
}

void RedisConnection::ReadAll(const EventLoop::Readiness& ready) {
  std::array<char, kReadBytes> bytes;
  const int descriptor = socket_.descriptor();
  while (state_ != State::kClosed && socket_.descriptor() == descriptor) {
    const ssize_t size = recv(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) {
      return Finish(Broken(size == 0 ? "the server closed it" : ErrorText()));
    }
    heard_at_ = scene_.clock.Now();
    const auto count = static_cast<std::size_t>(size);
    Receive({bytes.data(), count});
    // A short read has drained the socket. The end of the stream is reported separately.
    if (count < bytes.size() && !ready.ended && !ready.broken) return;
  }
}

// --- time -----------------------------------------------------------------------------------

Time RedisConnection::owing_since() const {
  if (state_ == State::kClosed) return kLatestTime;
  if (state_ != State::kOpen) return open_deadline_ - settings_.timeouts.max_connect;
  return pipe_.unanswered() > 0 ? std::max(asked_at_, heard_at_) : kLatestTime;
}

void RedisConnection::OnTime() {
  armed_for_ = kLatestTime;
  const Time now = scene_.clock.Now();
  if (state_ == State::kClosed) return;
  pipe_.Expire(now);
  if (state_ == State::kClosed) return;
  if (state_ != State::kOpen && now >= open_deadline_) {
    return Finish(TooLate());
  }
  if (state_ == State::kConnecting && now >= place_deadline_) {
    connecting_->TimeOut();
    return Settle();
  }
  if (state_ == State::kOpen && now - settings_.timeouts.max_silence >= owing_since()) {
    return Finish({Cause::kSilent, RedisErrorKind::kNone,
                   Concat(address_.text, " has sent nothing for ",
                          FormatDuration(settings_.timeouts.max_silence))});
  }
  const bool is_quiet = state_ == State::kOpen && pipe_.unanswered() == 0 &&
                        now >= heard_at_ + settings_.timeouts.ping_after;
  if (is_quiet && !std::exchange(is_pinging_, true)) {
    asked_at_ = now;
    pipe_.SendAhead(ping_, *this);
    AskToFlush();
  }
  Arm();
}

Time RedisConnection::NextTime() const {
  Time next = pipe_.next_deadline().value_or(kLatestTime);
  if (state_ == State::kConnecting) return std::min({next, open_deadline_, place_deadline_});
  if (state_ != State::kOpen) return std::min(next, open_deadline_);
  const RedisTimeouts& timeouts = settings_.timeouts;
  const Time life = pipe_.unanswered() > 0 ? owing_since() + timeouts.max_silence
                                           : heard_at_ + timeouts.ping_after;
  return std::min(next, life);
}

void RedisConnection::Arm() {
  if (state_ == State::kClosed) return;
  const Time next = NextTime();
  if (next >= armed_for_) return;
  armed_for_ = next;
  timer_.SetAfter(std::max(next - scene_.clock.Now(), Nanos{1}));
}

}  // namespace sluice
