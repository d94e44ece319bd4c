#include "gate/verdict.h"

#include <algorithm>

#include "core/int128.h"

namespace sluice {
namespace {

// Whether `a` leaves a smaller share of its limit than `b`. What has no number of units (a pacer)
// is never the nearest to a refusal.
bool LeavesLess(const Decision& a, const Decision& b) {
  if (a.limit <= 0 || b.limit <= 0) return a.limit > b.limit;
  return Uint128{static_cast<std::uint64_t>(a.remaining)} * static_cast<std::uint64_t>(b.limit) <
         Uint128{static_cast<std::uint64_t>(b.remaining)} * static_cast<std::uint64_t>(a.limit);
}

// Whether `a` speaks for a request rather than `b`.
bool IsNearer(const RuleDecision& a, const RuleDecision& b) {
  const bool a_counts = a.veto != Veto::kShadow;
  const bool b_counts = b.veto != Veto::kShadow;
  if (a_counts != b_counts) return a_counts;
  if (a.decision.allowed != b.decision.allowed) return !a.decision.allowed;
  if (!a.decision.allowed) return a.decision.retry_after > b.decision.retry_after;
  return LeavesLess(a.decision, b.decision);
}

}  // namespace

void Verdict::Clear() {
  kind_ = VerdictKind::kAllowed;
  decisions_.clear();
  nearest_ = kNone;
  decided_by_ = nullptr;
  retry_after_ = Nanos{0};
  wait_ = Nanos{0};
  fault_ = {};
}

void Verdict::SumUp() {
  for (std::size_t i = 0; i < decisions_.size(); ++i) {
    const RuleDecision& each = decisions_[i];
    if (nearest_ == kNone || IsNearer(each, decisions_[nearest_])) nearest_ = i;
    if (each.veto == Veto::kShadow) continue;
    if (kind_ == VerdictKind::kRefused && !each.decision.allowed) {
      retry_after_ = std::max(retry_after_, each.decision.retry_after);
    }
    if (kind_ == VerdictKind::kAllowed && each.decision.allowed) {
      wait_ = std::max(wait_, each.decision.wait);
    }
  }
}

}  // namespace sluice
