// Groups of redis servers: a cluster, and a primary with replicas and sentinels.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/redis_process.h"
#include "support/redis_time.h"

namespace sluice::testing {

// A cluster with three primaries.
//
// Thread safety: none.
class RedisClusterGroup {
 public:
  // Returns when all servers know that all slots are served, or fails the test. `time` may be null;
  // otherwise it must outlive the group.
  explicit RedisClusterGroup(RedisTime* time = nullptr);

  [[nodiscard]] bool is_formed() const { return is_formed_; }
  [[nodiscard]] RedisProcess& server(std::size_t index) { return *servers_.at(index); }
  [[nodiscard]] std::vector<std::unique_ptr<RedisProcess>>& servers() { return servers_; }

  // Makes the servers never consider each other failed, however far their clocks move.
  void Trust();

 private:
  bool Form(const std::vector<std::string>& variables);

  std::vector<std::unique_ptr<RedisProcess>> servers_;
  bool is_formed_ = false;
};

// A primary, two replicas and three sentinels, which monitor it under the name "limits".
class RedisSentinelGroup {
 public:
  // Returns when all sentinels know each other, or fails the test. The sentinels keep real time.
  explicit RedisSentinelGroup(RedisTime* time = nullptr);

  [[nodiscard]] bool is_formed() const { return is_formed_; }
  [[nodiscard]] RedisProcess& primary() { return *servers_.front(); }
  [[nodiscard]] std::vector<std::uint16_t> sentinel_ports() const;

 private:
  bool Form(const std::vector<std::string>& variables);

  std::vector<std::unique_ptr<RedisProcess>> servers_;  // the primary first
  std::vector<std::unique_ptr<RedisProcess>> sentinels_;
  bool is_formed_ = false;
};

}  // namespace sluice::testing
