// GateSession: one thread's way through a gate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gate/gate.h"
#include "gate/request.h"
#include "gate/rule_counts.h"
#include "gate/verdict.h"
#include "rules/bits.h"
#include "rules/match.h"
#include "sluice/charge.h"
#include "store/local.h"

namespace sluice {

// Decides by the rules of a gate. It has its own reference to them and looks whether there are
// newer ones once a call, so that deciding takes no lock but those of the store.
//
// Thread safety: none; one for each thread. Ownership: the gate outlives it.
//
// Invariants
//   (1) What is given back or forgotten is so whatever becomes of the rest, and before anything is
//       taken; only a bad request changes nothing at all.
//   (2) A look that refuses refuses the request, as a charge would, and takes nothing. Looks are
//       asked each on its own; charges of one key always together, also where nothing is taken.
//   (3) If the request goes ahead every charge that passes on its own is taken, if not none is; but
//       a rule with `debt` is charged even if the request is refused or another set denied, and
//       never refuses a charge. A look at it tells whether it is used up, whatever it costs.
//   (4) A limit that the caller brings stands in place of the `descriptors`: it is enforced
//   whatever
//       mode those have, and neither replaces other limits nor is replaced.
//   (5) A request has at most kSetsMost sets, which come to at most kDecisionsMost decisions, of
//       which Local::kChargesMost may be charges to take. One that has more is a bad request, which
//       is found before much work has been done, and no memory of it is kept.
//   (6) Every decision about a charge or a look is counted once in the gate's counts, as what it
//       said by itself, whatever became of the request; refunds, resets and bad requests are not.
class GateSession {
 public:
  static constexpr std::size_t kSetsMost = 1024;
  static constexpr std::size_t kDecisionsMost = 1024;

  explicit GateSession(Gate& gate) : gate_(gate), tally_(gate.counts_) {}

  void Decide(const GateRequest& request, Verdict& verdict);

  // The verdicts since it was last called.
  VerdictCounts TakeVerdictCounts() { return std::exchange(verdict_counts_, {}); }

  [[nodiscard]] std::size_t BytesKeptForTest() const;

 private:
  // What is asked of the store for the decision of the same index in the verdict.
  struct Asked {
    Charge charge;
    Veto veto = Veto::kEnforce;  // kDebt where the rule says so
    Cost left_alone{0};
    std::uint32_t series = 0;  // where it is counted
  };

  // So many sets are usual; what more of them took is given back.
  static constexpr std::size_t kSetsKept = 64;

  void Refresh();
  void DecideIn(const Domain& domain, const GateRequest& request, Verdict& verdict);
  // False if the request cannot be understood; then the verdict says why.
  bool MatchSets(const Domain& domain, const GateRequest& request, Verdict& verdict);
  // Likewise.
  bool AskSets(const GateRequest& request, Verdict& verdict);
  void AskSet(const GateRequest& request, std::uint32_t number, Verdict& verdict);
  void AskOverride(const GateRequest& request, std::uint32_t number, Verdict& verdict);

  // Notes the decisions of this purpose in picked_; false if there are none.
  bool Pick(const Verdict& verdict, Purpose purpose);
  void DecidePicked(Operation operation, Verdict& verdict);
  // Whether the looks let charges be taken.
  [[nodiscard]] Taking SumUpLooks(const Verdict& verdict);
  // No quota limit that is still to be asked refuses any more.
  void LiftQuota();
  void TakePicked(Taking taking, Verdict& verdict);
  void RestateOverrides(const GateRequest& request, Verdict& verdict) const;
  // Counts what was decided, each limit and rule for itself.
  void CountSets(const Domain& domain, const GateRequest& request, const Verdict& verdict);
  void CountDecision(const Verdict& verdict, std::uint32_t number);
  // Gives back the memory of a request of `sets` sets where it was unusually large.
  void LetGo(std::size_t sets);

  Gate& gate_;
  std::uint64_t version_ = 0;
  std::shared_ptr<const BoundRules> rules_;
  RuleTally tally_;
  VerdictCounts verdict_counts_{};
  Time now_{};
  std::vector<Match> matches_;              // one a set
  std::vector<std::string> override_keys_;  // likewise; empty without an override
  Bits replaced_names_;
  std::vector<Asked> asked_;  // one a decision of the verdict
  unsigned purposes_ = 0;     // those of the request's sets, one bit each

  // What one call of the store is made of.
  std::vector<std::uint32_t> picked_;  // indexes of asked_
  std::vector<Charge> charges_;
  std::vector<Veto> vetoes_;
  std::vector<Cost> left_alone_;
  std::vector<Decision> decisions_;
};

}  // namespace sluice
