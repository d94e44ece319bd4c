#include "base/flow_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace sluice {
namespace {

bool IsPlain(char c) {
  constexpr std::string_view kSpecial = " ,:[]{}\"'\\#&!|<>`";
  return kSpecial.find(c) == std::string_view::npos && static_cast<unsigned char>(c) > 0x20 &&
         c != 0x7F;
}

// Returns whether the text is read back as the same string when it is written without quotes.
bool NeedsNoQuotes(std::string_view text) {
  constexpr std::array<std::string_view, 3> kOtherValues = {"true", "false", "null"};
  if (text.empty() || !std::ranges::all_of(text, IsPlain)) return false;
  if (std::ranges::find(kOtherValues, text) != kOtherValues.end()) return false;
  return text.find_first_not_of("0123456789.+-eE") != std::string_view::npos;
}

std::string TextOf(std::string_view text) {
  if (NeedsNoQuotes(text)) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string FlowText(const Value& value) {
  if (const std::string* text = value.AsString()) return TextOf(*text);
  if (const std::string* number = value.AsNumber()) return *number;
  if (const bool* boolean = value.AsBoolean()) return *boolean ? "true" : "false";
  std::string items;
  const auto append = [&](const std::string& item) {
    items += Concat(items.empty() ? "" : ", ", item);
  };
  if (const Value::List* list = value.AsList()) {
    for (const Value& item : *list) append(FlowText(item));
    return Concat("[", items, "]");
  }
  if (const Value::Map* map = value.AsMap()) {
    for (const Value::Entry& entry : *map) {
      append(Concat(TextOf(entry.key), ": ", FlowText(entry.value)));
    }
    return Concat("{", items, "}");
  }
  return "null";
}

}  // namespace sluice
