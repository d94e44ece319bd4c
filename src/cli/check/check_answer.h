// CheckAnswer: the answer of a server about a request, over any protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "console/terminal.h"
#include "sluice/attribute.h"
#include "sluice/decision.h"
#include "sluice/time.h"

namespace sluice::cli {

// The operation that a server is asked for.
enum class CheckCall : std::uint8_t {
  kCheck,   // take what it costs
  kPeek,    // report whether it would pass
  kRefund,  // give back what it cost
  kReset,   // forget what its keys have used
};

// Returns "check": the name of the command and of the call in the API.
std::string_view NameOf(CheckCall call);

// Whether the call lifts limits, for which a server requires permission.
constexpr bool LiftsLimits(CheckCall call) {
  return call == CheckCall::kRefund || call == CheckCall::kReset;
}

// A question to a server. Views its texts.
struct CheckQuestion {
  std::string_view server;    // as it was written
  std::string_view protocol;  // "http"
  std::string_view domain;
  std::span<const Attribute> attributes = {};
  Cost cost = {};
  CheckCall call = CheckCall::kCheck;
};

// The answer of one limit. A member is empty if the protocol does not report it.
struct AnsweredLimit {
  std::string rule = {};
  std::string limit = {};  // its name, or its terms
  std::string mode = {};
  bool allowed = true;
  std::optional<std::int64_t> units = {};  // the maximum for one request
  std::optional<std::int64_t> remaining = {};
  std::optional<Nanos> retry_after = {};  // if refused; kNever if waiting does not help
  std::optional<Nanos> reset_after = {};
};

// The answer for a request. A value type.
struct CheckAnswer {
  bool allowed = true;
  std::optional<Nanos> retry_after = {};  // if refused; kNever if waiting does not help
  Nanos wait{0};
  std::string words = {};  // the server's own message about a refusal
  std::vector<AnsweredLimit> limits = {};
};

// Returns whether a limit applied, as far as the protocol reports it.
bool HasLimit(const CheckAnswer& answer);

// Formats the answer for people: the verdict, and a table of limits.
std::string CheckText(const CheckQuestion& question, const CheckAnswer& answer, ColorMode ink);

// Formats the answer for programs, as one line of JSON. Milliseconds round up.
std::string CheckJson(const CheckQuestion& question, const CheckAnswer& answer);

}  // namespace sluice::cli
