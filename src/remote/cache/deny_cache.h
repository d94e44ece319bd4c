// DenyCache: remembers keys that are known not to have enough units left.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "remote/cache/key_table.h"
#include "remote/script/redis_observer.h"
#include "sluice/decision.h"
#include "sluice/time.h"
#include "store/node_cache.h"
#include "store/remote_store.h"

namespace sluice {

// Remembers refusals of a remote store: a key that refused a cost refuses the same cost until its
// retry_after has passed. It keeps facts about a key, never the verdict of a request.
//
// Thread safety: every method may be called from any thread. Times are from the local clock, except
// for decided_at.
//
// Invariants
//   (1) It refuses only a check with the cost and the terms that the remote refused, and never
//       longer than the remote would: until the request was sent plus its retry_after.
//   (2) retry_after is what remains of that time.
//   (3) It remembers nothing about limits that are not plain (near_limit.h), about a cost that can
//       never pass, or about a key that a call contained twice.
//   (4) An admission, a refund or a reset on this node since the refusal was sent ends it.
//   (5) It refuses for at most kTrusted after the refused request was sent, because another node
//       may refund units.
class DenyCache {
 public:
  static constexpr Nanos kTrusted = std::chrono::seconds{1};

  explicit DenyCache(std::size_t max_keys, std::int64_t bytes_max = KeyTable<int>::kBytesUnbounded)
      : table_(max_keys, bytes_max) {}

  [[nodiscard]] NodeCache::Answer Take(const RemoteItem& item, Time now, Decision& decision);

  void OnReply(const RedisDecisionEvent& sight, Time now);
  void Forget(const FleetKey& key, Time now);

  // Drops expired entries step by step. Only one caller at a time.
  void Sweep(Time now);

  [[nodiscard]] std::int64_t BytesApprox() const { return table_.budget().UsedApprox(); }
  [[nodiscard]] std::size_t SizeApproxForTest() { return table_.SizeApproxForTest(); }

 private:
  struct Entry {
    std::shared_ptr<const RemoteTerms> terms;
    Cost cost{0};
    Decision told;
    Time sent_at{};
    Time trusted_until{};
  };

  static constexpr std::size_t kSweptAtOnce = 512;

  static bool IsWorthKeeping(const RedisDecisionEvent& sight);
  // Prevents that refusals of calls sent before `now` are remembered.
  void NoteChange(const FleetKey& key, Time now);

  KeyTable<Entry> table_;
  // Time of the last refund or reset of any key of the shard.
  std::array<std::atomic<std::int64_t>, KeyTable<Entry>::kShards> changed_at_{};
};

}  // namespace sluice
