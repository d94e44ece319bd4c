#include "gate/pending_request.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "core/algorithm/until_more.h"
#include "core/algorithm/window_end.h"
#include "gate/gate.h"
#include "gate/headers.h"

namespace sluice {
namespace {

Purpose PurposeOf(unsigned stage) {
  constexpr std::array kPurposes = {Purpose::kGiveBack, Purpose::kForget, Purpose::kLook,
                                    Purpose::kTake};
  return kPurposes[stage];
}

// The part of the caller's time that is reserved for deciding without the remote store and sending
// the reply.
constexpr Nanos kSpare = std::chrono::milliseconds{3};

Nanos TimeoutFor(Nanos timeout, Nanos answer_within) {
  if (answer_within == kNever) return timeout;
  return std::min(timeout, std::max(answer_within / 2, answer_within - kSpare));
}

}  // namespace

void PendingRequest::Clear() {
  charges.clear();
  sets.clear();
  answer_within = kNever;
  purposes_ = 0;
}

bool PendingRequest::is_large() const {
  constexpr std::size_t kBytesKept = std::size_t{16} << 10U;
  return kept_keys_.capacity() > kBytesKept || charges.capacity() > Local::kMaxCharges;
}

bool PendingRequest::Pick(Purpose purpose) {
  if ((purposes_ & (1U << static_cast<unsigned>(purpose))) == 0) return false;
  picked_.clear();
  for (std::uint32_t i = 0; i < charges.size(); ++i) {
    if (verdict_->decisions_[i].purpose == purpose) picked_.push_back(i);
  }
  return !picked_.empty();
}

std::size_t PendingRequest::CountOf(const Verdict& verdict, Purpose purpose) {
  return static_cast<std::size_t>(
      std::ranges::count(verdict.decisions_, purpose, &RuleDecision::purpose));
}

PendingRequest::Outcome PendingRequest::Decide(Verdict& verdict) {
  verdict_ = &verdict;
  now_ = verdict.decided_at_ = clock_.Now();
  deadline_ = now_ + TimeoutFor(access_.timeout, answer_within);
  stage_ = Stage::kGiveBack;
  charge_mode_ = ChargeMode::kAllOrNone;
  is_kept_ = false;
  is_overdue_ = false;
  return RunStages();
}

PendingRequest::Outcome PendingRequest::RunStages() {
  for (; stage_ != Stage::kDone; stage_ = static_cast<Stage>(static_cast<unsigned>(stage_) + 1)) {
    if (!Pick(PurposeOf(static_cast<unsigned>(stage_)))) continue;
    if (!Begin(stage_)) return Outcome::kWaiting;
    End(stage_);
  }
  RestateOverrides();
  verdict_->SumUp();
  if (reports_growth) FindGrowth();
  return Outcome::kDecided;
}

bool PendingRequest::Begin(Stage stage) {
  switch (stage) {
    case Stage::kGiveBack:
      return DecideEach(Operation::kRefund);
    case Stage::kForget:
      return DecideEach(Operation::kReset);
    case Stage::kLook:
      return DecideEach(Operation::kPeek);
    case Stage::kTake:
      return Take();
    case Stage::kDone:
      break;
  }
  return true;
}

void PendingRequest::End(Stage stage) {
  if (stage == Stage::kGiveBack) MirrorToShare(Operation::kRefund);
  if (stage == Stage::kForget) MirrorToShare(Operation::kReset);
  if (stage == Stage::kLook) charge_mode_ = SumUpLooks();
  if (stage == Stage::kTake && !held_.empty()) {
    for (const std::uint32_t number : far_) RecordDecision(number);
    if (!deferred_.empty() && ChargeModeGiven({}) == ChargeMode::kAllOrNone) TakeDeferred();
    if (ChargeModeGiven({}) == ChargeMode::kNone) {
      GiveBackHeld();
    } else {
      MirrorToShare(Operation::kCheck);
    }
  }
}

void PendingRequest::SplitByLocation() {
  memory_.clear();
  far_.clear();
  for (const std::uint32_t number : picked_) (IsFar(number) ? far_ : memory_).push_back(number);
}

bool PendingRequest::DecideEach(Operation operation) {
  SplitByLocation();
  if (!memory_.empty()) DecideInMemory(operation);
  if (far_.empty()) return true;
  if (operation != Operation::kPeek && access_.node_cache != nullptr) {
    for (const std::uint32_t number : far_) {
      access_.node_cache->Forget(charges[number].fleet_key, operation);
    }
  }
  if (operation == Operation::kRefund && access_.node_cache != nullptr && has_fleet_keys) {
    RefundNear();
  }
  if (far_.empty()) return true;
  return !AskRemote(operation, ChargeMode::kAllOrNone);
}

// Removes from far_ the refunds that are applied on this node.
void PendingRequest::RefundNear() {
  std::erase_if(far_, [&](std::uint32_t number) {
    const PendingCharge& each = charges[number];
    if (!each.place->cache_mode) return false;
    return access_.node_cache->Refund(ItemOf(each), *each.place->cache_mode, now_,
                                      DecisionOf(number));
  });
}

// Returns the cost to ask for. A peek includes the units that must remain; a cost of 0 always
// passes.
Cost PendingRequest::CostOf(const PendingCharge& charges, Operation operation) {
  const Cost cost = charges.charge.cost;
  const bool leaves = operation == Operation::kPeek && cost.units != 0;
  return leaves ? Cost{cost.units + charges.min_remaining.units} : cost;
}

void PendingRequest::DecideInMemory(Operation operation) {
  charges_.clear();
  for (const std::uint32_t i : memory_) {
    charges_.push_back(charges[i].charge);
    charges_.back().cost = CostOf(charges[i], operation);
  }
  decisions_.resize(charges_.size());
  store_.DecideEach(operation, charges_, decisions_, now_);
  for (std::size_t i = 0; i < memory_.size(); ++i) DecisionOf(memory_[i]) = decisions_[i];
}

ChargeMode PendingRequest::SumUpLooks() {
  bool quota_refused = false;
  bool quota_open = false;  // a quota limit passed, or is still to be decided
  for (const RuleDecision& each : verdict_->decisions_) {
    const bool looked = each.purpose == Purpose::kLook;
    if (!looked && each.purpose != Purpose::kTake) continue;
    const bool refused = looked && !each.decision.allowed;
    if (refused && each.enforcement == Enforcement::kEnforce) return ChargeMode::kNone;
    if (each.enforcement != Enforcement::kQuota) continue;
    const bool passed = looked && each.decision.allowed;
    quota_refused |= refused;
    quota_open |= !looked || passed;
    // It is enough that one of the quota limits passes.
    if (passed) LiftQuota();
  }
  return quota_refused && !quota_open ? ChargeMode::kNone : ChargeMode::kAllOrNone;
}

void PendingRequest::LiftQuota() {
  for (PendingCharge& each : charges) {
    if (each.enforcement == Enforcement::kQuota) each.enforcement = Enforcement::kShadow;
  }
}

void PendingRequest::RestateOverrides() {
  for (RuleDecision& each : verdict_->decisions_) {
    const std::optional<LimitOverride>& limit = sets[each.set].limit;
    if (!limit || each.limit != &verdict_->rules_->overrides->NameOf(limit->period)) continue;
    OverrideLimits::Restate(*limit, each.decision);
  }
}

void PendingRequest::FindGrowth() {
  if (!verdict_->allowed()) return;
  const bool all_say_it = std::ranges::all_of(
      verdict_->decisions_, [](const RuleDecision& each) { return SaysGrowth(each); });
  if (all_say_it) return;
  const RuleDecision* const nearest = verdict_->nearest();
  if (nearest == nullptr || SaysGrowth(*nearest)) return;
  const auto number = static_cast<std::uint32_t>(nearest - verdict_->decisions_.data());
  verdict_->more_after_ = UntilMoreOf(number);
}

// Returns how long one more unit would take, from the store that decided. A remote store has
// reported it already.
Nanos PendingRequest::UntilMoreOf(std::uint32_t number) {
  const Decision& decision = DecisionOf(number);
  const bool grows = decision.limit != kNoUnits && decision.remaining < decision.limit;
  if (!grows || decision.source == Source::kEmptyKey) return Nanos{0};
  if (decision.source == Source::kLease || decision.source == Source::kEventual) {
    return access_.node_cache->UntilMore(ItemOf(charges[number]), decision, now_);
  }
  if (decision.source == Source::kRemote) {
    const auto item = static_cast<std::size_t>(std::ranges::find(far_, number) - far_.begin());
    return item < call_.more_after.size() ? call_.more_after[item] : Nanos{0};
  }
  Charge charge = charges[number].charge;
  charge.cost = Cost{decision.remaining + 1 + charges[number].min_remaining.units};
  Decision next;
  store_.DecideEach(Operation::kPeek, {&charge, 1}, {&next, 1}, now_);
  return UntilMoreBy(verdict_->decisions_[number].limit->limit->terms, next);
}

RemoteItem PendingRequest::ItemOf(const PendingCharge& charges) {
  RemoteItem item;
  item.terms = charges.place->remote;
  item.key = charges.fleet_key;
  item.route = charges.route;
  item.cost = charges.charge.cost;
  return item;
}

bool PendingRequest::AskRemote(Operation operation, ChargeMode charge_mode) {
  const bool can_ask = !is_under_way_ && !is_overdue_ && has_fleet_keys;
  if (!can_ask) {
    access_.remote->OnNotAsked();
    FallBack(operation, charge_mode);
    return false;
  }
  call_.operation = operation;
  call_.charge_mode = charge_mode;
  call_.deadline = deadline_;
  call_.undoes = false;
  call_.wants_growth = reports_growth;
  call_.more_after.clear();
  is_answered_ = false;
  call_.items.clear();
  for (const std::uint32_t number : far_) {
    const PendingCharge& each = charges[number];
    RemoteItem& item = call_.items.emplace_back(ItemOf(each));
    item.cost = CostOf(each, operation);
    item.enforcement = EnforcementNow(each.enforcement);
    item.min_remaining = each.min_remaining;
  }
  if (!access_.remote->Decide(call_, *this)) {
    FallBack(operation, charge_mode);
    return false;
  }
  is_under_way_ = true;
  KeepAll();
  return true;
}

void PendingRequest::FallBack(Operation operation, ChargeMode charge_mode) {
  is_answered_ = false;
  // Charges of shares may not be exactly refundable either.
  const bool asks_deferred =
      operation == Operation::kCheck && charge_mode == ChargeMode::kAllOrNone && !deferred_.empty();
  if (asks_deferred && !DecideDeferred(ChargeMode::kNone)) {
    standing_.refuses = true;
    charge_mode = ChargeMode::kNone;
  }
  fallback_charges_.clear();
  for (const std::uint32_t number : far_) {
    const PendingCharge& each = charges[number];
    fallback_charges_.push_back({.charge = each.charge,
                                 .enforcement = EnforcementNow(each.enforcement),
                                 .min_remaining = each.min_remaining,
                                 .policy = each.place->on_failure});
    fallback_charges_.back().charge.cost = CostOf(each, operation);
  }
  decisions_.resize(far_.size());
  if (operation == Operation::kCheck) {
    fallback_.DecideTogether(fallback_charges_, charge_mode, now_, decisions_);
  } else {
    fallback_.DecideEach(operation, fallback_charges_, now_, decisions_);
  }
  for (std::size_t i = 0; i < far_.size(); ++i) DecisionOf(far_[i]) = decisions_[i];
}

// Items of one slot may fail while those of others are decided.
void PendingRequest::FallBackSome(const RemoteCall& call) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < far_.size(); ++i) {
    if (call.outcomes[i] != RemoteOutcome::kDecided) far_[left++] = far_[i];
  }
  far_.resize(left);
  call_.more_after.clear();  // it is indexed by all items
  FallBack(call.operation, call.charge_mode);
}

