// Which limits a node can decide locally although a remote store keeps their states.
#pragma once

#include <optional>

#include "core/limit/limit.h"
#include "sluice/decision.h"
#include "sluice/time.h"
#include "store/remote_store.h"

namespace sluice {

// Returns whether a refusal of the limit changes nothing and an admitted request goes ahead at
// once. Then the same request is refused until its retry_after, and units taken in advance can be
// spent later. False with count_refused, min_gap or waits, and for permits.
bool IsPlain(const Limit& limit);

// Returns whether the store reports the whole state of a key, so that later requests can be decided
// on it. A log is reported only in part.
bool HasWholeState(const Limit& limit);

// Returns how long units may stay out on lease: min(1 s, PERIOD / 10), and at most half a part if
// the limit has parts. None if the limit cannot be leased, or if that is too short to be worth a
// round trip.
std::optional<Nanos> LeaseLife(const Limit& limit);

// Returns whether a charge may be decided locally: its cost is not 0, it is not a debt, and it has
// no min_remaining.
inline bool IsPlainCharge(const RemoteItem& item) {
  return item.cost.units > 0 && item.min_remaining.units == 0 &&
         item.enforcement != Enforcement::kDebt;
}

}  // namespace sluice
