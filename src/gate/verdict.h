// Verdict: the answer for a request, all its decisions together.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

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
  kDenied,         // a rule with `action: deny` matched; waiting does not help
  kBadRequest,     // it cannot be understood; `fault` says why
  kUnknownDomain,  // there are no rules for its domain
};

// What one limit of one rule says.
struct RuleDecision {
  const RuleLimit* limit = nullptr;
  const RuleSpec* rule = nullptr;  // null where it comes from `descriptors`
  Veto veto = Veto::kEnforce;
  Cost cost;
  Decision decision;
};

// The answer for a request. Use one again and again: after the first few requests nothing is
// allocated.
//
// Thread safety: a value. Ownership: it keeps the rules it points into alive.
//
// Invariants
//   (1) kRefused: at least one decision refuses, and nothing was charged by any of them.
//   (2) `nearest` is the decision that speaks for the request: of those that are enforced the one
//       that refuses for longest, else the one with the smallest share left; null if there are
//       none.
class Verdict {
 public:
  [[nodiscard]] VerdictKind kind() const { return kind_; }
  [[nodiscard]] bool allowed() const { return kind_ == VerdictKind::kAllowed; }
  [[nodiscard]] std::span<const RuleDecision> decisions() const { return decisions_; }
  [[nodiscard]] const RuleDecision* nearest() const {
    return nearest_ == kNone ? nullptr : &decisions_[nearest_];
  }
  // The rule that allowed or denied by itself, or null.
  [[nodiscard]] const RuleSpec* decided_by() const { return decided_by_; }
  // Until the same request would pass, or kNever; 0 if it was allowed.
  [[nodiscard]] Nanos retry_after() const { return retry_after_; }
  // Allowed: the delay to observe before going ahead.
  [[nodiscard]] Nanos wait() const { return wait_; }
  // What was wrong with a bad request.
  [[nodiscard]] std::string_view fault() const { return fault_; }

 private:
  friend class GateSession;
  static constexpr std::size_t kNone = SIZE_MAX;

  void Clear();
  // Sets nearest_, retry_after_ and wait_ by the decisions.
  void SumUp();

  VerdictKind kind_ = VerdictKind::kAllowed;
  std::vector<RuleDecision> decisions_;
  std::size_t nearest_ = kNone;
  const RuleSpec* decided_by_ = nullptr;
  Nanos retry_after_{0};
  Nanos wait_{0};
  std::string_view fault_;
  std::shared_ptr<const BoundRules> rules_;
};

}  // namespace sluice
