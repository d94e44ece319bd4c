// CoreState: the state of one key, driven through the core functions of its terms.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "core/limit/limit.h"
#include "support/subject.h"

namespace sluice::testing {

// Owns the memory that logs, parts and permits need. It gives the core only as much room as
// required, so that rings wrap. A value: a copy is independent.
class CoreState final : public Subject {
 public:
  // Only staggered windows use `stagger`.
  explicit CoreState(const Terms& terms, Stagger stagger = {});
  CoreState(const CoreState& other);
  CoreState& operator=(const CoreState& other);
  ~CoreState() override = default;

  Decision Check(Cost cost, Time now) override;
  Decision Peek(Cost cost, Time now) override;
  Decision TakeDebt(Cost cost, Time now) override;
  Decision Refund(Cost cost, Time now) override;
  Decision Reset(Time now) override;

  // For concurrency limits only.
  Decision Acquire(PermitId id, Cost cost, Time now);
  Decision Renew(PermitId id, Time now);
  Decision Release(PermitId id, Time now);

  // Gives the key new terms of the same algorithm, as a store does when it accesses the key.
  void Change(const Terms& terms, Time now);

  // Returns the time from which the core treats the key as never used.
  [[nodiscard]] Time UnusedFrom() const;

 private:
  using AnyState = std::variant<FineTime, IntervalBucket::State, FixedWindow::State, LogState,
                                SlidingWindow::State, PartsState, WarmUpPacer::State, PermitsState>;

  Time Latest(Time now);
  void Forget();
  // Points the spans of the state to the memory of this object.
  void Bind();
  void MakeRoom();

  Terms terms_;
  Stagger stagger_;
  AnyState state_;
  std::vector<LogEntry> ring_;
  std::vector<std::int64_t> parts_;
  std::vector<Permit> permits_;
  Time latest_{};
};

}  // namespace sluice::testing
