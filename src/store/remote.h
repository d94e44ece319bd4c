// Remote: the asynchronous interface to where states are kept.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/limit.h"
#include "core/window_end.h"
#include "sluice/charge.h"
#include "sluice/decision.h"
#include "sluice/result.h"
#include "sluice/time.h"
#include "store/fleet_key.h"
#include "store/local.h"

namespace sluice {

// A limit as a remote knows it: what it worked out when the limit was bound.
//
// Thread safety: immutable, but for `is_retired`, which any thread may read and set.
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

// Until when units that were charged may be given back, in the remote's time: later they would be
// those of a window that is over, or of a bucket that has them back by itself.
//
// Where nodes have different terms for a limit, the remote charges a key under those of another
// node, too. `other` names these, and they have a time of their own.
struct ReturnBound {
  Time until{};
  std::uint64_t other = 0;  // 0: none
  Time other_until{};

  // The bound of units of both, of which nothing is given back that is not the caller's.
  [[nodiscard]] ReturnBound Within(const ReturnBound& more) const {
    ReturnBound both{std::min(until, more.until)};
    if (other != more.other) return both;
    both.other = other;
    both.other_until = std::min(other_until, more.other_until);
    return both;
  }

  friend bool operator==(const ReturnBound&, const ReturnBound&) = default;
};

// One charge of a key that a remote keeps.
struct RemoteItem {
  // Kept alive by the call.
  std::shared_ptr<const RemoteTerms> terms;
  FleetKey key;
  std::uint32_t route = 0;
  Cost cost{};
  Veto veto = Veto::kEnforce;
  // Of a check.
  Cost left_alone{0};
  // Of a refund: from then on it does nothing.
  std::optional<ReturnBound> bound = std::nullopt;
};

// What became of a call.
enum class RemoteFate : std::uint8_t {
  kDecided,  // it was decided, or some of its items were (RemoteCall::fates)
  kNotDone,  // a store failure, and nothing of it has an effect
  kUnknown,  // a store failure, and whether some of it has an effect nobody knows
};

// A request on its way to a remote.
//
// Thread safety: that of the remote it was given to. Ownership: the caller's. From Decide until its
// listener has the answer it is neither changed nor freed. Use it again: what it needs is kept.
class RemoteCall {
 public:
  // Memory of a remote.
  class Way {
   public:
    Way() = default;
    Way(const Way&) = delete;
    Way& operator=(const Way&) = delete;
    virtual ~Way() = default;
  };

  // kCheck: the items are taken all or not at all, as a Request of Local. kDebt: each is taken in
  // any case. kPeek, kRefund, kReset: each is decided on its own. No other.
  Operation operation = Operation::kCheck;
  Taking taking = Taking::kAllOrNone;
  // 1 to Local::kChargesMost of a check; of others any number.
  std::vector<RemoteItem> items;
  Time deadline = kLatestTime;
  // It gives back what was charged too late. A remote that is left alone for a while gets it all
  // the same: nobody would ask for it again.
  bool undoes = false;
  // Whether more_after is wanted.
  bool wants_growth = false;

  // Once decided: one an item, and when the first of them was by the remote's clock. Where a
  // request is refused and the remote cannot tell what is left of a limit that has no part in that,
  // its decision has no numbers, and Source::kFallback.
  std::vector<Decision> decisions;
  Time decided_at{};
  // One per item of a check where one was charged under the terms of another node, too, else empty.
  // Read it by BoundOf: `until` is 0 where the decision says it.
  std::vector<ReturnBound> bounds;
  // One an item where it is wanted: how long `remaining` of its decision stays what it is. 0 where
  // the decision itself says it (UntilMore), or the remote does not know it.
  std::vector<Nanos> more_after;
  // Until when an item of a check that was decided can be given back.
  [[nodiscard]] ReturnBound BoundOf(std::size_t item) const {
    if (item < bounds.size() && bounds[item].until != Time{}) return bounds[item];
    return {ReturnableUntil(items[item].terms->limit(), decisions[item], decided_at)};
  }
  // Of kDebt, kPeek, kRefund and kReset: one per item where some were decided and some were not;
  // else empty. A decision means something only where its item was decided.
  std::vector<RemoteFate> fates;

  std::unique_ptr<Way> way;
};

// Hears what becomes of calls.
class RemoteListener {
 public:
  RemoteListener() = default;
  RemoteListener(const RemoteListener&) = delete;
  RemoteListener& operator=(const RemoteListener&) = delete;

  // The deadline has passed, and the call is still under way. At most once, before the answer.
  virtual void OnOverdue(RemoteCall& call) = 0;
  // Once for each call, and nothing after it; then the call is the caller's again.
  virtual void OnAnswer(RemoteCall& call, RemoteFate fate) = 0;

 protected:
  ~RemoteListener() = default;
};

// Keeps states elsewhere, for many nodes.
//
// Thread safety: one for each worker, called on its thread alone.
//
// Invariants
//   (1) A listener is never called before Decide returns.
//   (2) What is decided at a whole microsecond is what a Local decides at that time.
//   (3) No debit is repeated: of one that may have had an effect the fate is kUnknown.
class Remote {
 public:
  Remote() = default;
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;
  virtual ~Remote() = default;

  // False where it cannot be asked now: a store failure; then the listener hears nothing.
  [[nodiscard]] virtual bool Decide(RemoteCall& call, RemoteListener& listener) = 0;

  // Called for a call that is not made though the remote keeps its keys: their names are not known
  // yet, or the time of the request is used up. It is counted.
  virtual void OnNotAsked() = 0;
};

// Makes limits known to a remote.
//
// Thread safety: every method from any thread.
class RemoteLimits {
 public:
  RemoteLimits() = default;
  RemoteLimits(const RemoteLimits&) = delete;
  RemoteLimits& operator=(const RemoteLimits&) = delete;
  virtual ~RemoteLimits() = default;

  // An error where the remote cannot keep its states; it says which number is at fault.
  [[nodiscard]] virtual Result<std::shared_ptr<const RemoteTerms>> Bind(
      const Limit& limit) const = 0;

  // Null while it is not known yet: then nothing can be asked. Another one where the remote has
  // lost all it had; those before stay where they are.
  [[nodiscard]] virtual const FleetSecret* secret() const = 0;
};

}  // namespace sluice
