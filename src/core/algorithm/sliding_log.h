// Sliding log: the exact count of units charged in (now - PERIOD, now].
#pragma once

#include <cstdint>
#include <span>

#include "core/limit/interval.h"
#include "sluice/decision.h"
#include "sluice/limit.h"

namespace sluice {

// The units that were charged at one instant.
struct LogEntry {
  Time at{};
  std::int64_t units = 0;

  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};

// A log in memory that the caller owns: a ring, oldest entry first, with strictly increasing times
// and no entry of 0 units. The core never allocates; the caller of Check provides the room.
struct LogState {
  std::span<LogEntry> ring;
  std::uint32_t head = 0;  // index of the oldest entry
  std::uint32_t size = 0;  // entries in use
  std::int64_t units = 0;  // sum of the units of all entries

  [[nodiscard]] LogEntry& At(std::uint32_t index) const {
    const std::size_t place = std::size_t{head} + index;
    return ring[place < ring.size() ? place : place - ring.size()];
  }
};

// The terms of a sliding log. Thread safety: a value.
//
// Invariants
//   (1) rate.count >= 1; 0 <= min_gap <= rate.period.
//   (2) The log holds at most the newest rate.count units; older ones are dropped.
//   (3) A refused check is recorded only if count_refused is kRecord (at most rate.count units,
//       even if the cost can never pass). Its retry_after is computed after recording it. That of a
//       peek, which records nothing, is computed on the log as it is.
//   (4) min_gap refuses any request that comes less than min_gap after the newest entry; remaining
//       is 0 until then.
//   (5) A peek and a cost of 0 do not change the log.
//   (6) A debt is recorded even within min_gap. The units that (2) then drops have no effect on
//       decisions: nothing could pass before the units that are kept have expired.
struct SlidingLog {
  using State = LogState;

  Rate rate;
  Nanos min_gap{0};
  Refused count_refused = Refused::kFree;

  friend bool operator==(const SlidingLog&, const SlidingLog&) = default;
};

Decision Peek(const SlidingLog& limit, const LogState& state, Cost cost, Time now);

// REQUIRES: state.size < state.ring.size(), unless the check is refused and not recorded. Drops
// expired entries.
Decision Check(const SlidingLog& limit, LogState& state, Cost cost, Time now);

// Takes `cost` unconditionally (see debt.h). REQUIRES: state.size < state.ring.size().
Decision TakeDebt(const SlidingLog& limit, LogState& state, Cost cost, Time now);

// Gives back the newest units first.
void Refund(const SlidingLog& limit, LogState& state, Cost cost, Time now);

// Entries stay. Units beyond the new COUNT are dropped, oldest first.
void Convert(const SlidingLog& from, const SlidingLog& to, LogState& state, Time now);

// Drops the entries that no longer count.
void DropPast(const SlidingLog& limit, LogState& state, Time now);

Time UnusedAt(const SlidingLog& limit, const LogState& state);

}  // namespace sluice
