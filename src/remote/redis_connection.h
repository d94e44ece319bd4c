// RedisConnection: a pipe to redis over a socket.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/connect.h"
#include "net/event_loop.h"
#include "net/tls_client_session.h"
#include "remote/redis_pipe.h"
#include "sluice/clock.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice {

// What a client shows itself with, and what it expects.
struct RedisGreeting {
  enum class Role : std::uint8_t { kAny, kPrimary };

  std::string user;      // empty: redis' own default
  std::string password;  // empty: none
  std::string name = "sluice";
  int database = 0;
  Role role = Role::kAny;  // what the server must be
};

// A peer that is gone without a word is known after ping_after + silence_most at the latest.
struct RedisPatience {
  Nanos connect_most = std::chrono::seconds{1};  // until it is open
  // Each address of a name gets an equal part of connect_most, but at least this.
  Nanos place_least = std::chrono::milliseconds{250};
  Nanos ping_after = std::chrono::seconds{1};            // of quiet, it is asked whether it lives
  Nanos silence_most = std::chrono::milliseconds{1500};  // while it owes a reply
};

// Null: without TLS.
struct RedisTls {
  std::shared_ptr<const TlsClientContext> context = nullptr;
  std::string server_name = "";  // of the server's certificate; empty: the host it is reached at
};

struct RedisConnectionSettings {
  RedisGreeting greeting;
  RedisPatience patience;
  RedisPipeBounds bounds;
  RedisTls tls;
};

// What all parts of a client share. They outlive it.
struct RedisScene {
  EventLoop& loop;
  Clock& clock;
};

// Connects, logs in and moves bytes, without ever waiting. It may be opened again after it closed.
//
// Login is HELLO 3 with user and password, or AUTH in RESP2 where that is not known, then SELECT,
// and ROLE where it matters. Commands that are sent meanwhile wait, within their deadlines.
//
// Thread safety: that of the loop. It is freed while the loop does not run, or two rounds after it
// was closed (by what is posted by something posted): until then the loop may still call it.
//
// Invariants
//   (1) All commands of one round of the loop leave in one write, if the system takes it.
//   (2) A peer that does not answer is given up in time, also one that keeps quiet. While it
//       connects, the next address is tried then, as long as connect_most has not passed.
//   (3) Closing answers all that is under way, then tells the owner.
class RedisConnection final : private EventLoop::Watcher, private RedisListener {
 public:
  using Cause = RedisAnswer::Cause;

  enum class State : std::uint8_t { kClosed, kConnecting, kGreeting, kOpen };

  // Why it closed.
  struct End {
    Cause cause = Cause::kNone;
    RedisErrorKind error = RedisErrorKind::kNone;  // that the server refused us with
    std::string words;                             // for a log; they name the server
  };

  class Owner {
   public:
    Owner() = default;
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    virtual void OnOpen() = 0;
    // It may be opened again, but not from here.
    virtual void OnClosed(const End& end) = 0;

   protected:
    ~Owner() = default;
  };

  RedisConnection(const RedisScene& scene, const RedisConnectionSettings& settings, Owner& owner);
  ~RedisConnection() = default;

  // The host is that of the certificate, where there is TLS. REQUIRES: kClosed. It may be closed
  // again when this returns, and the owner told.
  void Open(const ServerAddress& address, std::string_view host = "");
  // The owner is told. Nothing happens if it is closed.
  void Close(Cause cause) { Finish({cause, RedisErrorKind::kNone, ""}); }

  // Takes a command, unless there is no room. REQUIRES: not kClosed.
  [[nodiscard]] bool Send(RedisCommand& command, RedisListener& listener);

  [[nodiscard]] State state() const { return state_; }
  // The index of the address that the last Open came to.
  [[nodiscard]] std::size_t place() const { return place_; }
  [[nodiscard]] std::size_t under_way() const { return pipe_.under_way(); }
  // Since when the server owes a word and has said none: a reply, or that we are let in.
  // kLatestTime: it owes nothing.
  [[nodiscard]] Time owing_since() const;

 private:
  void OnReady(const EventLoop::Readiness& ready) override;
  void OnAgain() override;
  void OnOverdue(RedisCommand& command) override;
  void OnAnswer(RedisCommand& command, const RedisAnswer& answer) override;

  void Settle();
  void WatchPlace();
  void Begin();
  void Greet(std::initializer_list<std::string_view> words);
  void GreetHello();
  void GreetDatabase();
  void GreetRole();
  void TakeGreeting(const RedisAnswer& answer);
  void BecomeOpen();
  [[nodiscard]] End Broken(std::string_view why) const;
  // While it is connecting or greeting: connect_most has passed.
  [[nodiscard]] End TooLate() const;
  void Finish(const End& end);

  // What is to be sent next, and that so much was.
  std::string_view NextBytes();
  void Sent(std::size_t bytes);
  void Receive(std::string_view bytes);
  void ReceivePlain(std::string_view bytes);

  void AskToFlush();
  void Flush();
  void ReadAll(const EventLoop::Readiness& ready);

  void OnTime();
  void Arm();
  [[nodiscard]] Time NextTime() const;

  enum class Step : std::uint8_t { kHello, kAuth, kName, kDatabase, kRole };

  const RedisScene scene_;
  const RedisConnectionSettings settings_;
  Owner& owner_;
  RedisPipe pipe_;
  LoopTimer timer_;
  State state_ = State::kClosed;
  ServerAddress address_;
  std::optional<Connecting> connecting_;
  int watched_ = -1;  // descriptor
  std::size_t place_ = 0;
  Socket socket_{-1};
  std::string host_;
  std::optional<TlsClientSession> tls_;
  std::size_t tls_sent_ = 0;  // of its output
  Step step_ = Step::kHello;
  RedisCommand greeting_;
  RedisCommand ping_;
  bool is_pinging_ = false;
  bool will_flush_ = false;
  bool watches_room_ = false;
  Time open_deadline_{};          // while it is connecting or greeting
  Time place_deadline_{};         // while it is connecting: then the next address is tried
  Time asked_at_{};               // when the first of what is unanswered left
  Time heard_at_{};               // when the server last said anything
  Time armed_for_ = kLatestTime;  // when the timer will call
};

}  // namespace sluice
