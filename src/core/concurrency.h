// Concurrency: permits for requests in progress, each with an id and a deadline.
#pragma once

#include <cstdint>
#include <span>

#include "core/interval.h"
#include "sluice/decision.h"

namespace sluice {

// Names one request in progress: a hash of whatever the caller calls it.
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

// Permits in memory the caller owns, in order of deadline (ties in order of arrival).
struct PermitsState {
  std::span<Permit> permits;
  std::uint32_t size = 0;
};

// The terms of a concurrency limit. Thread safety: a value.
//
// Invariants
//   (1) max_in_flight >= 1, ttl > 0. A permit whose deadline is at or before `now` is gone.
//   (2) The units held never exceed max_in_flight.
//   (3) Acquiring an id that is held answers allowed, moves its deadline and counts it once, with
//       the units it has. A cost above max_in_flight is refused with kNever all the same.
//   (4) Releasing an id that is not held, or is past its deadline, changes nothing.
//   (5) A refused acquire, a peek and a cost of 0 leave the state as it was, expired permits apart.
struct Concurrency {
  using State = PermitsState;

  std::int64_t max_in_flight = 1;
  Nanos ttl{0};

  friend bool operator==(const Concurrency&, const Concurrency&) = default;
};

Decision Peek(const Concurrency& limit, const PermitsState& state, Cost cost, Time now);

// REQUIRES: state.size < state.permits.size(), unless it is refused or the id is held.
Decision Acquire(const Concurrency& limit, PermitsState& state, PermitId id, Cost cost, Time now);

// Moves the deadline of a held permit to now + ttl. Refused with kNever where it is not held.
Decision Renew(const Concurrency& limit, PermitsState& state, PermitId id, Time now);

// Answers with the state it leaves, allowed.
Decision Release(const Concurrency& limit, PermitsState& state, PermitId id, Time now);

// Drops the permits that are past their deadline.
void DropPast(const Concurrency& limit, PermitsState& state, Time now);

// Whether the id is among the permits, past its deadline or not.
bool IsHeld(const PermitsState& state, PermitId id);

Time UnusedAt(const Concurrency& limit, const PermitsState& state);

}  // namespace sluice
