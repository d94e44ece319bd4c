// The bodies of /v1/check, /v1/peek, /v1/refund and /v1/reset.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontend/http/json_reader.h"
#include "wire/grpc/limiter_messages.h"

namespace sluice {

// One check or several, as they were sent. gRPC calls of sluice.v1.Limiter use LimiterChecks, too.
struct CheckRequest {
  enum class Form : std::uint8_t {
    kOne,   // {"domain":"api","attributes":{"user":"42"},"cost":1}
    kList,  // {"checks":[{...},{...}]}
  };

  Form form = Form::kOne;
  LimiterChecks all;
};

// Reads these bodies.
//   - The value of an attribute is a string, or a whole number or a boolean, which count as their
//     text. An attribute that is null counts as absent.
//   - The cost is a whole number from 0 to 10^18; default: 1.
//   - Unknown fields are errors, because a misspelt field would silently lift a limit.
//
// Thread safety: none. Ownership: `request` views the body and the reader, until the next Read.
class CheckRequestReader {
 public:
  explicit CheckRequestReader(const LimiterBounds& bounds) : bounds_(bounds) {}

  // Returns false if the body is invalid; `request` must not be used then.
  bool Read(std::string_view body, CheckRequest& request);

  // Returns the fault. REQUIRES: the last Read returned false.
  [[nodiscard]] const JsonFault& fault() const { return json_.fault(); }

 private:
  bool ReadWhole(CheckRequest& request);
  bool ReadTopField(std::string_view field, CheckRequest& request);
  bool ReadList(LimiterChecks& all);
  bool ReadItem(LimiterChecks& all);
  // Reads the value of one field of a check.
  bool ReadField(std::string_view field, LimiterChecks& all);
  bool ReadAttributes(LimiterChecks& all);
  bool ReadAttribute(std::string_view name, LimiterChecks& all);
  // Checks that the required fields were there.
  bool EndCheck(const LimiterCheck& check);

  LimiterBounds bounds_;
  JsonReader json_;
};

}  // namespace sluice
