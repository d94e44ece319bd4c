// Metrics of the Redis clients.
#pragma once

#include <array>
#include <cstdint>

#include "admin/metrics_text.h"
#include "redis/redis_counts.h"
#include "remote/cache/redis_cache.h"
#include "remote/script/redis_remote.h"

namespace sluice::cli {

// The sums of all workers. Plain data without synchronization.
struct RemoteTotals {
  std::int64_t nodes = 0;
  std::int64_t leased_units = 0;
  std::int64_t pending_units = 0;
  RedisCache::Lost lost;
  RedisCache::TableBytes table_bytes;
  bool may_evict = false;
  std::uint64_t evicted_keys = 0;
  std::array<std::uint64_t, kRedisErrorKinds> replies{};
  std::array<std::uint64_t, kRedisCauses> unsent{};
  std::array<std::uint64_t, kRedisCauses> unknown{};
  std::uint64_t overdue = 0;
  std::uint64_t late = 0;
  std::uint64_t connects = 0;
  std::uint64_t connect_failures = 0;
  std::uint64_t disconnects = 0;
  std::uint64_t breaker_opened = 0;
  std::uint64_t scripts_loaded = 0;
  std::uint64_t redirects = 0;
  std::uint64_t refreshes = 0;
  std::uint64_t refresh_failures = 0;
  std::uint64_t primary_switches = 0;
  std::uint64_t decided = 0;
  std::uint64_t not_done = 0;
  std::uint64_t maybe_done = 0;
  std::uint64_t not_taken = 0;
  std::uint64_t new_terms = 0;
  std::uint64_t other_time = 0;
  std::uint64_t bad_replies = 0;
  std::uint64_t given_back = 0;
  std::uint64_t not_given_back = 0;

  void Add(const RedisCounts& counts);
  void Add(const RedisRemoteCounts& counts);

  // Returns the number of commands without an answer in time.
  [[nodiscard]] std::uint64_t Failures() const;
};

void AppendRemoteMetrics(const RemoteTotals& totals, MetricsText& out);

}  // namespace sluice::cli
