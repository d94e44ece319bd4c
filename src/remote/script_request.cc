#include "remote/script_request.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "remote/script_arguments.h"
#include "wire/resp_writer.h"

namespace sluice {
namespace {

Cost Sum(Cost a, Cost b) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return {a.units > kMost - b.units ? kMost : a.units + b.units};
}

// As LeftAlone of store/local.h: a cost of 0 takes nothing, whatever is left.
Cost LeftAloneBy(const RemoteRequest& request, std::size_t i) {
  const bool any = !request.left_alone.empty() && request.charges[i].cost.units != 0;
  return any ? request.left_alone[i] : Cost{0};
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

Cost ScriptItem::asked() const { return Sum(cost, left_alone); }

ScriptCall::ScriptCall(const RemoteRequest& request) : item_of_charge_(request.charges.size()) {
  assert(!request.charges.empty() && request.charges.size() <= Local::kChargesMost);
  AddAll(request, Operation::kDebt);
  AddAll(request, request.taking == Taking::kNone ? Operation::kPeek : Operation::kCheck);
}

ScriptCall::ScriptCall(Operation operation, const RemoteCharge& charge) : item_of_charge_(1) {
  ScriptItem& item = ItemFor(KeyOf(charge), KindOf(operation), 0);
  item.cost = charge.cost;
  item.is_enforced = operation == Operation::kCheck || operation == Operation::kPeek;
}

// Adds the charges that are debts, or those that are not.
void ScriptCall::AddAll(const RemoteRequest& request, Operation operation) {
  for (std::size_t i = 0; i < request.charges.size(); ++i) {
    const Veto veto = VetoOf(request.vetoes, i);
    if ((veto == Veto::kDebt) != (operation == Operation::kDebt)) continue;
    ScriptItem& item = ItemFor(KeyOf(request.charges[i]), KindOf(operation), i);
    item.cost = Sum(item.cost, request.charges[i].cost);
    item.left_alone.units = std::max(item.left_alone.units, LeftAloneBy(request, i).units);
    item.is_enforced |= veto == Veto::kEnforce;
    item.is_quota |= veto == Veto::kQuota;
  }
}

std::size_t ScriptCall::KeyOf(const RemoteCharge& charge) {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].name != charge.key) continue;
    assert(keys_[i].limit == charge.limit);
    return i;
  }
  keys_.push_back({std::string(charge.key), charge.limit, charge.stagger});
  return keys_.size() - 1;
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

void ScriptCall::Write(ScriptAs script_as, Time about, std::string& out) const {
  ScriptArguments arguments;
  for (std::size_t i = 0; i < keys_.size(); ++i) arguments.AddKey(*this, i, about);
  for (const ScriptItem& item : items_) arguments.AddItem(*keys_[item.key].limit, item);
  RespWriter writer(RespVersion::k2, out);
  writer.ArrayHeader(3 + keys_.size() + arguments.count());
  writer.Bulk(CommandFor(script_as));
  writer.Bulk(DecideScript().As(script_as));
  writer.Bulk(std::to_string(keys_.size()));
  for (const ScriptKey& key : keys_) writer.Bulk(key.name);
  out.append(arguments.bytes());
}

Cost AskedOf(const ScriptCall& call, std::size_t key) {
  for (const ScriptItem& item : call.items()) {
    const bool asks = item.kind == ItemKind::kCheck || item.kind == ItemKind::kAsk;
    if (item.key == key && asks) return item.asked();
  }
  return Cost{0};
}

}  // namespace sluice
