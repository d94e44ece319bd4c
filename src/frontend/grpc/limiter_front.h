// LimiterFront: our own service over gRPC, sluice.v1.Limiter.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/caller.h"
#include "frontend/front_session.h"
#include "frontend/grpc/grpc_front.h"
#include "gate/request.h"
#include "gate/verdict.h"
#include "wire/grpc/limiter_messages.h"

namespace sluice {

// Answers Check, CheckBatch, Peek, Refund and Reset.
//
// Thread safety: none; one for each worker. Ownership: the session outlives it, and it outlives the
// front that its methods are added to.
class LimiterFront {
 public:
  LimiterFront(FrontSession& session, const LimiterBounds& bounds)
      : session_(session), bounds_(bounds) {}
  LimiterFront(const LimiterFront&) = delete;
  LimiterFront& operator=(const LimiterFront&) = delete;
  ~LimiterFront() = default;

  void AddTo(GrpcFront& calls);

 private:
  std::optional<GrpcFault> AnswerOne(std::string_view message, Purpose purpose, Caller& caller,
                                     std::string& out);
  std::optional<GrpcFault> AnswerBatch(std::string_view message, std::string& out);
  // Decides a check. Returns its fault, or nothing.
  std::optional<GrpcFault> Decide(const LimiterCheck& check, Purpose purpose);
  // Returns the last verdict as a message, which views it.
  LimiterVerdict Tell();

  FrontSession& session_;
  LimiterBounds bounds_;
  LimiterChecks checks_;
  Verdict verdict_;
  std::vector<LimiterDecision> decisions_;
};

}  // namespace sluice
