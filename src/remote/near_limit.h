// What of a limit can be known away from where its states are kept.
#pragma once

#include <optional>

#include "core/limit.h"
#include "sluice/decision.h"
#include "sluice/time.h"
#include "store/remote.h"

namespace sluice {

// A refusal of such a limit changes nothing, and what is admitted goes ahead at once: so the same
// request is refused until its retry_after, and units that were taken are as good later. Not with
// count_refused, min_gap, waits or permits.
bool IsPlain(const Limit& limit);

// Whether the state of a key, once told, decides whatever comes next. A log is told only in part.
bool HasWholeState(const Limit& limit);

// How long units may be out on lease: min(1 s, PERIOD / 10), and half of a part of a limit that has
// parts. Nothing where they may not, or where that is too short to be worth a round trip.
std::optional<Nanos> LeaseLife(const Limit& limit);

// Whether a charge is one that may be decided near the remote: of a limit alone, for some cost.
inline bool IsPlainCharge(const RemoteItem& item) {
  return item.cost.units > 0 && item.left_alone.units == 0 && item.veto != Veto::kDebt;
}

}  // namespace sluice
