// LimiterSubject: one key of a limit in a sluice::Limiter, driven by a trace.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sluice/limiter.h"
#include "support/fake_clock.h"
#include "support/subject.h"

namespace sluice::testing {

// The limiter and its clock must outlive it.
class LimiterSubject final : public Subject {
 public:
  LimiterSubject(Limiter& limiter, FakeClock& clock, LimitHandle limit, std::string key)
      : limiter_(&limiter), clock_(&clock), limit_(limit), key_(std::move(key)) {}

  Decision Check(Cost cost, Time now) override {
    clock_->Set(now);
    return limiter_->Check(With(cost));
  }
  Decision Peek(Cost cost, Time now) override {
    clock_->Set(now);
    return limiter_->Peek(With(cost));
  }
  Decision TakeDebt(Cost cost, Time now) override {
    clock_->Set(now);
    return limiter_->TakeDebt(With(cost));
  }
  Decision Refund(Cost cost, Time now) override {
    clock_->Set(now);
    return limiter_->Refund(With(cost));
  }
  Decision Reset(Time now) override {
    clock_->Set(now);
    return limiter_->Reset(With(Cost{0}));
  }

  [[nodiscard]] Charge With(Cost cost) const { return {limit_, key_, cost}; }

 private:
  Limiter* limiter_;
  FakeClock* clock_;
  LimitHandle limit_;
  std::string key_;
};

}  // namespace sluice::testing
