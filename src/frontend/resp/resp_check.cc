#include "frontend/resp/resp_check.h"

#include <string_view>

#include "base/ascii.h"
#include "base/text.h"
#include "core/limit/rate.h"
#include "frontend/resp/resp_commands.h"

namespace sluice {
namespace {

std::int64_t RoundUpToMillis(Nanos length) {
  if (length == kNever) return -1;
  return std::chrono::ceil<std::chrono::milliseconds>(length).count();
}

// Writes the members of a reply: a map with names in RESP3, an array without them in RESP2.
class Members {
 public:
  Members(RespExchange& exchange, std::size_t count)
      : writer_(WriterOf(exchange)), named_(exchange.client->version == RespVersion::k3) {
    named_ ? writer_.MapHeader(count) : writer_.ArrayHeader(count);
  }

  void Add(std::string_view name, std::int64_t number) {
    Name(name);
    writer_.Integer(number);
  }
  // Writes null for an empty text.
  void Add(std::string_view name, std::string_view text) {
    Name(name);
    text.empty() ? writer_.Null() : writer_.Bulk(text);
  }

 private:
  void Name(std::string_view name) {
    if (named_) writer_.Bulk(name);
  }

  RespWriter writer_;
  bool named_;
};

}  // namespace

bool RespCheck::Read(RespExchange& exchange) {
  std::span<const std::string_view> rest = exchange.arguments.subspan(2);
  set_ = {};
  while (!rest.empty()) {
    if (EqualsLower(rest[0], "peek")) {
      set_.purpose = Purpose::kLook;
      rest = rest.subspan(1);
    } else if (EqualsLower(rest[0], "cost") && rest.size() > 1) {
      const bool read = ReadInteger(rest[1], set_.cost.units);
      if (!read || set_.cost.units < 0 || set_.cost.units > kMaxUnits) {
        return SayNoInteger(exchange), false;
      }
      rest = rest.subspan(2);
    } else {
      break;
    }
  }
  if (rest.size() % 2 != 0) return SayWrongArity(exchange, "sluice.check"), false;
  attributes_.clear();
  for (std::size_t i = 0; i < rest.size(); i += 2) attributes_.push_back({rest[i], rest[i + 1]});
  set_.attributes = attributes_;
  return true;
}

void RespCheck::Answer(RespExchange& exchange) {
  if (!Read(exchange)) return;
  const std::string_view domain = exchange.arguments[1];
  session_.Decide({domain, {&set_, 1}}, verdict_);
  if (verdict_.kind() == VerdictKind::kUnknownDomain) {
    return SayError(exchange, Concat("unknown domain ", Quoted(domain)));
  }
  if (verdict_.kind() == VerdictKind::kBadRequest) return SayError(exchange, verdict_.fault());
  Tell(exchange);
}

void RespCheck::Tell(RespExchange& exchange) const {
  const RuleDecision* const nearest = verdict_.nearest();
  Decision decision;
  decision.limit = decision.remaining = kNoUnits;
  std::string_view rule;
  if (nearest != nullptr) {
    decision = nearest->decision;
    rule = nearest->limit->rule;
  } else if (verdict_.decided_by() != nullptr) {
    rule = verdict_.decided_by()->name;
  }
  Members members(exchange, 7);
  members.Add("allowed", verdict_.allowed() ? 1 : 0);
  members.Add("limit", decision.limit);
  members.Add("remaining", decision.remaining);
  members.Add("retry_after_ms", RoundUpToMillis(verdict_.retry_after()));
  members.Add("reset_after_ms", RoundUpToMillis(decision.reset_after));
  members.Add("rule", rule);
  members.Add("wait_ms", RoundUpToMillis(verdict_.wait()));
}

}  // namespace sluice
