#include "simulate/reply.h"

#include <array>
#include <charconv>
#include <cstdint>

namespace sluice::cli {
namespace {

void AppendNumber(std::int64_t number, std::string& text) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

void AppendUnits(std::int64_t units, std::string& text) {
  if (units == kNoUnits) {
    text += "null";
  } else {
    AppendNumber(units, text);
  }
}

void AppendRetryAfter(const Decision& decision, std::string& text) {
  if (decision.allowed) {
    text += "null";
  } else if (decision.retry_after == kNever) {
    text += "\"never\"";
  } else {
    AppendNumber(decision.retry_after.count(), text);
  }
}

}  // namespace

void AppendReply(const Reply& reply, std::string& text) {
  const Decision& decision = reply.decision;
  text += "{\"t\":";
  AppendNumber(reply.t.time_since_epoch().count(), text);
  text += ",\"op\":\"";
  text += OpName(reply.op);
  text += "\",\"allowed\":";
  text += decision.allowed ? "true" : "false";
  text += ",\"limit\":";
  AppendUnits(decision.limit, text);
  text += ",\"remaining\":";
  AppendUnits(decision.remaining, text);
  text += ",\"retry_after\":";
  AppendRetryAfter(decision, text);
  text += ",\"reset_after\":";
  AppendNumber(decision.reset_after.count(), text);
  text += ",\"wait\":";
  AppendNumber(decision.wait.count(), text);
  text += "}\n";
}

}  // namespace sluice::cli
