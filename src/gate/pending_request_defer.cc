// PendingRequest: charges in memory that are taken after the remote store has answered.
#include <algorithm>
#include <variant>

#include "gate/pending_request.h"

namespace sluice {
namespace {

// Whether a refund some milliseconds later leaves a state as if nothing had been charged, whatever
// other requests have charged in between.
struct IsInvertible {
  template <typename L>
  bool operator()(const L& /*terms*/) const {
    return true;
  }
  // A refund takes the newest units, which may belong to later requests.
  bool operator()(const SlidingLog& /*terms*/) const { return false; }
  // Units may have come back by themselves meanwhile; then a refund would give others' units back.
  bool operator()(const TokenBucket& /*terms*/) const { return false; }
  bool operator()(const IntervalBucket& /*terms*/) const { return false; }
  bool operator()(const LeakyBucket& /*terms*/) const { return false; }
  // The window that was opened stays.
  bool operator()(const FixedWindow& terms) const {
    return terms.window != WindowKind::kFirstRequest;
  }
  // A refund has no effect.
  bool operator()(const Pacer& /*terms*/) const { return false; }
  bool operator()(const WarmUpPacer& /*terms*/) const { return false; }
};

}  // namespace

bool PendingRequest::ReturnsExactly(std::uint32_t number, const Decision& peeked) const {
  // Shared states give nothing back.
  if (peeked.source == Source::kOverflow) return false;
  return std::visit(IsInvertible{}, verdict_->decisions_[number].limit->limit->terms);
}

void PendingRequest::Defer() {
  charges_.clear();
  for (const std::uint32_t number : memory_) charges_.push_back(charges[number].charge);
  decisions_.resize(charges_.size());
  store_.DecideEach(Operation::kPeek, charges_, decisions_, now_);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    // Debts are taken in any case and never given back.
    const bool stays = charges[memory_[i]].enforcement == Enforcement::kDebt ||
                       ReturnsExactly(memory_[i], decisions_[i]);
    if (!stays) deferred_.push_back(memory_[i]);
  }
  if (deferred_.empty()) return;
  // If one refuses, nothing is taken, and TakeInMemory lets the store record the refusal.
  if (!DecideDeferred(ChargeMode::kNone)) return deferred_.clear();
  for (const std::uint32_t number : deferred_) {
    held_[number] = Held::kDeferred;
    RecordDecision(number);
  }
  std::erase_if(memory_, [this](std::uint32_t number) { return held_[number] == Held::kDeferred; });
}

bool PendingRequest::DecideDeferred(ChargeMode charge_mode) {
  charges_.clear();
  enforcements_.clear();
  min_remaining_.clear();
  for (const std::uint32_t number : deferred_) {
    const Enforcement enforcement = charges[number].enforcement;
    charges_.push_back(charges[number].charge);
    // Another quota limit may still pass.
    enforcements_.push_back(enforcement == Enforcement::kQuota && charge_mode == ChargeMode::kNone
                                ? Enforcement::kShadow
                                : EnforcementNow(enforcement));
    min_remaining_.push_back(charges[number].min_remaining);
  }
  decisions_.resize(charges_.size());
  const Request request{charges_, enforcements_, min_remaining_, charge_mode};
  store_.Decide({&request, 1}, decisions_, now_);
  for (std::size_t i = 0; i < deferred_.size(); ++i) DecisionOf(deferred_[i]) = decisions_[i];
  return GoesAhead(decisions_, enforcements_);
}

void PendingRequest::TakeDeferred() {
  standing_ = {};
  for (const std::uint32_t number : picked_) {
    if (held_[number] != Held::kDeferred) RecordDecision(number);
  }
  const bool taken = DecideDeferred(ChargeMode::kAllOrNone);
  for (const std::uint32_t number : deferred_) RecordDecision(number);
  if (!taken) GiveBackAnswered();
}

// Gives back what the remote store, or the shares instead of it, took for a request that is refused
// after all.
void PendingRequest::GiveBackAnswered() {
  charges_.clear();
  for (const std::uint32_t number : far_) {
    const PendingCharge& each = charges[number];
    Decision& decision = DecisionOf(number);
    if (!decision.allowed || each.enforcement == Enforcement::kDebt) continue;
    const bool is_share =
        decision.source == Source::kFallback && each.place->on_failure == OnStoreFailure::kLocal;
    if (is_share) charges_.push_back(each.charge);
    if (decision.remaining == kNoUnits) continue;
    decision.remaining = std::min(decision.limit, decision.remaining + each.charge.cost.units);
  }
  decisions_.resize(charges_.size());
  if (!charges_.empty()) store_.DecideEach(Operation::kRefund, charges_, decisions_, now_);
  if (is_answered_) is_under_way_ = GiveBackFar();
}

}  // namespace sluice
