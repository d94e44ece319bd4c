// FleetSecretSource: distributes through Redis the secret with which a fleet hashes keys.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "net/loop/event_loop.h"
#include "redis/redis_client.h"
#include "redis/redis_jitter.h"
#include "store/fleet_key.h"

namespace sluice {

// Derives a secret from a text that the operator wrote or Redis stores: its SHA-256.
FleetSecret FleetSecretOf(std::string_view text);

// Stores the first node's secret in Redis with SET NX and polls it. The secret never expires in
// Redis, because keys hashed with another secret are different keys. A Redis that has lost the
// secret has lost the states, too: it is offered the secret in use, and if another node was faster,
// that node's secret is used from then on.
//
// Thread safety: use only on the loop's thread. One worker of a process has it. The client must be
// destroyed first, while the loop is not running, because a command of this object may be in flight
// until then.
//
// Invariants
//   (1) All nodes that use one Redis get the same secret, whichever of them comes first.
//   (2) `found` is called once for each secret that differs from the one before.
//   (3) A new secret is used only after two polls in a row have returned it, because a bit flipped
//       in transit would change every key.
class FleetSecretSource final : private RedisListener {
 public:
  using Found = std::function<void(const FleetSecret& secret)>;

  static constexpr Nanos kLookEvery = std::chrono::seconds{1};

  // All but the client must outlive the source.
  struct Parts {
    EventLoop& loop;
    RedisClient& client;
    RedisJitter& jitter;
  };

  // Starts at once. `proposal` must be random and private; it is used if Redis has no secret yet.
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
  std::string text_;    // the secret in use
  std::string seen_;    // a different secret that the last poll returned
  RedisCommand offer_;  // SET NX
  RedisCommand look_;   // GET, sent after offer_
  RedisPacing pacing_{RedisPacing::Settings{}};
  LoopTimer timer_;
};

}  // namespace sluice
