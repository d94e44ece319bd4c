// Value: the contents of a configuration file as a tree that remembers the position of each value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text.h"

namespace sluice {

// A position in a text. Line and column count from 1; 0 is unknown. Columns count characters, not
// bytes.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

// An error and its position. The caller that read the file knows the file's name.
struct PositionedError {
  Position at;
  std::string message;

  friend bool operator==(const PositionedError&, const PositionedError&) = default;
};

// Returns "rules/api.yaml:14:7: unknown key 'limt'", without the position if it is unknown.
std::string Describe(std::string_view source, const PositionedError& error);

// One value of a configuration file. Thread safety: a value.
//
// A number is kept as its text, so that no digit is lost before its type is known. A map keeps the
// order of the file. The reader of a map decides whether keys may repeat.
class Value {
 public:
  struct Entry;
  using List = std::vector<Value>;
  using Map = std::vector<Entry>;

  // Makes a null.
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

  // The As functions return the contents, or null if the value is of another type.
  [[nodiscard]] bool IsNull() const { return std::holds_alternative<std::monostate>(held_); }
  [[nodiscard]] const bool* AsBoolean() const { return std::get_if<bool>(&held_); }
  [[nodiscard]] const std::string* AsString() const { return std::get_if<std::string>(&held_); }
  [[nodiscard]] const List* AsList() const { return std::get_if<List>(&held_); }
  [[nodiscard]] const Map* AsMap() const { return std::get_if<Map>(&held_); }
  [[nodiscard]] const std::string* AsNumber() const {
    const auto* number = std::get_if<NumberText>(&held_);
    return number == nullptr ? nullptr : &number->text;
  }

  // Returns the first value under `key` if this is a map that has the key, otherwise null.
  [[nodiscard]] const Value* Find(std::string_view key) const;

  // Describes the value for messages: "the string '20'", "the number 20", "true", "a list".
  [[nodiscard]] std::string Description() const;

 private:
  struct NumberText {
    std::string text;
  };
  using Held = std::variant<std::monostate, bool, NumberText, std::string, List, Map>;

  Held held_;
  Position at_;
};

// A key of a map with its position, and the value.
struct Value::Entry {
  std::string key;
  Position key_at;
  Value value;
};

}  // namespace sluice
