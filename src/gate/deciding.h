// Deciding: one request on its way to its verdict.
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
#include "store/nearby.h"
#include "store/remote.h"

namespace sluice {

// Where a thread may ask beside the memory store. All of it outlives its sessions, or is gone when
// nobody waits any more.
struct RemoteWay {
  Remote* remote = nullptr;       // null: everything is in memory
  Nearby* nearby = nullptr;       // null: everything is asked of the remote
  Nanos patience{0};              // how long the remote may take; less where a caller waits less
  const bool* is_over = nullptr;  // true once nobody waits for verdicts any more; null: never
};

class VerdictWaiter;

// What a set of attributes was, once its request is gone.
struct SetNote {
  Purpose purpose = Purpose::kTake;
  std::optional<LimitOverride> limit;
  bool is_unmatched = false;  // nothing applied to it
};

// Asks the stores for all charges of one request, in their order: what is given back, what is
// forgotten, looks, and then what is taken. What must be asked of a remote is waited for.
//
// Of what is taken, leased units come first, then those in memory, then the remote; what was taken
// is given back if one of the later ones refuses. Once the deny cache refuses, the remote is asked
// only for what a refused request changes: debts, and limits that count refused requests. The other
// limits have no numbers then, because a refusal that costs a round trip would be no use in a
// flood.
//
// Charges in memory that could not be given back exactly (pacers, logs, shared states) are only
// peeked at first and taken once the remote has let the request pass. If somebody else has taken
// them meanwhile, the request is refused and the rest is given back.
//
// Thread safety: none. Ownership: its session's.
//
// Invariants
//   (1) A request that the remote does not answer in time is decided by the fallback, at once.
//   (2) An answer that comes later is used: what it charged of a request that was refused is given
//       back. No charge is made twice.
//   (3) The keys live as long as they are needed: what waits has its own copies.
//   (4) What goes ahead without the fallback is charged to this node's shares, too, as far as they
//       have room, and what is given back or forgotten is so there. That changes no verdict. What
//       the fallback has decided is charged to them once, whatever a late answer says.
class Deciding final : private RemoteListener {
 public:
  // What is asked of the stores for the decision of the same index in the verdict.
  struct Asked {
    Charge charge;
    Veto veto = Veto::kEnforce;  // kDebt where the rule says so
    Cost left_alone{0};
    std::uint32_t series = 0;  // where it is counted
    const LimitPlace* place = nullptr;
    FleetKey fleet_key{};  // of a remote limit
    std::uint32_t route = 0;
  };

  class Owner {
   public:
    Owner() = default;
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

    // A verdict that had to be waited for is there.
    virtual void OnVerdict(Deciding& deciding) = 0;
    // It is of no use to anybody any more.
    virtual void OnIdle(Deciding& deciding) = 0;

   protected:
    ~Owner() = default;
  };

  enum class Outcome : std::uint8_t { kDecided, kWaiting };

  Deciding(MemoryStore& store, Clock& clock, const RemoteWay& way, Owner& owner)
      : store_(store), clock_(clock), way_(way), owner_(owner), fallback_(store) {}

  // Makes it ready for another request.
  void Clear();

  // What the session fills in.
  std::vector<Asked> asked;
  std::vector<SetNote> sets;
  const DomainSpec* domain = nullptr;
  Nanos answer_within = kNever;
  bool has_fleet_keys = false;  // else the remote cannot be asked
  bool reports_growth = false;  // the verdict says when the nearest decision has more left

  void AddPurpose(Purpose purpose) { purposes_ |= 1U << static_cast<unsigned>(purpose); }
  [[nodiscard]] static std::size_t CountOf(const Verdict& verdict, Purpose purpose);

  // Decides into `verdict`; if it has to wait, that is empty afterwards and the owner hears of it.
  Outcome Decide(Verdict& verdict);

  // Whether its request was unusually large, so that its memory is worth giving back.
  [[nodiscard]] bool is_large() const;

  // That of a request that had to wait.
  [[nodiscard]] Verdict& kept_verdict() { return kept_verdict_; }

  VerdictWaiter* waiter = nullptr;  // the session's: who waits for the verdict
  std::size_t place = 0;            // of InUse

 private:
  enum class Stage : std::uint8_t { kGiveBack, kForget, kLook, kTake, kDone };
  // Where a charge of this request is taken and can be given back; kDeferred: it is in memory, and
  // taken once the remote has answered.
  enum class Held : std::uint8_t { kNowhere, kNear, kMemory, kDeferred };
  // What the decisions so far come to.
  struct Standing {
    bool refuses = false;
    bool quota_asked = false;
    bool quota_passed = false;
  };

