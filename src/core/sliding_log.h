// Sliding log: the exact count of units charged in (now - PERIOD, now].
#pragma once

#include <cstdint>
#include <span>

#include "core/interval.h"
#include "sluice/decision.h"
#include "sluice/limit.h"

namespace sluice {

// Units charged at one time.
struct LogEntry {
  Time at{};
  std::int64_t units = 0;

  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};

// A log in memory the caller owns: a ring, oldest first, times strictly increasing, no entry of 0
// units. The core never allocates; whoever calls Check provides the room.
struct LogState {
  std::span<LogEntry> ring;
  std::uint32_t head = 0;  // index of the oldest entry
  std::uint32_t size = 0;  // entries in use
  std::int64_t units = 0;  // their sum

  [[nodiscard]] LogEntry& At(std::uint32_t index) const {
    const std::size_t place = std::size_t{head} + index;
    return ring[place < ring.size() ? place : place - ring.size()];
  }
};

// The terms of a sliding log. Thread safety: a value.
//
// Invariants
//   (1) rate.count >= 1; 0 <= min_gap <= rate.period.
//   (2) The log holds the newest rate.count units, no more; older ones are dropped.
//   (3) A refused check is recorded only when count_refused is kRecord (at most rate.count units,
//       a cost that can never pass too); its retry_after is reckoned after recording it, that of a
//       peek, which records nothing, on the log as it is.
//   (4) min_gap refuses whatever comes less than that after the newest entry; remaining is then 0.
//   (5) A peek and a cost of 0 leave the log as it was.
//   (6) A debt is recorded, min_gap or not; of (2) only units are dropped that could not let
//       anything pass before those that stay are past.
struct SlidingLog {
  using State = LogState;

  Rate rate;
  Nanos min_gap{0};
  Refused count_refused = Refused::kFree;

  friend bool operator==(const SlidingLog&, const SlidingLog&) = default;
};

Decision Peek(const SlidingLog& limit, const LogState& state, Cost cost, Time now);

// REQUIRES: state.size < state.ring.size(), unless it is refused and not recorded. Entries that are
// past are dropped on the way.
Decision Check(const SlidingLog& limit, LogState& state, Cost cost, Time now);

// Takes `cost` in any case (see debt.h). REQUIRES: state.size < state.ring.size().
Decision TakeDebt(const SlidingLog& limit, LogState& state, Cost cost, Time now);

// Takes back newest units first.
void Refund(const SlidingLog& limit, LogState& state, Cost cost, Time now);

// Entries stay; units beyond the new COUNT are dropped, oldest first.
void Convert(const SlidingLog& from, const SlidingLog& to, LogState& state, Time now);

// Drops the entries that no longer count.
void DropPast(const SlidingLog& limit, LogState& state, Time now);

Time UnusedAt(const SlidingLog& limit, const LogState& state);

}  // namespace sluice
