#include "base/value.h"

#include <utility>

namespace sluice {

std::string Describe(std::string_view source, const PositionedError& error) {
  std::string text(source);
  for (const std::uint32_t number : {error.at.line, error.at.column}) {
    if (number == 0) break;
    text = Concat(text, text.empty() ? "" : ":", number);
  }
  return Concat(text, text.empty() ? "" : ": ", error.message);
}

Value::Value() = default;
Value::Value(Position at) : at_(at) {}
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

Value Value::Boolean(bool value, Position at) {
  Value made(at);
  made.held_ = value;
  return made;
}

Value Value::Number(std::string text, Position at) {
  Value made(at);
  made.held_ = NumberText{std::move(text)};
  return made;
}

Value Value::String(std::string text, Position at) {
  Value made(at);
  made.held_ = std::move(text);
  return made;
}

Value Value::MakeList(List items, Position at) {
  Value made(at);
  made.held_ = std::move(items);
  return made;
}

Value Value::MakeMap(Map entries, Position at) {
  Value made(at);
  made.held_ = std::move(entries);
  return made;
}

const Value* Value::Find(std::string_view key) const {
  const Map* map = AsMap();
  if (map == nullptr) return nullptr;
  for (const Entry& entry : *map) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

std::string Value::Description() const {
  if (const bool* boolean = AsBoolean()) return *boolean ? "true" : "false";
  if (const std::string* text = AsString()) return Concat("the string ", Quoted(*text));
  if (AsList() != nullptr) return "a list";
  if (AsMap() != nullptr) return "a mapping";
  if (const std::string* number = AsNumber()) {
    const std::string quoted = Quoted(*number);
    return Concat("the number ", std::string_view(quoted).substr(1, quoted.size() - 2));
  }
  return "null";
}

}  // namespace sluice
