#include "frontend/resp_front.h"

#include "frontend/resp_commands.h"

namespace sluice {
namespace {

CheckOutcome OutcomeOf(const Decision& decision) {
  if (decision.source == Source::kOverflow) return CheckOutcome::kFailed;
  return decision.allowed ? CheckOutcome::kAllowed : CheckOutcome::kRefused;
}

bool IsCheck(RespVerb verb) { return verb == RespVerb::kThrottle || verb == RespVerb::kCheck; }

}  // namespace

void RespFront::Serve(std::span<RespExchange* const> batch) {
  const Time begin = clock_.Now();
  bool closes = false;
  for (RespExchange* const exchange : batch) {
    // Nobody reads the replies to what comes after.
    const bool answered = closes || Answer(*exchange) == Answered::kNow;
    closes = closes || exchange->closes;
    if (answered) exchange->Finish();
  }
  for (const Decision& decision : throttle_.Decide()) {
    meter_.AddRequest(FrontEnd::kResp, OutcomeOf(decision));
  }
  meter_.EndBatch(clock_.Now() - begin);
}

// A command of another kind sees nothing of those that are decided later, nor they of it: keys of
// callers' limits are not those of rules.
RespFront::Answered RespFront::Answer(RespExchange& exchange) {
  const RespCommandSpec* const command = FindRespCommand(exchange.arguments[0]);
  if (command == nullptr) {
    SayUnknownCommand(exchange);
  } else if (!command->Takes(exchange.arguments.size())) {
    SayWrongArity(exchange, command->name);
    if (IsCheck(command->verb)) meter_.AddRequest(FrontEnd::kResp, CheckOutcome::kBadRequest);
  } else if (command->verb == RespVerb::kThrottle) {
    if (throttle_.Add(exchange)) return Answered::kLater;
    meter_.AddRequest(FrontEnd::kResp, CheckOutcome::kBadRequest);
  } else if (command->verb == RespVerb::kCheck) {
    check_.Answer(exchange);
    meter_.AddRequest(FrontEnd::kResp, session_.TakeVerdictCounts());
  } else {
    connection_.Answer(command->verb, exchange);
  }
  return Answered::kNow;
}

}  // namespace sluice
