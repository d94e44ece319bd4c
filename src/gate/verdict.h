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
#include "rules/compile/descriptor_tree.h"
#include "rules/compile/rule_limit.h"
#include "rules/model/rule_spec.h"
#include "sluice/charge.h"
#include "sluice/decision.h"

namespace sluice {

struct BoundRules;

// The result of a request.
enum class VerdictKind : std::uint8_t {
  kAllowed,
  kRefused,        // a limit refuses it
  kDenied,         // a rule with `action: deny` or a bad cost matched; waiting does not help
  kBadRequest,     // the request is invalid; `fault` says why
  kUnknownDomain,  // there are no rules for its domain
};

inline constexpr std::size_t kVerdictKinds = 5;
static_assert(static_cast<std::size_t>(VerdictKind::kUnknownDomain) + 1 == kVerdictKinds);

// Numbers of verdicts.
struct VerdictCounts {
  std::array<std::uint32_t, kVerdictKinds> checks{};  // by VerdictKind
  std::uint32_t lifts = 0;                            // requests that only give back or forget
};

// The decision of one limit of one rule.
struct RuleDecision {
  const RuleLimit* limit = nullptr;
  const RuleSpec* rule = nullptr;  // null if the limit comes from `descriptors` or the caller
  std::uint32_t set = 0;           // index of the set of attributes in the request
  Purpose purpose = Purpose::kTake;
  Enforcement enforcement = Enforcement::kEnforce;
  Cost cost;
  Decision decision;
};

// The result of one set of attributes.
struct SetVerdict {
  // kAllowed, kRefused (a limit of the set refuses it, alone or together with the other quota
  // limits) or kDenied.
  VerdictKind kind = VerdictKind::kAllowed;
  // The rule that allowed or denied it on its own, or null; a denial may be for its bad cost.
  const RuleSpec* decided_by = nullptr;
  const RuleSpec* bad_cost = nullptr;    // a rule, in shadow or not, whose cost is bad, or null
  const DescriptorNode* node = nullptr;  // where matching ended in the `descriptors`, or null
  std::uint32_t first = 0;               // its decisions are first .. first + count - 1
  std::uint32_t count = 0;
};

// Whether refusals by quota limits count: they refuse only together, and are in vain if one of them
// passes.
enum class QuotaRefusals : std::uint8_t { kRefuse, kInVain };

// Selects from some decisions the one that represents them; see invariant (2) of Verdict.
// Thread safety: none. Ownership: the decisions must outlive it.
class DecisionSelector {
 public:
  explicit DecisionSelector(QuotaRefusals quota_refusals) : quota_refusals_(quota_refusals) {}

  void Add(const RuleDecision& each);

  // Returns the decision that causes the refusal, or null.
  [[nodiscard]] const RuleDecision* Refusal() const;
  // Returns the refusing quota limit with the shortest wait, or null.
  [[nodiscard]] const RuleDecision* quota() const { return quota_; }
  // Returns the representative decision; null if there are none.
  [[nodiscard]] const RuleDecision* Pick() const;

 private:
  QuotaRefusals quota_refusals_;
  const RuleDecision* enforced_ = nullptr;  // refuses for longest
  const RuleDecision* quota_ = nullptr;
  const RuleDecision* passing_ = nullptr;  // has the smallest share left
  const RuleDecision* shadow_ = nullptr;   // has the smallest share left
};

// The answer for a request. Reuse it: after the first few requests nothing is allocated.
//
// Thread safety: a value. Ownership: it keeps the rules it points into alive.
//
// Invariants
//   (1) kRefused: at least one decision refuses. Then, and if the verdict is kDenied, only debts
//       were charged.
//   (2) The nearest decision represents all others and never contradicts the verdict. If the
//       request is refused, it is the one whose retry_after is the verdict's: the enforced one that
//       refuses for longest, or, if all quota limits refuse and that takes longer, the quota limit
//       that refuses for the shortest time. Else it is the one with the smallest share left of
//       those that pass, and one in shadow only if there is no other.
//   (3) There is one SetVerdict per set of the request, in order, unless the request was bad or its
//       domain unknown.
class Verdict {
 public:
  [[nodiscard]] VerdictKind kind() const { return kind_; }
  [[nodiscard]] bool allowed() const { return kind_ == VerdictKind::kAllowed; }
  [[nodiscard]] std::span<const RuleDecision> decisions() const { return decisions_; }
  [[nodiscard]] std::span<const SetVerdict> sets() const { return sets_; }
  // Returns the decision nearest to a refusal, or the refusal; null if there are no decisions.
  [[nodiscard]] const RuleDecision* nearest() const;
  // Returns the nearest decision of one set. For a refused set, that may be a refusing quota limit
  // even if its refusal is in vain.
  [[nodiscard]] const RuleDecision* NearestOf(const SetVerdict& set) const;
  // Returns a selector for some of the decisions.
  [[nodiscard]] DecisionSelector MakeSelector() const { return DecisionSelector(quota_refusals_); }
  // Returns whether the decision is a reason for the refusal of the request.
  [[nodiscard]] bool IsReason(const RuleDecision& each) const;
  // Returns the rule that allowed or denied on its own, or null.
  [[nodiscard]] const RuleSpec* decided_by() const { return decided_by_; }
  // Returns the time until the same request would pass, or kNever; 0 if it was allowed.
  [[nodiscard]] Nanos retry_after() const { return retry_after_; }
  // Returns the time of the decisions; meaningless if there are none.
  [[nodiscard]] Time decided_at() const { return decided_at_; }
  // Returns how long `remaining` of the nearest decision of an allowed request stays the same; at
  // that time it grows. 0 if the decision itself shows it (UntilMore), if it does not grow, if the
  // time is unknown, and if it was not requested (Gate::ReportGrowth).
  [[nodiscard]] Nanos more_after() const { return more_after_; }
  // Returns the delay that an allowed request must observe before it goes ahead.
  [[nodiscard]] Nanos wait() const { return wait_; }
  // Clears the verdict and releases the rules it points into.
  void ReleaseMemory();
  // Returns what was wrong with a bad request, or with the cost that it was denied for; else empty.
  [[nodiscard]] std::string_view fault() const { return fault_; }

 private:
  friend class PendingRequest;
  friend class GateSession;

  void Clear();
  // Makes it the verdict of a bad request.
  void SetFault(std::string_view fault, const RuleSpec* rule);
  // Sets the kinds, retry_after_ and wait_ from the decisions.
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
