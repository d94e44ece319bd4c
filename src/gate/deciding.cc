#include "gate/deciding.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "core/until_more.h"
#include "core/window_end.h"
#include "gate/gate.h"
#include "gate/headers.h"

namespace sluice {
namespace {

Purpose PurposeOf(unsigned stage) {
  constexpr std::array kPurposes = {Purpose::kGiveBack, Purpose::kForget, Purpose::kLook,
                                    Purpose::kTake};
  return kPurposes[stage];
}

// What is left of the caller's time when the remote has had its part: enough to decide without it
// and to send the reply.
constexpr Nanos kSpare = std::chrono::milliseconds{3};

Nanos PatienceFor(Nanos patience, Nanos answer_within) {
  if (answer_within == kNever) return patience;
  return std::min(patience, std::max(answer_within / 2, answer_within - kSpare));
}

}  // namespace

void Deciding::Clear() {
  asked.clear();
  sets.clear();
  answer_within = kNever;
  purposes_ = 0;
}

bool Deciding::is_large() const {
  constexpr std::size_t kBytesKept = std::size_t{16} << 10U;
  return kept_keys_.capacity() > kBytesKept || asked.capacity() > Local::kChargesMost;
}

bool Deciding::Pick(Purpose purpose) {
  if ((purposes_ & (1U << static_cast<unsigned>(purpose))) == 0) return false;
  picked_.clear();
  for (std::uint32_t i = 0; i < asked.size(); ++i) {
    if (verdict_->decisions_[i].purpose == purpose) picked_.push_back(i);
  }
  return !picked_.empty();
}

std::size_t Deciding::CountOf(const Verdict& verdict, Purpose purpose) {
  return static_cast<std::size_t>(
      std::ranges::count(verdict.decisions_, purpose, &RuleDecision::purpose));
}

Deciding::Outcome Deciding::Decide(Verdict& verdict) {
  verdict_ = &verdict;
  now_ = verdict.decided_at_ = clock_.Now();
  deadline_ = now_ + PatienceFor(way_.patience, answer_within);
  stage_ = Stage::kGiveBack;
  taking_ = Taking::kAllOrNone;
  is_kept_ = false;
  is_overdue_ = false;
  return Go();
}

Deciding::Outcome Deciding::Go() {
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

bool Deciding::Begin(Stage stage) {
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

void Deciding::End(Stage stage) {
  if (stage == Stage::kGiveBack) Follow(Operation::kRefund);
  if (stage == Stage::kForget) Follow(Operation::kReset);
  if (stage == Stage::kLook) taking_ = SumUpLooks();
  if (stage == Stage::kTake && !held_.empty()) {
    for (const std::uint32_t number : far_) Note(number);
    if (!deferred_.empty() && TakingWith({}) == Taking::kAllOrNone) TakeDeferred();
    if (TakingWith({}) == Taking::kNone) {
      GiveBackHeld();
    } else {
      Follow(Operation::kCheck);
    }
  }
}

void Deciding::Part() {
  memory_.clear();
  far_.clear();
  for (const std::uint32_t number : picked_) (IsFar(number) ? far_ : memory_).push_back(number);
}

bool Deciding::DecideEach(Operation operation) {
  Part();
  if (!memory_.empty()) DecideInMemory(operation);
  if (far_.empty()) return true;
  if (operation != Operation::kPeek && way_.nearby != nullptr) {
    for (const std::uint32_t number : far_) {
      way_.nearby->Forget(asked[number].fleet_key, operation);
    }
  }
  if (operation == Operation::kRefund && way_.nearby != nullptr && has_fleet_keys) RefundNear();
  if (far_.empty()) return true;
  return !AskRemote(operation, Taking::kAllOrNone);
}

// Keeps in far_ what is for the remote.
void Deciding::RefundNear() {
  std::erase_if(far_, [&](std::uint32_t number) {
    const Asked& each = asked[number];
    if (!each.place->nearness) return false;
    return way_.nearby->Refund(ItemOf(each), *each.place->nearness, now_, DecisionOf(number));
  });
}

// To ask whether a charge passes and leaves so much is to ask for both. A cost of 0 passes.
Cost Deciding::CostOf(const Asked& asked, Operation operation) {
  const Cost cost = asked.charge.cost;
  const bool leaves = operation == Operation::kPeek && cost.units != 0;
  return leaves ? Cost{cost.units + asked.left_alone.units} : cost;
}

void Deciding::DecideInMemory(Operation operation) {
  charges_.clear();
  for (const std::uint32_t i : memory_) {
    charges_.push_back(asked[i].charge);
    charges_.back().cost = CostOf(asked[i], operation);
  }
  decisions_.resize(charges_.size());
  store_.DecideEach(operation, charges_, decisions_, now_);
  for (std::size_t i = 0; i < memory_.size(); ++i) DecisionOf(memory_[i]) = decisions_[i];
}

Taking Deciding::SumUpLooks() {
  bool quota_refused = false;
  bool quota_open = false;  // a quota limit passed, or is still to be asked
  for (const RuleDecision& each : verdict_->decisions_) {
    const bool looked = each.purpose == Purpose::kLook;
    if (!looked && each.purpose != Purpose::kTake) continue;
    if (looked && each.veto == Veto::kEnforce && !each.decision.allowed) return Taking::kNone;
    if (each.veto != Veto::kQuota) continue;
    const bool passed = looked && each.decision.allowed;
    quota_refused |= looked && !passed;
    quota_open |= !looked || passed;
    // Of the quota limits one that passes is enough.
    if (passed) LiftQuota();
  }
  return quota_refused && !quota_open ? Taking::kNone : Taking::kAllOrNone;
}

void Deciding::LiftQuota() {
  for (Asked& each : asked) {
    if (each.veto == Veto::kQuota) each.veto = Veto::kShadow;
  }
}

void Deciding::RestateOverrides() {
  for (RuleDecision& each : verdict_->decisions_) {
    const std::optional<LimitOverride>& limit = sets[each.set].limit;
    if (!limit || each.limit != &verdict_->rules_->overrides->NameOf(limit->period)) continue;
    OverrideLimits::Restate(*limit, each.decision);
  }
}

void Deciding::FindGrowth() {
  if (!verdict_->allowed()) return;
  const bool all_say_it = std::ranges::all_of(
      verdict_->decisions_, [](const RuleDecision& each) { return SaysGrowth(each); });
  if (all_say_it) return;
  const RuleDecision* const nearest = verdict_->nearest();
  if (nearest == nullptr || SaysGrowth(*nearest)) return;
  const auto number = static_cast<std::uint32_t>(nearest - verdict_->decisions_.data());
  verdict_->more_after_ = UntilMoreOf(number);
}

// Asks who decided what one unit more would have to wait for. The remote has said it already.
Nanos Deciding::UntilMoreOf(std::uint32_t number) {
  const Decision& decision = DecisionOf(number);
  const bool grows = decision.limit != kNoUnits && decision.remaining < decision.limit;
  if (!grows || decision.source == Source::kEmptyKey) return Nanos{0};
  if (decision.source == Source::kLease || decision.source == Source::kEventual) {
    return way_.nearby->UntilMore(ItemOf(asked[number]), decision, now_);
  }
  if (decision.source == Source::kRemote) {
    const auto item = static_cast<std::size_t>(std::ranges::find(far_, number) - far_.begin());
    return item < call_.more_after.size() ? call_.more_after[item] : Nanos{0};
  }
  Charge charge = asked[number].charge;
  charge.cost = Cost{decision.remaining + 1 + asked[number].left_alone.units};
  Decision next;
  store_.DecideEach(Operation::kPeek, {&charge, 1}, {&next, 1}, now_);
  return UntilMoreBy(verdict_->decisions_[number].limit->limit->terms, next);
}

RemoteItem Deciding::ItemOf(const Asked& asked) {
  RemoteItem item;
  item.terms = asked.place->remote;
  item.key = asked.fleet_key;
  item.route = asked.route;
  item.cost = asked.charge.cost;
  return item;
}

bool Deciding::AskRemote(Operation operation, Taking taking) {
  const bool can_ask = !is_under_way_ && !is_overdue_ && has_fleet_keys;
  if (!can_ask) {
    way_.remote->OnNotAsked();
    FallBack(operation, taking);
    return false;
  }
  call_.operation = operation;
  call_.taking = taking;
  call_.deadline = deadline_;
  call_.undoes = false;
  call_.wants_growth = reports_growth;
  call_.more_after.clear();
  is_answered_ = false;
  call_.items.clear();
  for (const std::uint32_t number : far_) {
    const Asked& each = asked[number];
    RemoteItem& item = call_.items.emplace_back(ItemOf(each));
    item.cost = CostOf(each, operation);
    item.veto = VetoNow(each.veto);
    item.left_alone = each.left_alone;
  }
  if (!way_.remote->Decide(call_, *this)) {
    FallBack(operation, taking);
    return false;
  }
  is_under_way_ = true;
  KeepAll();
  return true;
}

void Deciding::FallBack(Operation operation, Taking taking) {
  is_answered_ = false;
  // Shares may be such that cannot be given back either.
  const bool asks_deferred =
      operation == Operation::kCheck && taking == Taking::kAllOrNone && !deferred_.empty();
  if (asks_deferred && !DecideDeferred(Taking::kNone)) {
    standing_.refuses = true;
    taking = Taking::kNone;
  }
  fallback_charges_.clear();
  for (const std::uint32_t number : far_) {
    const Asked& each = asked[number];
    fallback_charges_.push_back({.charge = each.charge,
                                 .veto = VetoNow(each.veto),
                                 .left_alone = each.left_alone,
                                 .policy = each.place->on_failure});
    fallback_charges_.back().charge.cost = CostOf(each, operation);
  }
  decisions_.resize(far_.size());
  if (operation == Operation::kCheck) {
    fallback_.DecideTogether(fallback_charges_, taking, now_, decisions_);
  } else {
    fallback_.DecideEach(operation, fallback_charges_, now_, decisions_);
  }
  for (std::size_t i = 0; i < far_.size(); ++i) DecisionOf(far_[i]) = decisions_[i];
}

// Items of one slot may fail while those of others are decided.
void Deciding::FallBackSome(const RemoteCall& call) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < far_.size(); ++i) {
    if (call.fates[i] != RemoteFate::kDecided) far_[left++] = far_[i];
  }
  far_.resize(left);
  call_.more_after.clear();  // in the order of all items
  FallBack(call.operation, call.taking);
}

// What it views may be gone before the answer is there.
void Deciding::KeepAll() {
  if (is_kept_) return;
  is_kept_ = true;
  std::swap(kept_verdict_, *verdict_);
  verdict_->Clear();
  verdict_ = &kept_verdict_;
  kept_keys_.clear();
  for (const Asked& each : asked) kept_keys_ += each.charge.key;
  std::size_t at = 0;
  for (Asked& each : asked) {
    each.charge.key = std::string_view(kept_keys_).substr(at, each.charge.key.size());
    at += each.charge.key.size();
  }
}

void Deciding::OnOverdue(RemoteCall& call) {
  if (IsOver() || call.undoes) return;
  is_overdue_ = true;
  now_ = clock_.Now();
  FallBack(call.operation, call.taking);
  Resume();
}

void Deciding::OnAnswer(RemoteCall& call, RemoteFate fate) {
  is_under_way_ = false;
  if (IsOver()) return;
  // Nobody waits for what is given back.
  if (is_overdue_ || call.undoes) return Reconcile(fate);
  now_ = clock_.Now();
  if (fate == RemoteFate::kDecided) {
    is_answered_ = true;
    for (std::size_t i = 0; i < far_.size(); ++i) {
      Decision& decision = DecisionOf(far_[i]);
      decision = call.decisions[i];
      // One that the remote could not tell says so itself.
      if (decision.source != Source::kFallback) decision.source = Source::kRemote;
    }
    if (!call.fates.empty()) FallBackSome(call);
  } else {
    FallBack(call.operation, call.taking);
  }
  Resume();
}

void Deciding::Resume() {
  End(stage_);
  stage_ = static_cast<Stage>(static_cast<unsigned>(stage_) + 1);
  if (Go() == Outcome::kWaiting) return;
  goes_ahead_ = verdict_->allowed();
  owner_.OnVerdict(*this);
  if (!is_under_way_) owner_.OnIdle(*this);
}

void Deciding::Reconcile(RemoteFate fate) {
  const bool may_be_charged = fate == RemoteFate::kDecided && !goes_ahead_ &&
                              call_.operation == Operation::kCheck &&
                              call_.taking == Taking::kAllOrNone;
  is_under_way_ = may_be_charged && GiveBackFar();
  if (!is_under_way_) owner_.OnIdle(*this);
}

bool Deciding::GiveBackFar() {
  std::vector<RemoteItem>& items = call_.items;
  vetoes_.clear();
  for (const RemoteItem& item : items) vetoes_.push_back(item.veto);
  if (!GoesAhead(call_.decisions, vetoes_)) return false;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Decision& decision = call_.decisions[i];
    if (!decision.allowed || items[i].veto == Veto::kDebt) continue;
    items[i].bound = call_.BoundOf(i);
    std::swap(items[taken++], items[i]);
  }
  items.resize(taken);
  call_.operation = Operation::kRefund;
  call_.deadline = kLatestTime;
  call_.undoes = true;
  return taken != 0 && way_.remote->Decide(call_, *this);
}

}  // namespace sluice
