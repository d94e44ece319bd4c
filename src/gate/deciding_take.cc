// Deciding: what a request takes, from near to far.
#include <algorithm>
#include <span>

#include "core/window_end.h"
#include "gate/deciding.h"

namespace sluice {

bool Deciding::Take() {
  Part();
  held_.clear();
  deferred_.clear();
  standing_ = {};
  if (far_.empty()) {
    TakeTogether();
    return true;
  }
  held_.assign(asked.size(), Held::kNowhere);
  taken_at_ = now_;
  standing_.refuses = taking_ == Taking::kNone;
  if (way_.nearby != nullptr && has_fleet_keys && !standing_.refuses) TakeNear();
  if (!memory_.empty() && !far_.empty() && !standing_.refuses) Defer();
  if (!memory_.empty()) TakeInMemory();
  if (far_.empty()) return true;
  return !AskRemote(Operation::kCheck, TakingWith(far_));
}

// All of it is in memory: the store alone sees to it that all or none is taken.
void Deciding::TakeTogether() {
  charges_.clear();
  vetoes_.clear();
  left_alone_.clear();
  for (const std::uint32_t i : picked_) {
    charges_.push_back(asked[i].charge);
    vetoes_.push_back(asked[i].veto);
    left_alone_.push_back(asked[i].left_alone);
  }
  decisions_.resize(charges_.size());
  const Request request{charges_, vetoes_, left_alone_, taking_};
  store_.Decide({&request, 1}, decisions_, now_);
  for (std::size_t i = 0; i < picked_.size(); ++i) DecisionOf(picked_[i]) = decisions_[i];
}

// Keeps in far_ what is not known here. Debts are for the remote: they are taken in any case, and
// nothing near knows how to go below zero.
void Deciding::TakeNear() {
  bool is_denied = false;  // by the deny cache
  const auto is_decided = [&](std::uint32_t number) {
    const Asked& each = asked[number];
    const bool can_be_near =
        each.place->nearness && each.veto != Veto::kDebt && each.left_alone.units == 0;
    if (!can_be_near) return false;
    Decision& decision = DecisionOf(number);
    const Nearby::Answer answer =
        way_.nearby->Take(ItemOf(each), *each.place->nearness, now_, decision);
    if (answer == Nearby::Answer::kUnknown) return false;
    if (decision.allowed) held_[number] = Held::kNear;
    is_denied |= !decision.allowed && decision.source == Source::kEmptyKey;
    Note(number);
    return true;
  };
  std::erase_if(far_, is_decided);
  if (is_denied && TakingWith(far_) == Taking::kNone) SkipReports();
}

void Deciding::SkipReports() {
  std::erase_if(far_, [this](std::uint32_t number) {
    const Asked& each = asked[number];
    const bool records = each.place->remote->limit().spec.count_refused.value_or(false);
    if (each.veto == Veto::kDebt || records) return false;
    Decision& decision = DecisionOf(number);
    decision = Decision{};
    decision.limit = decision.remaining = kNoUnits;
    decision.source = Source::kEmptyKey;
    return true;
  });
}

// What the remote has yet to say of quota limits is left open.
void Deciding::TakeInMemory() {
  const bool quota_open = HasQuota(far_);
  charges_.clear();
  vetoes_.clear();
  left_alone_.clear();
  for (const std::uint32_t i : memory_) {
    const Veto veto = VetoNow(asked[i].veto);
    charges_.push_back(asked[i].charge);
    vetoes_.push_back(veto == Veto::kQuota && quota_open ? Veto::kShadow : veto);
    left_alone_.push_back(asked[i].left_alone);
  }
  decisions_.resize(charges_.size());
  const Taking taking = quota_open ? TakingWith(far_) : TakingWith(memory_);
  const Request request{charges_, vetoes_, left_alone_, taking};
  store_.Decide({&request, 1}, decisions_, now_);
  const bool taken = taking == Taking::kAllOrNone && GoesAhead(decisions_, vetoes_);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const std::uint32_t number = memory_[i];
    DecisionOf(number) = decisions_[i];
    const bool can_return = taken && decisions_[i].allowed && vetoes_[i] != Veto::kDebt;
    if (can_return) held_[number] = Held::kMemory;
    Note(number);
  }
}

void Deciding::Note(std::uint32_t number) {
  const Veto veto = asked[number].veto;
  const bool allowed = DecisionOf(number).allowed;
  if (veto == Veto::kEnforce) standing_.refuses |= !allowed;
  if (veto != Veto::kQuota) return;
  standing_.quota_asked = true;
  standing_.quota_passed |= allowed;
}

bool Deciding::HasQuota(std::span<const std::uint32_t> numbers) const {
  return std::ranges::any_of(
      numbers, [&](std::uint32_t number) { return asked[number].veto == Veto::kQuota; });
}

Taking Deciding::TakingWith(std::span<const std::uint32_t> open) const {
  const bool quota_refuses = standing_.quota_asked && !standing_.quota_passed && !HasQuota(open);
  return standing_.refuses || quota_refuses ? Taking::kNone : Taking::kAllOrNone;
}

// Of the quota limits one that passes is enough.
Veto Deciding::VetoNow(Veto veto) const {
  return veto == Veto::kQuota && standing_.quota_passed ? Veto::kShadow : veto;
}

void Deciding::GiveBackHeld() {
  for (const std::uint32_t number : picked_) {
    const Asked& each = asked[number];
    Decision& decision = DecisionOf(number);
    if (held_[number] == Held::kNear) {
      way_.nearby->GiveBack(ItemOf(each), {*each.place->nearness, taken_at_}, now_, decision);
    } else if (held_[number] == Held::kMemory) {
      const Limit& limit = *verdict_->decisions_[number].limit->limit;
      const std::optional<Time> end = WindowEnd(limit, decision, taken_at_);
      const bool is_over = end && now_ >= *end;
      const Operation operation = is_over ? Operation::kPeek : Operation::kRefund;
      store_.DecideEach(operation, {&each.charge, 1}, {&decision, 1}, now_);
      decision.allowed = true;
    }
  }
}

void Deciding::Follow(Operation operation) {
  charges_.clear();
  for (const std::uint32_t number : picked_) {
    const Asked& each = asked[number];
    const Decision& decision = DecisionOf(number);
    const bool was_done = decision.allowed && decision.source != Source::kFallback;
    if (each.place->share_follows && was_done) charges_.push_back(each.charge);
  }
  if (charges_.empty()) return;
  decisions_.resize(charges_.size());
  store_.DecideEach(operation, charges_, decisions_, now_);
  if (operation == Operation::kCheck) FillShares();
}

// A charge that has no room in its share takes what is left there.
void Deciding::FillShares() {
  std::size_t count = 0;
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    if (decisions_[i].allowed || decisions_[i].remaining <= 0) continue;
    charges_[count] = charges_[i];
    charges_[count++].cost.units = decisions_[i].remaining;
  }
  if (count == 0) return;
  store_.DecideEach(Operation::kCheck, std::span(charges_).first(count), decisions_, now_);
}

}  // namespace sluice
