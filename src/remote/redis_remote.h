// RedisRemote: states in redis, as the gate asks for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "remote/redis_client.h"
#include "remote/redis_leg.h"
#include "remote/redis_observer.h"
#include "remote/remote_limit.h"
#include "sluice/clock.h"
#include "store/remote.h"

namespace sluice {

// A limit whose states redis keeps.
class RedisTerms final : public RemoteTerms {
 public:
  explicit RedisTerms(RemoteLimit limit)
      : RemoteTerms(limit.limit()), remote_limit_(std::move(limit)) {}

  [[nodiscard]] const RemoteLimit& remote_limit() const { return remote_limit_; }

 private:
  RemoteLimit remote_limit_;
};

// Limits for redis, and the secret of the fleet once it is known. Thread safety: any thread.
class RedisLimits final : public RemoteLimits {
 public:
  [[nodiscard]] Result<std::shared_ptr<const RemoteTerms>> Bind(const Limit& limit) const override;
  [[nodiscard]] const FleetSecret* secret() const override {
    return secret_.load(std::memory_order_acquire);
  }

  // The last one counts; those before stay where they are, for who still reads them: there is
  // another only where Redis lost all it had.
  void SetSecret(const FleetSecret& secret);

 private:
  std::mutex mutex_;
  std::deque<FleetSecret> held_;  // under the mutex
  std::atomic<const FleetSecret*> secret_{nullptr};
};

// Where the keys of one call are.
enum class RedisSlots : std::uint8_t {
  kTogether,  // on one server
  kSpread,    // in a cluster: only keys of one slot are decided together
};

struct RedisRemoteOptions {
  // Before all keys; two fleets of one redis have different ones. REQUIRES: no brace.
  std::string prefix = "sluice:";
  RedisSlots slots = RedisSlots::kTogether;
};

// What a RedisRemote shares with its calls.
struct RedisRemoteParts {
  RedisLegParts legs;
  RedisRemoteOptions options;
  RedisObserver* observer = nullptr;
};

// Asks redis.
//
// A check is one command where its keys are of one slot. Others are charged slot by slot, in the
// order of the slots, so that of two requests over the same keys one passes; pacers come last,
// which take refunds as nothing. Where a slot refuses, those before it are given back and those
// after it only asked, all at once.
//
// Thread safety: the thread of the client. Calls that are under way end before it does.
//
// Invariants, beside those of Remote
//   (4) A request that does not go ahead leaves nothing charged but debts and what count_refused
//       records, of the slots up to the one that refused; where a give-back fails its charge stays,
//       and is counted. It is never admitted.
//   (5) A give-back does nothing once what was charged would be back anyway.
//   (6) A failure is kNotDone only where all that took effect has been given back.
//   (7) A call that is overdue is still brought to its end.
//   (8) Nothing in a command comes from callers as text.
//   (9) A refusal is one whatever becomes of the slots after it, but for debts; what they do not
//       tell has no numbers and is of Source::kFallback.
class RedisRemote final : public Remote {
 public:
  // All outlive it. `observer` may be null.
  RedisRemote(RedisClient& client, Clock& clock, RedisRemoteOptions options,
              RedisObserver* observer = nullptr);

  // REQUIRES: terms of RedisLimits; kCheck, kDebt, kPeek, kRefund or kReset, of one item or more.
  [[nodiscard]] bool Decide(RemoteCall& call, RemoteListener& listener) override;
  void OnNotAsked() override { parts_.legs.counts.not_taken.Add(1); }

  [[nodiscard]] const RedisRemoteCounts& counts() const { return parts_.legs.counts; }

 private:
  RedisRemoteParts parts_;
};

}  // namespace sluice
