// RedisNode: one server of redis, as well as it can be reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/connect.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "remote/connect_pacer.h"
#include "remote/name_lookup.h"
#include "remote/place_order.h"
#include "remote/redis_breaker.h"
#include "remote/redis_connection.h"
#include "remote/redis_counts.h"
#include "remote/redis_jitter.h"
#include "remote/redis_server_observer.h"

namespace sluice {

struct RedisNodeSettings {
  RedisConnectionSettings connection;
  RedisPacing::Settings reconnect;
  RedisBreaker::Settings breaker;
  // How long the server may take for a command before it is too slow for those who wait for it.
  Nanos patience = std::chrono::milliseconds{50};
  RedisServerRole role = RedisServerRole::kStore;
};

// What the nodes of a client share, beside the scene. All outlive them.
struct RedisParts {
  RedisScene scene;
  NameLookup& names;
  RedisCounts& counts;
  RedisJitter& jitter;
  ConnectPacer* pacer = nullptr;  // of the process; null: this client alone paces itself
  RedisServerObserver* server_observer = nullptr;  // null: nobody
};

// Keeps one connection, opens it again when it broke, and teaches scripts.
//
// Thread safety: that of the loop. It is freed as a connection is.
//
// Invariants
//   (1) Each command that was taken is answered once; one that was not taken is nobody's.
//   (2) A command is written to one connection only, and to it once; a second time only after the
//       server has said that it does not know the script.
//   (3) Connections are opened one at a time, with a wait between that grows with failures, and
//       with connections that end before reconnect.most has passed. All but the first have their
//       turn among those of the whole process (ConnectPacer).
//   (4) While the breaker is open commands are not taken, but for probes and what passes it. A
//       probe that is not answered within `patience` has failed, whatever its deadline.
//   (5) A script is taught once for all commands that miss it.
//   (6) Callers with little time do not make a server late: where a command is not answered by its
//       deadline, that is a failure only if the server has had its patience, for this command or
//       for an older one without a word since. A reply that comes within it is in time, also if
//       the caller has gone.
//   (7) A reply that comes later than that, to a command that may take longer, is no failure while
//       the breaker is closed, and no success.
//   (8) The breaker is told of each command once, and while it is open of the probe only.
class RedisNode final : private RedisConnection::Owner, private RedisListener {
 public:
  using Cause = RedisAnswer::Cause;

  // Begins to connect.
  RedisNode(const RedisParts& parts, Endpoint endpoint, const RedisNodeSettings& settings);
  ~RedisNode();

  // kNone: taken, and the listener is told of it later. Else why it was not.
  [[nodiscard]] Cause Send(RedisCommand& command, RedisListener& listener);
  // Two commands, one right after the other, with nothing between: ASKING and what is asked. The
  // first is the node's own, and its reply is nobody's.
  [[nodiscard]] Cause SendAfterAsking(RedisCommand& command, RedisListener& listener);

  // Connects to another place from now on, and at once. What is under way breaks.
  void Move(Endpoint endpoint);
  // Ends it for good; what is under way is answered. To be freed two rounds later, at the earliest.
  void Retire();

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] RedisBreaker::State BreakerForTest() const { return breaker_.state(); }
  [[nodiscard]] bool is_open() const {
    return connection_.state() == RedisConnection::State::kOpen;
  }
  [[nodiscard]] std::size_t under_way() const { return connection_.under_way(); }
  // Why it is not open, for a log; empty if nothing went wrong yet.
  [[nodiscard]] const std::string& last_words() const { return last_words_; }

  // Called when a connection was lost, or refused: another node may know more.
  std::function<void(const RedisConnection::End&)> on_lost;

 private:
  // A script that is being taught.
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
  // Notes whose it is, and whether it is the probe.
  void Begin(RedisCommand& command, RedisListener& listener, bool is_apart);
  void Judge(RedisCommand& command, const RedisAnswer& answer);
  void JudgeMiss(RedisCommand& command);
  // Whether the breaker hears of it.
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
  std::string name_;        // of the endpoint
  std::string late_words_;  // that it does not answer in time
  ServerAddress address_;   // as it was last found
  PlaceOrder order_;
  RedisConnection connection_;
  LoopTimer reconnect_;
  RedisPacing pacing_;
  std::optional<Time> opened_at_;  // the connection, while it is
  RedisBreaker breaker_;
  RedisCommand* probe_ = nullptr;  // while the breaker waits for its end
  std::vector<std::unique_ptr<Lesson>> lessons_;
  RedisCommand asking_;
  std::string last_words_;
  std::shared_ptr<int> lookup_;  // lives while the last lookup matters
  bool needs_login_ = false;     // it has to be opened again, once nothing is under way
  bool is_moving_ = false;
  bool is_ending_ = false;
};

}  // namespace sluice
