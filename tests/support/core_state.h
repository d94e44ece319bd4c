// CoreState: the state of one key, driven through the core functions of whatever terms it has.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "core/limit.h"
#include "support/subject.h"

namespace sluice::testing {

// Owns the memory that logs, parts and permits need, and gives the core no more room than it asks
// for, so that rings wrap. A value: a copy lives on its own.
class CoreState final : public Subject {
 public:
  // `stagger` is read by staggered windows alone.
  explicit CoreState(const Terms& terms, Stagger stagger = {});
  CoreState(const CoreState& other);
  CoreState& operator=(const CoreState& other);
  ~CoreState() override = default;

  Decision Check(Cost cost, Time now) override;
  Decision Peek(Cost cost, Time now) override;
  Decision TakeDebt(Cost cost, Time now) override;
  Decision Refund(Cost cost, Time now) override;
  Decision Reset(Time now) override;

  // Concurrency alone.
  Decision Acquire(PermitId id, Cost cost, Time now);
  Decision Renew(PermitId id, Time now);
  Decision Release(PermitId id, Time now);

  // Gives the key new terms of the same algorithm, as a store does when it touches the key.
  void Change(const Terms& terms, Time now);

  // From when on the core says that the key is as if never used.
  [[nodiscard]] Time UnusedFrom() const;

 private:
  using AnyState = std::variant<FineTime, IntervalBucket::State, FixedWindow::State, LogState,
                                SlidingWindow::State, PartsState, WarmUpPacer::State, PermitsState>;

  Time Latest(Time now);
  void Forget();
  // Points the spans of the state at the memory of this object.
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
