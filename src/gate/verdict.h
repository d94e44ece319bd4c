// Verdict: the answer for a request, all its decisions together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gate/request.h"
#include "rules/descriptor_tree.h"
#include "rules/rule_limit.h"
#include "rules/rule_spec.h"
#include "sluice/charge.h"
#include "sluice/decision.h"

namespace sluice {

struct BoundRules;

// What became of a request.
enum class VerdictKind : std::uint8_t {
  kAllowed,
  kRefused,        // a limit refuses it
  kDenied,         // a rule with `action: deny` or a bad cost matched; waiting does not help
  kBadRequest,     // it cannot be understood; `fault` says why
  kUnknownDomain,  // there are no rules for its domain
};

inline constexpr std::size_t kVerdictKinds = 5;
static_assert(static_cast<std::size_t>(VerdictKind::kUnknownDomain) + 1 == kVerdictKinds);

// How many verdicts there were.
struct VerdictCounts {
  std::array<std::uint32_t, kVerdictKinds> checks{};  // by VerdictKind
  std::uint32_t lifts = 0;                            // of requests that only give back or forget
};

// What one limit of one rule says.
struct RuleDecision {
  const RuleLimit* limit = nullptr;
  const RuleSpec* rule = nullptr;  // null where it comes from `descriptors` or the caller
  std::uint32_t set = 0;           // which set of the request's attributes
  Purpose purpose = Purpose::kTake;
  Veto veto = Veto::kEnforce;
  Cost cost;
  Decision decision;
};

// What became of one set of attributes.
struct SetVerdict {
  // kAllowed, kRefused (a limit of its own refuses it, by itself or with the other quota limits) or
  // kDenied.
  VerdictKind kind = VerdictKind::kAllowed;
  // The rule that allowed or denied it by itself, or null; a denial may be for its bad cost.
  const RuleSpec* decided_by = nullptr;
  const RuleSpec* bad_cost = nullptr;    // a rule, in shadow or not, whose cost is bad, or null
  const DescriptorNode* node = nullptr;  // where it ended in the `descriptors`, or null
  std::uint32_t first = 0;               // its decisions are first .. first + count - 1
  std::uint32_t count = 0;
};

// What it means that quota limits refuse: they refuse together, or in vain where one of them
// passes.
enum class QuotaRefusals : std::uint8_t { kRefuse, kInVain };

// Finds out of some decisions the one that speaks for them; Verdict's invariant (2).
// Thread safety: none. Ownership: the decisions outlive it.
class Speaker {
 public:
  explicit Speaker(QuotaRefusals quota_refusals) : quota_refusals_(quota_refusals) {}

  void Add(const RuleDecision& each);

  // The decision to whose refusal it comes, or null.
  [[nodiscard]] const RuleDecision* Refusal() const;
  // Of quota limits that refuse the one that does so for the shortest time, or null.
  [[nodiscard]] const RuleDecision* quota() const { return quota_; }
  // The decision that speaks; null if there are none.
  [[nodiscard]] const RuleDecision* Pick() const;

 private:
  QuotaRefusals quota_refusals_;
  const RuleDecision* enforced_ = nullptr;  // refuses for longest
  const RuleDecision* quota_ = nullptr;
  const RuleDecision* passing_ = nullptr;  // has the smallest share left
  const RuleDecision* shadow_ = nullptr;   // likewise
};

// The answer for a request. Use one again and again: after the first few requests nothing is
// allocated.
//
// Thread safety: a value. Ownership: it keeps the rules it points into alive.
//
// Invariants
//   (1) kRefused: at least one decision refuses. Then, and if it is kDenied, nothing was
//       charged but debts.
//   (2) The nearest decision speaks for others, and never against the verdict. Where the request is
//       refused it is the one to wait for, whose retry_after is the verdict's: of those that are
//       enforced the one that refuses for longest, or the quota limit that refuses for the shortest
//       time if all of them refuse and that is longer. Else it is the one with the smallest share
//       left of those that pass, and one in shadow only where there is no other.
//   (3) One set answers for each of the request's, in order, unless the request was bad or its
//       domain unknown.
class Verdict {
 public:
  [[nodiscard]] VerdictKind kind() const { return kind_; }
  [[nodiscard]] bool allowed() const { return kind_ == VerdictKind::kAllowed; }
  [[nodiscard]] std::span<const RuleDecision> decisions() const { return decisions_; }
  [[nodiscard]] std::span<const SetVerdict> sets() const { return sets_; }
  // The decision nearest to a refusal, or the refusal; null if there are none.
  [[nodiscard]] const RuleDecision* nearest() const;
  // The same of one set: a quota limit that refuses speaks for a set that is refused, even if in
  // vain.
  [[nodiscard]] const RuleDecision* NearestOf(const SetVerdict& set) const;
  // To find the one that speaks for some of the decisions.
  [[nodiscard]] Speaker MakeSpeaker() const { return Speaker(quota_refusals_); }
  // Whether it is a reason for which the request is refused.
  [[nodiscard]] bool IsReason(const RuleDecision& each) const;
  // The rule that allowed or denied by itself, or null.
  [[nodiscard]] const RuleSpec* decided_by() const { return decided_by_; }
  // Until the same request would pass, or kNever; 0 if it was allowed.
  [[nodiscard]] Nanos retry_after() const { return retry_after_; }
  // When it was decided; of no meaning where there is no decision.
  [[nodiscard]] Time decided_at() const { return decided_at_; }
  // Allowed: how long `remaining` of the nearest decision stays what it is; at that time it is
  // larger. 0 where its own members say it (UntilMore), where it does not grow, where nobody knows
  // and where nobody asked (Gate::ReportGrowth).
  [[nodiscard]] Nanos more_after() const { return more_after_; }
  // Allowed: the delay to observe before going ahead.
  [[nodiscard]] Nanos wait() const { return wait_; }
  // Makes it empty, and lets go of the rules it points into.
  void LetGo();
  // What was wrong with a bad request, or with the cost for which it is denied; else empty.
  [[nodiscard]] std::string_view fault() const { return fault_; }

 private:
  friend class Deciding;
  friend class GateSession;

  void Clear();
  // Makes it the answer to a request that cannot be understood.
  void SetFault(std::string_view fault, const RuleSpec* rule);
  // Sets the kinds, retry_after_ and wait_ by the decisions.
  void SumUp();

  VerdictKind kind_ = VerdictKind::kAllowed;
  QuotaRefusals quota_refusals_ = QuotaRefusals::kInVain;
  std::vector<RuleDecision> decisions_;
  std::vector<SetVerdict> sets_;
  const RuleSpec* decided_by_ = nullptr;
  Nanos retry_after_{0};
  Nanos more_after_{0};
  Time decided_at_{};
  Nanos wait_{0};
  std::string_view fault_;
  std::shared_ptr<const BoundRules> rules_;
};

}  // namespace sluice
