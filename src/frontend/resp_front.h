// RespFront: the commands of RESP over a gate.
#pragma once

#include <span>
#include <string_view>

#include "frontend/callers.h"
#include "frontend/front_meter.h"
#include "frontend/resp_check.h"
#include "frontend/resp_connection.h"
#include "frontend/resp_throttle.h"
#include "gate/gate_session.h"
#include "net/resp_service.h"
#include "sluice/clock.h"

namespace sluice {

// Answers every command at once: nothing is left unfinished when Serve returns.
//
// Thread safety: none; one for each worker. Ownership: what it is made of outlives it.
//
// Invariants
//   (1) Commands take effect in their order; all CL.THROTTLE of a batch are decided together, at
//   one
//       time.
//   (2) What comes after the command that closes a connection has no effect.
//   (3) Every CL.THROTTLE and SLUICE.CHECK is metered once, with the time of its whole batch; other
//       commands are not.
class RespFront final : public RespService {
 public:
  struct Parts {
    Gate& gate;
    const Callers& callers;
    RespClientIds& ids;
    std::string_view version;  // of this program
    Clock& clock;
    FrontMeter& meter;
  };

  explicit RespFront(const Parts& parts)
      : clock_(parts.clock),
        meter_(parts.meter),
        session_(parts.gate),
        throttle_(parts.gate),
        check_(session_),
        connection_(parts.callers, parts.ids, parts.version) {}

  void Serve(std::span<RespExchange* const> batch) override;

 private:
  enum class Answered { kNow, kLater };

  Answered Answer(RespExchange& exchange);

  Clock& clock_;
  FrontMeter& meter_;
  GateSession session_;
  RespThrottle throttle_;
  RespCheck check_;
  RespConnection connection_;
};

}  // namespace sluice
