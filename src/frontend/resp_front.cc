#include "frontend/resp_front.h"

#include "frontend/resp_commands.h"

namespace sluice {

void RespFront::Serve(std::span<RespExchange* const> batch) {
  bool closes = false;
  for (RespExchange* const exchange : batch) {
    // Nobody reads the replies to what comes after.
    const bool answered = closes || Answer(*exchange) == Answered::kNow;
    closes = closes || exchange->closes;
    if (answered) exchange->Finish();
  }
  throttle_.Decide();
}

// A command of another kind sees nothing of those that are decided later, nor they of it: keys of
// callers' limits are not those of rules.
RespFront::Answered RespFront::Answer(RespExchange& exchange) {
  const RespCommandSpec* const command = FindRespCommand(exchange.arguments[0]);
  if (command == nullptr) {
    SayUnknownCommand(exchange);
  } else if (!command->Takes(exchange.arguments.size())) {
    SayWrongArity(exchange, command->name);
  } else if (command->verb == RespVerb::kThrottle) {
    return throttle_.Add(exchange) ? Answered::kLater : Answered::kNow;
  } else if (command->verb == RespVerb::kCheck) {
    check_.Answer(exchange);
  } else {
    connection_.Answer(command->verb, exchange);
  }
  return Answered::kNow;
}

}  // namespace sluice
