#include "remote/script/script_request.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "base/text.h"
#include "remote/script/redis_scripts.h"
#include "remote/script/script_arguments.h"
#include "wire/resp/resp_writer.h"

namespace sluice {
namespace {

Cost Sum(Cost a, Cost b) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  return {a.units > kMax - b.units ? kMax : a.units + b.units};
}

// Corresponds to MinRemaining in store/local.h: a cost of 0 takes nothing, whatever is left.
Cost LeftAloneBy(const RemoteRequest& request, std::size_t i) {
  const bool any = !request.min_remaining.empty() && request.charges[i].cost.units != 0;
  return any ? request.min_remaining[i] : Cost{0};
}

ItemKind KindOf(Operation operation) {
  switch (operation) {
    case Operation::kCheck:
      return ItemKind::kCheck;
    case Operation::kDebt:
      return ItemKind::kDebt;
    case Operation::kRefund:
      return ItemKind::kRefund;
    case Operation::kReset:
      return ItemKind::kReset;
    case Operation::kPeek:
    case Operation::kAcquire:
    case Operation::kRenew:
    case Operation::kRelease:
      break;
  }
  return ItemKind::kAsk;
}

}  // namespace

Cost ScriptItem::asked() const { return Sum(cost, min_remaining); }

void ScriptCall::Clear(std::size_t charges) {
  assert(charges > 0 && charges <= Local::kMaxCharges);
  for (std::size_t i = 0; firsts_ > 0 && i < key_count_; ++i) SetFirst(i, {});
  key_count_ = 0;
  items_.clear();
  item_of_charge_.assign(charges, 0);
}

void ScriptCall::Assign(const RemoteRequest& request) {
  Clear(request.charges.size());
  AddAll(request, Operation::kDebt);
  AddAll(request, request.charge_mode == ChargeMode::kNone ? Operation::kPeek : Operation::kCheck);
}

void ScriptCall::Assign(Operation operation, std::span<const RemoteCharge> charges) {
  const bool may_refuse = operation == Operation::kCheck || operation == Operation::kPeek;
  assert(!may_refuse || charges.size() == 1);
  Clear(charges.size());
  for (std::size_t i = 0; i < charges.size(); ++i) {
    ScriptItem& item = ItemFor(KeyOf(charges[i]), KindOf(operation), i);
    item.cost = charges[i].cost;
    item.is_enforced = may_refuse;
    item.bound = charges[i].bound;
  }
}

// Adds either the debts or all other charges.
void ScriptCall::AddAll(const RemoteRequest& request, Operation operation) {
  for (std::size_t i = 0; i < request.charges.size(); ++i) {
    const Enforcement enforcement = EnforcementOf(request.enforcements, i);
    if ((enforcement == Enforcement::kDebt) != (operation == Operation::kDebt)) continue;
    ScriptItem& item = ItemFor(KeyOf(request.charges[i]), KindOf(operation), i);
    item.cost = Sum(item.cost, request.charges[i].cost);
    item.min_remaining.units = std::max(item.min_remaining.units, LeftAloneBy(request, i).units);
    item.is_enforced |= enforcement == Enforcement::kEnforce;
    item.is_quota |= enforcement == Enforcement::kQuota;
  }
}

std::size_t ScriptCall::KeyOf(const RemoteCharge& charge) {
  for (std::size_t i = 0; i < key_count_; ++i) {
    if (keys_[i].name != charge.key) continue;
    assert(keys_[i].limit == charge.limit);
    return i;
  }
  if (key_count_ == keys_.size()) keys_.emplace_back();
  ScriptKey& key = keys_[key_count_];
  key.name.assign(charge.key);
  key.limit = charge.limit;
  key.stagger = charge.stagger;
  return key_count_++;
}

ScriptItem& ScriptCall::ItemFor(std::size_t key, ItemKind kind, std::size_t charge) {
  const auto same = [&](const ScriptItem& item) { return item.key == key && item.kind == kind; };
  auto found = std::find_if(items_.begin(), items_.end(), same);
  if (found == items_.end()) {
    ScriptItem item;
    item.kind = kind;
    item.key = key;
    found = items_.insert(items_.end(), item);
  }
  item_of_charge_[charge] = static_cast<std::size_t>(found - items_.begin());
  return *found;
}

void ScriptCall::SetFirst(std::size_t key, KeptTerms first) {
  assert(first.limit == nullptr || !keys_[key].limit->tag().empty());
  if (keys_[key].HasFirst()) --firsts_;
  keys_[key].first = std::move(first);
  if (keys_[key].HasFirst()) ++firsts_;
}

void ScriptCall::Write(Time about, std::string& out) const {
  ScriptArguments room;
  Write(about, room, out);
}

void ScriptCall::Write(Time about, ScriptArguments& room, std::string& out) const {
  room.Clear();
  for (std::size_t i = 0; i < key_count_; ++i) room.AddKey(*this, i, about);
  if (firsts_ > 0) {
    for (std::size_t i = 0; i < key_count_; ++i) room.AddFirst(*this, i, about);
  }
  for (const ScriptItem& item : items_) room.AddItem(*this, item);
  RespWriter writer(RespVersion::k2, out);
  const std::size_t keys_all = key_count_ + firsts_;
  writer.ArrayHeader(3 + keys_all + room.count());
  writer.Bulk("EVALSHA");
  writer.Bulk(DecideScript().sha1);
  writer.Bulk(std::to_string(keys_all));
  WriteNames(writer);
  out.append(room.bytes());
}

void ScriptCall::WriteNames(RespWriter& writer) const {
  for (const ScriptKey& key : keys()) {
    writer.Bulk(key.HasFirst() ? NameBeside(key.name, key.limit->tag()) : key.name);
  }
  if (firsts_ == 0) return;
  for (const ScriptKey& key : keys()) {
    if (key.HasFirst()) writer.Bulk(key.name);
  }
}

std::string NameBeside(std::string_view key, std::string_view tag) { return Concat(key, "~", tag); }

bool IsOfFirst(const ScriptKey& key, const ScriptItem& item) {
  return key.HasFirst() && (!item.bound || item.bound->other == key.first.limit->tag_hash());
}

Cost AskedOf(const ScriptCall& call, std::size_t key) {
  for (const ScriptItem& item : call.items()) {
    const bool asks = item.kind == ItemKind::kCheck || item.kind == ItemKind::kAsk;
    if (item.key == key && asks) return item.asked();
  }
  return Cost{0};
}

}  // namespace sluice
