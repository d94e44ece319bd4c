#include "remote/purse.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/until_more.h"
#include "core/window_end.h"
#include "remote/near_limit.h"

namespace sluice {
namespace {

// In costs: a lease is worth its round trip from so many on.
constexpr std::int64_t kWorth = 4;
// In costs: the first lease.
constexpr std::int64_t kFirst = 8;
// A lease is asked for when less than this part of the last one is left.
constexpr std::int64_t kLowPart = 4;
// From the end of a lease until its units are back: the next look, and a round trip. With so many
// leases that a look takes longer, units of a part may come too late, and stay charged.
constexpr Nanos kWayBack = std::chrono::milliseconds{30};
// After a failure.
constexpr Nanos kPause = std::chrono::milliseconds{100};
// A key that is not asked for is forgotten.
constexpr Nanos kForgetAfter = std::chrono::seconds{5};
constexpr std::size_t kSweptAtOnce = 512;
// Cells for each key that may be remembered, and the part of the table's memory that they may take.
constexpr std::size_t kCellsPerKey = 2;
constexpr std::int64_t kSightPart = 8;
// More than any limit has (remote_limit.h), and sums of two have room.
constexpr std::int64_t kUnitsMost = std::int64_t{1} << 60U;

}  // namespace

Purse::Purse(std::size_t keys_most, std::int64_t bytes_max)
    : table_(keys_most, bytes_max - bytes_max / kSightPart),
      sight_(std::min(kCellsPerKey * keys_most, static_cast<std::size_t>(bytes_max / kSightPart) /
                                                    SecondSight::kCellBytes)) {}

// Makes the entry one for the terms of the item. False where nothing of them can be leased, and
// while it holds units of others.
bool Purse::Bind(Entry& entry, const RemoteItem& item, Time now) {
  if (entry.terms == item.terms) return true;
  const std::optional<Nanos> life = LeaseLife(item.terms->limit());
  if (!life || entry.is_asking || HasUnits(entry)) {
    for (Lot& lot : entry.lots) lot.ends = std::min(lot.ends, now);
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

std::int64_t Purse::LiveUnits(const Entry& entry, Time now) {
  std::int64_t units = 0;
  for (const Lot& lot : entry.lots) units += now < lot.ends ? lot.units : 0;
  return units;
}

Purse::Taken Purse::Take(const RemoteItem& item, Time now, Decision& decision) {
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
    taken.answer = Nearby::Answer::kDecided;
    Report(entry, now, decision);
    const Lot& last = entry.lots[entry.lots[1].units > 0 ? 1 : 0];
    if (LiveUnits(entry, now) < std::max(last.granted / kLowPart, item.cost.units)) {
      // It will be spent before its end.
      if (now - last.since < entry.life / 2) entry.next = std::max(entry.next, 2 * last.granted);
      taken.lease = Claim(entry, item.cost, now);
    }
  };
  if (table_.Find(item.key, take)) return taken;
  if (!LeaseLife(item.terms->limit()) || !sight_.SeenBefore(item.key)) return taken;
  table_.FindOrAdd(item.key, [&](Entry& entry, auto& list) {
    take(entry, list);
    // The check that came first counts, too.
    if (entry.terms == item.terms) CountDemand(entry, item.cost, now);
  });
  return taken;
}

// Once that is past there may be more at any time.
Nanos Purse::UntilMore(const RemoteItem& item, Time now) {
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

// A key is worth a lease once a few checks came within the life of one.
void Purse::CountDemand(Entry& entry, Cost cost, Time now) {
  if (now - entry.demand_since > entry.life || now < entry.demand_since) {
    entry.demand = 0;
    entry.demand_since = now;
  }
  entry.demand += cost.units;
  if (entry.demand >= kWorth * cost.units) {
    entry.next = std::max(entry.next, kFirst * cost.units);
  }
}

void Purse::SpendLot(Entry& entry, Lot& lot, std::int64_t units, Time now) {
  lot.units -= units;
  if (lot.units == 0) entry.next = std::max(entry.next, 2 * lot.granted);
  entry.bound = lot.bound;
  if (entry.window != lot.window) {
    if (entry.window) entry.holds_since = now;
    entry.window = lot.window;
  }
}

void Purse::DropSpent(Entry& entry) {
  if (entry.lots[0].units == 0 && entry.lots[1].units > 0) {
    std::swap(entry.lots[0], entry.lots[1]);
  }
}

// REQUIRES: so many live units are there.
void Purse::Spend(Entry& entry, Cost cost, Time now) {
  std::int64_t left = cost.units;
  for (Lot& lot : entry.lots) {
    const std::int64_t units = now < lot.ends ? std::min(left, lot.units) : 0;
    if (units > 0) SpendLot(entry, lot, units, now);
    left -= units;
  }
  entry.spent_at = now;
  DropSpent(entry);
}

void Purse::Report(const Entry& entry, Time now, Decision& decision) {
  decision = Decision{};
  decision.source = Source::kLease;
  decision.limit = entry.told.limit;
  decision.remaining = std::min(
      entry.told.limit, LiveUnits(entry, now) + std::max<std::int64_t>(0, entry.told.remaining));
  decision.reset_after = std::max(Nanos{0}, entry.told.reset_after - (now - entry.told_at));
}

void Purse::Note(Entry& entry, const Reply& reply, Time now) {
  entry.told = reply.decision;
  entry.told_more_after = reply.more_after;
  entry.told_at = now;
  entry.ahead = reply.decided_at - now;
}

// Units that are leased so shortly before the end of a part would not be back before it.
bool Purse::IsPartEnding(const Entry& entry, Time now) {
  const Limit& limit = entry.terms->limit();
  if (std::holds_alternative<FixedWindow>(limit.terms)) return false;
  const Time there = now + entry.ahead;
  const std::optional<Time> end = WindowEnd(limit, entry.told, there);
  return end && *end - there < 2 * kWayBack;
}

// Answers 0 where no lease is to be asked for.
Cost Purse::Claim(Entry& entry, Cost cost, Time now) const {
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

Cost Purse::Hear(const Reply& reply, Time now) {
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

// The remote itself holds it to its fair part: it must leave the parts of the others.
RemoteItem Purse::AskFor(const RemoteItem& item, Cost lease) const {
  RemoteItem asked;
  asked.terms = item.terms;
  asked.key = item.key;
  asked.route = item.route;
  asked.cost = lease;
  const std::int64_t others = 2 * live_nodes_.load(std::memory_order_relaxed) - 1;
  asked.left_alone = {std::min(lease.units, kUnitsMost / others) * others};
  return asked;
}

Purse::Lot Purse::LotOf(const Entry& entry, const Reply& reply) {
  Lot lot;
  lot.units = reply.item.cost.units;
  lot.granted = lot.units;
  lot.since = reply.sent_at;
  lot.ends = reply.sent_at + entry.life;
  lot.bound = reply.bound;
  // Where the limit has windows, that is the end of one.
  if (WindowEnd(reply.item.terms->limit(), reply.decision, reply.decided_at)) {
    lot.window = reply.bound.until;
  }
  if (lot.window) {
    // What a fixed window has left is worth nothing after it; units of a part that is over count
    // on, so they have to be back before.
    const Terms& terms = reply.item.terms->limit().terms;
    const Nanos back = std::holds_alternative<FixedWindow>(terms) ? Nanos{0} : kWayBack;
    lot.ends = std::min(lot.ends, reply.sent_at + (*lot.window - reply.decided_at) - back);
  }
  return lot;
}

// For one more lot: units that were put back since it was asked for may have filled both.
void Purse::MakeRoom(Entry& entry, Time now) {
  Lot& first = entry.lots[0];
  if (now >= first.ends) AddBack(entry, {std::exchange(first.units, 0), first.bound}, now);
  DropSpent(entry);
  Lot& second = entry.lots[1];
  AddBack(entry, {std::exchange(second.units, 0), second.bound}, now);
}

void Purse::Grant(const Reply& reply, Time now) {
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
    Lot& lot = entry.lots[entry.lots[0].units > 0 ? 1 : 0];
    lot = LotOf(entry, reply);
    if (is_closed()) lot.ends = std::min(lot.ends, now);
    List(entry, reply.item.key, list);
  });
}

void Purse::NotGranted(const RemoteItem& item, Time now) {
  table_.Find(item.key, [&](Entry& entry, auto& /*list*/) {
    entry.is_asking = false;
    entry.ask_after = now + kPause;
  });
}

void Purse::List(Entry& entry, const FleetKey& key, std::vector<FleetKey>& list) {
  if (!entry.is_listed) list.push_back(key);
  entry.is_listed = true;
}

void Purse::PutBack(Entry& entry, Cost cost, Time now) {
  for (Lot& lot : entry.lots) {
    if (lot.granted == 0 || now >= lot.ends || lot.window != entry.window) continue;
    lot.units += cost.units;
    DropSpent(entry);
    return;
  }
  // No lease is left that it could be part of.
  AddBack(entry, {cost.units, entry.bound}, now);
}

// Of units with different times the earlier one counts: nothing of others is freed.
void Purse::AddBack(Entry& entry, const GoingBack& more, Time now) {
  const Time there = now + entry.ahead;
  GoingBack& back = entry.back;
  if (back.units > 0 && there >= back.bound.until) back = {};
  if (more.units == 0 || there >= more.bound.until) return;
  back.bound = back.units > 0 ? back.bound.Within(more.bound) : more.bound;
  back.units += more.units;
}

bool Purse::HasUnits(const Entry& entry) { return entry.lots[0].units > 0 || entry.back.units > 0; }

void Purse::GiveBack(const RemoteItem& item, Time since, Time now, Decision& decision) {
  table_.Find(item.key, [&](Entry& entry, auto& list) {
    if (entry.terms != item.terms) return;
    if (since >= entry.holds_since) {
      PutBack(entry, item.cost, now);
      List(entry, item.key, list);
    }
    Report(entry, now, decision);
  });
}

void Purse::Forget(const FleetKey& key, Time now) {
  table_.Find(key, [now](Entry& entry, auto& /*list*/) {
    entry.holds_since = now;
    entry.forgotten_at = now;
    entry.lots = {};
    entry.back = {};
    entry.is_void = entry.is_asking;
    entry.told.remaining = 0;
  });
}

bool Purse::NotReturned(const RemoteItem& item, Time taken_at, Time now) {
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

void Purse::Sweep(Time now) {
  const bool is_end = table_.Sweep(kSweptAtOnce, [this, now](const Entry& entry) {
    swept_units_ += UnitsOf(entry);
    return !entry.is_asking && !entry.is_listed && now - entry.asked_at > kForgetAfter;
  });
  if (is_end) units_.store(std::exchange(swept_units_, 0), std::memory_order_relaxed);
}

std::int64_t Purse::UnitsOf(const Entry& entry) {
  std::int64_t units = entry.back.units;
  for (const Lot& lot : entry.lots) units += lot.units;
  return units;
}

std::int64_t Purse::UnitsForTest() {
  std::int64_t units = 0;
  table_.ForEach([&](const Entry& entry) { units += UnitsOf(entry); });
  return units;
}

}  // namespace sluice
