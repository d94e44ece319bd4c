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
#include "wire/grpc/grpc_status.h"

namespace sluice {

// Maximum sizes of one request.
struct RlsBounds {
  std::size_t max_descriptors = 1000;
  std::size_t max_entries = 10'000;  // of all descriptors together
};

// Units of time, numbered as in RateLimitResponse.RateLimit.Unit.
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

// A limit that a descriptor carries itself. Weeks are accepted by number, although the enum of
// overrides does not name them.
//
// Invariant: unit is not kUnknown, and multiplier is at least 1.
struct RlsOverride {
  std::uint32_t requests_per_unit = 0;
  RlsUnit unit = RlsUnit::kUnknown;
  std::uint32_t multiplier = 1;  // units in a period

  friend bool operator==(const RlsOverride&, const RlsOverride&) = default;
};

struct RlsDescriptor {
  std::uint32_t first = 0;  // entries are first .. first + count - 1
  std::uint32_t count = 0;
  std::optional<RlsOverride> limit;
  std::optional<std::uint64_t> addend;  // replaces the request's
  bool negative = false;                // the addend is refunded

  friend bool operator==(const RlsDescriptor&, const RlsDescriptor&) = default;
};

// A request as it was sent. Reuse an instance: once its vectors have grown, reading allocates
// nothing.
//
// Thread safety: a value. Ownership: texts view the bytes they were read from.
//
// Invariants after a successful read
//   (1) The domain and the keys of entries are not empty and are UTF-8. Values may be any bytes:
//       they come from clients of the proxy, which must not be able to make the call fail.
//   (2) There is at least one descriptor. A descriptor without entries is possible: Envoy sends it
//       if it skipped all actions (`skip_if_absent`), which a client causes by omitting a header.
//   (3) `entries` holds the entries of all descriptors contiguously, in the order of the
//       descriptors.
struct RlsRequest {
  std::string_view domain;
  std::uint32_t addend = 0;  // as sent: 0 means 1
  std::vector<RlsDescriptor> descriptors;
  std::vector<Attribute> entries;

  [[nodiscard]] std::span<const Attribute> EntriesOf(const RlsDescriptor& descriptor) const {
    return std::span(entries).subspan(descriptor.first, descriptor.count);
  }
};

// Reads a RateLimitRequest, replacing the contents of `request`. Unknown fields are skipped.
// Returns INVALID_ARGUMENT, naming the field, if the message breaks an invariant above, exceeds a
// bound or is not valid protobuf; the contents of `request` are then unspecified. Numbers that do
// not fit their field are errors and are not truncated.
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

// The result for one descriptor.
struct RlsStatus {
  RlsCode code = RlsCode::kOk;
  std::optional<RlsLimit> limit;
  std::uint32_t remaining = 0;
  std::optional<Nanos> until_reset;  // not negative
  std::optional<RlsQuota> quota;
};

// A reply. Thread safety: a value. Ownership: views its parts. Texts must be UTF-8, because clients
// reject replies in which they are not.
struct RlsReply {
  RlsCode overall = RlsCode::kOk;
  std::span<const RlsStatus> statuses;
  std::span<const Attribute> response_headers;  // to add
  std::span<const Attribute> request_headers;
  std::string_view raw_body;
  // A google.protobuf.Struct (wire/grpc/struct_value.h), or empty.
  std::string_view dynamic_metadata;
  std::optional<RlsQuota> quota;
};

// Appends the reply as a RateLimitResponse.
void AppendRlsReply(const RlsReply& reply, std::string& out);

}  // namespace sluice
