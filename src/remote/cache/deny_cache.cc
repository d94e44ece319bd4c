#include "remote/cache/deny_cache.h"

#include <algorithm>

#include "remote/cache/near_limit.h"

namespace sluice {
namespace {

bool HasKeyTwice(const RemoteCall& call, const FleetKey& key) {
  return std::count_if(call.items.begin(), call.items.end(),
                       [&](const RemoteItem& item) { return item.key == key; }) > 1;
}

}  // namespace

NodeCache::Answer DenyCache::Take(const RemoteItem& item, Time now, Decision& decision) {
  auto answer = NodeCache::Answer::kUnknown;
  if (!IsPlainCharge(item)) return answer;
  table_.Find(item.key, [&](const Entry& entry, auto& /*list*/) {
    if (entry.terms != item.terms || entry.cost.units != item.cost.units) return;
    if (now >= entry.trusted_until || now < entry.sent_at) return;
    const Nanos passed = now - entry.sent_at;
    decision = entry.told;
    decision.source = Source::kEmptyKey;
    decision.retry_after -= passed;
    decision.reset_after = std::max(Nanos{0}, decision.reset_after - passed);
    answer = NodeCache::Answer::kDecided;
  });
  return answer;
}

bool DenyCache::IsWorthKeeping(const RedisDecisionEvent& sight) {
  const RemoteItem& item = sight.item;
  return sight.call.operation == Operation::kCheck && !sight.decision.allowed &&
         sight.decision.retry_after != kNever && IsPlainCharge(item) &&
         IsPlain(item.terms->limit()) && !HasKeyTwice(sight.call, item.key);
}

void DenyCache::OnReply(const RedisDecisionEvent& sight, Time now) {
  const Operation operation = sight.call.operation;
  const FleetKey& key = sight.item.key;
  if (operation == Operation::kRefund || operation == Operation::kReset) {
    Forget(key, now);
    return;
  }
  if (sight.decision.allowed) {
    table_.Erase(key);
    return;
  }
  if (!IsWorthKeeping(sight)) return;
  // Pairs with the store in NoteChange; the lock of the shard orders it with Erase.
  const auto& changed_at = changed_at_[KeyTable<Entry>::ShardOf(key)];
  table_.FindOrAdd(key, [&](Entry& entry, auto& /*list*/) {
    if (sight.sent_at.time_since_epoch().count() <= changed_at.load(std::memory_order_acquire)) {
      entry = Entry{};
      return;
    }
    entry.terms = sight.item.terms;
    entry.cost = sight.item.cost;
    entry.told = sight.decision;
    entry.sent_at = sight.sent_at;
    entry.trusted_until = sight.sent_at + std::min(sight.decision.retry_after, kTrusted);
  });
}

void DenyCache::Forget(const FleetKey& key, Time now) {
  NoteChange(key, now);
  table_.Erase(key);
}

void DenyCache::NoteChange(const FleetKey& key, Time now) {
  auto& changed_at = changed_at_[KeyTable<Entry>::ShardOf(key)];
  const std::int64_t at = now.time_since_epoch().count();
  std::int64_t before = changed_at.load(std::memory_order_relaxed);
  while (before < at && !changed_at.compare_exchange_weak(before, at, std::memory_order_acq_rel)) {
  }
}

void DenyCache::Sweep(Time now) {
  table_.Sweep(kSweptAtOnce, [now](const Entry& entry) { return now >= entry.trusted_until; });
}

}  // namespace sluice
