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

// Whether it is a question whose answer can refuse.
bool CanRefuse(const RuleDecision& each) {
  const bool asks = each.purpose == Purpose::kTake || each.purpose == Purpose::kLook;
  return asks && each.veto != Veto::kShadow;
}

}  // namespace

bool IsNearer(const RuleDecision& a, const RuleDecision& b) {
  const bool a_counts = a.veto != Veto::kShadow;
  const bool b_counts = b.veto != Veto::kShadow;
  if (a_counts != b_counts) return a_counts;
  if (a.decision.allowed != b.decision.allowed) return !a.decision.allowed;
  if (!a.decision.allowed) return a.decision.retry_after > b.decision.retry_after;
  return LeavesLess(a.decision, b.decision);
}

const RuleDecision* Verdict::Nearest(std::span<const RuleDecision> decisions) {
  const RuleDecision* nearest = nullptr;
  for (const RuleDecision& each : decisions) {
    if (nearest == nullptr || IsNearer(each, *nearest)) nearest = &each;
  }
  return nearest;
}

void Verdict::Clear() {
  kind_ = VerdictKind::kAllowed;
  decisions_.clear();
  sets_.clear();
  decided_by_ = nullptr;
  retry_after_ = Nanos{0};
  wait_ = Nanos{0};
  fault_ = {};
}

void Verdict::SetFault(std::string_view fault, const RuleSpec* rule) {
  decisions_.clear();
  sets_.clear();
  kind_ = VerdictKind::kBadRequest;
  decided_by_ = rule;
  fault_ = fault;
}

void Verdict::SumUp() {
  // Of the limits that are enforced all must pass, of the quota limits one.
  Nanos enforced{0};
  Nanos quota = kNever;
  bool quota_asked = false;
  bool quota_passed = false;
  bool refused = false;
  for (const RuleDecision& each : decisions_) {
    if (!CanRefuse(each)) continue;
    const bool is_quota = each.veto == Veto::kQuota;
    quota_asked |= is_quota;
    if (each.decision.allowed) {
      quota_passed |= is_quota;
      if (each.purpose == Purpose::kTake) wait_ = std::max(wait_, each.decision.wait);
      continue;
    }
    sets_[each.set].kind = VerdictKind::kRefused;
    if (is_quota) {
      quota = std::min(quota, each.decision.retry_after);
    } else {
      refused = true;
      enforced = std::max(enforced, each.decision.retry_after);
    }
  }
  const bool quota_refused = quota_asked && !quota_passed;
  if (kind_ == VerdictKind::kAllowed && (refused || quota_refused)) kind_ = VerdictKind::kRefused;
  if (kind_ == VerdictKind::kDenied) retry_after_ = kNever;
  if (kind_ == VerdictKind::kRefused) {
    retry_after_ = quota_refused ? std::max(enforced, quota) : enforced;
  }
  if (kind_ != VerdictKind::kAllowed) wait_ = Nanos{0};
}

}  // namespace sluice
