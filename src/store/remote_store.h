// RemoteStore: the asynchronous interface to a store of states elsewhere.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/algorithm/window_end.h"
#include "core/limit/limit.h"
#include "sluice/charge.h"
#include "sluice/decision.h"
#include "sluice/result.h"
#include "sluice/time.h"
#include "store/fleet_key.h"
#include "store/local.h"

namespace sluice {

// A limit as a remote store knows it, with what was precomputed when the limit was bound.
//
// Thread safety: immutable, except `is_retired`, which any thread may read and set.
class RemoteTerms {
 public:
  explicit RemoteTerms(const Limit& limit) : limit_(limit) {}
  RemoteTerms(const RemoteTerms&) = delete;
  RemoteTerms& operator=(const RemoteTerms&) = delete;
  virtual ~RemoteTerms() = default;

  [[nodiscard]] const Limit& limit() const { return limit_; }

  // Whether no rule in force leases under these terms. Units that were leased under them are
  // returned; requests that began earlier may still be decided under them.
  [[nodiscard]] bool is_retired() const { return is_retired_.load(std::memory_order_relaxed); }
  void SetRetired(bool is_retired) const {
    is_retired_.store(is_retired, std::memory_order_relaxed);
  }

 private:
  Limit limit_;
  mutable std::atomic<bool> is_retired_{false};
};

// The time until which charged units may be given back, by the remote store's clock. After that
// they would belong to a window that has ended, or to a bucket that has refilled them by itself.
//
// If nodes have different terms for a limit, the remote store also charges a key under another
// node's terms. `other` identifies these, and `other_until` is their bound.
struct ReturnBound {
  Time until{};
  std::uint64_t other = 0;  // 0: none
  Time other_until{};

  // Returns the bound for units of both charges, within which only the caller's units are given
  // back.
  [[nodiscard]] ReturnBound Within(const ReturnBound& more) const {
    ReturnBound both{std::min(until, more.until)};
    if (other != more.other) return both;
    both.other = other;
    both.other_until = std::min(other_until, more.other_until);
    return both;
  }

  friend bool operator==(const ReturnBound&, const ReturnBound&) = default;
};

// One charge of a key that a remote store keeps.
struct RemoteItem {
  // Kept alive by the call.
  std::shared_ptr<const RemoteTerms> terms;
  FleetKey key;
  std::uint32_t route = 0;
  Cost cost{};
  Enforcement enforcement = Enforcement::kEnforce;
  // Only for a check.
  Cost min_remaining{0};
  // Only for a refund: after this bound the refund does nothing.
  std::optional<ReturnBound> bound = std::nullopt;
};

// The outcome of a call.
enum class RemoteOutcome : std::uint8_t {
  kDecided,        // decided, or some of its items were (RemoteCall::outcomes)
  kNotApplied,     // store failure; nothing took effect
  kIndeterminate,  // store failure; some of it may have taken effect
};

// A request to a remote store.
//
// Thread safety: as the remote store it was passed to. Ownership: the caller's. From Decide until
// the listener gets the answer it must not be changed or freed. Reuse calls, because they keep
// memory that the remote store needs.
class RemoteCall {
 public:
  // Per-call state of a RemoteStore implementation.
  class Way {
   public:
    Way() = default;
    Way(const Way&) = delete;
    Way& operator=(const Way&) = delete;
    virtual ~Way() = default;
  };

  // kCheck: the items are taken all or none, as a Request of Local. kDebt: each is taken in any
  // case. kPeek, kRefund, kReset: each is decided on its own. No other operation is allowed.
  Operation operation = Operation::kCheck;
  ChargeMode charge_mode = ChargeMode::kAllOrNone;
  // A check has 1 to Local::kMaxCharges items; other operations any number.
  std::vector<RemoteItem> items;
  Time deadline = kLatestTime;
  // Whether the call refunds a charge that was made too late. It is sent even while the remote
  // store is not being asked because of failures, because nothing else would repeat it.
  bool undoes = false;
  // Whether more_after is wanted.
  bool wants_growth = false;

  // Set once decided: one decision per item, and the time of the first of them by the remote
  // store's clock. If a request is refused and the remote store does not know what is left of a
  // limit that did not cause the refusal, that decision has no numbers and Source::kFallback.
  std::vector<Decision> decisions;
  Time decided_at{};
  // One per item of a check if one was charged under another node's terms, too; else empty. Read it
  // through BoundOf: `until` is 0 if the bound follows from the decision.
  std::vector<ReturnBound> bounds;
  // One per item if wants_growth: how long `remaining` of its decision stays the same. 0 if that
  // follows from the decision (UntilMore) or the remote store does not know it.
  std::vector<Nanos> more_after;
  // Returns until when an item of a decided check can be given back.
  [[nodiscard]] ReturnBound BoundOf(std::size_t item) const {
    if (item < bounds.size() && bounds[item].until != Time{}) return bounds[item];
    return {ReturnableUntil(items[item].terms->limit(), decisions[item], decided_at)};
  }
  // For kDebt, kPeek, kRefund and kReset: one per item if only some were decided; else empty. A
  // decision is valid only if its item was decided.
  std::vector<RemoteOutcome> outcomes;

  std::unique_ptr<Way> way;
};

// Receives the outcomes of calls.
class RemoteListener {
 public:
  RemoteListener() = default;
  RemoteListener(const RemoteListener&) = delete;
  RemoteListener& operator=(const RemoteListener&) = delete;

  // Called at most once per call, before OnAnswer: the deadline has passed and the call is in
  // flight.
  virtual void OnOverdue(RemoteCall& call) = 0;
  // Called exactly once per call, as the last callback; then the call is the caller's again.
  virtual void OnAnswer(RemoteCall& call, RemoteOutcome outcome) = 0;

 protected:
  ~RemoteListener() = default;
};

// Keeps states elsewhere, shared by many nodes.
//
// Thread safety: one per worker, called on its thread only.
//
// Invariants
//   (1) A listener is never called before Decide returns.
//   (2) A decision made at a whole microsecond is the one that a Local makes at that time.
//   (3) No debit is retried: one that may have taken effect has the outcome kIndeterminate.
class RemoteStore {
 public:
  RemoteStore() = default;
  RemoteStore(const RemoteStore&) = delete;
  RemoteStore& operator=(const RemoteStore&) = delete;
  virtual ~RemoteStore() = default;

  // Returns false if the store cannot be asked now (a store failure); the listener is not called
  // then.
  [[nodiscard]] virtual bool Decide(RemoteCall& call, RemoteListener& listener) = 0;

  // Called when a call is skipped although the store keeps its keys, because the fleet secret is
  // not known yet or the request's time is used up. The store counts it.
  virtual void OnNotAsked() = 0;
};

// Registers limits with a remote store.
//
// Thread safety: every method may be called from any thread.
class RemoteLimits {
 public:
  RemoteLimits() = default;
  RemoteLimits(const RemoteLimits&) = delete;
  RemoteLimits& operator=(const RemoteLimits&) = delete;
  virtual ~RemoteLimits() = default;

  // Returns an error if the remote store cannot keep states of the limit, naming the offending
  // number.
  [[nodiscard]] virtual Result<std::shared_ptr<const RemoteTerms>> Bind(
      const Limit& limit) const = 0;

  // Null until the secret has been fetched; nothing can be asked before that. Changes when the
  // remote store has lost all its data; earlier secrets stay valid in memory.
  [[nodiscard]] virtual const FleetSecret* secret() const = 0;
};

}  // namespace sluice
