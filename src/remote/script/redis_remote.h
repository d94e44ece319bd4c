// RedisRemote: the RemoteStore that keeps states in Redis.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "redis/redis_client.h"
#include "remote/script/redis_observer.h"
#include "remote/script/remote_limit.h"
#include "remote/script/slot_command.h"
#include "sluice/clock.h"
#include "store/remote_store.h"

namespace sluice {

// A limit whose states Redis keeps.
class RedisTerms final : public RemoteTerms {
 public:
  explicit RedisTerms(RemoteLimit limit)
      : RemoteTerms(limit.limit()), remote_limit_(std::move(limit)) {}

  [[nodiscard]] const RemoteLimit& remote_limit() const { return remote_limit_; }

 private:
  RemoteLimit remote_limit_;
};

// Binds limits for Redis, and holds the fleet's secret once it is known. Thread safety: every
// method may be called from any thread.
class RedisLimits final : public RemoteLimits {
 public:
  [[nodiscard]] Result<std::shared_ptr<const RemoteTerms>> Bind(const Limit& limit) const override;
  [[nodiscard]] const FleetSecret* secret() const override {
    return secret_.load(std::memory_order_acquire);
  }

  // Sets the current secret. Earlier ones stay in memory for threads that still read them; there is
  // a new one only if Redis has lost all its data.
  void SetSecret(const FleetSecret& secret);

 private:
  std::mutex mutex_;
  std::deque<FleetSecret> held_;  // guarded by mutex_
  std::atomic<const FleetSecret*> secret_{nullptr};
};

// How the keys of one call are distributed.
enum class RedisSlots : std::uint8_t {
  kTogether,  // all on one server
  kSpread,    // in a cluster: only keys of the same slot are decided together
};

struct RedisRemoteOptions {
  // Prefix of all keys; fleets that share one Redis need different prefixes. REQUIRES: no brace.
  std::string prefix = "sluice:";
  RedisSlots slots = RedisSlots::kTogether;
};

// Shared by a RedisRemote and its calls.
struct RedisRemoteParts {
  RedisLegParts legs;
  RedisRemoteOptions options;
  RedisObserver* observer = nullptr;
};

// Decides requests with a script in Redis.
//
// A check whose keys are all in one slot is one command. Otherwise the slots are charged one after
// the other, in slot order, so that of two concurrent requests over the same keys one passes;
// pacers come last, because they ignore refunds. If a slot refuses, the slots before it are
// refunded and those after it are only read, all at once.
//
// Thread safety: use only on the client's thread. Its calls must have ended before it is destroyed.
//
// Invariants, in addition to those of RemoteStore
//   (4) A request that does not go ahead leaves nothing charged except debts and what count_refused
//       records, in the slots up to the one that refused. If a refund fails, its charge stays and
//       is counted; it does not admit the request.
//   (5) A refund does nothing once the charged units would be back anyway.
//   (6) A failure is kNotApplied only if everything that took effect has been refunded.
//   (7) An overdue call is still completed.
//   (8) Commands contain no caller-supplied text.
//   (9) A refusal stands whatever the outcome of the slots after it, except for debts. Items for
//       which these slots report nothing have no numbers and Source::kFallback.
class RedisRemote final : public RemoteStore {
 public:
  // All arguments must outlive it. `observer` may be null.
  RedisRemote(RedisClient& client, Clock& clock, RedisRemoteOptions options,
              RedisObserver* observer = nullptr);

  // REQUIRES: terms made by RedisLimits; kCheck, kDebt, kPeek, kRefund or kReset; at least one
  // item.
  [[nodiscard]] bool Decide(RemoteCall& call, RemoteListener& listener) override;
  void OnNotAsked() override { parts_.legs.counts.not_taken.Add(1); }

  [[nodiscard]] const RedisRemoteCounts& counts() const { return parts_.legs.counts; }

 private:
  RedisRemoteParts parts_;
};

}  // namespace sluice
