// RespFront: the commands of RESP over a gate.
#pragma once

#include <span>
#include <string_view>

#include "core/in_use.h"
#include "frontend/callers.h"
#include "frontend/front_meter.h"
#include "frontend/front_session.h"
#include "frontend/held_replies.h"
#include "frontend/resp_check.h"
#include "frontend/resp_connection.h"
#include "frontend/resp_throttle.h"
#include "frontend/resp_transactions.h"
#include "net/resp_service.h"
#include "sluice/clock.h"

namespace sluice {

// Answers every command at once, but for those whose verdict a remote has to say, and wrong
// passwords.
//
// Thread safety: none; one for each worker. Ownership: what it is made of outlives it.
//
// Invariants
//   (1) Commands take effect in their order; all CL.THROTTLE of a batch are decided together,
//       at one time.
//   (2) What comes after the command that closes a connection has no effect.
//   (3) Every CL.THROTTLE and SLUICE.CHECK is metered once, with the time of its whole batch,
//       or its own where it waits; other commands are not.
class RespFront final : public RespService {
 public:
  struct Parts {
    Gate& gate;
    RemoteWay way;
    const Callers& callers;
    RespClientIds& ids;
    std::string_view version;  // of this program
    Clock& clock;
    FrontMeter& meter;
    EventLoop* loop = nullptr;  // the worker's; without it no reply is held
  };

  explicit RespFront(const Parts& parts);

  ~RespFront() override;

  void Serve(std::span<RespExchange* const> batch) override;

 private:
  class Parked;
  enum class Answered { kNow, kLater, kHeld };

  Answered Answer(RespExchange& exchange);
  Answered AnswerTransaction(const RespCommandSpec* command, RespExchange& exchange);
  Answered Check(RespExchange& exchange);
  void Park(RespExchange& exchange);
  void AnswerAgain(Parked& parked);

  Clock& clock_;
  FrontMeter& meter_;
  FrontSession session_;
  RespThrottle throttle_;
  RespCheck check_;
  HeldReplies held_;
  RespConnection connection_;
  InUse<Parked> parked_;
  RespTransactions transactions_;
};

}  // namespace sluice
