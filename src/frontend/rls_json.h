// The messages of Envoy's rate limit service as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "frontend/json_reader.h"
#include "wire/rls_messages.h"

namespace sluice {

// Reads a RateLimitRequest by the JSON mapping of protobuf: names of fields in camelCase or
// snake_case, numbers also as strings, enums by name or number, null for what is not set. Numbers
// with a fraction or an exponent are refused, whole ones too.
//
// Thread safety: none. What it reads views the body and the reader, until the next Read.
class RlsJsonReader {
 public:
  explicit RlsJsonReader(const RlsBounds& bounds) : bounds_(bounds) {}

  // False where it cannot be read or breaks an invariant of RlsRequest or a bound; `request` is
  // then of no use.
  bool Read(std::string_view body, RlsRequest& request);

  // What was wrong with it. REQUIRES: the last Read was false.
  [[nodiscard]] const JsonFault& fault() const { return json_.fault(); }

 private:
  // A field by both of its names.
  struct Names {
    std::string_view camel;
    std::string_view snake;
  };
  enum class DescriptorField : std::uint8_t { kEntries, kLimit, kAddend, kNegative };
  // Which fields of a message have been read.
  struct Seen {
    std::uint32_t bits = 0;
  };

  // The index of the next field of a message that is set; none at its end, and after a fault.
  std::optional<std::size_t> NextField(std::span<const Names> fields, Seen& seen);

  bool ReadRequest(RlsRequest& request);
  bool ReadDescriptors(RlsRequest& request);
  bool ReadDescriptor(RlsRequest& request);
  // Of the last descriptor there is.
  bool ReadDescriptorField(DescriptorField field, RlsRequest& request);
  bool ReadEntries(RlsRequest& request);
  bool ReadEntry(Attribute& entry);
  bool ReadOverride(std::optional<RlsOverride>& limit);
  bool ReadUnit(RlsUnit& unit);
  bool ReadText(std::string_view& text);
  bool ReadNumber(std::uint64_t most, std::uint64_t& number);
  bool ReadNumber(std::uint32_t& number);

  RlsBounds bounds_;
  JsonReader json_;
};

// Appends the reply as a RateLimitResponse by the same mapping, in camelCase and without what is
// not set. Quotas and dynamic metadata, which are for Envoy, are left out.
void AppendRlsJson(const RlsReply& reply, std::string& out);

}  // namespace sluice
