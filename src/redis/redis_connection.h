// RedisConnection: runs a RedisPipe over a socket.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/loop/connect.h"
#include "net/loop/event_loop.h"
#include "net/tls/tls_client_session.h"
#include "redis/redis_pipe.h"
#include "sluice/clock.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice {

// How a client logs in, and which role it requires of the server.
struct RedisGreeting {
  enum class Role : std::uint8_t { kAny, kPrimary };

  std::string user;      // empty: the default user of Redis
  std::string password;  // empty: no password
  std::string name = "sluice";
  int database = 0;
  Role role = Role::kAny;  // the role the server must have
};

// A peer that disappears silently is detected after at most ping_after + max_silence.
struct RedisTimeouts {
  Nanos max_connect = std::chrono::seconds{1};  // until the login is complete
  // Each address of a name gets an equal share of max_connect, but at least this.
  Nanos min_place = std::chrono::milliseconds{250};
  Nanos ping_after = std::chrono::seconds{1};           // idle time before a PING is sent
  Nanos max_silence = std::chrono::milliseconds{1500};  // while a reply is outstanding
};

// A null context means no TLS.
struct RedisTls {
  std::shared_ptr<const TlsClientContext> context = nullptr;
  std::string server_name = "";  // expected in the certificate; empty: the host connected to
};

struct RedisConnectionSettings {
  RedisGreeting greeting;
  RedisTimeouts timeouts;
  RedisPipeBounds bounds;
  RedisTls tls;
};

// Shared by all parts of a client and outlives them.
struct RedisContext {
  EventLoop& loop;
  Clock& clock;
};

// Connects, logs in and transfers bytes without blocking. It may be opened again after it has
// closed.
//
// Login sends HELLO 3 with user and password, or AUTH in RESP2 if the server does not support
// HELLO; then SELECT, and ROLE if a role is required. Commands sent during the login are queued,
// subject to their deadlines.
//
// Thread safety: use only on the loop's thread. Destroy it while the loop is not running, or two
// rounds after it was closed (from a task posted by a posted task), because the loop may still call
// it until then.
//
// Invariants
//   (1) All commands of one loop round are sent in one write, if the system accepts it.
//   (2) A peer that does not reply is given up in time, even if it stays silent. During connecting
//       the next address is tried instead, as long as max_connect has not passed.
//   (3) Closing answers every command in flight, then notifies the owner.
class RedisConnection final : private EventLoop::Watcher, private RedisListener {
 public:
  using Cause = RedisAnswer::Cause;

  enum class State : std::uint8_t { kClosed, kConnecting, kGreeting, kOpen };

  // Why the connection closed.
  struct End {
    Cause cause = Cause::kNone;
    RedisErrorKind error = RedisErrorKind::kNone;  // why the server refused the login
    std::string words;                             // for a log; names the server
  };

  class Owner {
   public:
    Owner() = default;
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    virtual void OnOpen() = 0;
    // The connection may be opened again, but not from this call.
    virtual void OnClosed(const End& end) = 0;

   protected:
    ~Owner() = default;
  };

  RedisConnection(const RedisContext& scene, const RedisConnectionSettings& settings, Owner& owner);
  ~RedisConnection() = default;

  // Connects to the address. With TLS, `host` must match the certificate. The connection may
  // already be closed again, and the owner notified, when this returns. REQUIRES: kClosed.
  void Open(const ServerAddress& address, std::string_view host = "");
  // Closes the connection and notifies the owner. Does nothing if it is already closed.
  void Close(Cause cause) { Finish({cause, RedisErrorKind::kNone, ""}); }

  // Accepts a command, unless the queue is full. REQUIRES: not kClosed.
  [[nodiscard]] bool Send(RedisCommand& command, RedisListener& listener);

  [[nodiscard]] State state() const { return state_; }
  // Returns the index of the address that the last Open reached.
  [[nodiscard]] std::size_t place() const { return place_; }
  [[nodiscard]] std::size_t under_way() const { return pipe_.under_way(); }
  // Returns since when the server has owed a reply (to a command, or to the login) without sending
  // anything. kLatestTime if no reply is outstanding.
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
  // Describes that max_connect passed during connecting or login.
  [[nodiscard]] End TooLate() const;
  void Finish(const End& end);

  // NextBytes returns the bytes to send next; Sent records how many of them were sent.
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

  const RedisContext scene_;
  const RedisConnectionSettings settings_;
  Owner& owner_;
  RedisPipe pipe_;
  LoopTimer timer_;
  State state_ = State::kClosed;
  ServerAddress address_;
  std::optional<Connecting> connecting_;
  int watched_ = -1;  // the watched descriptor
  std::size_t place_ = 0;
  Socket socket_{-1};
  std::string host_;
  std::optional<TlsClientSession> tls_;
  std::size_t tls_sent_ = 0;  // how much of its output has been sent
  Step step_ = Step::kHello;
  RedisCommand greeting_;
  RedisCommand ping_;
  bool is_pinging_ = false;
  bool will_flush_ = false;
  bool watches_room_ = false;
  Time open_deadline_{};          // deadline for connecting and login
  Time place_deadline_{};         // during connecting: when to try the next address
  Time asked_at_{};               // when the oldest outstanding command was sent
  Time heard_at_{};               // when the server last sent anything
  Time armed_for_ = kLatestTime;  // when the timer will fire
};

}  // namespace sluice
