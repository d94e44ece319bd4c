// EvictionWatch: whether redis forgets keys to make room.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "net/event_loop.h"
#include "remote/redis_client.h"
#include "remote/redis_jitter.h"
#include "sluice/time.h"

namespace sluice {

// What a server says of its memory.
struct MemorySight {
  std::string run_id;  // another one each time the server is started
  std::string policy;  // "allkeys-lru"
  std::uint64_t bytes_most = 0;
  std::uint64_t evicted_keys = 0;  // since it was started

  // Whether it forgets keys when its memory is full.
  [[nodiscard]] bool may_evict() const { return bytes_most != 0 && policy != "noeviction"; }
};

// One look at a server.
struct EvictionLook {
  MemorySight sight;
  std::uint64_t evicted = 0;  // keys, since the last look at that server
  std::uint16_t part = 0;     // of the slots, below kEvictionParts: whose server it is
};

// The slots of a cluster are looked at in so many parts.
inline constexpr std::uint16_t kEvictionParts = 16;

// From the reply to INFO; none where something is missing.
std::optional<MemorySight> ReadMemorySight(std::string_view text);

// Looks at INFO now and then, each time of the server of another part of the slots.
//
// Thread safety: that of the loop. One worker of a process has it. The client ends first, while the
// loop does not run: until then a command of it may be under way.
//
// Invariants
//   (1) At most one look is under way.
//   (2) Keys that were evicted before a server was first looked at are not told of, all others
//       once.
//   (3) Where it is forbidden to look that is told of once, and looks become rare: it may have been
//       forbidden for a moment.
//   (4) A part that cannot be looked at keeps no other from its turn.
class EvictionWatch final : private RedisListener {
 public:
  // All but the client outlive it.
  struct Parts {
    EventLoop& loop;
    RedisClient& client;
    RedisJitter& jitter;
  };
  struct Owner {
    std::function<void(const EvictionLook& look)> on_look;
    std::function<void()> on_forbidden;
  };

  // Begins at once.
  EvictionWatch(const Parts& parts, Nanos every, Owner owner);

 private:
  // Servers that are gone stay in it, so many at most.
  static constexpr std::size_t kServersMost = 1000;
  // Times `every`, between looks that are forbidden.
  static constexpr int kRareness = 12;

  void OnOverdue(RedisCommand& /*command*/) override {}
  void OnAnswer(RedisCommand& command, const RedisAnswer& answer) override;

  void Look();
  // Until it is the turn of the next part.
  void Rest(Nanos most);
  void Take(MemorySight sight, std::uint16_t part);

  const Parts parts_;
  const Nanos every_;
  const Owner owner_;
  RedisCommand command_;
  std::uint16_t part_ = 0;                        // that is looked at, or will be next
  std::map<std::string, std::uint64_t> evicted_;  // as last told, by run id
  bool was_forbidden_ = false;
  LoopTimer timer_;
};

}  // namespace sluice
