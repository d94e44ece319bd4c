// Envoy's rate limit service from the side of those who ask: requests written, replies read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/attribute.h"
#include "sluice/decision.h"
#include "wire/rls_messages.h"

namespace sluice {

// Where the call goes.
inline constexpr std::string_view kRlsPath =
    "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

// One question: a request with one descriptor.
struct RlsQuestion {
  std::string_view domain;
  std::span<const Attribute> entries;
  // Told by the request, as every server knows it; 0 and what is over 32 bits by the descriptor.
  Cost cost;
};

// Appends the question as a RateLimitRequest. REQUIRES: texts are UTF-8.
void AppendRlsQuestion(const RlsQuestion& question, std::string& out);

// A reply as it was sent. Use one again and again: after the first few nothing is allocated.
//
// Thread safety: a value. Ownership: its texts view the bytes it was read from.
struct RlsAnswer {
  RlsCode overall = RlsCode::kOk;
  std::vector<RlsStatus> statuses;
};

// Reads a RateLimitResponse; what was in `answer` is gone. Only the fields of RlsAnswer are read,
// of a status all but the quota. Says what is wrong, as the rest of a sentence about the message,
// or nothing. A code that is neither OK nor OVER_LIMIT is wrong.
std::optional<std::string_view> ReadRlsAnswer(std::string_view message, RlsAnswer& answer);

}  // namespace sluice
