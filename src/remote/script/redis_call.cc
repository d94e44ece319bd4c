#include "remote/script/redis_call.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>
#include <variant>

#include "core/algorithm/window_end.h"
#include "redis/redis_slot.h"
#include "remote/script/redis_key_name.h"

namespace sluice {
namespace {

bool Has(const ScriptCall& script, ItemKind kind) {
  return std::any_of(script.items().begin(), script.items().end(), [&](const ScriptItem& item) {
    return item.kind == kind && item.cost.units > 0;
  });
}

// Returns whether a check takes units. Permits have ids, so a check takes none.
bool Takes(const RemoteLimit& limit) { return !std::holds_alternative<Concurrency>(limit.terms()); }

// Returns whether a refused check is recorded.
bool Records(const RemoteLimit& limit, const ScriptItem& item) {
  return limit.limit().spec.count_refused.value_or(false) && item.min_remaining.units == 0;
}

}  // namespace

bool RedisCall::Begin(RemoteCall& call, RemoteListener& listener) {
  assert(!call.items.empty() && under_way_ == 0);
  call_ = &call;
  listener_ = &listener;
  call.decisions.assign(call.items.size(), {});
  if (call.wants_growth) call.more_after.assign(call.items.size(), Nanos{0});
  call.decided_at = kLatestTime;
  call.bounds.clear();
  call.outcomes.clear();
  legs_used_ = 0;
  charged_ = 0;
  decided_ = 0;
  is_charging_ = false;
  quota_passed_ = false;
  is_overdue_ = false;
  has_failed_ = false;
  has_effect_ = false;
  WriteNames();
  if (call.operation != Operation::kCheck) return BeginEach();
  MakeGroups();
  if (call.charge_mode == ChargeMode::kNone) return BeginAsking();
  is_charging_ = true;
  return SendGroup(groups_.front(), Task::kCharge, call.deadline);
}

// Each item is sent on its own: a failure of one slot does not affect the others.
bool RedisCall::BeginEach() {
  for (std::size_t i = 0; i < call_->items.size(); ++i) {
    Leg& leg = NextLeg(Task::kEach, SlotFor(i));
    const RemoteCharge charge = ChargeOf(i);
    leg.leg.script.Assign(call_->operation, {&charge, 1});
    leg.items.assign(1, i);
    Send(leg, call_->deadline);
  }
  return under_way_ > 0;
}

bool RedisCall::BeginAsking() {
  for (Group& group : groups_) SendGroup(group, Task::kAsk, call_->deadline);
  return under_way_ > 0;
}

// --- items ----------------------------------------------------------------------------------

void RedisCall::WriteNames() {
  names_.clear();
  for (const RemoteItem& item : call_->items) {
    AppendRedisKeyName(parts_.options.prefix, item.key, item.route, names_);
  }
}

std::string_view RedisCall::NameOf(std::size_t item) const {
  const std::size_t size = parts_.options.prefix.size() + kRedisKeyNameSize;
  return std::string_view(names_).substr(item * size, size);
}

std::uint16_t RedisCall::SlotFor(std::size_t item) const {
  return parts_.options.slots == RedisSlots::kTogether ? std::uint16_t{0} : SlotOf(NameOf(item));
}

RemoteCharge RedisCall::ChargeOf(std::size_t item) const {
  const RemoteItem& asked = call_->items[item];
  const auto& terms = static_cast<const RedisTerms&>(*asked.terms);
  return {NameOf(item), &terms.remote_limit(), asked.cost, Stagger{asked.key.high}, asked.bound};
}

void RedisCall::MakeGroups() {
  places_.clear();
  groups_.clear();
  for (std::size_t i = 0; i < call_->items.size(); ++i) places_.push_back({SlotFor(i), i});
  if (parts_.options.slots == RedisSlots::kSpread) {
    std::sort(places_.begin(), places_.end(), [](const Place& one, const Place& other) {
      return std::pair(one.slot, one.item) < std::pair(other.slot, other.item);
    });
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const bool is_new = groups_.empty() || groups_.back().slot != places_[i].slot;
    if (is_new) groups_.push_back({.begin = i, .slot = places_[i].slot});
    Group& group = groups_.back();
    const RemoteItem& item = call_->items[places_[i].item];
    group.end = i + 1;
    group.has_pacer |= std::holds_alternative<Pacer>(item.terms->limit().terms);
    group.has_quota |= item.enforcement == Enforcement::kQuota;
  }
  std::sort(groups_.begin(), groups_.end(), [](const Group& one, const Group& other) {
    return std::pair(one.has_pacer, one.slot) < std::pair(other.has_pacer, other.slot);
  });
}

// --- commands -------------------------------------------------------------------------------

RedisCall::Leg& RedisCall::NextLeg(Task task, std::uint16_t slot) {
  if (legs_used_ == legs_.size()) legs_.push_back(std::make_unique<Leg>(*this, legs_used_));
  Leg& leg = *legs_[legs_used_++];
  leg.task = task;
  leg.leg.slot = slot;
  leg.leg.passes_breaker = task == Task::kGiveBack || call_->undoes;
  leg.was_sent_again = false;
  leg.source = nullptr;
  leg.given_back = 0;
  leg.items.clear();
  return leg;
}

bool RedisCall::Send(Leg& leg, Time deadline) {
  const bool is_taken = leg.leg.Send(deadline);
  under_way_ += is_taken ? 1 : 0;
  if (is_taken || leg.task == Task::kGiveBack) return is_taken;
  TakeFailure(leg);
  return false;
}

// The quota charges of a request refuse it only if all of them refuse. So in every group before the
// last one with such charges they do not refuse, and once one has passed none does.
Enforcement RedisCall::VetoFor(std::size_t item, const Group& group) const {
  const Enforcement enforcement = call_->items[item].enforcement;
  if (enforcement != Enforcement::kQuota) return enforcement;
  const bool is_last = std::none_of(&group + 1, groups_.data() + groups_.size(),
                                    [](const Group& later) { return later.has_quota; });
  return is_last && !quota_passed_ ? Enforcement::kQuota : Enforcement::kShadow;
}

bool RedisCall::SendGroup(Group& group, Task task, Time deadline) {
  Leg& leg = NextLeg(task, group.slot);
  charges_.clear();
  enforcements_.clear();
  min_remaining_.clear();
  for (std::size_t i = group.begin; i < group.end; ++i) {
    const std::size_t item = places_[i].item;
    leg.items.push_back(item);
    charges_.push_back(ChargeOf(item));
    enforcements_.push_back(VetoFor(item, group));
    min_remaining_.push_back(call_->items[item].min_remaining);
  }
  const ChargeMode charge_mode = task == Task::kCharge ? ChargeMode::kAllOrNone : ChargeMode::kNone;
  leg.leg.script.Assign(RemoteRequest{charges_, enforcements_, min_remaining_, charge_mode});
  group.charge = &leg;
  return Send(leg, deadline);
}

// Returns true if there is nothing to refund.
bool RedisCall::GiveBack(const Group& group) {
  Leg& source = *group.charge;
  const ScriptCall& taken = source.leg.script;
  charges_.clear();
  Leg& leg = NextLeg(Task::kGiveBack, group.slot);
  for (std::size_t i = 0; i < source.items.size(); ++i) {
    const std::size_t at = taken.ItemOf(i);
    const ScriptItem& item = taken.items()[at];
    const ScriptKey& key = taken.keys()[item.key];
    const Decision& decision = source.leg.decisions()[i];
    const bool is_new = ((source.given_back >> at) & 1U) == 0;
    const bool is_taken = item.kind == ItemKind::kCheck && decision.allowed && item.cost.units > 0;
    if (!is_new || !is_taken || !Takes(*key.limit)) continue;
    if (std::holds_alternative<Pacer>(key.limit->terms())) {
      has_effect_ = true;  // a refund changes nothing
      continue;
    }
    source.given_back |= std::uint64_t{1} << at;
    leg.items.push_back(at);
    charges_.push_back({key.name, key.limit, item.cost, key.stagger, source.leg.BoundOf(i)});
  }
  if (charges_.empty()) {
    --legs_used_;
    return true;
  }
  leg.source = &source;
  leg.leg.script.Assign(Operation::kRefund, charges_);
  return Send(leg, NextDeadline());
}

// REQUIRES: Decide has returned.
Time RedisCall::NextDeadline() {
  const Time now = parts_.legs.clock.Now();
  if (now < call_->deadline) return call_->deadline;
  OnLegOverdue();
  return now + SlotCommand::kPatience;
}

void RedisCall::OnLegOverdue() {
  if (!std::exchange(is_overdue_, true)) listener_->OnOverdue(*call_);
}

// --- answers --------------------------------------------------------------------------------

void RedisCall::OnLegEnded(SlotCommand& ended) {
  --under_way_;
  Leg& leg = *legs_[ended.place()];
  const bool must_be = leg.task == Task::kGiveBack || leg.task == Task::kRest;
  if (must_be && ended.was_dropped() && !std::exchange(leg.was_sent_again, true)) {
    if (Send(leg, NextDeadline())) return;
  }
  if (leg.task == Task::kGiveBack) {
    TakeGiveBack(leg);
  } else if (ended.outcome() == RemoteOutcome::kDecided) {
    TakeDecisions(leg);
  } else {
    TakeFailure(leg);
  }
  if (is_charging_) GoOn(leg);
  if (under_way_ == 0) Finish();
}

void RedisCall::TakeDecisions(Leg& leg) {
  ++decided_;
  const ScriptCall& script = leg.leg.script;
  if (leg.leg.has_firsts()) call_->bounds.resize(call_->items.size());
  for (std::size_t i = 0; i < leg.items.size(); ++i) {
    const Decision& decision = leg.leg.decisions()[i];
    call_->decisions[leg.items[i]] = decision;
    if (leg.leg.has_firsts()) call_->bounds[leg.items[i]] = leg.leg.BoundOf(i);
    if (call_->wants_growth) call_->more_after[leg.items[i]] = leg.leg.UntilMoreOf(i);
    const ScriptItem& item = script.items()[script.ItemOf(i)];
    const bool records = item.kind == ItemKind::kCheck && !decision.allowed &&
                         Records(*script.keys()[item.key].limit, item);
    quota_passed_ |=
        call_->items[leg.items[i]].enforcement == Enforcement::kQuota && decision.allowed;
    has_effect_ |= records;
  }
  call_->decided_at = std::min(call_->decided_at, leg.leg.decided_at());
  has_effect_ |= Has(script, ItemKind::kDebt) || Has(script, ItemKind::kRefund) ||
                 (leg.task == Task::kEach && call_->operation == Operation::kReset);
}

// The request is refused regardless of these items.
void RedisCall::LeaveUntold(const Leg& leg) {
  for (const std::size_t item : leg.items) {
    Decision& decision = call_->decisions[item];
    decision = Decision{};
    decision.limit = decision.remaining = kNoUnits;
    decision.source = Source::kFallback;
  }
}

void RedisCall::TakeFailure(const Leg& leg) {
  const bool only_asks = leg.task == Task::kRest || leg.task == Task::kAsk;
  if (only_asks && !Has(leg.leg.script, ItemKind::kDebt)) return LeaveUntold(leg);
  if (leg.task == Task::kEach) {
    NoteFate(leg);
  } else {
    has_failed_ = true;
  }
  if (leg.leg.outcome() == RemoteOutcome::kNotApplied) return;
  // A leg that only reads has no effect, whatever its outcome.
  const ScriptCall& script = leg.leg.script;
  has_effect_ |= std::any_of(script.items().begin(), script.items().end(),
                             [](const ScriptItem& item) { return item.kind != ItemKind::kAsk; });
}

void RedisCall::NoteFate(const Leg& leg) {
  if (call_->outcomes.empty()) call_->outcomes.assign(call_->items.size(), RemoteOutcome::kDecided);
  for (const std::size_t item : leg.items) call_->outcomes[item] = leg.leg.outcome();
}

void RedisCall::TakeGiveBack(Leg& leg) {
  const bool is_done = leg.leg.outcome() == RemoteOutcome::kDecided;
  RedisRemoteCounts& counts = parts_.legs.counts;
  (is_done ? counts.given_back : counts.not_given_back).Add(1);
  Leg& source = *leg.source;
  if (!is_done) {
    has_effect_ = true;
    source.given_back = 0;
    return;
  }
  for (std::size_t i = 0; i < source.items.size(); ++i) {
    const auto at = std::find(leg.items.begin(), leg.items.end(), source.leg.script.ItemOf(i));
    if (at == leg.items.end()) continue;
    const auto key = static_cast<std::size_t>(at - leg.items.begin());
    const Decision& after = leg.leg.decisions()[key];
    Decision& decision = call_->decisions[source.items[i]];
    decision.remaining = after.remaining;
    decision.reset_after = after.reset_after;
    // Report as if the request had only been peeked.
    const Cost asked = source.leg.script.items()[*at].asked();
    const Decision look = leg.leg.states()[key].Peek(asked, leg.leg.decided_at());
    if (look.allowed) decision.wait = look.wait;
  }
}

void RedisCall::GoOn(const Leg& leg) {
  if (leg.leg.outcome() == RemoteOutcome::kDecided && leg.leg.goes_ahead()) {
    if (++charged_ == groups_.size()) return;
    if (SendGroup(groups_[charged_], Task::kCharge, NextDeadline())) return;
  }
  TakeNothingMore();
}

void RedisCall::TakeNothingMore() {
  is_charging_ = false;
  for (std::size_t i = 0; i < charged_; ++i) {
    if (GiveBack(groups_[i])) continue;
    parts_.legs.counts.not_given_back.Add(1);
    groups_[i].charge->given_back = 0;
    has_effect_ = true;
  }
  if (has_failed_) return;
  for (std::size_t i = charged_ + 1; i < groups_.size(); ++i) {
    SendGroup(groups_[i], Task::kRest, NextDeadline());
  }
}

void RedisCall::Finish() {
  RemoteOutcome outcome = RemoteOutcome::kDecided;
  // Without any reply it is a failure, even for a request that only reads.
  has_failed_ |= decided_ == 0;
  if (has_failed_) call_->outcomes.clear();
  if (has_failed_) {
    outcome = has_effect_ ? RemoteOutcome::kIndeterminate : RemoteOutcome::kNotApplied;
  }
  RedisRemoteCounts& counts = parts_.legs.counts;
  if (outcome == RemoteOutcome::kDecided) {
    counts.decided.Add(1);
  } else {
    (outcome == RemoteOutcome::kIndeterminate ? counts.unknown : counts.not_done).Add(1);
  }
  Observe();
  listener_->OnAnswer(*call_, outcome);
}

// Reports each decision regardless of the outcome of the others. Refunded charges are reported with
// the state after the refund.
void RedisCall::Observe() {
  if (parts_.observer == nullptr || call_->operation == Operation::kPeek) return;
  for (std::size_t i = 0; i < legs_used_; ++i) {
    Leg& leg = *legs_[i];
    const Leg& source = leg.source == nullptr ? leg : *leg.source;
    if (leg.leg.outcome() != RemoteOutcome::kDecided) continue;
    for (std::size_t j = 0; j < source.items.size(); ++j) {
      const ScriptCall& script = source.leg.script;
      const std::size_t item = script.ItemOf(j);
      const bool is_given_back = ((source.given_back >> item) & 1U) != 0;
      std::size_t key = script.items()[item].key;
      if (is_given_back != (leg.source != nullptr)) continue;
      if (is_given_back) {
        key = static_cast<std::size_t>(std::find(leg.items.begin(), leg.items.end(), item) -
                                       leg.items.begin());
      }
      const std::size_t place = source.items[j];
      const Nanos more_after = call_->wants_growth ? call_->more_after[place] : Nanos{0};
      parts_.observer->OnDecided({*call_, call_->items[place], call_->decisions[place],
                                  leg.leg.states()[key], leg.leg.decided_at(), leg.leg.sent_at(),
                                  more_after});
    }
  }
}

}  // namespace sluice
