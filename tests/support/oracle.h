// Model: a slow limiter that serves as the oracle of the property tests.
//
// It is written from the meaning of each algorithm and shares no code with the implementation: it
// keeps every charge, counts in 128-bit integers, and finds retry_after, remaining, reset_after and
// wait by asking "would it pass then?" at one instant after another instead of by formula.
#pragma once

#include <cstdint>
#include <memory>

#include "core/calendar.h"
#include "sluice/decision.h"
#include "sluice/limit.h"
#include "sluice/time.h"

namespace sluice::testing {

// Wide enough for any time in the finest ticks, or any product of a count and a period.
__extension__ using Wide = __int128;

// The state of one key under one limit.
//
// Time never goes back: an earlier time is taken as the latest this model has seen.
class Model {
 public:
  // `zone` is read by calendar windows alone and must outlive the model; `key_hash` is read by
  // staggered windows alone.
  static std::unique_ptr<Model> Make(const LimitSpec& spec, const Zone* zone,
                                     std::uint64_t key_hash);

  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  Decision Check(Cost cost, Time now);
  Decision Peek(Cost cost, Time now);
  Decision TakeDebt(Cost cost, Time now);
  Decision Refund(Cost cost, Time now);
  Decision Reset(Time now);

  // Concurrency alone; other models answer nothing of use.
  virtual Decision Acquire(std::uint64_t id, Cost cost, Time now);
  virtual Decision Renew(std::uint64_t id, Time now);
  virtual Decision Release(std::uint64_t id, Time now);

  // How far any time it answers may be off: 0, but for the one algorithm in floating point.
  [[nodiscard]] virtual Nanos Tolerance() const { return Nanos{0}; }

 protected:
  // What an algorithm says of itself. `at` is never before the last change of the state.

  // The most units one request can ever get, or kNoUnits.
  [[nodiscard]] virtual std::int64_t Most() const = 0;
  // Whether no wait helps.
  [[nodiscard]] virtual bool Hopeless(std::int64_t cost, Wide at) const;
  // Whether a cost would be admitted, perhaps with a wait. Once true it stays true.
  [[nodiscard]] virtual bool Passes(std::int64_t cost, Wide at) const = 0;
  // Whether a request admitted earlier may go ahead without further wait.
  [[nodiscard]] virtual bool GoesAhead(std::int64_t cost, Wide at) const;
  // Whether a cost is covered by what `remaining` counts.
  [[nodiscard]] virtual bool Remains(std::int64_t cost, Wide at) const;
  // Whether the key is as if never used.
  [[nodiscard]] virtual bool Unused(Wide at) const = 0;

  virtual void Take(std::int64_t cost, Wide at) = 0;
  virtual void TakeRefused(std::int64_t /*cost*/, Wide /*at*/) {}
  // Takes a cost that may be more than there is, or than there ever can be.
  virtual void Owe(std::int64_t cost, Wide at) = 0;
  virtual void GiveBack(std::int64_t cost, Wide at) = 0;
  virtual void Forget() = 0;

  // The time to use for a caller who says it is `now`.
  Wide Latest(Time now);
  // The state as it is: allowed, without wait.
  [[nodiscard]] Decision Report(Wide at) const;
  // The state, and why `cost` was refused.
  [[nodiscard]] Decision Refusal(std::int64_t cost, Wide at) const;

 private:
  Wide latest_ = 0;
};

}  // namespace sluice::testing
