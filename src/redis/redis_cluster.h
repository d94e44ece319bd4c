// RedisCluster: a client of a Redis Cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/loop/endpoint.h"
#include "net/loop/event_loop.h"
#include "redis/redis_client.h"
#include "redis/redis_node.h"
#include "redis/redis_topology.h"

namespace sluice {

struct RedisClusterSettings {
  std::vector<TcpEndpoint> seeds;  // REQUIRES: at least one
  RedisNodeSettings node;
  // Interval of routine topology refreshes; each wait is between half and one and a half of it.
  Nanos refresh_every = std::chrono::seconds{30};
  // Backoff before a refresh that a failure or redirect caused.
  RedisPacing::Settings refresh{.min = std::chrono::milliseconds{10},
                                .first = std::chrono::milliseconds{200},
                                .max = std::chrono::seconds{2}};
  // Backoff before a command is resent to a node that could not serve it yet.
  RedisPacing::Settings again{.min = std::chrono::milliseconds{1},
                              .first = std::chrono::milliseconds{2},
                              .max = std::chrono::milliseconds{50}};
  std::uint8_t max_tries = 16;     // attempts per command
  std::size_t max_waiting = 4096;  // maximum number of commands waiting to be resent
};

// Sends each command to the node that serves its slot, and follows slots as they move.
//
// Thread safety and ownership: see RedisClient.
//
// Invariants, in addition to those of RedisClient
//   (1) MOVED updates the slot map, so the slot's next command goes to the right node. ASK
//       redirects one command only.
//   (2) A command is retried on a node that cannot serve it yet only until its deadline; then its
//       listener gets the error.
//   (3) One topology refresh is in flight at a time, and refreshes are separated by a wait.
//   (4) A node that no longer serves any slot is dropped once it has no command in flight.
class RedisCluster final : public RedisClient, private RedisListener {
 public:
  RedisCluster(const RedisParts& parts, RedisClusterSettings settings);
  ~RedisCluster() override;

  [[nodiscard]] Cause Send(RedisCommand& command, RedisListener& listener) override;

  // Schedules a topology refresh soon.
  void RefreshSoon();

  [[nodiscard]] const RedisTopology& TopologyForTest() const { return topology_; }
  [[nodiscard]] std::size_t NodesForTest() const { return nodes_.size(); }

 private:
  // A command that waits to be resent.
  struct Waiting {
    RedisCommand* command = nullptr;
    Time due{};
  };

  void OnOverdue(RedisCommand& command) override;
  void OnAnswer(RedisCommand& command, const RedisAnswer& answer) override;

  RedisNode& NodeAt(const TcpEndpoint& endpoint);
  RedisNode& NodeFor(std::uint16_t slot);
  RedisNode& AnyNode();
  [[nodiscard]] Cause SendTo(RedisNode& node, RedisCommand& command);

  // Returns true if the command is redirected or will be resent, so that its listener must not be
  // notified yet.
  bool Follow(RedisCommand& command, const RedisAnswer& answer);
  void Redirect(RedisCommand& command, const RedisError& error);
  bool Wait(RedisCommand& command);
  void SendWaiting();
  void ArmWaiting();
  static void Tell(RedisCommand& command, const RedisAnswer& answer);

  void Refresh();
  void TakeTopology(const RedisAnswer& answer);
  void ReleaseMemory();

  const RedisParts parts_;
  const RedisClusterSettings settings_;
  RedisTopology topology_;
  std::map<std::string, std::shared_ptr<RedisNode>> nodes_;  // by address
  std::size_t turn_ = 0;                                     // where AnyNode starts looking
  LoopTimer refresh_timer_;
  LoopTimer waiting_timer_;
  RedisPacing refresh_pacing_;
  RedisCommand refresh_;
  bool is_refreshing_ = false;
  bool is_refresh_near_ = false;  // the timer is set for an early refresh
  std::vector<Waiting> waiting_;
  bool is_ending_ = false;
};

}  // namespace sluice
