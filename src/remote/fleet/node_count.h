// NodeCount: counts the live nodes of a fleet.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "net/loop/event_loop.h"
#include "redis/redis_client.h"
#include "redis/redis_jitter.h"
#include "remote/fleet/node_count_hysteresis.h"
#include "sluice/clock.h"
#include "sluice/time.h"

namespace sluice {

// Identifies one node of a fleet: 128 random bits.
struct NodeId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

struct NodeCountSettings {
  std::string prefix = "sluice:";  // same as for keys
  Nanos every = std::chrono::seconds{1};
  // A node without a heartbeat for this long is dead. REQUIRES: whole milliseconds.
  Nanos dead_after = std::chrono::seconds{3};
  std::int64_t at_first = 1;  // assumed number of nodes before the first count
};

// Sends a heartbeat to Redis every second and receives the number of live nodes
// (scripts/nodes.lua). While Redis is away, and afterwards until all nodes have had time to send a
// heartbeat, the last count stays valid.
//
// Thread safety: use only on the loop's thread. One worker of a process has it. The client must be
// destroyed first, while the loop is not running, because a command of this object may be in flight
// until then.
//
// Invariants
//   (1) In Redis a node counts from its first heartbeat until dead_after has passed since its last.
//       `heard` reports a decrease at least dead_after later still (NodeCountHysteresis).
//   (2) At most one heartbeat is in flight.
//   (3) Heartbeats follow each other after a random time between half of `every` and `every`, so
//       that nodes that start together drift apart.
class NodeCount final : private RedisListener {
 public:
  using Heard = std::function<void(std::int64_t nodes)>;

  // All but the client must outlive the counter.
  struct Parts {
    EventLoop& loop;
    Clock& clock;
    RedisClient& client;
    RedisJitter& jitter;
  };

  // Starts at once. `heard` is called with the filtered count after each heartbeat that was
  // answered.
  NodeCount(const Parts& parts, NodeId id, const NodeCountSettings& settings, Heard heard);

  // Number of heartbeats that Redis has and has not answered so far.
  [[nodiscard]] std::uint64_t beats_answered() const { return beats_answered_; }
  [[nodiscard]] std::uint64_t beats_failed() const { return beats_failed_; }

 private:
  void OnOverdue(RedisCommand& /*command*/) override {}
  void OnAnswer(RedisCommand& command, const RedisAnswer& answer) override;

  void Beat();
  void Fail();
  void Rest();

  const Parts parts_;
  const Nanos every_;
  const Heard heard_;
  NodeCountHysteresis believed_;
  RedisCommand command_;
  LoopTimer timer_;
  std::uint64_t beats_answered_ = 0;
  std::uint64_t beats_failed_ = 0;
};

}  // namespace sluice
