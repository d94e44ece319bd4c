// Value: what a configuration file says, as a small tree that remembers where it said it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/text.h"

namespace sluice {

// A place in a text, both counted from 1; 0 is unknown. Columns count characters, not bytes.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

// What was wrong and where. The name of the file is known to whoever read it.
struct PositionedError {
  Position at;
  std::string message;

  friend bool operator==(const PositionedError&, const PositionedError&) = default;
};

// "rules/api.yaml:14:7: unknown key 'limt'"; without the place where it is not known.
std::string Describe(std::string_view source, const PositionedError& error);

// One value of a configuration file. Thread safety: a value.
//
// A number is kept as the text it was written as, so that no digit is lost before it is known what
// it should be. A map keeps the order of the file; whether keys may repeat is for its reader to
// say.
class Value {
 public:
  struct Entry;
  using List = std::vector<Value>;
  using Map = std::vector<Entry>;

  // A null.
  Value();
  explicit Value(Position at);

  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  static Value Boolean(bool value, Position at = {});
  static Value Number(std::string text, Position at = {});
  static Value String(std::string text, Position at = {});
  static Value MakeList(List items, Position at = {});
  static Value MakeMap(Map entries, Position at = {});

  [[nodiscard]] Position At() const { return at_; }

  // What it holds, or null where it holds something else.
  [[nodiscard]] bool IsNull() const { return std::holds_alternative<std::monostate>(held_); }
  [[nodiscard]] const bool* AsBoolean() const { return std::get_if<bool>(&held_); }
  [[nodiscard]] const std::string* AsString() const { return std::get_if<std::string>(&held_); }
  [[nodiscard]] const List* AsList() const { return std::get_if<List>(&held_); }
  [[nodiscard]] const Map* AsMap() const { return std::get_if<Map>(&held_); }
  [[nodiscard]] const std::string* AsNumber() const {
    const auto* number = std::get_if<NumberText>(&held_);
    return number == nullptr ? nullptr : &number->text;
  }

  // The first value under `key` of a map, or null.
  [[nodiscard]] const Value* Find(std::string_view key) const;

  // What it is, for messages: "the string '20'", "the number 20", "true", "a list".
  [[nodiscard]] std::string Description() const;

 private:
  struct NumberText {
    std::string text;
  };
  using Held = std::variant<std::monostate, bool, NumberText, std::string, List, Map>;

  Held held_;
  Position at_;
};

// A key of a map, where it stands, and its value.
struct Value::Entry {
  std::string key;
  Position key_at;
  Value value;
};

}  // namespace sluice
