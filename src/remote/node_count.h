// NodeCount: how many nodes of a fleet are alive.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "net/event_loop.h"
#include "remote/believed_count.h"
#include "remote/redis_client.h"
#include "remote/redis_jitter.h"
#include "sluice/clock.h"
#include "sluice/time.h"

namespace sluice {

// What one node of a fleet is known by: 128 random bits.
struct NodeId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

struct NodeCountSettings {
  std::string prefix = "sluice:";  // as of the keys
  Nanos every = std::chrono::seconds{1};
  // A node that has not been heard of for so long is dead. REQUIRES: whole milliseconds.
  Nanos dead_after = std::chrono::seconds{3};
  std::int64_t at_first = 1;  // how many are believed to live before they are counted
};

// Says to Redis every second that this node is alive, and hears how many are (scripts/nodes.lua).
// While Redis is away the last count stays, and so it does until all had time to be heard of again.
//
// Thread safety: that of the loop. One worker of a process has it. The client ends first, while the
// loop does not run: until then a command of it may be under way.
//
// Invariants
//   (1) In Redis a node counts from its first beat on, and until dead_after has passed since its
//       last; `heard` is told of fewer nodes that much later, at the earliest (BelievedCount).
//   (2) At most one beat is under way.
//   (3) Beats come between half of and all of `every` after each other, so that nodes that start
//       together do not stay together.
class NodeCount final : private RedisListener {
 public:
  using Heard = std::function<void(std::int64_t nodes)>;

  // All but the client outlive it.
  struct Parts {
    EventLoop& loop;
    Clock& clock;
    RedisClient& client;
    RedisJitter& jitter;
  };

  // Begins at once. `heard` is called after each beat, with the count that is believed.
  NodeCount(const Parts& parts, NodeId id, const NodeCountSettings& settings, Heard heard);

  // How many beats Redis has answered so far, and how many it has not.
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
  BelievedCount believed_;
  RedisCommand command_;
  LoopTimer timer_;
  std::uint64_t beats_answered_ = 0;
  std::uint64_t beats_failed_ = 0;
};

}  // namespace sluice
