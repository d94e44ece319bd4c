// FleetSecretSource: where the nodes of a fleet get what they hash keys with.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "net/event_loop.h"
#include "remote/redis_client.h"
#include "remote/redis_jitter.h"
#include "store/fleet_key.h"

namespace sluice {

// Of a text that the operator wrote, or that Redis keeps: its SHA-256.
FleetSecret FleetSecretOf(std::string_view text);

// Has Redis keep a secret that the first node makes, and reads it, again and again. It stays in
// Redis for good: keys under another secret are others. A Redis that has lost it has lost the
// states, too: it is offered the one in use, and if another node came first its one is used from
// then on.
//
// Thread safety: that of the loop. One worker of a process has it. The client ends first, while the
// loop does not run: until then a command of it may be under way.
//
// Invariants
//   (1) All nodes that ask one Redis get the same secret, whichever of them comes first.
//   (2) `found` is called once for each secret that is another than the one before.
//   (3) A secret that is not in use is used once two looks in a row have said it: a bit that was
//       turned on its way would make other keys of all.
class FleetSecretSource final : private RedisListener {
 public:
  using Found = std::function<void(const FleetSecret& secret)>;

  static constexpr Nanos kLookEvery = std::chrono::seconds{1};

  // All but the client outlive it.
  struct Parts {
    EventLoop& loop;
    RedisClient& client;
    RedisJitter& jitter;
  };

  // Begins at once. `proposal` is random, and nobody else knows it; it is used where Redis has none
  // yet.
  FleetSecretSource(const Parts& parts, std::string_view prefix, const FleetSecret& proposal,
                    Found found);

 private:
  void OnOverdue(RedisCommand& /*command*/) override {}
  void OnAnswer(RedisCommand& command, const RedisAnswer& answer) override;

  void Ask();
  void Look();
  void Use(std::string_view text);

  const Parts parts_;
  const std::string key_;
  const Found found_;
  std::string text_;    // in use
  std::string seen_;    // another one, by the last look
  RedisCommand offer_;  // SET NX
  RedisCommand look_;   // GET, after it
  RedisPacing pacing_{RedisPacing::Settings{}};
  LoopTimer timer_;
};

}  // namespace sluice
