// Fuzzes the reader of JSON request bodies with arbitrary bytes: a body it accepts is valid JSON by
// the reader of rule files, and reads the same after it is written.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/syntax/json.h"
#include "frontend/http/check_request.h"
#include "frontend/http/rls_json.h"
#include "fuzz/json_text.h"
#include "fuzz/must.h"

namespace sluice::fuzz {
namespace {

constexpr LimiterBounds kBounds = {.max_checks = 10, .max_attributes = 20};

std::string Write(const LimiterChecks& all, const LimiterCheck& check) {
  std::string json = "{\"domain\":" + JsonText(check.domain) + ",\"attributes\":{";
  std::string_view separator;
  for (const Attribute& each : all.AttributesOf(check)) {
    json.append(separator).append(JsonText(each.name)).append(":").append(JsonText(each.value));
    separator = ",";
  }
  return json + "},\"cost\":" + std::to_string(check.cost.units) + "}";
}

std::string Write(const CheckRequest& request) {
  if (request.form == CheckRequest::Form::kOne) {
    return Write(request.all, request.all.checks.front());
  }
  std::string json;
  for (const LimiterCheck& check : request.all.checks) {
    json += (json.empty() ? "" : ",") + Write(request.all, check);
  }
  return "{\"checks\":[" + json + "]}";
}

void MustBeFault(const JsonFault& fault, std::string_view text) {
  Must(fault.offset <= text.size(), "a fault lies in the text");
  Must(!fault.message.empty() && fault.message.size() < 1000, "a fault says what is wrong");
  Must(fault.field.size() < 1000, "a fault names its field shortly");
}

void ReadCheck(std::string_view text) {
  CheckRequestReader reader(kBounds);
  CheckRequest request;
  if (!reader.Read(text, request)) return MustBeFault(reader.fault(), text);
  Must(std::holds_alternative<Value>(ReadJson(text)), "what is read is JSON");
  const std::string written = Write(request);
  CheckRequestReader again_reader(kBounds);
  CheckRequest again;
  Must(again_reader.Read(written, again) && Write(again) == written,
       "what was written reads back the same");
}

void ReadRls(std::string_view text) {
  RlsJsonReader reader({.max_descriptors = 10, .max_entries = 20});
  RlsRequest request;
  if (!reader.Read(text, request)) return MustBeFault(reader.fault(), text);
  Must(std::holds_alternative<Value>(ReadJson(text)), "what is read is JSON");
  Must(!request.domain.empty() && !request.descriptors.empty(), "a request asks something");
  for (const RlsDescriptor& each : request.descriptors) {
    Must(!request.EntriesOf(each).empty(), "a descriptor has entries");
  }
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> text(data, data + size);
  sluice::fuzz::ReadCheck({text.data(), text.size()});
  sluice::fuzz::ReadRls({text.data(), text.size()});
  return 0;
}
