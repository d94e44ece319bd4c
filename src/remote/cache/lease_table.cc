#include "remote/cache/lease_table.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/algorithm/until_more.h"
#include "core/algorithm/window_end.h"
#include "remote/cache/near_limit.h"

namespace sluice {
namespace {

// Minimum size of a lease in costs; a smaller one is not worth its round trip.
constexpr std::int64_t kWorth = 4;
// Size of the first lease in costs.
constexpr std::int64_t kFirst = 8;
// A lease is requested when less than 1/kLowPart of the last one is left.
constexpr std::int64_t kLowPart = 4;
// Time from the end of a lease until its units are back: the next check of leases and a round trip.
// With so many leases that a check takes longer, units of a part may come back too late and stay
// charged.
constexpr Nanos kWayBack = std::chrono::milliseconds{30};
// Pause after a failure.
constexpr Nanos kPause = std::chrono::milliseconds{100};
// An entry is dropped if its key has not been requested for this long.
constexpr Nanos kForgetAfter = std::chrono::seconds{5};
constexpr std::size_t kSweptAtOnce = 512;
// Cells per key that may be remembered, and the share (1/kSightPart) of the table's memory for
// cells.
constexpr std::size_t kCellsPerKey = 2;
constexpr std::int64_t kSightPart = 8;
// Larger than any limit (remote_limit.h); the sum of two does not overflow.
constexpr std::int64_t kMaxUnits = std::int64_t{1} << 60U;

}  // namespace

LeaseTable::LeaseTable(std::size_t max_keys, std::int64_t bytes_max)
    : table_(max_keys, bytes_max - bytes_max / kSightPart),
      sight_(std::min(kCellsPerKey * max_keys, static_cast<std::size_t>(bytes_max / kSightPart) /
                                                   SecondSight::kCellBytes)) {}

// Binds the entry to the terms of the item. Returns false if these cannot be leased, or while the
// entry holds units of other terms.
bool LeaseTable::Bind(Entry& entry, const RemoteItem& item, Time now) {
  if (entry.terms == item.terms) return true;
  const std::optional<Nanos> life = LeaseLife(item.terms->limit());
  if (!life || entry.is_asking || HasUnits(entry)) {
    for (Lease& lot : entry.lots) lot.ends = std::min(lot.ends, now);
    return false;
  }
  const bool is_listed = entry.is_listed;
  entry = Entry{};
  entry.is_listed = is_listed;
  entry.terms = item.terms;
  entry.route = item.route;
  entry.life = *life;
  return true;
}

std::int64_t LeaseTable::LiveUnits(const Entry& entry, Time now) {
  std::int64_t units = 0;
  for (const Lease& lot : entry.lots) units += now < lot.ends ? lot.units : 0;
  return units;
}

LeaseTable::Taken LeaseTable::Take(const RemoteItem& item, Time now, Decision& decision) {
  Taken taken;
  if (!IsPlainCharge(item)) return taken;
  const auto take = [&](Entry& entry, auto& /*list*/) {
    if (!Bind(entry, item, now)) return;
    entry.asked_at = now;
    if (LiveUnits(entry, now) < item.cost.units) {
      CountDemand(entry, item.cost, now);
      return;
    }
    Spend(entry, item.cost, now);
    taken.answer = NodeCache::Answer::kDecided;
    Report(entry, now, decision);
    const Lease& last = entry.lots[entry.lots[1].units > 0 ? 1 : 0];
    if (LiveUnits(entry, now) < std::max(last.granted / kLowPart, item.cost.units)) {
      // At this rate it will be spent before it ends.
      if (now - last.since < entry.life / 2) entry.next = std::max(entry.next, 2 * last.granted);
      taken.lease = Claim(entry, item.cost, now);
    }
  };
  if (table_.Find(item.key, take)) return taken;
  if (!LeaseLife(item.terms->limit()) || !sight_.SeenBefore(item.key)) return taken;
  table_.FindOrAdd(item.key, [&](Entry& entry, auto& list) {
    take(entry, list);
    // Count the first check of the key, too, which was not recorded.
    if (entry.terms == item.terms) CountDemand(entry, item.cost, now);
  });
  return taken;
}

// After the returned time, units may come back at any moment.
Nanos LeaseTable::UntilMore(const RemoteItem& item, Time now) {
  Nanos more_after{0};
  table_.Find(item.key, [&](const Entry& entry, auto& /*list*/) {
    if (entry.terms != item.terms) return;
    const Terms& terms = entry.terms->limit().terms;
    const Nanos told =
        TellsMore(terms) ? sluice::UntilMore(terms, entry.told) : entry.told_more_after;
    if (told > Nanos{0}) more_after = std::max(Nanos{1}, told - (now - entry.told_at));
  });
  return more_after;
}

// A key is worth a lease once a few checks have come within a lease's lifetime.
void LeaseTable::CountDemand(Entry& entry, Cost cost, Time now) {
  if (now - entry.demand_since > entry.life || now < entry.demand_since) {
    entry.demand = 0;
    entry.demand_since = now;
  }
  entry.demand += cost.units;
  if (entry.demand >= kWorth * cost.units) {
    entry.next = std::max(entry.next, kFirst * cost.units);
  }
}

void LeaseTable::SpendLot(Entry& entry, Lease& lot, std::int64_t units, Time now) {
  lot.units -= units;
  if (lot.units == 0) entry.next = std::max(entry.next, 2 * lot.granted);
  entry.bound = lot.bound;
  if (entry.window != lot.window) {
    if (entry.window) entry.holds_since = now;
    entry.window = lot.window;
  }
}

void LeaseTable::DropSpent(Entry& entry) {
  if (entry.lots[0].units == 0 && entry.lots[1].units > 0) {
    std::swap(entry.lots[0], entry.lots[1]);
  }
}

// REQUIRES: at least this many live units.
void LeaseTable::Spend(Entry& entry, Cost cost, Time now) {
  std::int64_t left = cost.units;
  for (Lease& lot : entry.lots) {
    const std::int64_t units = now < lot.ends ? std::min(left, lot.units) : 0;
    if (units > 0) SpendLot(entry, lot, units, now);
    left -= units;
  }
  entry.spent_at = now;
  DropSpent(entry);
}

void LeaseTable::Report(const Entry& entry, Time now, Decision& decision) {
  decision = Decision{};
  decision.source = Source::kLease;
  decision.limit = entry.told.limit;
  decision.remaining = std::min(
      entry.told.limit, LiveUnits(entry, now) + std::max<std::int64_t>(0, entry.told.remaining));
  decision.reset_after = std::max(Nanos{0}, entry.told.reset_after - (now - entry.told_at));
}

void LeaseTable::Note(Entry& entry, const Reply& reply, Time now) {
  entry.told = reply.decision;
  entry.told_more_after = reply.more_after;
  entry.told_at = now;
  entry.ahead = reply.decided_at - now;
}

// Units leased this shortly before the end of a part would not be back before it.
bool LeaseTable::IsPartEnding(const Entry& entry, Time now) {
  const Limit& limit = entry.terms->limit();
  if (std::holds_alternative<FixedWindow>(limit.terms)) return false;
  const Time there = now + entry.ahead;
  const std::optional<Time> end = WindowEnd(limit, entry.told, there);
  return end && *end - there < 2 * kWayBack;
}

// Returns 0 if no lease should be requested.
Cost LeaseTable::Claim(Entry& entry, Cost cost, Time now) const {
  const bool may_ask = !entry.is_asking && entry.lots[1].units == 0 && now >= entry.ask_after &&
                       !is_closed() && !entry.terms->is_retired();
  if (!may_ask || IsPartEnding(entry, now)) return Cost{0};
  const std::int64_t fair =
      entry.told.remaining / (2 * live_nodes_.load(std::memory_order_relaxed));
  const std::int64_t size = std::min(entry.next, fair);
  if (size < kWorth * cost.units) return Cost{0};
  entry.is_asking = true;
  entry.is_void = false;
  return Cost{size};
}

Cost LeaseTable::OnReply(const Reply& reply, Time now) {
  Cost lease{0};
  const RemoteItem& item = reply.item;
  if (!IsPlainCharge(item)) return lease;
  table_.Find(item.key, [&](Entry& entry, auto& /*list*/) {
    if (entry.terms != item.terms) return;
    Note(entry, reply, now);
    const std::int64_t live = LiveUnits(entry, now);
    if (reply.decision.allowed &&
        live < std::max(kWorth * item.cost.units, entry.next / kLowPart)) {
      lease = Claim(entry, item.cost, now);
    }
  });
  return lease;
}

// The remote enforces the fair share: the check must leave the shares of the other nodes.
RemoteItem LeaseTable::AskFor(const RemoteItem& item, Cost lease) const {
  RemoteItem asked;
  asked.terms = item.terms;
  asked.key = item.key;
  asked.route = item.route;
  asked.cost = lease;
  const std::int64_t others = 2 * live_nodes_.load(std::memory_order_relaxed) - 1;
  asked.min_remaining = {std::min(lease.units, kMaxUnits / others) * others};
  return asked;
}

LeaseTable::Lease LeaseTable::LotOf(const Entry& entry, const Reply& reply) {
  Lease lot;
  lot.units = reply.item.cost.units;
  lot.granted = lot.units;
  lot.since = reply.sent_at;
  lot.ends = reply.sent_at + entry.life;
  lot.bound = reply.bound;
  // If the limit has windows, the bound is the end of one.
  if (WindowEnd(reply.item.terms->limit(), reply.decision, reply.decided_at)) {
    lot.window = reply.bound.until;
  }
  if (lot.window) {
    // Units of a fixed window are worthless after it ends. Units of a part count on after it ends,
    // so they must be back before.
    const Terms& terms = reply.item.terms->limit().terms;
    const Nanos back = std::holds_alternative<FixedWindow>(terms) ? Nanos{0} : kWayBack;
    lot.ends = std::min(lot.ends, reply.sent_at + (*lot.window - reply.decided_at) - back);
  }
  return lot;
}

// Makes room for one more lease: units put back since it was requested may have filled both.
void LeaseTable::MakeRoom(Entry& entry, Time now) {
  Lease& first = entry.lots[0];
  if (now >= first.ends) AddBack(entry, {std::exchange(first.units, 0), first.bound}, now);
  DropSpent(entry);
  Lease& second = entry.lots[1];
  AddBack(entry, {std::exchange(second.units, 0), second.bound}, now);
}

void LeaseTable::Grant(const Reply& reply, Time now) {
  table_.Find(reply.item.key, [&](Entry& entry, auto& list) {
    entry.is_asking = false;
    if (entry.terms != reply.item.terms) return;
    Note(entry, reply, now);
    if (!reply.decision.allowed) {
      entry.next = reply.item.cost.units / 2;
      return;
    }
    if (entry.is_void) return;
    MakeRoom(entry, now);
    Lease& lot = entry.lots[entry.lots[0].units > 0 ? 1 : 0];
    lot = LotOf(entry, reply);
    if (is_closed()) lot.ends = std::min(lot.ends, now);
    List(entry, reply.item.key, list);
  });
}

void LeaseTable::NotGranted(const RemoteItem& item, Time now) {
  table_.Find(item.key, [&](Entry& entry, auto& /*list*/) {
    entry.is_asking = false;
    entry.ask_after = now + kPause;
  });
}

void LeaseTable::List(Entry& entry, const FleetKey& key, std::vector<FleetKey>& list) {
  if (!entry.is_listed) list.push_back(key);
  entry.is_listed = true;
}

void LeaseTable::PutBack(Entry& entry, Cost cost, Time now) {
  for (Lease& lot : entry.lots) {
    if (lot.granted == 0 || now >= lot.ends || lot.window != entry.window) continue;
    lot.units += cost.units;
    DropSpent(entry);
    return;
  }
  // There is no live lease of the same window that the units could join.
  AddBack(entry, {cost.units, entry.bound}, now);
}

// If units have different bounds, the earlier one applies, so that no other units are freed.
void LeaseTable::AddBack(Entry& entry, const PendingReturn& more, Time now) {
  const Time there = now + entry.ahead;
  PendingReturn& back = entry.back;
  if (back.units > 0 && there >= back.bound.until) back = {};
  if (more.units == 0 || there >= more.bound.until) return;
  back.bound = back.units > 0 ? back.bound.Within(more.bound) : more.bound;
  back.units += more.units;
}

bool LeaseTable::HasUnits(const Entry& entry) {
  return entry.lots[0].units > 0 || entry.back.units > 0;
}

void LeaseTable::GiveBack(const RemoteItem& item, Time since, Time now, Decision& decision) {
  table_.Find(item.key, [&](Entry& entry, auto& list) {
    if (entry.terms != item.terms) return;
    if (since >= entry.holds_since) {
      PutBack(entry, item.cost, now);
      List(entry, item.key, list);
    }
    Report(entry, now, decision);
  });
}

void LeaseTable::Forget(const FleetKey& key, Time now) {
  table_.Find(key, [now](Entry& entry, auto& /*list*/) {
    entry.holds_since = now;
    entry.forgotten_at = now;
    entry.lots = {};
    entry.back = {};
    entry.is_void = entry.is_asking;
    entry.told.remaining = 0;
  });
}

bool LeaseTable::NotReturned(const RemoteItem& item, Time taken_at, Time now) {
  bool is_known = false;
  table_.Find(item.key, [&](Entry& entry, auto& list) {
    is_known = entry.terms == item.terms;
    if (!is_known || !item.bound || taken_at <= entry.forgotten_at) return;
    AddBack(entry, {item.cost.units, *item.bound}, now);
    entry.back_after = now + kPause;
    List(entry, item.key, list);
  });
  return is_known;
}

void LeaseTable::Sweep(Time now) {
  const bool is_end = table_.Sweep(kSweptAtOnce, [this, now](const Entry& entry) {
    swept_units_ += UnitsOf(entry);
    return !entry.is_asking && !entry.is_listed && now - entry.asked_at > kForgetAfter;
  });
  if (is_end) units_.store(std::exchange(swept_units_, 0), std::memory_order_relaxed);
}

std::int64_t LeaseTable::UnitsOf(const Entry& entry) {
  std::int64_t units = entry.back.units;
  for (const Lease& lot : entry.lots) units += lot.units;
  return units;
}

std::int64_t LeaseTable::UnitsForTest() {
  std::int64_t units = 0;
  table_.ForEach([&](const Entry& entry) { units += UnitsOf(entry); });
  return units;
}

}  // namespace sluice
