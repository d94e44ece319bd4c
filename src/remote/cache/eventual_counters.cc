#include "remote/cache/eventual_counters.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "core/algorithm/until_more.h"
#include "core/algorithm/window_end.h"
#include "remote/cache/near_limit.h"

namespace sluice {
namespace {

// How long the best measured clock difference is kept; it expires because clocks drift.
constexpr Nanos kLearntFor = std::chrono::seconds{1};
// Tolerance for clock drift between two measurements.
constexpr Nanos kDrift = std::chrono::milliseconds{5};
constexpr Nanos kForgetAfter = std::chrono::seconds{5};
constexpr std::size_t kSweptAtOnce = 512;

// Returns the heap memory of a state of the limit, including the allocator's overhead.
std::int64_t HeapBytesOf(const Limit& limit) {
  const auto* const buckets = std::get_if<SlidingBuckets>(&limit.terms);
  if (buckets == nullptr) return 0;
  return 16 + (buckets->buckets + 1) * static_cast<std::int64_t>(sizeof(std::int64_t));
}

}  // namespace

EventualCounters::EventualCounters(const EventualSettings& settings)
    : table_(settings.max_keys, settings.bytes_max), sync_interval_(settings.sync_interval) {}

// Binds the entry to the terms of the item. Returns false if their states are not reported whole,
// if there are units of other terms to push, or if there is no memory for the state.
bool EventualCounters::Bind(Entry& entry, const RemoteItem& item) {
  if (entry.terms == item.terms) return true;
  if (!HasWholeState(item.terms->limit()) || entry.is_syncing || entry.pending != 0) return false;
  const std::int64_t heap_bytes = HeapBytesOf(item.terms->limit());
  if (!table_.budget().Take(heap_bytes)) return false;
  table_.budget().Release(entry.heap_bytes);
  const bool is_listed = entry.is_listed;
  entry = Entry{};
  entry.is_listed = is_listed;
  entry.heap_bytes = heap_bytes;
  entry.terms = item.terms;
  entry.route = item.route;
  return true;
}

bool EventualCounters::IsFresh(const Entry& entry, Time now) const {
  if (!entry.state) return false;
  return entry.is_syncing || entry.is_failing || now - entry.told_at <= sync_interval_ / 2;
}

Time EventualCounters::TimeOf(Entry& entry, Time now) {
  if (entry.ahead) entry.latest = std::max(entry.latest, now + *entry.ahead);
  return entry.latest;
}

// The reply took some time to arrive, so the difference is a lower bound.
void EventualCounters::LearnTime(Entry& entry, const RedisDecisionEvent& sight, Time now) {
  const Nanos ahead = sight.decided_at - now;
  if (entry.ahead && sight.decided_at + kDrift < sight.sent_at + *entry.ahead) {
    // It was decided before it was sent: the server's clock was set back, or another server has the
    // key now. From now on, windows end by that clock.
    entry.latest = entry.decided_at = sight.decided_at;
    entry.ahead.reset();
  }
  const bool is_old = now - entry.learnt_at > kLearntFor;
  if (entry.ahead && !is_old && ahead <= *entry.ahead) return;
  entry.ahead = ahead;
  entry.learnt_at = now;
}

NodeCache::Answer EventualCounters::Take(const RemoteItem& item, Time now, Decision& decision) {
  auto answer = NodeCache::Answer::kUnknown;
  if (!IsPlainCharge(item)) return answer;
  const auto take = [&](Entry& entry, auto& list) {
    if (!Bind(entry, item)) return;
    entry.asked_at = now;
    if (!IsFresh(entry, now)) return;
    const Time at = TimeOf(entry, now);
    DropOver(entry, at);
    decision = entry.state->Check(item.cost, at);
    decision.source = Source::kEventual;
    if (decision.allowed) {
      Admit(entry, item.cost, now);
      const std::optional<Time> window = WindowEnd(item.terms->limit(), decision, at);
      if (window != entry.window) entry.window_since = now;
      entry.window = window;
    }
    answer = NodeCache::Answer::kDecided;
    if (!entry.is_listed) list.push_back(item.key);
    entry.is_listed = true;
  };
  if (table_.Find(item.key, take)) return answer;
  if (HasWholeState(item.terms->limit())) table_.FindOrAdd(item.key, take);
  return answer;
}

Nanos EventualCounters::UntilMore(const RemoteItem& item, const Decision& decision, Time now) {
  Nanos more_after{0};
  if (decision.remaining >= decision.limit) return more_after;
  table_.Find(item.key, [&](Entry& entry, auto& /*list*/) {
    if (entry.terms != item.terms || !entry.state) return;
    const Decision next = entry.state->Peek(Cost{decision.remaining + 1}, TimeOf(entry, now));
    more_after = UntilMoreBy(item.terms->limit().terms, next);
  });
  return more_after;
}

void EventualCounters::Admit(Entry& entry, Cost cost, Time now) const {
  // While the remote answers, all pending units are young, because syncs run more often than units
  // age.
  if (entry.is_failing && now - entry.young_since > sync_interval_) {
    entry.old = std::max<std::int64_t>(0, entry.pending);
    entry.young_since = now;
  }
  entry.pending += cost.units;
}

// Drops refunds whose window has ended: they would count against units that were admitted since.
void EventualCounters::DropOver(Entry& entry, Time at) {
  if (!entry.back_until || at < *entry.back_until) return;
  entry.pending = std::max<std::int64_t>(0, entry.pending);
  entry.under_way = std::max<std::int64_t>(0, entry.under_way);
  entry.back_until.reset();
}

// Drops pending units that are no longer in use. They are part of the state, so at most the state's
// used units can be in use. A bucket forgets what it has regained, although others may have taken
// that meanwhile, so young units are pushed in any case.
void EventualCounters::DropUnused(Entry& entry, Time at) {
  DropOver(entry, at);
  if (!entry.state || entry.pending <= 0) return;
  const Decision now = entry.state->Peek(Cost{0}, at);
  const bool has_windows = WindowEnd(entry.terms->limit(), now, at).has_value();
  const std::int64_t young = std::max<std::int64_t>(0, entry.pending - entry.old);
  const std::int64_t used = now.limit - now.remaining;
  entry.pending = std::min(entry.pending, has_windows ? used : std::max(used, young));
  entry.old = std::max<std::int64_t>(0, entry.pending - young);
}

void EventualCounters::GiveBack(const RemoteItem& item, Time since, Time now, Decision& decision) {
  table_.Find(item.key, [&](Entry& entry, auto& list) {
    if (entry.terms != item.terms || !entry.state) return;
    const Time at = TimeOf(entry, now);
    decision = entry.state->Peek(Cost{0}, at);
    decision.source = Source::kEventual;
    const std::optional<Time> window = WindowEnd(item.terms->limit(), decision, at);
    if (window != entry.window || since < entry.window_since) return;
    Return(entry, item.cost, at, decision);
    if (!entry.is_listed) list.push_back(item.key);
    entry.is_listed = true;
  });
}

// REQUIRES: `decision` is the result of a peek at `at`.
void EventualCounters::Return(Entry& entry, Cost cost, Time at, Decision& decision) {
  DropOver(entry, at);
  entry.pending -= cost.units;
  if (entry.pending < 0) {
    const std::optional<Time> window = WindowEnd(entry.terms->limit(), decision, at);
    entry.back_until = window.value_or(at + decision.reset_after);
  }
  decision = entry.state->Refund(cost, at);
  decision.source = Source::kEventual;
}

bool EventualCounters::Refund(const RemoteItem& item, Time now, Decision& decision) {
  bool is_done = false;
  table_.Find(item.key, [&](Entry& entry, auto& list) {
    if (entry.terms != item.terms || !entry.state) return;
    const Time at = TimeOf(entry, now);
    // Units of a window that has ended are not pushed.
    DropUnused(entry, at);
    if (entry.pending <= 0 && !entry.is_syncing) return;
    decision = entry.state->Peek(Cost{0}, at);
    // Refund at most what is held now, by any node, as Redis would. A bucket with nothing left may
    // hold more than its limit.
    const std::int64_t held = decision.limit - decision.remaining;
    const Cost cost{decision.remaining > 0 ? std::min(item.cost.units, held) : item.cost.units};
    Return(entry, cost, at, decision);
    if (!entry.is_listed) list.push_back(item.key);
    entry.is_listed = true;
    is_done = true;
  });
  return is_done;
}

void EventualCounters::Forget(const FleetKey& key) {
  // Units admitted before are not refunded, because they may no longer be held.
  table_.Find(key, [](Entry& entry, auto& /*list*/) { entry.state.reset(); });
}

// Adds units to the state; refunds them if negative.
void EventualCounters::Apply(Entry& entry, std::int64_t units) {
  if (units > 0) entry.state->TakeDebt({units}, entry.latest);
  if (units < 0) entry.state->Refund({-units}, entry.latest);
}

// Returns whether the known state is newer. If both are from the same microsecond, the one with
// less left is newer, except after a reset.
bool EventualCounters::IsOvertaken(const Entry& entry, const RedisDecisionEvent& sight) {
  if (!entry.state) return false;
  if (sight.decided_at == entry.decided_at) {
    if (sight.call.operation == Operation::kReset) return false;
    return sight.state.Peek(Cost{0}, sight.decided_at).remaining >= entry.told_remaining;
  }
  return sight.decided_at < entry.decided_at;
}

void EventualCounters::Adopt(Entry& entry, const RedisDecisionEvent& sight) {
  DropUnused(entry, std::max(entry.latest, sight.decided_at));
  entry.state = sight.state;
  entry.decided_at = sight.decided_at;
  entry.told_remaining = sight.state.Peek(Cost{0}, sight.decided_at).remaining;
  entry.latest = std::max(entry.latest, sight.decided_at);
  // It is unknown whether this state already includes the units in flight.
  Apply(entry, entry.pending + entry.under_way);
}

void EventualCounters::OnReply(const RedisDecisionEvent& sight, Heard heard, Time now) {
  const RemoteItem& item = sight.item;
  table_.Find(item.key, [&](Entry& entry, auto& /*list*/) {
    if (entry.terms != item.terms) return;
    LearnTime(entry, sight, now);
    if (heard == Heard::kOwnSync) entry.under_way = 0;
    const bool is_overtaken = IsOvertaken(entry, sight);
    // The state received meanwhile already includes the units of a sync that was overtaken, and
    // they were applied to it a second time. The next sync corrects that. Refunding them here could
    // free other units, because a full window does not record debts.
    if (is_overtaken && (heard == Heard::kOther || entry.was_told_meanwhile)) return;
    if (sight.call.operation == Operation::kReset) {
      entry.pending = entry.old = entry.under_way = 0;
      entry.window_since = now;
    }
    Adopt(entry, sight);
    entry.was_told_meanwhile = entry.is_syncing && heard == Heard::kOther;
    entry.told_at = std::max(entry.told_at, sight.sent_at);
  });
}

void EventualCounters::TakeKey(const FleetKey& key, Entry& entry, Sync& sync) {
  RemoteItem item;
  item.terms = entry.terms;
  item.key = key;
  item.route = entry.route;
  item.cost = {entry.pending < 0 ? -entry.pending : entry.pending};
  if (entry.pending < 0) {
    if (entry.back_until) item.bound = ReturnBound{*entry.back_until};
    sync.refunds.push_back(std::move(item));
  } else {
    sync.debts.push_back(std::move(item));
  }
  entry.under_way = entry.pending;
  entry.pending = 0;
  entry.old = 0;
  entry.is_syncing = true;
  entry.was_told_meanwhile = false;
}

bool EventualCounters::TakeIfWanted(Which which, const FleetKey& key, Entry& entry, Time now,
                                    Sync& sync) const {
  if (entry.is_syncing || (which == Which::kPending && entry.pending == 0)) return true;
  if (entry.pending == 0 && now - entry.asked_at > sync_interval_) {
    entry.is_failing = false;
    return false;
  }
  DropUnused(entry, TimeOf(entry, now));
  TakeKey(key, entry, sync);
  return true;
}

bool EventualCounters::TakeSync(Which which, const WalkBounds& max, Time now, Sync& sync) {
  std::size_t looked = 0;
  const auto is_enough = [&] { return looked >= max.keys || sync.size() >= max.items; };
  for (; shard_ < KeyTable<Entry>::kShards; ++shard_, place_ = 0) {
    if (is_enough()) return false;
    if (place_ == 0) table_.TakeList(shard_, keys_);
    for (; place_ < keys_.size(); ++place_, ++looked) {
      if (is_enough()) return false;
      const FleetKey& key = keys_[place_];
      table_.Find(key, [&](Entry& entry, auto& list) {
        entry.is_listed = TakeIfWanted(which, key, entry, now, sync);
        if (entry.is_listed) list.push_back(key);
      });
    }
  }
  shard_ = 0;
  return true;
}

void EventualCounters::Synced(const RemoteItem& item, Operation operation, RemoteOutcome outcome) {
  table_.Find(item.key, [&](Entry& entry, auto& /*list*/) {
    if (entry.terms != item.terms || !entry.is_syncing) return;
    // If OnReply was called, under_way is 0.
    if (outcome == RemoteOutcome::kNotApplied) {
      entry.pending += entry.under_way;
      entry.old += std::max<std::int64_t>(0, entry.under_way);
    }
    const bool gives_back = operation == Operation::kRefund;
    if (gives_back && entry.pending >= 0) entry.back_until.reset();
    entry.under_way = 0;
    entry.is_syncing = false;
    entry.is_failing = outcome != RemoteOutcome::kDecided;
  });
}

void EventualCounters::SyncIsOverdue(const RemoteItem& item) {
  table_.Find(item.key, [&](Entry& entry, auto& /*list*/) {
    if (entry.terms == item.terms && entry.is_syncing) entry.is_failing = true;
  });
}

void EventualCounters::Sweep(Time now) {
  const bool is_end = table_.Sweep(kSweptAtOnce, [this, now](const Entry& entry) {
    swept_units_ += std::max<std::int64_t>(0, entry.pending);
    const bool is_done = entry.pending == 0 && !entry.is_syncing && !entry.is_listed;
    return is_done && now - entry.asked_at > kForgetAfter;
  });
  if (is_end) pending_units_.store(std::exchange(swept_units_, 0), std::memory_order_relaxed);
}

std::int64_t EventualCounters::PendingForTest() {
  std::int64_t units = 0;
  table_.ForEach([&](const Entry& entry) { units += entry.pending; });
  return units;
}

}  // namespace sluice
