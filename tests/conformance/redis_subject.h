// RedisSubject: a RedisRemote with real servers whose clock is controlled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/conformance_step.h"
#include "net/loop/event_loop.h"
#include "redis/redis_client.h"
#include "remote/script/redis_remote.h"
#include "support/redis_groups.h"
#include "support/redis_process.h"
#include "support/redis_time.h"
#include "unit/remote/remote_asker.h"

namespace sluice::testing {

// Thread safety: none.
class RedisSubject final : public ConformanceSubject {
 public:
  // Start the servers. Return null, and fail the test, if they do not come up.
  static std::unique_ptr<RedisSubject> OneServer();
  static std::unique_ptr<RedisSubject> Cluster();
  static std::unique_ptr<RedisSubject> Sentinel();

  [[nodiscard]] std::string name() const override { return name_; }
  void Begin(const std::vector<ConformanceKey>& keys, Time now) override;
  std::vector<Decision> Take(const ConformanceStep& step) override;
  // Reports keys that would never expire.
  std::string Faults() override;

  [[nodiscard]] const RedisRemoteCounts& counts() const { return remote_->counts(); }

 private:
  explicit RedisSubject(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] RedisParts Parts() { return {{loop_, *clock_}, names_, redis_counts_, jitter_}; }
  // Creates the remote. From now on the servers use the test's time.
  void TakeOver(RedisSlots slots);

  const std::string name_;
  RedisTime time_;
  std::unique_ptr<RedisProcess> server_;
  std::unique_ptr<RedisClusterGroup> cluster_;
  std::unique_ptr<RedisSentinelGroup> sentinel_;
  std::vector<RedisProcess*> keepers_;  // servers that hold keys

  EventLoop loop_;
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  NameLookup names_;
  RedisCounts redis_counts_;
  RedisJitter jitter_{7};
  std::optional<RedisRemote> remote_;
  std::optional<RemoteAsker> asker_;
  const std::vector<ConformanceKey>* keys_ = nullptr;
  RemoteCall call_;
  std::unique_ptr<sluice::RedisClient> client_;  // last: its end answers calls in flight
};

}  // namespace sluice::testing
