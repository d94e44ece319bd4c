#include "core/algorithm/concurrency.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "core/algorithm/refusal.h"

namespace sluice {
namespace {

// Returns the permits that have not expired.
std::span<const Permit> Live(const PermitsState& state, Time now) {
  const std::span<const Permit> held = state.permits.first(state.size);
  const auto first =
      std::upper_bound(held.begin(), held.end(), now,
                       [](Time time, const Permit& permit) { return time < permit.deadline; });
  return {first, held.end()};
}

std::int64_t UnitsOf(std::span<const Permit> permits) {
  std::int64_t units = 0;
  for (const Permit& permit : permits) units += permit.units;
  return units;
}

Decision Report(const Concurrency& limit, std::span<const Permit> live, Time now) {
  Decision decision;
  decision.limit = limit.max_in_flight;
  // More units can be held than new, smaller terms allow.
  decision.remaining = std::max<std::int64_t>(0, limit.max_in_flight - UnitsOf(live));
  if (!live.empty()) decision.reset_after = live.back().deadline - now;
  return decision;
}

// Returns the time until enough permits have expired. REQUIRES: the cost is refused, and at most
// max_in_flight.
Nanos WaitForRoom(const Concurrency& limit, std::span<const Permit> live, Cost cost, Time now) {
  std::int64_t held = UnitsOf(live);
  for (const Permit& permit : live) {
    held -= permit.units;
    if (cost.units <= limit.max_in_flight - held) return permit.deadline - now;
  }
  return Nanos{0};
}

Decision Answer(const Concurrency& limit, std::span<const Permit> live, Cost cost, Time now) {
  const Decision decision = Report(limit, live, now);
  if (cost.units <= decision.remaining) return decision;
  if (cost.units > limit.max_in_flight) return Refusal(decision, kNever);
  return Refusal(decision, WaitForRoom(limit, live, cost, now));
}

void Erase(PermitsState& state, std::size_t first, std::size_t last) {
  const std::span<Permit> held = state.permits.first(state.size);
  std::move(held.begin() + static_cast<std::ptrdiff_t>(last), held.end(),
            held.begin() + static_cast<std::ptrdiff_t>(first));
  state.size -= static_cast<std::uint32_t>(last - first);
}

// Inserts the permit after every one with the same deadline or an earlier one. Later deadlines
// exist if earlier terms had a longer ttl.
void Insert(PermitsState& state, const Permit& permit) {
  assert(state.size < state.permits.size());
  std::size_t place = state.size++;
  for (; place > 0 && state.permits[place - 1].deadline > permit.deadline; --place) {
    state.permits[place] = state.permits[place - 1];
  }
  state.permits[place] = permit;
}

// Removes the permit and returns it, or nothing if it is not held.
std::optional<Permit> Take(PermitsState& state, PermitId id) {
  for (std::size_t place = 0; place < state.size; ++place) {
    const Permit permit = state.permits[place];
    if (permit.id != id) continue;
    Erase(state, place, place + 1);
    return permit;
  }
  return std::nullopt;
}

// Moves the deadline of the permit to now + ttl. Returns whether the permit was held.
bool MoveDeadline(const Concurrency& limit, PermitsState& state, PermitId id, Time now) {
  const std::optional<Permit> held = Take(state, id);
  if (held) Insert(state, {id, now + limit.ttl, held->units});
  return held.has_value();
}

}  // namespace

void DropPast(const Concurrency& /*limit*/, PermitsState& state, Time now) {
  Erase(state, 0, state.size - Live(state, now).size());
}

bool IsHeld(const PermitsState& state, PermitId id) {
  const std::span<const Permit> held = state.permits.first(state.size);
  return std::any_of(held.begin(), held.end(),
                     [id](const Permit& permit) { return permit.id == id; });
}

Decision Peek(const Concurrency& limit, const PermitsState& state, Cost cost, Time now) {
  return Answer(limit, Live(state, now), cost, now);
}

Decision Acquire(const Concurrency& limit, PermitsState& state, PermitId id, Cost cost, Time now) {
  if (cost.units == 0) return Peek(limit, state, cost, now);
  DropPast(limit, state, now);
  const Decision answer = Peek(limit, state, cost, now);
  if (answer.retry_after == kNever) return answer;
  if (!MoveDeadline(limit, state, id, now)) {
    if (!answer.allowed) return answer;
    Insert(state, {id, now + limit.ttl, cost.units});
  }
  return Report(limit, Live(state, now), now);
}

Decision Renew(const Concurrency& limit, PermitsState& state, PermitId id, Time now) {
  DropPast(limit, state, now);
  const bool held = MoveDeadline(limit, state, id, now);
  const Decision decision = Report(limit, Live(state, now), now);
  return held ? decision : Refusal(decision, kNever);
}

Decision Release(const Concurrency& limit, PermitsState& state, PermitId id, Time now) {
  DropPast(limit, state, now);
  Take(state, id);
  return Report(limit, Live(state, now), now);
}

Time UnusedAt(const Concurrency& /*limit*/, const PermitsState& state) {
  return state.size == 0 ? Time{} : state.permits[state.size - 1].deadline;
}

}  // namespace sluice