// Copies everything the request views, which may be gone before the answer arrives.
void PendingRequest::KeepAll() {
  if (is_kept_) return;
  is_kept_ = true;
  std::swap(kept_verdict_, *verdict_);
  verdict_->Clear();
  verdict_ = &kept_verdict_;
  kept_keys_.clear();
  for (const PendingCharge& each : charges) kept_keys_ += each.charge.key;
  std::size_t at = 0;
  for (PendingCharge& each : charges) {
    each.charge.key = std::string_view(kept_keys_).substr(at, each.charge.key.size());
    at += each.charge.key.size();
  }
}

void PendingRequest::OnOverdue(RemoteCall& call) {
  if (IsOver() || call.undoes) return;
  is_overdue_ = true;
  now_ = clock_.Now();
  FallBack(call.operation, call.charge_mode);
  Resume();
}

void PendingRequest::OnAnswer(RemoteCall& call, RemoteOutcome outcome) {
  is_under_way_ = false;
  if (IsOver()) return;
  // A refund has no waiter.
  if (is_overdue_ || call.undoes) return Reconcile(outcome);
  now_ = clock_.Now();
  if (outcome == RemoteOutcome::kDecided) {
    is_answered_ = true;
    for (std::size_t i = 0; i < far_.size(); ++i) {
      Decision& decision = DecisionOf(far_[i]);
      decision = call.decisions[i];
      // If the remote store could not tell, it has set kFallback itself.
      if (decision.source != Source::kFallback) decision.source = Source::kRemote;
    }
    if (!call.outcomes.empty()) FallBackSome(call);
  } else {
    FallBack(call.operation, call.charge_mode);
  }
  Resume();
}

