// RedisGroups: servers of redis that belong together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/redis_process.h"
#include "support/redis_time.h"

namespace sluice::testing {

// A cluster of three primaries.
//
// Thread safety: none.
class RedisClusterGroup {
 public:
  // Returns once all of them know that all slots are served, or has failed the test. `time` may be
  // null, else it outlives the group.
  explicit RedisClusterGroup(RedisTime* time = nullptr);

  [[nodiscard]] bool is_formed() const { return is_formed_; }
  [[nodiscard]] RedisProcess& server(std::size_t index) { return *servers_.at(index); }
  [[nodiscard]] std::vector<std::unique_ptr<RedisProcess>>& servers() { return servers_; }

  // From now on no server is held to be lost, however far its clock moves.
  void Trust();

 private:
  bool Form(const std::vector<std::string>& variables);

  std::vector<std::unique_ptr<RedisProcess>> servers_;
  bool is_formed_ = false;
};

// A primary, two replicas and three sentinels, who call it "limits".
class RedisSentinelGroup {
 public:
  // The same, once all sentinels know all others. They keep real time themselves.
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
