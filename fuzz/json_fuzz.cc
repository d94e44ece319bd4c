// Fuzzes the JSON reader with arbitrary bytes; values it accepts read the same after they are
// written.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/syntax/json.h"
#include "fuzz/json_text.h"
#include "fuzz/must.h"
#include "fuzz/places.h"

namespace sluice::fuzz {
namespace {

std::string Write(const Value& value) {
  if (const bool* boolean = value.AsBoolean()) return *boolean ? "true" : "false";
  if (const std::string* number = value.AsNumber()) return *number;
  if (const std::string* text = value.AsString()) return JsonText(*text);
  std::string json;
  if (const Value::List* list = value.AsList()) {
    for (const Value& item : *list) json += (json.empty() ? "" : ",") + Write(item);
    return "[" + json + "]";
  }
  if (const Value::Map* map = value.AsMap()) {
    for (const Value::Entry& entry : *map) {
      json += (json.empty() ? "" : ",") + JsonText(entry.key) + ":" + Write(entry.value);
    }
    return "{" + json + "}";
  }
  return "null";
}

void Read(std::string_view text) {
  const auto read = ReadJson(text);
  const Places places(text);
  if (const auto* error = std::get_if<PositionedError>(&read)) {
    places.MustHave(error->at);
    MustBeMessage(error->message);
    return;
  }
  const Value& value = *std::get_if<Value>(&read);
  places.MustHave(value);
  const std::string written = Write(value);
  const auto again = ReadJson(written);
  const auto* same = std::get_if<Value>(&again);
  Must(same != nullptr && Write(*same) == written, "what was written reads back the same");
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> text(data, data + size);
  sluice::fuzz::Read({text.data(), text.size()});
  return 0;
}
