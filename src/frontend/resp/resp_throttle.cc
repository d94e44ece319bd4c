#include "frontend/resp/resp_throttle.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string_view>

#include "frontend/resp/resp_commands.h"

namespace sluice {
namespace {

constexpr std::size_t kMinArguments = 5;

struct Asked {
  CallerLimit terms;
  Cost cost;
};

// Reads the numbers of a command. Returns false if it has written an error.
bool Read(RespExchange& exchange, Asked& asked) {
  const std::span<const std::string_view> arguments = exchange.arguments;
  std::int64_t max_burst = 0;
  std::int64_t period = 0;
  std::int64_t units = 1;
  if (!ReadInteger(arguments[2], max_burst) || !ReadInteger(arguments[3], asked.terms.count) ||
      !ReadInteger(arguments[4], period) ||
      (arguments.size() > kMinArguments && !ReadInteger(arguments[5], units))) {
    return SayNoInteger(exchange), false;
  }
  std::string_view fault;
  if (max_burst < 0) fault = "max_burst is negative; expected 0 or more";
  if (max_burst == std::numeric_limits<std::int64_t>::max()) fault = "max_burst is too large";
  if (asked.terms.count <= 0) fault = "count is not above 0; expected 1 or more";
  if (period <= 0) fault = "period is not above 0; expected 1 second or more";
  if (units < 0) fault = "quantity is negative; expected 0 or more";
  if (!fault.empty()) return SayError(exchange, fault), false;
  asked.terms.burst = max_burst + 1;
  asked.terms.period = std::chrono::seconds(period);
  asked.cost = Cost{units};
  return true;
}

std::int64_t SecondsOf(Nanos length) {
  return std::chrono::ceil<std::chrono::seconds>(length).count();
}

}  // namespace

bool RespThrottle::Add(RespExchange& exchange) {
  if (exchange.arguments.size() > kMinArguments + 1) {
    return SayWrongArity(exchange, "cl.throttle"), false;
  }
  Asked asked;
  if (!Read(exchange, asked)) return false;
  const Result<Done> added = limits_.Add(asked.terms, exchange.arguments[1], asked.cost);
  if (!added.ok()) return SayError(exchange, added.error().message), false;
  waiting_.push_back(&exchange);
  return true;
}

std::span<const Decision> RespThrottle::Decide() {
  const std::span<const Decision> decisions = limits_.Decide();
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    Tell(decisions[i], *waiting_[i]);
    waiting_[i]->Finish();
  }
  waiting_.clear();
  return decisions;
}

void RespThrottle::Tell(const Decision& decision, RespExchange& exchange) {
  RespWriter writer = WriterOf(exchange);
  if (decision.source == Source::kOverflow) {
    return writer.Error("OOM", "no memory is left for another key");
  }
  const bool waits = !decision.allowed && decision.retry_after != kNever;
  const std::array<std::int64_t, 5> reply = {
      decision.allowed ? 0 : 1, decision.limit, decision.remaining,
      waits ? SecondsOf(decision.retry_after) : -1, SecondsOf(decision.reset_after)};
  writer.Integers(reply);
}

}  // namespace sluice
