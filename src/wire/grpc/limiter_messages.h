// The messages of Sluice's own gRPC service (proto/sluice/v1/limiter.proto).
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
#include "wire/grpc/grpc_status.h"

namespace sluice {

// Maximum sizes of one call.
struct LimiterBounds {
  std::size_t max_checks = 1000;
  std::size_t max_attributes = 100;  // per check
};

// A CheckRequest, PeekRequest, RefundRequest or ResetRequest: they have the same fields.
struct LimiterCheck {
  std::string_view domain;
  Cost cost;
  std::uint32_t first = 0;  // attributes are first .. first + count - 1
  std::uint32_t count = 0;
};

// The checks of one call, in the order they were sent. Reuse an instance: once its vectors have
// grown, reading allocates nothing.
//
// Thread safety: a value. Ownership: texts view the bytes they were read from.
//
// Invariants after a successful read
//   (1) Domains and attribute names are not empty, all texts are UTF-8, and costs are not negative.
//   (2) No check has two attributes with the same name.
//   (3) `attributes` holds the attributes of all checks contiguously, in the order of the checks.
struct LimiterChecks {
  std::vector<LimiterCheck> checks;
  std::vector<Attribute> attributes;

  [[nodiscard]] std::span<const Attribute> AttributesOf(const LimiterCheck& check) const {
    return std::span(attributes).subspan(check.first, check.count);
  }
};

// Reads one request. Replaces the contents of `checks`, which then holds one check. Unknown fields
// are skipped. Returns INVALID_ARGUMENT, naming the field, if the message breaks an invariant
// above, exceeds a bound or is not valid protobuf; the contents of `checks` are then unspecified.
std::optional<GrpcFault> ReadLimiterCheck(std::string_view message, const LimiterBounds& bounds,
                                          LimiterChecks& checks);

// Reads a CheckBatchRequest in the same way. The batch may be empty.
std::optional<GrpcFault> ReadLimiterBatch(std::string_view message, const LimiterBounds& bounds,
                                          LimiterChecks& checks);

// The decision of one limit of a rule; the enforcement is written as its mode.
struct LimiterDecision {
  std::string_view rule;
  std::string_view name;  // the limit's name, or empty
  Enforcement enforcement = Enforcement::kEnforce;
  Decision decision;
};

// The answer to a request. Thread safety: a value. Ownership: views its texts, which must be UTF-8,
// and its decisions.
struct LimiterVerdict {
  bool allowed = true;
  Nanos retry_after{0};  // if refused; may be kNever
  Nanos wait{0};
  std::string_view rule;  // the rule that allowed or denied by itself, or empty
  std::uint32_t status = 0;
  std::string_view message;
  std::span<const LimiterDecision> decisions;
};

// Appends a Verdict.
void AppendLimiterVerdict(const LimiterVerdict& verdict, std::string& out);

// Appends one answer to a CheckBatchResponse, which consists of nothing but answers: a verdict, or
// the reason there is none.
void AppendLimiterAnswer(const LimiterVerdict& verdict, std::string& out);
void AppendLimiterAnswer(const GrpcFault& problem, std::string& out);

}  // namespace sluice
