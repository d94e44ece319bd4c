// The messages of our own service (proto/sluice/v1/limiter.proto).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/attribute.h"
#include "sluice/charge.h"
#include "sluice/decision.h"
#include "wire/grpc_status.h"

namespace sluice {

// What one call may have at most.
struct LimiterBounds {
  std::size_t checks_most = 1000;
  std::size_t attributes_most = 100;  // of one check
};

// A CheckRequest, PeekRequest, RefundRequest or ResetRequest: they have the same fields.
struct LimiterCheck {
  std::string_view domain;
  Cost cost;
  std::uint32_t first = 0;  // its attributes are first .. first + count - 1
  std::uint32_t count = 0;
};

// The checks of one call, as they were sent. Use one again and again: after the first few nothing
// is allocated.
//
// Thread safety: a value. Ownership: its texts view the bytes it was read from.
//
// Invariants, once it was read
//   (1) Domains and names of attributes are not empty; all texts are UTF-8; costs are not negative.
//   (2) No check has two attributes of one name.
//   (3) The attributes of checks lie one after another in `attributes`, in their order.
struct LimiterChecks {
  std::vector<LimiterCheck> checks;
  std::vector<Attribute> attributes;

  [[nodiscard]] std::span<const Attribute> AttributesOf(const LimiterCheck& check) const {
    return std::span(attributes).subspan(check.first, check.count);
  }
};

// Reads one request; what was in `checks` is gone, and it has one check. Fields that are not known
// are skipped. What breaks an invariant above, a bound or the rules of protobuf is a fault that
// names the field, INVALID_ARGUMENT; `checks` is then of no use.
std::optional<GrpcFault> ReadLimiterCheck(std::string_view message, const LimiterBounds& bounds,
                                          LimiterChecks& checks);

// The same for a CheckBatchRequest, which may be empty.
std::optional<GrpcFault> ReadLimiterBatch(std::string_view message, const LimiterBounds& bounds,
                                          LimiterChecks& checks);

// What one limit of one rule says; its mode is told by the veto.
struct LimiterDecision {
  std::string_view rule;
  std::string_view name;  // of the limit, or empty
  Veto veto = Veto::kEnforce;
  Decision decision;
};

// The answer for a request. Thread safety: a value. Ownership: views what it is made of; texts
// must be UTF-8.
struct LimiterVerdict {
  bool allowed = true;
  Nanos retry_after{0};  // refused: or kNever
  Nanos wait{0};
  std::string_view rule;  // that allowed or denied by itself, or empty
  std::uint32_t status = 0;
  std::string_view message;
  std::span<const LimiterDecision> decisions;
};

// Appends a Verdict.
void AppendLimiterVerdict(const LimiterVerdict& verdict, std::string& out);

// Appends one more answer to a CheckBatchResponse, which is nothing but its answers: a verdict, or
// why there is none.
void AppendLimiterAnswer(const LimiterVerdict& verdict, std::string& out);
void AppendLimiterAnswer(const GrpcFault& problem, std::string& out);

}  // namespace sluice
