// Deciding: charges in memory that are taken after the remote has answered.
#include <algorithm>
#include <variant>

#include "gate/deciding.h"

namespace sluice {
namespace {

// Whether a refund some milliseconds later leaves a state as if nothing had been charged, whatever
// others have charged in between.
struct IsInvertible {
  template <typename L>
  bool operator()(const L& /*terms*/) const {
    return true;
  }
  // A refund takes the newest units, which may be those of others, who came later.
  bool operator()(const SlidingLog& /*terms*/) const { return false; }
  // The phase or window that was opened stays.
  bool operator()(const IntervalBucket& terms) const {
    return terms.phase == RefillPhase::kAligned;
  }
  bool operator()(const FixedWindow& terms) const {
    return terms.window != WindowKind::kFirstRequest;
  }
  // A refund changes nothing.
  bool operator()(const Pacer& /*terms*/) const { return false; }
  bool operator()(const WarmUpPacer& /*terms*/) const { return false; }
};

}  // namespace

bool Deciding::ReturnsExactly(std::uint32_t number, const Decision& peeked) const {
  // Nothing is given back to a state that keys share.
  if (peeked.source == Source::kOverflow) return false;
  return std::visit(IsInvertible{}, verdict_->decisions_[number].limit->limit->terms);
}

void Deciding::Defer() {
  charges_.clear();
  for (const std::uint32_t number : memory_) charges_.push_back(asked[number].charge);
  decisions_.resize(charges_.size());
  store_.DecideEach(Operation::kPeek, charges_, decisions_, now_);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    // Debts are taken in any case and never given back.
    const bool stays =
        asked[memory_[i]].veto == Veto::kDebt || ReturnsExactly(memory_[i], decisions_[i]);
    if (!stays) deferred_.push_back(memory_[i]);
  }
  if (deferred_.empty()) return;
  // Where one refuses nothing is taken, and the store records what it has to.
  if (!DecideDeferred(Taking::kNone)) return deferred_.clear();
  for (const std::uint32_t number : deferred_) {
    held_[number] = Held::kDeferred;
    Note(number);
  }
  std::erase_if(memory_, [this](std::uint32_t number) { return held_[number] == Held::kDeferred; });
}

bool Deciding::DecideDeferred(Taking taking) {
  charges_.clear();
  vetoes_.clear();
  left_alone_.clear();
  for (const std::uint32_t number : deferred_) {
    const Veto veto = asked[number].veto;
    charges_.push_back(asked[number].charge);
    // Other quota limits may pass in its place.
    vetoes_.push_back(veto == Veto::kQuota && taking == Taking::kNone ? Veto::kShadow
                                                                      : VetoNow(veto));
    left_alone_.push_back(asked[number].left_alone);
  }
  decisions_.resize(charges_.size());
  const Request request{charges_, vetoes_, left_alone_, taking};
  store_.Decide({&request, 1}, decisions_, now_);
  for (std::size_t i = 0; i < deferred_.size(); ++i) DecisionOf(deferred_[i]) = decisions_[i];
  return GoesAhead(decisions_, vetoes_);
}

void Deciding::TakeDeferred() {
  standing_ = {};
  for (const std::uint32_t number : picked_) {
    if (held_[number] != Held::kDeferred) Note(number);
  }
  const bool taken = DecideDeferred(Taking::kAllOrNone);
  for (const std::uint32_t number : deferred_) Note(number);
  if (!taken) GiveBackAnswered();
}

// What the remote, or the shares in its place, have taken of a request that is refused after all.
void Deciding::GiveBackAnswered() {
  charges_.clear();
  for (const std::uint32_t number : far_) {
    const Asked& each = asked[number];
    Decision& decision = DecisionOf(number);
    if (!decision.allowed || each.veto == Veto::kDebt) continue;
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
