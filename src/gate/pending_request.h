// PendingRequest: one request until it has a verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gate/fallback.h"
#include "gate/limit_place.h"
#include "gate/request.h"
#include "gate/verdict.h"
#include "sluice/charge.h"
#include "sluice/clock.h"
#include "store/local.h"
#include "store/memory_store.h"
#include "store/node_cache.h"
#include "store/remote_store.h"

namespace sluice {

// The remote store that a session may ask in addition to the memory store. All of it must outlive
// the sessions, unless no answer from it can arrive any more.
struct RemoteAccess {
  RemoteStore* remote = nullptr;    // null: everything is in memory
  NodeCache* node_cache = nullptr;  // null: always ask the remote store
  Nanos timeout{0};                 // per call; less if the caller's deadline is nearer
  const bool* is_over = nullptr;    // true once verdicts are no longer needed; null: never
};

class VerdictWaiter;

// The properties of a set of attributes that are kept after its request is gone.
struct SetInfo {
  Purpose purpose = Purpose::kTake;
  std::optional<LimitOverride> limit;
  bool is_unmatched = false;  // no limit or rule applied to it
};

// Decides all charges of one request, in this order: refunds, resets, looks, charges to take. Waits
// for the remote store if it must be asked.
//
// Charges to take are taken from leased units first, then in memory, then in the remote store; if a
// later one refuses, the earlier ones are given back. Once the deny cache refuses, the remote store
// is asked only for what a refused request changes: debts, and limits that count refused requests.
// The other limits have no numbers then, because a round trip per refusal would be too expensive in
// a flood.
//
// Charges in memory that could not be given back exactly (pacers, logs, shared states) are only
// peeked at first and taken once the remote store has let the request pass. If other requests have
// taken those units meanwhile, the request is refused and the rest is given back.
//
// Thread safety: none. Ownership: owned by its session.
//
// Invariants
//   (1) If the remote store does not answer in time, the fallback decides the request at once.
//   (2) A late answer is used: if the request was refused, the units it charged are given back. No
//       charge is made twice.
//   (3) Keys live as long as they are needed: a waiting request has its own copies.
//   (4) A request that goes ahead without the fallback is also charged to this node's shares, as
//       far as they have room, and refunds and resets apply there, too. This changes no verdict. A
//       decision of the fallback is charged to the shares once, whatever a late answer says.
class PendingRequest final : private RemoteListener {
 public:
  // The charge for the decision of the same index in the verdict.
  struct PendingCharge {
    Charge charge;
    Enforcement enforcement = Enforcement::kEnforce;  // kDebt if the rule has `debt`
    Cost min_remaining{0};
    std::uint32_t series = 0;  // number under which it is counted
    const LimitPlace* place = nullptr;
    FleetKey fleet_key{};  // for a remote limit
    std::uint32_t route = 0;
  };

  class Owner {
   public:
    Owner() = default;
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

    // Called when the verdict of a request that had to wait is ready.
    virtual void OnVerdict(PendingRequest& pending) = 0;
    // Called when the request has been answered and may be reused.
    virtual void OnIdle(PendingRequest& pending) = 0;

   protected:
    ~Owner() = default;
  };

  enum class Outcome : std::uint8_t { kDecided, kWaiting };

  PendingRequest(MemoryStore& store, Clock& clock, const RemoteAccess& access, Owner& owner)
      : store_(store), clock_(clock), access_(access), owner_(owner), fallback_(store) {}

  // Resets it for another request.
  void Clear();

  // Set by the session.
  std::vector<PendingCharge> charges;
  std::vector<SetInfo> sets;
  const DomainSpec* domain = nullptr;
  Nanos answer_within = kNever;
  bool has_fleet_keys = false;  // else the remote store cannot be asked
  bool reports_growth = false;  // the verdict reports when the nearest decision has more left

  void AddPurpose(Purpose purpose) { purposes_ |= 1U << static_cast<unsigned>(purpose); }
  [[nodiscard]] static std::size_t CountOf(const Verdict& verdict, Purpose purpose);

  // Decides into `verdict`. If it has to wait, `verdict` is empty afterwards and the owner is
  // called later.
  Outcome Decide(Verdict& verdict);

  // Returns whether its request was unusually large, so that its memory should be freed.
  [[nodiscard]] bool is_large() const;

  // The verdict of a request that had to wait.
  [[nodiscard]] Verdict& kept_verdict() { return kept_verdict_; }

  VerdictWaiter* waiter = nullptr;  // for the session: receives the verdict
  std::size_t place = 0;            // for ObjectPool

 private:
  enum class Stage : std::uint8_t { kGiveBack, kForget, kLook, kTake, kDone };
  // Where a charge has been taken so that it can be given back. kDeferred: in memory, and taken
  // once the remote store has answered.
  enum class Held : std::uint8_t { kNowhere, kNear, kMemory, kDeferred };
  // The combined result of the decisions so far.
  struct Standing {
    bool refuses = false;
    bool quota_asked = false;
    bool quota_passed = false;
  };

