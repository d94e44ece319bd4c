// EvictionWatch: detects that Redis evicts keys.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "net/loop/event_loop.h"
#include "redis/redis_client.h"
#include "redis/redis_jitter.h"
#include "sluice/time.h"

namespace sluice {

// The memory state that a server reports.
struct MemoryInfo {
  std::string run_id;  // changes each time the server starts
  std::string policy;  // "allkeys-lru"
  std::uint64_t max_bytes = 0;
  std::uint64_t evicted_keys = 0;  // since the server started

  // Returns whether the server evicts keys when its memory is full.
  [[nodiscard]] bool may_evict() const { return max_bytes != 0 && policy != "noeviction"; }
};

// The result of one poll of a server.
struct EvictionSample {
  MemoryInfo sight;
  std::uint64_t evicted = 0;  // keys since the previous poll of this server
  std::uint16_t part = 0;     // the polled part of the slots, below kEvictionParts
};

// Number of equal parts into which the slots of a cluster are divided for polling.
inline constexpr std::uint16_t kEvictionParts = 16;

// Parses the reply to INFO. Returns none if a field is missing.
std::optional<MemoryInfo> ParseMemoryInfo(std::string_view text);

// Polls INFO periodically, each time from the server of the next part of the slots.
//
// Thread safety: use only on the loop's thread. One worker of a process has it. The client must be
// destroyed first, while the loop is not running, because a command of this object may be in flight
// until then.
//
// Invariants
//   (1) At most one poll is in flight.
//   (2) Evictions are reported once each, except those before the first poll of a server.
//   (3) A missing permission is reported once. Polls then become rare but continue, because the
//       permission may only be missing for a moment.
//   (4) A part that cannot be polled does not delay the others.
class EvictionWatch final : private RedisListener {
 public:
  // All but the client must outlive the watch.
  struct Parts {
    EventLoop& loop;
    RedisClient& client;
    RedisJitter& jitter;
  };
  struct Owner {
    std::function<void(const EvictionSample& look)> on_look;
    std::function<void()> on_forbidden;
  };

  // Starts polling at once.
  EvictionWatch(const Parts& parts, Nanos every, Owner owner);

 private:
  // Maximum number of servers in evicted_. Servers that are gone stay in it.
  static constexpr std::size_t kMaxServers = 1000;
  // Factor on `every` after a poll that was forbidden.
  static constexpr int kRareness = 12;

  void OnOverdue(RedisCommand& /*command*/) override {}
  void OnAnswer(RedisCommand& command, const RedisAnswer& answer) override;

  void Look();
  // Waits a random time between half of `most` and `most` before polling the next part.
  void Rest(Nanos max);
  void Take(MemoryInfo sight, std::uint16_t part);

  const Parts parts_;
  const Nanos every_;
  const Owner owner_;
  RedisCommand command_;
  std::uint16_t part_ = 0;                        // polled now or next
  std::map<std::string, std::uint64_t> evicted_;  // as last reported, by run id
  bool was_forbidden_ = false;
  LoopTimer timer_;
};

}  // namespace sluice
