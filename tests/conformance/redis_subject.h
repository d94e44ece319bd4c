// RedisSubject: a RedisRemote on real servers, whose clock is set.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/conformance_step.h"
#include "net/event_loop.h"
#include "remote/redis_client.h"
#include "remote/redis_remote.h"
#include "support/redis_groups.h"
#include "support/redis_process.h"
#include "support/redis_time.h"
#include "unit/remote/remote_asker.h"

namespace sluice::testing {

// Thread safety: none.
class RedisSubject final : public ConformanceSubject {
 public:
  // Each starts its servers; null, and a failed test, where they do not come up.
  static std::unique_ptr<RedisSubject> OneServer();
  static std::unique_ptr<RedisSubject> Cluster();
  static std::unique_ptr<RedisSubject> Sentinel();

  [[nodiscard]] std::string name() const override { return name_; }
  void Begin(const std::vector<ConformanceKey>& keys, Time now) override;
  std::vector<Decision> Take(const ConformanceStep& step) override;
  // Keys that would stay for good.
  std::string Faults() override;

  [[nodiscard]] const RedisRemoteCounts& counts() const { return remote_->counts(); }

 private:
  explicit RedisSubject(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] RedisParts Parts() { return {{loop_, *clock_}, names_, redis_counts_, jitter_}; }
  // From now on the test's time is theirs.
  void TakeOver(RedisSlots slots);

  const std::string name_;
  RedisTime time_;
  std::unique_ptr<RedisProcess> server_;
  std::unique_ptr<RedisClusterGroup> cluster_;
  std::unique_ptr<RedisSentinelGroup> sentinel_;
  std::vector<RedisProcess*> keepers_;  // servers that have keys

  EventLoop loop_;
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  NameLookup names_;
  RedisCounts redis_counts_;
  RedisJitter jitter_{7};
  std::optional<RedisRemote> remote_;
  std::optional<RemoteAsker> asker_;
  const std::vector<ConformanceKey>* keys_ = nullptr;
  RemoteCall call_;
  std::unique_ptr<sluice::RedisClient> client_;  // it tells of what is under way when it ends
};

}  // namespace sluice::testing
