// RespThrottle: CL.THROTTLE, the command of redis-cell.
#pragma once

#include <span>
#include <vector>

#include "gate/caller_limits.h"
#include "net/resp/resp_service.h"
#include "sluice/decision.h"

namespace sluice {

// CL.THROTTLE key max_burst count period [quantity]: `count` units per `period` seconds, with a
// burst of max_burst + 1. Commands are added one by one and decided together.
//
// Replies five integers: limited, limit, remaining, retry_after, reset_after.
//
// Thread safety: none; one for each worker. Ownership: the gate outlives it, and each exchange
// outlives the next Decide.
//
// Rounding: seconds round up. retry_after is -1 when allowed, and when no wait helps.
//
// Invariants
//   (1) A quantity of 0 reports the state and takes nothing. A negative one, which would lift the
//       limit, is an error.
//   (2) Every exchange that was added is finished by Decide.
class RespThrottle {
 public:
  explicit RespThrottle(Gate& gate) : limits_(gate) {}

  // Adds a command. Returns false if it has written an error; the exchange is not finished then.
  // REQUIRES: 5 or more arguments.
  bool Add(RespExchange& exchange);
  // Decides all added commands. Returns their decisions in order, valid until the next call.
  std::span<const Decision> Decide();

 private:
  static void Tell(const Decision& decision, RespExchange& exchange);

  CallerLimits limits_;
  std::vector<RespExchange*> waiting_;
};

}  // namespace sluice
