// The messages of Envoy's rate limit service (proto/envoy/service/ratelimit/v3/rls.proto).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/attribute.h"
#include "sluice/time.h"
#include "wire/grpc_status.h"

namespace sluice {

// What one request may have at most.
struct RlsBounds {
  std::size_t descriptors_most = 1000;
  std::size_t entries_most = 10'000;  // of all descriptors together
};

// Units of time, by the numbers of RateLimitResponse.RateLimit.Unit.
enum class RlsUnit : std::uint8_t {
  kUnknown = 0,
  kSecond = 1,
  kMinute = 2,
  kHour = 3,
  kDay = 4,
  kMonth = 5,
  kYear = 6,
  kWeek = 7,
};

// A limit that a descriptor brings along. A week, which the enum of overrides does not name, is
// taken by its number.
//
// Invariant: unit is not kUnknown, and multiplier is at least 1.
struct RlsOverride {
  std::uint32_t requests_per_unit = 0;
  RlsUnit unit = RlsUnit::kUnknown;
  std::uint32_t multiplier = 1;  // units in a period

  friend bool operator==(const RlsOverride&, const RlsOverride&) = default;
};

struct RlsDescriptor {
  std::uint32_t first = 0;  // its entries are first .. first + count - 1
  std::uint32_t count = 0;
  std::optional<RlsOverride> limit;
  std::optional<std::uint64_t> addend;  // in place of the request's
  bool negative = false;                // the addend is given back

  friend bool operator==(const RlsDescriptor&, const RlsDescriptor&) = default;
};

// A request as it was sent. Use one again and again: after the first few nothing is allocated.
//
// Thread safety: a value. Ownership: its texts view the bytes it was read from.
//
// Invariants, once it was read
//   (1) The domain and the keys of entries are not empty and are UTF-8. Values may be any bytes:
//       they come from clients of the proxy, and none of them must be able to make the call fail.
//   (2) There is at least one descriptor. It has no entries if Envoy skipped all of its actions
//       (`skip_if_absent`), which a client brings about by leaving a header out.
//   (3) The entries of descriptors lie one after another in `entries`, in their order.
struct RlsRequest {
  std::string_view domain;
  std::uint32_t addend = 0;  // as sent: 0 means 1
  std::vector<RlsDescriptor> descriptors;
  std::vector<Attribute> entries;

  [[nodiscard]] std::span<const Attribute> EntriesOf(const RlsDescriptor& descriptor) const {
    return std::span(entries).subspan(descriptor.first, descriptor.count);
  }
};

// Reads a RateLimitRequest; what was in `request` is gone. Fields that are not known are skipped.
// What breaks an invariant above, a bound or the rules of protobuf is a fault that names the field,
// INVALID_ARGUMENT; `request` is then of no use. Numbers that do not fit their field are refused,
// not cut.
std::optional<GrpcFault> ReadRlsRequest(std::string_view message, const RlsBounds& bounds,
                                        RlsRequest& request);

enum class RlsCode : std::uint8_t { kOk = 1, kOverLimit = 2 };

// A limit that applied.
struct RlsLimit {
  std::uint32_t requests_per_unit = 0;
  RlsUnit unit = RlsUnit::kUnknown;
  std::string_view name;
  std::uint32_t multiplier = 1;  // units in a period, at least 1; 1 is not sent
};

struct RlsQuota {
  std::uint32_t requests = 0;
  std::optional<Time> valid_until;  // not before 1970
  std::string_view id;
};

// What became of one descriptor.
struct RlsStatus {
  RlsCode code = RlsCode::kOk;
  std::optional<RlsLimit> limit;
  std::uint32_t remaining = 0;
  std::optional<Nanos> until_reset;  // not negative
  std::optional<RlsQuota> quota;
};

// A reply. Thread safety: a value. Ownership: views what it is made of; texts must be UTF-8, as
// clients refuse replies where they are not.
struct RlsReply {
  RlsCode overall = RlsCode::kOk;
  std::span<const RlsStatus> statuses;
  std::span<const Attribute> response_headers;  // to add
  std::span<const Attribute> request_headers;
  std::string_view raw_body;
  std::string_view dynamic_metadata;  // a google.protobuf.Struct (wire/struct_value.h), or empty
  std::optional<RlsQuota> quota;
};

// Appends the reply as a RateLimitResponse.
void AppendRlsReply(const RlsReply& reply, std::string& out);

}  // namespace sluice
