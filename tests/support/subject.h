// Subject: one key under one limit, as a trace sees it. The core and the Limiter are driven by the
// same traces through this.
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

  // A time earlier than the latest seen is taken as that.
  virtual Decision Check(Cost cost, Time now) = 0;
  virtual Decision Peek(Cost cost, Time now) = 0;
  virtual Decision TakeDebt(Cost cost, Time now) = 0;
  virtual Decision Refund(Cost cost, Time now) = 0;
  virtual Decision Reset(Time now) = 0;
};

}  // namespace sluice::testing
