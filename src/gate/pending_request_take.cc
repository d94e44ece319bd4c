// PendingRequest: takes the charges of a request, local ones first.
#include <algorithm>
#include <span>

#include "core/algorithm/window_end.h"
#include "gate/pending_request.h"

namespace sluice {

bool PendingRequest::Take() {
  SplitByLocation();
  held_.clear();
  deferred_.clear();
  standing_ = {};
  if (far_.empty()) {
    TakeTogether();
    return true;
  }
  held_.assign(charges.size(), Held::kNowhere);
  taken_at_ = now_;
  standing_.refuses = charge_mode_ == ChargeMode::kNone;
  if (access_.node_cache != nullptr && has_fleet_keys && !standing_.refuses) TakeNear();
  if (!memory_.empty() && !far_.empty() && !standing_.refuses) Defer();
  if (!memory_.empty()) TakeInMemory();
  if (far_.empty()) return true;
  return !AskRemote(Operation::kCheck, ChargeModeGiven(far_));
}

// All charges are in memory: the store itself ensures all or none.
void PendingRequest::TakeTogether() {
  charges_.clear();
  enforcements_.clear();
  min_remaining_.clear();
  for (const std::uint32_t i : picked_) {
    charges_.push_back(charges[i].charge);
    enforcements_.push_back(charges[i].enforcement);
    min_remaining_.push_back(charges[i].min_remaining);
  }
  decisions_.resize(charges_.size());
  const Request request{charges_, enforcements_, min_remaining_, charge_mode_};
  store_.Decide({&request, 1}, decisions_, now_);
  for (std::size_t i = 0; i < picked_.size(); ++i) DecisionOf(picked_[i]) = decisions_[i];
}

// Removes from far_ what can be decided on this node. Debts are left to the remote store: they are
// taken in any case, and the node cache cannot go below zero.
void PendingRequest::TakeNear() {
  bool is_denied = false;  // by the deny cache
  const auto is_decided = [&](std::uint32_t number) {
    const PendingCharge& each = charges[number];
    const bool can_be_near = each.place->cache_mode && each.enforcement != Enforcement::kDebt &&
                             each.min_remaining.units == 0;
    if (!can_be_near) return false;
    Decision& decision = DecisionOf(number);
    const NodeCache::Answer answer =
        access_.node_cache->Take(ItemOf(each), *each.place->cache_mode, now_, decision);
    if (answer == NodeCache::Answer::kUnknown) return false;
    if (decision.allowed) held_[number] = Held::kNear;
    is_denied |= !decision.allowed && decision.source == Source::kEmptyKey;
    RecordDecision(number);
    return true;
  };
  std::erase_if(far_, is_decided);
  if (is_denied && ChargeModeGiven(far_) == ChargeMode::kNone) SkipReports();
}

void PendingRequest::SkipReports() {
  std::erase_if(far_, [this](std::uint32_t number) {
    const PendingCharge& each = charges[number];
    const bool records = each.place->remote->limit().spec.count_refused.value_or(false);
    if (each.enforcement == Enforcement::kDebt || records) return false;
    Decision& decision = DecisionOf(number);
    decision = Decision{};
    decision.limit = decision.remaining = kNoUnits;
    decision.source = Source::kEmptyKey;
    return true;
  });
}

// Takes the charges in memory. Quota limits that the remote store has yet to decide stay open.
void PendingRequest::TakeInMemory() {
  const bool quota_open = HasQuota(far_);
  charges_.clear();
  enforcements_.clear();
  min_remaining_.clear();
  for (const std::uint32_t i : memory_) {
    const Enforcement enforcement = EnforcementNow(charges[i].enforcement);
    charges_.push_back(charges[i].charge);
    enforcements_.push_back(enforcement == Enforcement::kQuota && quota_open ? Enforcement::kShadow
                                                                             : enforcement);
    min_remaining_.push_back(charges[i].min_remaining);
  }
  decisions_.resize(charges_.size());
  const ChargeMode charge_mode = quota_open ? ChargeModeGiven(far_) : ChargeModeGiven(memory_);
  const Request request{charges_, enforcements_, min_remaining_, charge_mode};
  store_.Decide({&request, 1}, decisions_, now_);
  const bool taken = charge_mode == ChargeMode::kAllOrNone && GoesAhead(decisions_, enforcements_);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const std::uint32_t number = memory_[i];
    DecisionOf(number) = decisions_[i];
    const bool can_return =
        taken && decisions_[i].allowed && enforcements_[i] != Enforcement::kDebt;
    if (can_return) held_[number] = Held::kMemory;
    RecordDecision(number);
  }
}

void PendingRequest::RecordDecision(std::uint32_t number) {
  const Enforcement enforcement = charges[number].enforcement;
  const bool allowed = DecisionOf(number).allowed;
  if (enforcement == Enforcement::kEnforce) standing_.refuses |= !allowed;
  if (enforcement != Enforcement::kQuota) return;
  standing_.quota_asked = true;
  standing_.quota_passed |= allowed;
}

bool PendingRequest::HasQuota(std::span<const std::uint32_t> numbers) const {
  return std::ranges::any_of(numbers, [&](std::uint32_t number) {
    return charges[number].enforcement == Enforcement::kQuota;
  });
}

ChargeMode PendingRequest::ChargeModeGiven(std::span<const std::uint32_t> open) const {
  const bool quota_refuses = standing_.quota_asked && !standing_.quota_passed && !HasQuota(open);
  return standing_.refuses || quota_refuses ? ChargeMode::kNone : ChargeMode::kAllOrNone;
}

// It is enough that one of the quota limits passes.
Enforcement PendingRequest::EnforcementNow(Enforcement enforcement) const {
  return enforcement == Enforcement::kQuota && standing_.quota_passed ? Enforcement::kShadow
                                                                      : enforcement;
}

void PendingRequest::GiveBackHeld() {
  for (const std::uint32_t number : picked_) {
    const PendingCharge& each = charges[number];
    Decision& decision = DecisionOf(number);
    if (held_[number] == Held::kNear) {
      access_.node_cache->GiveBack(ItemOf(each), {*each.place->cache_mode, taken_at_}, now_,
                                   decision);
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

void PendingRequest::MirrorToShare(Operation operation) {
  charges_.clear();
  for (const std::uint32_t number : picked_) {
    const PendingCharge& each = charges[number];
    const Decision& decision = DecisionOf(number);
    const bool was_done = decision.allowed && decision.source != Source::kFallback;
    if (each.place->share_follows && was_done) charges_.push_back(each.charge);
  }
  if (charges_.empty()) return;
  decisions_.resize(charges_.size());
  store_.DecideEach(operation, charges_, decisions_, now_);
  if (operation == Operation::kCheck) FillShares();
}

// A charge that does not fit in its share takes what is left there.
void PendingRequest::FillShares() {
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
