// RedisNode: a client of one Redis server that reconnects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/loop/connect.h"
#include "net/loop/endpoint.h"
#include "net/loop/event_loop.h"
#include "redis/connect_pacer.h"
#include "redis/name_lookup.h"
#include "redis/place_order.h"
#include "redis/redis_breaker.h"
#include "redis/redis_connection.h"
#include "redis/redis_counts.h"
#include "redis/redis_jitter.h"
#include "redis/redis_server_observer.h"

namespace sluice {

struct RedisNodeSettings {
  RedisConnectionSettings connection;
  RedisPacing::Settings reconnect;
  RedisBreaker::Settings breaker;
  // How long the server may take to reply before it counts as late.
  Nanos timeout = std::chrono::milliseconds{50};
  RedisServerRole role = RedisServerRole::kStore;
};

// Shared by the nodes of a client; outlives them.
struct RedisParts {
  RedisContext scene;
  NameLookup& names;
  RedisCounts& counts;
  RedisJitter& jitter;
  ConnectPacer* pacer = nullptr;  // shared by the process; null: this client paces itself
  RedisServerObserver* server_observer = nullptr;  // null: no observer
};

// Keeps one connection to the server, reopens it when it is lost, and loads missing scripts.
//
// Thread safety: use only on the loop's thread. Destroy it under the same conditions as a
// RedisConnection.
//
// Invariants
//   (1) Each accepted command is answered exactly once; a rejected command is never answered.
//   (2) A command is written once, to one connection only; a second time only after the server has
//       replied that it does not know the script.
//   (3) One connection attempt is made at a time. The backoff between attempts grows with failures
//       and with connections that last less than reconnect.most. Except for the first, attempts are
//       paced with those of the whole process (ConnectPacer).
//   (4) While the breaker is open, only probes and commands with passes_breaker are accepted. A
//       probe that is not answered within `timeout` has failed, whatever its deadline.
//   (5) A script is loaded once for all commands that miss it.
//   (6) Callers with short deadlines do not make a server count as late: a missed deadline is a
//       failure only if the server has had `timeout` to reply to this command, or has been silent
//       for `timeout` while an older one was outstanding. A reply within `timeout` is in time, even
//       if the caller has given up.
//   (7) A later reply to a command whose deadline has not passed is neither a failure nor a success
//       while the breaker is closed.
//   (8) The breaker gets at most one result per command, and while it is open only the probe's.
class RedisNode final : private RedisConnection::Owner, private RedisListener {
 public:
  using Cause = RedisAnswer::Cause;

  // Starts connecting.
  RedisNode(const RedisParts& parts, Endpoint endpoint, const RedisNodeSettings& settings);
  ~RedisNode();

  // Returns kNone if the command was accepted; its listener is notified later. Otherwise returns
  // why it was rejected, and the listener is not notified.
  [[nodiscard]] Cause Send(RedisCommand& command, RedisListener& listener);
  // Sends ASKING and the command, with nothing in between. The node ignores the reply to ASKING.
  [[nodiscard]] Cause SendAfterAsking(RedisCommand& command, RedisListener& listener);

  // Switches to another address and connects to it at once. Commands in flight are broken off.
  void Move(Endpoint endpoint);
  // Closes the node permanently and answers every command in flight. Destroy it two loop rounds
  // later at the earliest.
  void Retire();

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] RedisBreaker::State BreakerForTest() const { return breaker_.state(); }
  [[nodiscard]] bool is_open() const {
    return connection_.state() == RedisConnection::State::kOpen;
  }
  [[nodiscard]] std::size_t under_way() const { return connection_.under_way(); }
  // Returns why it is not connected, for a log; empty if nothing has failed yet.
  [[nodiscard]] const std::string& last_words() const { return last_words_; }

  // Called when a connection was lost or an attempt failed, so that the owner can ask another node.
  std::function<void(const RedisConnection::End&)> on_lost;

 private:
  // A script that the node loads on the server with SCRIPT LOAD.
  struct Lesson {
    std::string_view script;
    RedisCommand command;
    bool is_under_way = false;
  };

  void OnOpen() override;
  void OnClosed(const RedisConnection::End& end) override;
  void OnOverdue(RedisCommand& command) override;
  void OnAnswer(RedisCommand& command, const RedisAnswer& answer) override;

  [[nodiscard]] Cause WhyNot();
  bool Teach(RedisCommand& command);
  // Initializes the command's state and records whether it is the probe.
  void Begin(RedisCommand& command, RedisListener& listener, bool is_apart);
  void RecordAnswer(RedisCommand& command, const RedisAnswer& answer);
  void RecordMiss(RedisCommand& command);
  // Returns whether the breaker should get the result of this command.
  bool Settle(RedisCommand& command);
  void Succeed(RedisCommand& command);
  void Fail(RedisCommand& command, RedisBreaker::Failure failure);
  void Withdraw(const RedisCommand& command);

  void SetEndpoint(Endpoint endpoint);
  void Connect();
  void ConnectAfter(Nanos wait);
  void LookUp();
  void TakeAddress(Result<ServerAddress> found);

  void ReportFailure(std::string_view cause);

  const RedisParts parts_;
  const RedisNodeSettings settings_;
  Endpoint endpoint_;
  std::string name_;        // text of endpoint_
  std::string late_words_;  // message for a late reply
  ServerAddress address_;   // as last resolved
  PlaceOrder order_;
  RedisConnection connection_;
  LoopTimer reconnect_;
  RedisPacing pacing_;
  std::optional<Time> opened_at_;  // set while connected
  RedisBreaker breaker_;
  RedisCommand* probe_ = nullptr;  // while the breaker waits for its result
  std::vector<std::unique_ptr<Lesson>> lessons_;
  RedisCommand asking_;
  std::string last_words_;
  std::shared_ptr<int> lookup_;  // alive while a lookup is wanted
  bool needs_login_ = false;     // must reconnect once nothing is in flight
  bool is_moving_ = false;
  bool is_ending_ = false;
};

}  // namespace sluice
