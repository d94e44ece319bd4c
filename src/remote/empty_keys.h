// EmptyKeys: keys that are known not to have enough left.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "remote/key_table.h"
#include "remote/redis_observer.h"
#include "sluice/decision.h"
#include "sluice/time.h"
#include "store/nearby.h"
#include "store/remote.h"

namespace sluice {

// Remembers refusals of a remote: of a key that refused a cost fewer units are left until its
// retry_after has passed. What is kept is that, never a verdict.
//
// Thread safety: every method from any thread. Times are those of the local clock, but for
// decided_at.
//
// Invariants
//   (1) It refuses only a check of the cost that the remote refused, under the terms it was refused
//       under, and never longer than the remote would: until it was sent plus its retry_after.
//   (2) retry_after is what is left of it.
//   (3) Nothing is kept of limits that are not plain (near_limit.h), nor of a cost that never
//       passes, nor of a key that a call had twice.
//   (4) What passed, was given back or forgotten on this node since a refusal was sent ends it.
//   (5) It refuses for at most kTrusted after it was told: another node may give units back.
class EmptyKeys {
 public:
  static constexpr Nanos kTrusted = std::chrono::seconds{1};

  explicit EmptyKeys(std::size_t keys_most, std::int64_t bytes_max = KeyTable<int>::kBytesUnbounded)
      : table_(keys_most, bytes_max) {}

  [[nodiscard]] Nearby::Answer Take(const RemoteItem& item, Time now, Decision& decision);

  void Hear(const RedisSight& sight, Time now);
  void Forget(const FleetKey& key, Time now);

  // A piece of housekeeping. One caller at a time.
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

  static bool IsWorthKeeping(const RedisSight& sight);
  // Refusals of calls that were sent before are not to be kept.
  void NoteChange(const FleetKey& key, Time now);

  KeyTable<Entry> table_;
  // When a key of the shard was last given back or forgotten.
  std::array<std::atomic<std::int64_t>, KeyTable<Entry>::kShards> changed_at_{};
};

}  // namespace sluice
