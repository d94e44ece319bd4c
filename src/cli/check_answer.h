// CheckAnswer: what a server said about a request, whatever protocol it was asked by.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"
#include "sluice/attribute.h"
#include "sluice/decision.h"
#include "sluice/time.h"

namespace sluice::cli {

// What a server is asked to do about a request.
enum class CheckCall : std::uint8_t {
  kCheck,   // take what it costs
  kPeek,    // say whether it would pass
  kRefund,  // give back what it cost
  kReset,   // forget what its keys have used
};

// "check": the name of the command, and of the call in the API.
std::string_view NameOf(CheckCall call);

// Whether the call lifts limits, for which a server wants a permission.
constexpr bool LiftsLimits(CheckCall call) {
  return call == CheckCall::kRefund || call == CheckCall::kReset;
}

// What is asked. Views its texts.
struct CheckQuestion {
  std::string_view server;    // as it was written
  std::string_view protocol;  // "http"
  std::string_view domain;
  std::span<const Attribute> attributes = {};
  Cost cost = {};
  CheckCall call = CheckCall::kCheck;
};

// What one limit said. What a protocol does not tell is empty.
struct AnsweredLimit {
  std::string rule = {};
  std::string limit = {};  // its name, or its terms
  std::string mode = {};
  bool allowed = true;
  std::optional<std::int64_t> units = {};  // most that one request can get
  std::optional<std::int64_t> remaining = {};
  std::optional<Nanos> retry_after = {};  // refused; kNever where waiting does not help
  std::optional<Nanos> reset_after = {};
};

// A value.
struct CheckAnswer {
  bool allowed = true;
  std::optional<Nanos> retry_after = {};  // refused; kNever where waiting does not help
  Nanos wait{0};
  std::string words = {};  // the server's own, for a refusal
  std::vector<AnsweredLimit> limits = {};
};

// Whether a limit applied, as far as the protocol tells it.
bool HasLimit(const CheckAnswer& answer);

// For people: the verdict, and a table of limits.
std::string CheckText(const CheckQuestion& question, const CheckAnswer& answer, Ink ink);

// For programs: the same as one line of JSON. Milliseconds round up.
std::string CheckJson(const CheckQuestion& question, const CheckAnswer& answer);

}  // namespace sluice::cli
