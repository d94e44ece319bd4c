// Subject: one key under one limit, driven by a trace. It lets the same traces drive the core and
// the Limiter.
#pragma once

#include "sluice/decision.h"
#include "sluice/time.h"

namespace sluice::testing {

class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = default;
  Subject& operator=(const Subject&) = default;
  virtual ~Subject() = default;

  // A time earlier than the latest one seen is replaced by that.
  virtual Decision Check(Cost cost, Time now) = 0;
  virtual Decision Peek(Cost cost, Time now) = 0;
  virtual Decision TakeDebt(Cost cost, Time now) = 0;
  virtual Decision Refund(Cost cost, Time now) = 0;
  virtual Decision Reset(Time now) = 0;
};

}  // namespace sluice::testing
