#include "support/redis_groups.h"

#include <gtest/gtest.h>

#include <array>

#include "base/text.h"

namespace sluice::testing {
namespace {

using Words = std::vector<std::string>;

bool Comes(const RedisProcess& server, const std::string& command, const std::string& expected) {
  return server.CallUntil(command, expected).find(expected) != std::string::npos;
}

Words VariablesOf(const RedisTime* time) { return time == nullptr ? Words{} : time->variables(); }

}  // namespace

RedisClusterGroup::RedisClusterGroup(RedisTime* time) {
  is_formed_ = Form(VariablesOf(time));
  EXPECT_TRUE(is_formed_) << "the cluster did not come together";
}

bool RedisClusterGroup::Form(const Words& variables) {
  constexpr std::array<const char*, 3> kRanges = {"0 5460", "5461 10922", "10923 16383"};
  for (const char* range : kRanges) {
    servers_.push_back(
        std::make_unique<RedisProcess>(Words{}, RedisProcess::Mode::kCluster, variables));
    if (servers_.back()->Call(Concat("CLUSTER ADDSLOTSRANGE ", range)) != "OK") return false;
  }
  const std::string first = server(0).Call("CLUSTER NODES");
  const std::size_t at = first.find('@');
  const std::string bus = first.substr(at + 1, first.find_first_of(", ", at) - at - 1);
  for (std::size_t i = 1; i < servers_.size(); ++i) {
    const std::string meet = Concat("CLUSTER MEET 127.0.0.1 ", server(0).port(), " ", bus);
    if (server(i).Call(meet) != "OK") return false;
  }
  for (const auto& each : servers_) {
    if (!Comes(*each, "CLUSTER INFO", "cluster_state:ok")) return false;
  }
  return true;
}

void RedisClusterGroup::Trust() {
  for (const auto& each : servers_) {
    EXPECT_EQ(each->Call("CONFIG SET cluster-node-timeout 1000000000000000"), "OK");
  }
}

RedisSentinelGroup::RedisSentinelGroup(RedisTime* time) {
  is_formed_ = Form(VariablesOf(time));
  EXPECT_TRUE(is_formed_) << "the sentinels did not come together";
}

bool RedisSentinelGroup::Form(const Words& variables) {
  constexpr int kReplicas = 2;
  constexpr int kSentinels = 3;
  servers_.push_back(
      std::make_unique<RedisProcess>(Words{}, RedisProcess::Mode::kServer, variables));
  for (int i = 0; i < kReplicas; ++i) {
    servers_.push_back(
        std::make_unique<RedisProcess>(Words{"--replicaof", Concat("127.0.0.1 ", primary().port())},
                                       RedisProcess::Mode::kServer, variables));
    if (!Comes(*servers_.back(), "INFO replication", "master_link_status:up")) return false;
  }
  for (int i = 0; i < kSentinels; ++i) {
    sentinels_.push_back(std::make_unique<RedisProcess>(
        Words{Concat("sentinel monitor limits 127.0.0.1 ", primary().port(), " 2"),
              "sentinel down-after-milliseconds limits 60000"},
        RedisProcess::Mode::kSentinel));
  }
  for (const auto& each : sentinels_) {
    if (!Comes(*each, "SENTINEL master limits | tr '\\n' ' '",
               "num-slaves 2 num-other-sentinels 2")) {
      return false;
    }
  }
  return true;
}

std::vector<std::uint16_t> RedisSentinelGroup::sentinel_ports() const {
  std::vector<std::uint16_t> ports;
  for (const auto& each : sentinels_) ports.push_back(each->port());
  return ports;
}

}  // namespace sluice::testing
