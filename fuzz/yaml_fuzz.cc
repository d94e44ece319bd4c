// Fuzzes the YAML reader with arbitrary bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "config/syntax/yaml.h"
#include "fuzz/places.h"

namespace sluice::fuzz {
namespace {

void Read(std::string_view text) {
  const auto read = ReadYaml(text);
  const Places places(text);
  if (const auto* error = std::get_if<PositionedError>(&read)) {
    places.MustHave(error->at);
    MustBeMessage(error->message);
    return;
  }
  for (const Value& each : *std::get_if<std::vector<Value>>(&read)) places.MustHave(each);
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> text(data, data + size);
  sluice::fuzz::Read({text.data(), text.size()});
  return 0;
}
