// Model: a slow limiter, the oracle of the property tests.
//
// It is written from the meaning of each algorithm and shares no code with the implementation. It
// keeps every charge, counts in 128-bit integers, and finds retry_after, remaining, reset_after and
// wait by asking "would it pass then?" at one instant after another, not by formula.
#pragma once

#include <cstdint>
#include <memory>

#include "core/calendar/calendar.h"
#include "sluice/decision.h"
#include "sluice/limit.h"
#include "sluice/time.h"

namespace sluice::testing {

// Wide enough for any time in the finest ticks and any product of a count and a period.
__extension__ using Wide = __int128;

// The state of one key under one limit.
//
// Time never goes back: the model replaces an earlier time by the latest one it has seen.
class Model {
 public:
  // Only calendar windows use `zone`, which must outlive the model. Only staggered windows use
  // `key_hash`.
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

  // For concurrency limits only; other models return the unchanged state.
  virtual Decision Acquire(std::uint64_t id, Cost cost, Time now);
  virtual Decision Renew(std::uint64_t id, Time now);
  virtual Decision Release(std::uint64_t id, Time now);

  // Returns the maximum error of reported times: 0, except for the algorithm in floating point.
  [[nodiscard]] virtual Nanos Tolerance() const { return Nanos{0}; }

 protected:
  // The functions below define an algorithm. `at` is never before the last change of the state.

  // Returns the maximum number of units one request can ever get, or kNoUnits.
  [[nodiscard]] virtual std::int64_t Most() const = 0;
  // Returns whether the cost will never pass.
  [[nodiscard]] virtual bool Hopeless(std::int64_t cost, Wide at) const;
  // Returns whether a cost would be admitted, possibly with a wait. Once true, it stays true.
  [[nodiscard]] virtual bool Passes(std::int64_t cost, Wide at) const = 0;
  // Returns whether a request that was admitted earlier may go ahead without further wait.
  [[nodiscard]] virtual bool GoesAhead(std::int64_t cost, Wide at) const;
  // Returns whether `remaining` covers the cost.
  [[nodiscard]] virtual bool Remains(std::int64_t cost, Wide at) const;
  // Returns whether the key is as if never used.
  [[nodiscard]] virtual bool Unused(Wide at) const = 0;

  virtual void Take(std::int64_t cost, Wide at) = 0;
  virtual void TakeRefused(std::int64_t /*cost*/, Wide /*at*/) {}
  // Takes a cost that may exceed what is left, or even the limit.
  virtual void Owe(std::int64_t cost, Wide at) = 0;
  virtual void GiveBack(std::int64_t cost, Wide at) = 0;
  virtual void Forget() = 0;

  // Returns the time to use for a call at `now`.
  Wide Latest(Time now);
  // Returns the decision of the current state: allowed, without a wait.
  [[nodiscard]] Decision Report(Wide at) const;
  // Returns the decision of the current state with the refusal of `cost`.
  [[nodiscard]] Decision Refusal(std::int64_t cost, Wide at) const;

 private:
  Wide latest_ = 0;
};

}  // namespace sluice::testing