void PendingRequest::Resume() {
  End(stage_);
  stage_ = static_cast<Stage>(static_cast<unsigned>(stage_) + 1);
  if (RunStages() == Outcome::kWaiting) return;
  goes_ahead_ = verdict_->allowed();
  owner_.OnVerdict(*this);
  if (!is_under_way_) owner_.OnIdle(*this);
}

void PendingRequest::Reconcile(RemoteOutcome outcome) {
  const bool may_be_charged = outcome == RemoteOutcome::kDecided && !goes_ahead_ &&
                              call_.operation == Operation::kCheck &&
                              call_.charge_mode == ChargeMode::kAllOrNone;
  is_under_way_ = may_be_charged && GiveBackFar();
  if (!is_under_way_) owner_.OnIdle(*this);
}

bool PendingRequest::GiveBackFar() {
  std::vector<RemoteItem>& items = call_.items;
  enforcements_.clear();
  for (const RemoteItem& item : items) enforcements_.push_back(item.enforcement);
  if (!GoesAhead(call_.decisions, enforcements_)) return false;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Decision& decision = call_.decisions[i];
    if (!decision.allowed || items[i].enforcement == Enforcement::kDebt) continue;
    items[i].bound = call_.BoundOf(i);
    std::swap(items[taken++], items[i]);
  }
  items.resize(taken);
  call_.operation = Operation::kRefund;
  call_.deadline = kLatestTime;
  call_.undoes = true;
  return taken != 0 && access_.remote->Decide(call_, *this);
}

}  // namespace sluice
