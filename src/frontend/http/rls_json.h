// The messages of Envoy's rate limit service as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "frontend/http/json_reader.h"
#include "wire/grpc/rls_messages.h"

namespace sluice {

// Reads a RateLimitRequest by the JSON mapping of protobuf: names of fields in camelCase or
// snake_case, numbers also as strings, enums by name or number, null for an unset field. Numbers
// with a fraction or an exponent are refused, even if their value is whole.
//
// Thread safety: none. Ownership: `request` views the body and the reader, until the next Read.
class RlsJsonReader {
 public:
  explicit RlsJsonReader(const RlsBounds& bounds) : bounds_(bounds) {}

  // Returns false if the body is invalid or violates an invariant of RlsRequest or a bound;
  // `request` must not be used then.
  bool Read(std::string_view body, RlsRequest& request);

  // Returns the fault. REQUIRES: the last Read returned false.
  [[nodiscard]] const JsonFault& fault() const { return json_.fault(); }

 private:
  // The two names of a field.
  struct Names {
    std::string_view camel;
    std::string_view snake;
  };
  enum class DescriptorField : std::uint8_t { kEntries, kLimit, kAddend, kNegative };
  // The set of fields of a message that have been read, as bits by index.
  struct Seen {
    std::uint32_t bits = 0;
  };

  // Returns the index of the next field of a message that is set; nothing at its end, and after a
  // fault.
  std::optional<std::size_t> NextField(std::span<const Names> fields, Seen& seen);

  bool ReadRequest(RlsRequest& request);
  bool ReadDescriptors(RlsRequest& request);
  bool ReadDescriptor(RlsRequest& request);
  // Reads a field of the last descriptor.
  bool ReadDescriptorField(DescriptorField field, RlsRequest& request);
  bool ReadEntries(RlsRequest& request);
  bool ReadEntry(Attribute& entry);
  bool ReadOverride(std::optional<RlsOverride>& limit);
  bool ReadUnit(RlsUnit& unit);
  bool ReadText(std::string_view& text);
  bool ReadNumber(std::uint64_t max, std::uint64_t& number);
  bool ReadNumber(std::uint32_t& number);

  RlsBounds bounds_;
  JsonReader json_;
};

// Appends the reply as a RateLimitResponse by the same mapping, in camelCase and without unset
// fields. Quotas and dynamic metadata are left out, because only Envoy uses them.
void AppendRlsJson(const RlsReply& reply, std::string& out);

}  // namespace sluice