  Decision& DecisionOf(std::uint32_t number) { return verdict_->decisions_[number].decision; }
  [[nodiscard]] bool IsFar(std::uint32_t number) const {
    return asked[number].place->remote != nullptr;
  }

  [[nodiscard]] bool IsOver() const { return way_.is_over != nullptr && *way_.is_over; }
  Outcome Go();
  // True if the stage is over.
  bool Begin(Stage stage);
  void End(Stage stage);
  bool Pick(Purpose purpose);
  // Parts picked_ into those in memory and those that are a remote's.
  void Part();

  // Each of picked_ on its own.
  bool DecideEach(Operation operation);
  void DecideInMemory(Operation operation);
  void RefundNear();

  bool Take();
  void TakeTogether();
  void TakeNear();
  // Leaves what the remote would only report out of far_, because the deny cache has refused.
  void SkipReports();
  void TakeInMemory();
  void Note(std::uint32_t number);
  [[nodiscard]] bool HasQuota(std::span<const std::uint32_t> numbers) const;
  // Whether what was decided so far lets anything be taken, while these are still to be asked.
  [[nodiscard]] Taking TakingWith(std::span<const std::uint32_t> open) const;
  [[nodiscard]] Veto VetoNow(Veto veto) const;
  void GiveBackHeld();

  // Charges that are taken after the answer (deciding_defer.cc).
  [[nodiscard]] bool ReturnsExactly(std::uint32_t number, const Decision& peeked) const;
  // Moves them from memory_ to deferred_, unless one of them refuses already.
  void Defer();
  // Asks all of deferred_ together. Whether the request may go ahead.
  bool DecideDeferred(Taking taking);
  // Takes them, or gives back what the others have taken. REQUIRES: the others pass.
  void TakeDeferred();
  void GiveBackAnswered();
  // Does in the shares what was done far or near.
  void Follow(Operation operation);
  void FillShares();

  // True if it has to be waited for; else it is decided already.
  bool AskRemote(Operation operation, Taking taking);
  void FallBack(Operation operation, Taking taking);
  // Only the items that the remote has not decided.
  void FallBackSome(const RemoteCall& call);
  void OnOverdue(RemoteCall& call) override;
  void OnAnswer(RemoteCall& call, RemoteFate fate) override;
  // The answer of the remote is there, or will not be waited for.
  void Resume();
  void Reconcile(RemoteFate fate);
  // Whether there is anything, and the remote takes it.
  bool GiveBackFar();
  static Cost CostOf(const Asked& asked, Operation operation);
  static RemoteItem ItemOf(const Asked& asked);

  [[nodiscard]] Taking SumUpLooks();
  void LiftQuota();
  void RestateOverrides();
  // Sets the verdict's more_after where its nearest decision does not say it.
  void FindGrowth();
  [[nodiscard]] Nanos UntilMoreOf(std::uint32_t number);
  void KeepAll();

  MemoryStore& store_;
  Clock& clock_;
  const RemoteWay& way_;
  Owner& owner_;
  Fallback fallback_;

  Verdict* verdict_ = nullptr;
  Verdict kept_verdict_;
  std::string kept_keys_;
  unsigned purposes_ = 0;
  Stage stage_ = Stage::kGiveBack;
  Taking taking_ = Taking::kAllOrNone;
  Time now_{};
  Time deadline_{};
  Time taken_at_{};  // when near and in memory
  Standing standing_;
  bool is_kept_ = false;       // it has waited, so all that it views is its own
  bool is_under_way_ = false;  // the remote has not answered yet
  bool is_overdue_ = false;    // nor will it be waited for
  bool goes_ahead_ = false;    // what the verdict was
  bool is_answered_ = false;   // the remote has decided what is taken

  std::vector<std::uint32_t> picked_;    // indexes of asked
  std::vector<std::uint32_t> memory_;    // those of picked_ that are in memory
  std::vector<std::uint32_t> far_;       // those that the remote is asked for
  std::vector<std::uint32_t> deferred_;  // those in memory that are taken after its answer
  std::vector<Held> held_;               // one an asked; empty where nothing needs to be given back

  // What one call of a store is made of.
  std::vector<Charge> charges_;
  std::vector<Veto> vetoes_;
  std::vector<Cost> left_alone_;
  std::vector<Decision> decisions_;
  std::vector<FallbackCharge> fallback_charges_;
  RemoteCall call_;
};

}  // namespace sluice
