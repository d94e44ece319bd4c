// GateSession: one thread's access to a gate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/object_pool.h"
#include "gate/gate.h"
#include "gate/pending_request.h"
#include "gate/request.h"
#include "gate/rule_counts.h"
#include "gate/verdict.h"
#include "rules/compile/bits.h"
#include "rules/compile/match.h"
#include "sluice/charge.h"
#include "store/fleet_key.h"
#include "store/local.h"

namespace sluice {

// Receives a verdict that was not ready when Decide returned, on the thread of the session. The
// callback may start other requests.
class VerdictWaiter {
 public:
  VerdictWaiter() = default;
  VerdictWaiter(const VerdictWaiter&) = delete;
  VerdictWaiter& operator=(const VerdictWaiter&) = delete;

  // The callee may swap the verdict for another one, to keep it.
  virtual void OnVerdict(Verdict& verdict) = 0;

 protected:
  ~VerdictWaiter() = default;
};

// Decides by the rules of a gate. It has its own reference to them and checks once per call for
// newer ones, so that deciding takes no locks except those of the store.
//
// Thread safety: none; one per thread. Ownership: the gate must outlive it, and so must the remote
// store, unless no answer from it can arrive any more.
//
// Invariants
//   (1) Refunds and resets take effect even if the rest of the request is refused, and before
//       anything is taken; only a bad request changes nothing at all.
//   (2) A look that refuses refuses the request, as a charge would, and takes nothing. Each look is
//       decided on its own; charges of one key in one store are always decided together, even if
//       nothing is taken.
//   (3) If the request goes ahead, every charge that passes on its own is taken; if not, none is.
//       But a rule with `debt` is charged even if the request is refused or another set is denied,
//       and never refuses a charge. A look at such a rule tells whether it is used up, whatever the
//       cost.
//   (4) A limit that the caller brings replaces the `descriptors`: it is enforced whatever mode
//       those have. It does not replace other limits and is not replaced.
//   (5) A request has at most kMaxSets sets, which come to at most kMaxDecisions decisions, of
//       which at most Local::kMaxCharges may be charges to take. A request that exceeds this is a
//       bad request; it is detected before much work has been done, and its memory is not kept.
//   (6) Every decision about a charge or a look is counted once in the gate's counts, by its own
//       result, whatever the verdict. Refunds, resets, bad requests, and requests that waited for a
//       remote store while the rules changed are not counted.
//   (7) A waiter is called exactly once, and not before Decide has returned.
class GateSession final : private PendingRequest::Owner {
 public:
  static constexpr std::size_t kMaxSets = 1024;
  static constexpr std::size_t kMaxDecisions = 1024;

  explicit GateSession(Gate& gate, const RemoteAccess& access = {});

  // REQUIRES: there is no remote store.
  void Decide(const GateRequest& request, Verdict& verdict);

  enum class Decided : std::uint8_t {
    kNow,
    kLater,  // the verdict is empty, and the waiter receives it later
  };
  Decided Decide(const GateRequest& request, Verdict& verdict, VerdictWaiter& waiter);

  // Returns the verdicts since the last call; a verdict that came later counts once it is there.
  VerdictCounts TakeVerdictCounts() { return std::exchange(verdict_counts_, {}); }
  // Returns whether verdicts can come later.
  [[nodiscard]] bool has_remote() const { return access_.remote != nullptr; }

  // The keys on which rules with enforce_percent are enforced.
  enum class ShareKeys : std::uint8_t {
    kBySecret,
    kAll,  // for programs that explain rules and do not know the secret
  };
  void Enforce(ShareKeys keys) { share_keys_ = keys; }

  [[nodiscard]] std::size_t BytesKeptForTest() const;

 private:
  // The memory of requests with more sets than this is freed.
  static constexpr std::size_t kSetsKept = 64;

  void Refresh();
  void Hash(const FleetSecret* secret);
  Decided DecideIn(const Domain& domain, const GateRequest& request, Verdict& verdict);
  // Returns false if the request is invalid; the verdict says why.
  bool MatchSets(const Domain& domain, const GateRequest& request, Verdict& verdict);
  // Ends a set that a rule decides without charges. Returns false if the request is invalid.
  bool EndSet(const GateRequest& request, std::size_t number, Verdict& verdict);
  // Adds the charges of all sets to pending_. Returns false if there are too many.
  bool AskSets(const Domain& domain, const GateRequest& request, Verdict& verdict);
  void AskSet(const GateRequest& request, std::uint32_t number, Verdict& verdict);
  void AskOverride(const GateRequest& request, std::uint32_t number, Verdict& verdict);
  // Sets the fleet key of the last charge, if a remote store keeps it.
  void AddFleetKey(const FleetHash* hash);

  PendingRequest* TakePending();
  void OnVerdict(PendingRequest& pending) override;
  void OnIdle(PendingRequest& pending) override;

  // Counts the decisions of each limit and rule.
  void Count(const PendingRequest& pending, const Verdict& verdict);
  void CountDecision(const PendingRequest::PendingCharge& charges, const Verdict& verdict,
                     const RuleDecision& each);
  // Frees the memory of a request with `sets` sets if it was unusually large.
  void ReleaseMemory(std::size_t sets);

  Gate& gate_;
  const RemoteAccess access_;
  HashSeed share_secret_;  // for enforce_percent: the fleet's, or without a fleet the store's
  ShareKeys share_keys_ = ShareKeys::kBySecret;
  std::uint64_t version_ = 0;
  std::shared_ptr<const BoundRules> rules_;
  std::vector<FleetHash> hashes_;        // one per limit, then one per period of LimitOverride
  const FleetSecret* secret_ = nullptr;  // the secret of hashes_; null: hashes_ is not computed
  RuleTally tally_;
  VerdictCounts verdict_counts_{};
  std::vector<Match> matches_;              // one per set
  std::vector<std::string> override_keys_;  // one per set; empty without an override
  Bits replaced_names_;

  ObjectPool<PendingRequest> all_;
  PendingRequest* pending_;  // the current request; the others of all_ are waiting
};

}  // namespace sluice
