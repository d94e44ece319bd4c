// RespFront: answers the commands of RESP.
#pragma once

#include <span>
#include <string_view>

#include "base/object_pool.h"
#include "frontend/callers.h"
#include "frontend/front_meter.h"
#include "frontend/front_session.h"
#include "frontend/http/held_replies.h"
#include "frontend/resp/resp_check.h"
#include "frontend/resp/resp_connection.h"
#include "frontend/resp/resp_throttle.h"
#include "frontend/resp/resp_transactions.h"
#include "net/resp/resp_service.h"
#include "sluice/clock.h"

namespace sluice {

// Answers every command at once, except for those with a pending remote verdict, and wrong
// passwords.
//
// Thread safety: none; one for each worker. Ownership: everything in Parts outlives it.
//
// Invariants
//   (1) Commands take effect in order. All CL.THROTTLE of a batch are decided together, at one
//       time.
//   (2) Commands after one that closes the connection have no effect.
//   (3) Every CL.THROTTLE and SLUICE.CHECK is metered once, with the time of its whole batch, or
//       with its own time if it waits. Other commands are not metered.
class RespFront final : public RespService {
 public:
  struct Parts {
    Gate& gate;
    RemoteAccess way;
    const Callers& callers;
    RespClientIds& ids;
    std::string_view version;  // version of this program
    Clock& clock;
    FrontMeter& meter;
    EventLoop* loop = nullptr;  // the worker's; null: no reply is held
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
  ObjectPool<Parked> parked_;
  RespTransactions transactions_;
};

}  // namespace sluice
