// HeardServers: records what Redis clients report about servers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "redis/redis_server_observer.h"

namespace sluice::testing {

class HeardServers final : public RedisServerObserver {
 public:
  void OnConnected(std::string_view server) override {
    lines.push_back(Concat("connected ", server));
  }
  void OnFailure(RedisServerRole role, std::string_view server, std::string_view cause) override {
    lines.push_back(
        Concat(role == RedisServerRole::kSentinel ? "sentinel " : "", server, ": ", cause));
  }

  std::vector<std::string> lines;
};

}  // namespace sluice::testing
