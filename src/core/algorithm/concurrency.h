// Concurrency: permits for requests in progress, each with an id and a deadline.
#pragma once

#include <cstdint>
#include <span>

#include "core/limit/interval.h"
#include "sluice/decision.h"

namespace sluice {

// Identifies one request in progress: a hash of the id that the caller chose.
struct PermitId {
  std::uint64_t value = 0;

  friend bool operator==(const PermitId&, const PermitId&) = default;
};

struct Permit {
  PermitId id;
  Time deadline{};
  std::int64_t units = 0;

  friend bool operator==(const Permit&, const Permit&) = default;
};

// Permits in memory that the caller owns, ordered by deadline and then by arrival.
struct PermitsState {
  std::span<Permit> permits;
  std::uint32_t size = 0;
};

// The terms of a concurrency limit. Thread safety: a value.
//
// Invariants
//   (1) max_in_flight >= 1, ttl > 0. A permit whose deadline is at or before `now` has expired.
//   (2) The units held never exceed max_in_flight.
//   (3) Acquiring an id that is held is allowed, moves its deadline and counts it once, with the
//       units it already has. A cost above max_in_flight is still refused with kNever.
//   (4) Releasing an id that is not held, or is past its deadline, changes nothing.
//   (5) A refused acquire, a peek and a cost of 0 do not change the state, except that expired
//       permits may be dropped.
struct Concurrency {
  using State = PermitsState;

  std::int64_t max_in_flight = 1;
  Nanos ttl{0};

  friend bool operator==(const Concurrency&, const Concurrency&) = default;
};

Decision Peek(const Concurrency& limit, const PermitsState& state, Cost cost, Time now);

// REQUIRES: state.size < state.permits.size(), unless the permit is refused or the id is held.
Decision Acquire(const Concurrency& limit, PermitsState& state, PermitId id, Cost cost, Time now);

// Moves the deadline of a held permit to now + ttl. Refuses with kNever if the id is not held.
Decision Renew(const Concurrency& limit, PermitsState& state, PermitId id, Time now);

// Releases the permit if it is held. Returns the resulting state, always allowed.
Decision Release(const Concurrency& limit, PermitsState& state, PermitId id, Time now);

// Drops the permits that have expired.
void DropPast(const Concurrency& limit, PermitsState& state, Time now);

// Returns whether the id is among the permits, expired or not.
bool IsHeld(const PermitsState& state, PermitId id);

Time UnusedAt(const Concurrency& limit, const PermitsState& state);

}  // namespace sluice
