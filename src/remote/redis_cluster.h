// RedisCluster: a cluster of redis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/endpoint.h"
#include "net/event_loop.h"
#include "remote/redis_client.h"
#include "remote/redis_node.h"
#include "remote/redis_topology.h"

namespace sluice {

struct RedisClusterSettings {
  std::vector<TcpEndpoint> seeds;  // REQUIRES: at least one
  RedisNodeSettings node;
  // How often it is asked who serves what, though nothing has gone wrong; half of it to half more.
  Nanos refresh_every = std::chrono::seconds{30};
  // Waits before it is asked because something went wrong.
  RedisPacing::Settings refresh{.least = std::chrono::milliseconds{10},
                                .first = std::chrono::milliseconds{200},
                                .most = std::chrono::seconds{2}};
  // Waits before a command is sent again to a node that could not serve it yet.
  RedisPacing::Settings again{.least = std::chrono::milliseconds{1},
                              .first = std::chrono::milliseconds{2},
                              .most = std::chrono::milliseconds{50}};
  std::uint8_t tries_most = 16;     // of one command
  std::size_t waiting_most = 4096;  // commands that are to be sent again
};

// Sends each command to the node that serves its slot, and follows slots that move.
//
// Thread safety and ownership: as RedisClient.
//
// Invariants, beside those of RedisClient
//   (1) MOVED is believed: the slot's next command goes to the right node. ASK is for one command.
//   (2) A command waits for a node that cannot serve it yet only as long as its deadline allows;
//       then it has the error.
//   (3) One question for the topology is under way at a time, and questions have a wait between.
//   (4) A node that serves nothing any more is let go once nothing is under way there.
class RedisCluster final : public RedisClient, private RedisListener {
 public:
  RedisCluster(const RedisParts& parts, RedisClusterSettings settings);
  ~RedisCluster() override;

  [[nodiscard]] Cause Send(RedisCommand& command, RedisListener& listener) override;

  // Asks who serves what, soon.
  void RefreshSoon();

  [[nodiscard]] const RedisTopology& TopologyForTest() const { return topology_; }
  [[nodiscard]] std::size_t NodesForTest() const { return nodes_.size(); }

 private:
  // A command that is to be sent again.
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

  // Whether the command goes on, so that its listener is not told.
  bool Follow(RedisCommand& command, const RedisAnswer& answer);
  void Redirect(RedisCommand& command, const RedisError& error);
  bool Wait(RedisCommand& command);
  void SendWaiting();
  void ArmWaiting();
  static void Tell(RedisCommand& command, const RedisAnswer& answer);

  void Refresh();
  void TakeTopology(const RedisAnswer& answer);
  void LetGo();

  const RedisParts parts_;
  const RedisClusterSettings settings_;
  RedisTopology topology_;
  std::map<std::string, std::shared_ptr<RedisNode>> nodes_;  // by place
  std::size_t turn_ = 0;                                     // whom AnyNode finds next
  LoopTimer refresh_timer_;
  LoopTimer waiting_timer_;
  RedisPacing refresh_pacing_;
  RedisCommand refresh_;
  bool is_refreshing_ = false;
  bool is_refresh_near_ = false;  // the timer is set for one that something asked for
  std::vector<Waiting> waiting_;
  bool is_ending_ = false;
};

}  // namespace sluice