  Decision& DecisionOf(std::uint32_t number) { return verdict_->decisions_[number].decision; }
  [[nodiscard]] bool IsFar(std::uint32_t number) const {
    return charges[number].place->remote != nullptr;
  }

  [[nodiscard]] bool IsOver() const { return access_.is_over != nullptr && *access_.is_over; }
  Outcome RunStages();
  // Returns true if the stage has ended.
  bool Begin(Stage stage);
  void End(Stage stage);
  bool Pick(Purpose purpose);
  // Splits picked_ into charges in memory and charges of a remote store.
  void SplitByLocation();

  // Decides each charge of picked_ on its own.
  bool DecideEach(Operation operation);
  void DecideInMemory(Operation operation);
  void RefundNear();

  bool Take();
  void TakeTogether();
  void TakeNear();
  // Removes from far_ what the remote store would only report, because the deny cache has refused.
  void SkipReports();
  void TakeInMemory();
  void RecordDecision(std::uint32_t number);
  [[nodiscard]] bool HasQuota(std::span<const std::uint32_t> numbers) const;
  // Whether the decisions so far allow anything to be taken while `open` is still to be decided.
  [[nodiscard]] ChargeMode ChargeModeGiven(std::span<const std::uint32_t> open) const;
  [[nodiscard]] Enforcement EnforcementNow(Enforcement enforcement) const;
  void GiveBackHeld();

  // Charges that are taken after the answer (pending_request_defer.cc).
  [[nodiscard]] bool ReturnsExactly(std::uint32_t number, const Decision& peeked) const;
  // Moves charges from memory_ to deferred_, unless one of them refuses already.
  void Defer();
  // Decides all of deferred_ together. Returns whether the request may go ahead.
  bool DecideDeferred(ChargeMode charge_mode);
  // Takes deferred_, or gives back the other charges. REQUIRES: the others pass.
  void TakeDeferred();
  void GiveBackAnswered();
  // Applies the operation to the shares where it succeeded elsewhere.
  void MirrorToShare(Operation operation);
  void FillShares();

  // Returns true if the answer has to be waited for; else the charges are decided already.
  bool AskRemote(Operation operation, ChargeMode charge_mode);
  void FallBack(Operation operation, ChargeMode charge_mode);
  // Falls back for the items that the remote store has not decided.
  void FallBackSome(const RemoteCall& call);
  void OnOverdue(RemoteCall& call) override;
  void OnAnswer(RemoteCall& call, RemoteOutcome outcome) override;
  // Continues after the remote store has answered, or when it is no longer waited for.
  void Resume();
  void Reconcile(RemoteOutcome outcome);
  // Refunds the taken charges of the call. Returns whether a refund was sent.
  bool GiveBackFar();
  static Cost CostOf(const PendingCharge& charges, Operation operation);
  static RemoteItem ItemOf(const PendingCharge& charges);

  [[nodiscard]] ChargeMode SumUpLooks();
  void LiftQuota();
  void RestateOverrides();
  // Sets the verdict's more_after if its nearest decision does not show it.
  void FindGrowth();
  [[nodiscard]] Nanos UntilMoreOf(std::uint32_t number);
  void KeepAll();

  MemoryStore& store_;
  Clock& clock_;
  const RemoteAccess& access_;
  Owner& owner_;
  Fallback fallback_;

  Verdict* verdict_ = nullptr;
  Verdict kept_verdict_;
  std::string kept_keys_;
  unsigned purposes_ = 0;
  Stage stage_ = Stage::kGiveBack;
  ChargeMode charge_mode_ = ChargeMode::kAllOrNone;
  Time now_{};
  Time deadline_{};
  Time taken_at_{};  // time of charges near and in memory
  Standing standing_;
  bool is_kept_ = false;       // it has waited and owns all that it views
  bool is_under_way_ = false;  // the remote store has not answered yet
  bool is_overdue_ = false;    // the remote store is no longer waited for
  bool goes_ahead_ = false;    // whether the verdict was to go ahead
  bool is_answered_ = false;   // the remote store has decided the charges to take

  std::vector<std::uint32_t> picked_;    // indexes of charges
  std::vector<std::uint32_t> memory_;    // those of picked_ that are in memory
  std::vector<std::uint32_t> far_;       // those that the remote store is asked for
  std::vector<std::uint32_t> deferred_;  // those in memory that are taken after its answer
  std::vector<Held> held_;               // one per charge; empty if nothing needs to be given back

  // Buffers for one call of a store.
  std::vector<Charge> charges_;
  std::vector<Enforcement> enforcements_;
  std::vector<Cost> min_remaining_;
  std::vector<Decision> decisions_;
  std::vector<FallbackCharge> fallback_charges_;
  RemoteCall call_;
};

}  // namespace sluice
