// The bodies of /v1/check, /v1/peek, /v1/refund and /v1/reset.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontend/json_reader.h"
#include "wire/limiter_messages.h"

namespace sluice {

// One check or several, as they were sent; what gRPC calls of our own service are read into, too.
struct CheckRequest {
  enum class Form : std::uint8_t {
    kOne,   // {"domain":"api","attributes":{"user":"42"},"cost":1}
    kList,  // {"checks":[{...},{...}]}
  };

  Form form = Form::kOne;
  LimiterChecks all;
};

// Reads such bodies.
//   - A value of an attribute is a string, or a whole number or a boolean, which count as their
//     text; null is as if the attribute were not there.
//   - The cost is a whole number from 0 to 10^18, 1 if not said.
//   - Fields that are not known are refused: a misspelt one would lift a limit without a word.
//
// Thread safety: none. What it reads views the body and the reader, until the next Read.
class CheckRequestReader {
 public:
  explicit CheckRequestReader(const LimiterBounds& bounds) : bounds_(bounds) {}

  // False where it cannot be read; `request` is then of no use.
  bool Read(std::string_view body, CheckRequest& request);

  // What was wrong with it. REQUIRES: the last Read was false.
  [[nodiscard]] const JsonFault& fault() const { return json_.fault(); }

 private:
  bool ReadWhole(CheckRequest& request);
  bool ReadTopField(std::string_view field, CheckRequest& request);
  bool ReadList(LimiterChecks& all);
  bool ReadItem(LimiterChecks& all);
  // The value of one field of a check.
  bool ReadField(std::string_view field, LimiterChecks& all);
  bool ReadAttributes(LimiterChecks& all);
  bool ReadAttribute(std::string_view name, LimiterChecks& all);
  // Whether a check has all it needs.
  bool EndCheck(const LimiterCheck& check);

  LimiterBounds bounds_;
  JsonReader json_;
};

}  // namespace sluice
