// Fixed window: COUNT units in each window.
#pragma once

#include <cstdint>
#include <memory>

#include "core/calendar/calendar.h"
#include "core/limit/interval.h"
#include "sluice/decision.h"
#include "sluice/limit.h"

namespace sluice {

// The hash of the key, which determines the phase of a staggered window.
struct Stagger {
  std::uint64_t key_hash = 0;
};

// The terms of a fixed window. Thread safety: a value; the zone is shared and immutable.
//
//   kAligned       windows start at multiples of the period since 1970
//   kStaggered     as kAligned, shifted by key_hash * period / 2^64, so that keys do not all reset
//                  at once
//   kFirstRequest  a window opens with the charge that finds the count at 0
//   kCalendar      windows of the zone's calendar (see calendar.h); rate.period is not used
//
// Invariants
//   (1) 0 <= count <= rate.count; a rate.count of 0 refuses everything.
//   (2) count == 0 and "never used" are the same state.
//   (3) A refused check does not change the state, unless count_refused is kRecord: then it adds
//       its cost, up to rate.count in total, even if the cost can never pass.
//   (4) A peek and a cost of 0 do not change the state.
//   (5) A debt fills the window, up to rate.count in total.
struct FixedWindow {
  struct State {
    Time end{};              // end of the window that `count` belongs to
    std::int64_t count = 0;  // units charged in that window

    friend bool operator==(const State&, const State&) = default;
  };

  Rate rate;
  WindowKind window = WindowKind::kAligned;
  CalendarUnit unit = CalendarUnit::kDay;  // kCalendar only
  std::shared_ptr<const Zone> zone;        // kCalendar only, never null there
  Refused count_refused = Refused::kFree;

  friend bool operator==(const FixedWindow&, const FixedWindow&) = default;
};

Decision Peek(const FixedWindow& limit, const FixedWindow::State& state, Cost cost, Time now,
              Stagger stagger = {});
Decision Check(const FixedWindow& limit, FixedWindow::State& state, Cost cost, Time now,
               Stagger stagger = {});
// Takes `cost` unconditionally (see debt.h).
Decision TakeDebt(const FixedWindow& limit, FixedWindow::State& state, Cost cost, Time now,
                  Stagger stagger = {});
void Refund(const FixedWindow& limit, FixedWindow::State& state, Cost cost, Time now);

// The count of a window that is still open is carried into the current window of the new terms, at
// most the new COUNT. A kFirstRequest window keeps its opening time if it is still open under the
// new terms.
void Convert(const FixedWindow& from, const FixedWindow& to, FixedWindow::State& state, Time now,
             Stagger stagger = {});

Time UnusedAt(const FixedWindow& limit, const FixedWindow::State& state);

}  // namespace sluice
