#include "gate/verdict.h"

#include <algorithm>

#include "base/int128.h"

namespace sluice {
namespace {

// Whether `a` leaves a smaller share of its limit than `b`. A decision without units (a pacer) is
// never the nearest to a refusal.
bool LeavesLess(const Decision& a, const Decision& b) {
  if (a.limit <= 0 || b.limit <= 0) return a.limit > b.limit;
  return Uint128{static_cast<std::uint64_t>(a.remaining)} * static_cast<std::uint64_t>(b.limit) <
         Uint128{static_cast<std::uint64_t>(b.remaining)} * static_cast<std::uint64_t>(a.limit);
}

// Whether the decision can refuse the request.
bool CanRefuse(const RuleDecision& each) {
  const bool asks = each.purpose == Purpose::kTake || each.purpose == Purpose::kLook;
  return asks && each.enforcement != Enforcement::kShadow;
}

// Combines the limits that can refuse: all enforced ones must pass, and one of the quota limits.
class Refusals {
 public:
  void Add(const RuleDecision& each) {
    const bool refused = !each.decision.allowed;
    const Nanos wait = each.decision.retry_after;
    if (each.enforcement != Enforcement::kQuota) {
      enforced_refuses_ |= refused;
      if (refused) enforced_wait_ = std::max(enforced_wait_, wait);
      return;
    }
    quota_asked_ = true;
    quota_passed_ |= !refused;
    if (refused) quota_wait_ = std::min(quota_wait_, wait);
  }

  [[nodiscard]] bool QuotaRefuses() const { return quota_asked_ && !quota_passed_; }
  [[nodiscard]] bool Refuse() const { return enforced_refuses_ || QuotaRefuses(); }
  // Returns the time until the same request would pass.
  [[nodiscard]] Nanos RetryAfter() const {
    return QuotaRefuses() ? std::max(enforced_wait_, quota_wait_) : enforced_wait_;
  }

 private:
  Nanos enforced_wait_{0};
  Nanos quota_wait_ = kNever;
  bool enforced_refuses_ = false;
  bool quota_asked_ = false;
  bool quota_passed_ = false;
};

}  // namespace

void DecisionSelector::Add(const RuleDecision& each) {
  const Decision& decision = each.decision;
  const auto keep = [&](const RuleDecision*& kept, bool is_nearer) {
    if (kept == nullptr || is_nearer) kept = &each;
  };
  if (each.enforcement == Enforcement::kShadow) {
    keep(shadow_, shadow_ != nullptr && LeavesLess(decision, shadow_->decision));
  } else if (decision.allowed) {
    keep(passing_, passing_ != nullptr && LeavesLess(decision, passing_->decision));
  } else if (each.enforcement == Enforcement::kQuota) {
    keep(quota_, quota_ != nullptr && decision.retry_after < quota_->decision.retry_after);
  } else {
    keep(enforced_, enforced_ != nullptr && decision.retry_after > enforced_->decision.retry_after);
  }
}

const RuleDecision* DecisionSelector::Refusal() const {
  if (quota_ == nullptr || quota_refusals_ == QuotaRefusals::kInVain) return enforced_;
  if (enforced_ == nullptr) return quota_;
  return quota_->decision.retry_after > enforced_->decision.retry_after ? quota_ : enforced_;
}

const RuleDecision* DecisionSelector::Pick() const {
  for (const RuleDecision* const each : {Refusal(), passing_, quota_}) {
    if (each != nullptr) return each;
  }
  return shadow_;
}

const RuleDecision* Verdict::nearest() const {
  DecisionSelector speaker = MakeSelector();
  for (const RuleDecision& each : decisions_) speaker.Add(each);
  return speaker.Pick();
}

const RuleDecision* Verdict::NearestOf(const SetVerdict& set) const {
  DecisionSelector speaker = MakeSelector();
  for (const RuleDecision& each : decisions().subspan(set.first, set.count)) speaker.Add(each);
  const bool in_vain = speaker.Refusal() == nullptr && set.kind == VerdictKind::kRefused;
  return in_vain ? speaker.quota() : speaker.Pick();
}

bool Verdict::IsReason(const RuleDecision& each) const {
  if (each.decision.allowed || !CanRefuse(each)) return false;
  return each.enforcement != Enforcement::kQuota || quota_refusals_ == QuotaRefusals::kRefuse;
}

void Verdict::Clear() {
  kind_ = VerdictKind::kAllowed;
  quota_refusals_ = QuotaRefusals::kInVain;
  decisions_.clear();
  sets_.clear();
  decided_by_ = nullptr;
  retry_after_ = Nanos{0};
  more_after_ = Nanos{0};
  wait_ = Nanos{0};
  fault_ = {};
}

void Verdict::ReleaseMemory() {
  Clear();
  rules_.reset();
}

void Verdict::SetFault(std::string_view fault, const RuleSpec* rule) {
  decisions_.clear();
  sets_.clear();
  kind_ = VerdictKind::kBadRequest;
  decided_by_ = rule;
  fault_ = fault;
}

void Verdict::SumUp() {
  Refusals refusals;
  for (const RuleDecision& each : decisions_) {
    if (!CanRefuse(each)) continue;
    refusals.Add(each);
    if (!each.decision.allowed) {
      sets_[each.set].kind = VerdictKind::kRefused;
    } else if (each.purpose == Purpose::kTake) {
      wait_ = std::max(wait_, each.decision.wait);
    }
  }
  if (refusals.QuotaRefuses()) quota_refusals_ = QuotaRefusals::kRefuse;
  if (kind_ == VerdictKind::kAllowed && refusals.Refuse()) kind_ = VerdictKind::kRefused;
  if (kind_ == VerdictKind::kDenied) retry_after_ = kNever;
  if (kind_ == VerdictKind::kRefused) retry_after_ = refusals.RetryAfter();
  if (kind_ != VerdictKind::kAllowed) wait_ = Nanos{0};
}

}  // namespace sluice
