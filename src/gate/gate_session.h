// GateSession: one thread's way through a gate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/in_use.h"
#include "gate/deciding.h"
#include "gate/gate.h"
#include "gate/request.h"
#include "gate/rule_counts.h"
#include "gate/verdict.h"
#include "rules/bits.h"
#include "rules/match.h"
#include "sluice/charge.h"
#include "store/fleet_key.h"
#include "store/local.h"

namespace sluice {

// Hears of a verdict that came later, on the thread of the session. It may ask for others while it
// is called.
class VerdictWaiter {
 public:
  VerdictWaiter() = default;
  VerdictWaiter(const VerdictWaiter&) = delete;
  VerdictWaiter& operator=(const VerdictWaiter&) = delete;

  // It may be swapped for another one, to keep it.
  virtual void OnVerdict(Verdict& verdict) = 0;

 protected:
  ~VerdictWaiter() = default;
};

// Decides by the rules of a gate. It has its own reference to them and looks whether there are
// newer ones once a call, so that deciding takes no lock but those of the store.
//
// Thread safety: none; one for each thread. Ownership: the gate outlives it; so does the remote,
// unless nothing answers for it any more.
//
// Invariants
//   (1) What is given back or forgotten is so whatever becomes of the rest, and before anything is
//       taken; only a bad request changes nothing at all.
//   (2) A look that refuses refuses the request, as a charge would, and takes nothing. Looks are
//       asked each on its own; charges of one key and one store always together, also where nothing
//       is taken.
//   (3) If the request goes ahead every charge that passes on its own is taken, if not none is; but
//       a rule with `debt` is charged even if the request is refused or another set denied, and
//       never refuses a charge. A look at it tells whether it is used up, whatever it costs.
//   (4) A limit that the caller brings stands in place of the `descriptors`: it is enforced
//       whatever mode those have, and neither replaces other limits nor is replaced.
//   (5) A request has at most kSetsMost sets, which come to at most kDecisionsMost decisions, of
//       which Local::kChargesMost may be charges to take. One that has more is a bad request, which
//       is found before much work has been done, and no memory of it is kept.
//   (6) Every decision about a charge or a look is counted once in the gate's counts, as what it
//       said by itself, whatever became of the request; refunds, resets and bad requests are not,
//       nor is what waited for a remote while the rules changed.
//   (7) A waiter hears once, and not before Decide has returned.
class GateSession final : private Deciding::Owner {
 public:
  static constexpr std::size_t kSetsMost = 1024;
  static constexpr std::size_t kDecisionsMost = 1024;

  explicit GateSession(Gate& gate, const RemoteWay& way = {});

  // REQUIRES: there is no remote.
  void Decide(const GateRequest& request, Verdict& verdict);

  enum class Decided : std::uint8_t {
    kNow,
    kLater,  // the verdict is empty, and the waiter hears of it
  };
  Decided Decide(const GateRequest& request, Verdict& verdict, VerdictWaiter& waiter);

  // The verdicts since it was last called; one that came later counts when it is there.
  VerdictCounts TakeVerdictCounts() { return std::exchange(verdict_counts_, {}); }
  // Whether verdicts can come later.
  [[nodiscard]] bool has_remote() const { return way_.remote != nullptr; }

  // Which keys rules with enforce_percent are enforced on.
  enum class ShareKeys : std::uint8_t {
    kBySecret,
    kAll,  // for programs that explain rules and do not know the secret
  };
  void Enforce(ShareKeys keys) { share_keys_ = keys; }

  [[nodiscard]] std::size_t BytesKeptForTest() const;

 private:
  // So many sets are usual; what more of them took is given back.
  static constexpr std::size_t kSetsKept = 64;

  void Refresh();
  void Hash(const FleetSecret* secret);
  Decided DecideIn(const Domain& domain, const GateRequest& request, Verdict& verdict);
  // False if the request cannot be understood; then the verdict says why.
  bool MatchSets(const Domain& domain, const GateRequest& request, Verdict& verdict);
  // Ends a set that a rule decides without its charges. Likewise.
  bool EndSet(const GateRequest& request, std::size_t number, Verdict& verdict);
  // Likewise.
  bool AskSets(const Domain& domain, const GateRequest& request, Verdict& verdict);
  void AskSet(const GateRequest& request, std::uint32_t number, Verdict& verdict);
  void AskOverride(const GateRequest& request, std::uint32_t number, Verdict& verdict);
  // Of a charge that a remote keeps: what it is called there.
  void AddFleetKey(const FleetHash* hash);

  Deciding* TakeDeciding();
  void OnVerdict(Deciding& deciding) override;
  void OnIdle(Deciding& deciding) override;

  // Counts what was decided, each limit and rule for itself.
  void Count(const Deciding& deciding, const Verdict& verdict);
  void CountDecision(const Deciding::Asked& asked, const Verdict& verdict,
                     const RuleDecision& each);
  // Gives back the memory of a request of `sets` sets where it was unusually large.
  void LetGo(std::size_t sets);

  Gate& gate_;
  const RemoteWay way_;
  HashSeed share_secret_;  // of enforce_percent: the fleet's, or where there is none the store's
  ShareKeys share_keys_ = ShareKeys::kBySecret;
  std::uint64_t version_ = 0;
  std::shared_ptr<const BoundRules> rules_;
  std::vector<FleetHash> hashes_;        // one a limit, then one a period of LimitOverride
  const FleetSecret* secret_ = nullptr;  // that they were made with; null: there are none
  RuleTally tally_;
  VerdictCounts verdict_counts_{};
  std::vector<Match> matches_;              // one a set
  std::vector<std::string> override_keys_;  // likewise; empty without an override
  Bits replaced_names_;

  InUse<Deciding> all_;
  Deciding* deciding_;  // the request at hand; the others of all_ wait
};

}  // namespace sluice
