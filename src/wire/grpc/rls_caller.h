// The client side of Envoy's rate limit service: writes requests and reads replies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/attribute.h"
#include "sluice/decision.h"
#include "wire/grpc/rls_messages.h"

namespace sluice {

// The path of the gRPC method.
inline constexpr std::string_view kRlsPath =
    "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

// A request with one descriptor.
struct RlsQuestion {
  std::string_view domain;
  std::span<const Attribute> entries;
  // Sent in the addend of the request, which every server knows; 0 and costs over 32 bits are sent
  // in the descriptor's.
  Cost cost;
};

// Appends the question as a RateLimitRequest. REQUIRES: texts are UTF-8.
void AppendRlsQuestion(const RlsQuestion& question, std::string& out);

// A reply as it was sent. Reuse an instance: once its vector has grown, reading allocates nothing.
//
// Thread safety: a value. Ownership: texts view the bytes they were read from.
struct RlsAnswer {
  RlsCode overall = RlsCode::kOk;
  std::vector<RlsStatus> statuses;
};

// Reads a RateLimitResponse, replacing the contents of `answer`. Only the fields of RlsAnswer are
// read; the quota of a status is not. Returns nullopt on success, otherwise a description of the
// error as the rest of a sentence about the message. A code other than OK and OVER_LIMIT is an
// error.
std::optional<std::string_view> ReadRlsAnswer(std::string_view message, RlsAnswer& answer);

}  // namespace sluice
