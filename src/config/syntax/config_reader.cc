#include "config/syntax/config_reader.h"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "base/decimal.h"
#include "base/letter_case.h"
#include "base/utf8.h"

namespace sluice {
namespace {

using Entry = Value::Entry;

// Returns the first control character (C0, delete or C1), or nothing.
std::optional<std::uint32_t> FindControlCharacter(std::string_view text) {
  unsigned char before = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // UTF-8 encodes U+0080 to U+009F as C2 followed by the code itself.
    if (byte < 0x20 || byte == 0x7F || (before == 0xC2 && byte < 0xA0)) return byte;
    before = byte;
  }
  return std::nullopt;
}

// Returns the character as "U+000A".
std::string DescribeCharacter(std::uint32_t character) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text = "U+";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) text += kDigits[(character >> shift) & 0xFU];
  return text;
}

bool IsAttributeCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

}  // namespace

WrittenKeys ConfigReader::KeysOf(const Value& value) const {
  WrittenKeys keys;
  const Value::Map* map = value.AsMap();
  if (map == nullptr) return keys;
  for (const Entry& entry : *map) keys.push_back({entry.key, OriginOf(entry.value.At())});
  return keys;
}

std::string MustBe(std::string_view expected, const Entry& entry) {
  return Concat(Quoted(entry.key), " must be ", expected, ", found ", entry.value.Description());
}

const Value::Map* ReadMap(std::string_view what, const Value& value, ConfigReader& reading,
                          Secrecy secrecy) {
  const Value::Map* map = value.AsMap();
  if (map == nullptr) {
    reading.Error(value.At(), Concat(what, " must be a mapping, found ", Describe(value, secrecy)));
  }
  return map;
}

const Value::List* ReadList(const Entry& entry, ConfigReader& reading) {
  const Value::List* list = entry.value.AsList();
  if (list == nullptr) reading.Error(entry.value.At(), MustBe("a list", entry));
  return list;
}

bool Lacks(const Value::Map& map, std::string_view key) {
  return std::ranges::none_of(map, [&](const Entry& entry) {
    return entry.key == key || !NearestWord(entry.key, std::span(&key, 1)).empty();
  });
}

std::optional<std::string> ReadString(const Entry& entry, ConfigReader& reading) {
  const std::string* text = entry.value.AsString();
  if (text != nullptr) return *text;
  reading.Error(entry.value.At(), MustBe("a string", entry));
  return std::nullopt;
}

std::optional<bool> ReadBoolean(const Entry& entry, ConfigReader& reading) {
  const bool* value = entry.value.AsBoolean();
  if (value != nullptr) return *value;
  reading.Error(entry.value.At(), MustBe("true or false", entry));
  return std::nullopt;
}

std::optional<std::int64_t> ReadWholeIn(WholeRange range, const Entry& entry,
                                        ConfigReader& reading) {
  if (const std::string* text = entry.value.AsNumber()) {
    const auto number = ReadWhole(*text);
    const auto* whole = std::get_if<std::int64_t>(&number);
    if (whole != nullptr && *whole >= range.min && *whole <= range.max) return *whole;
  }
  reading.Error(entry.value.At(),
                MustBe(Concat("a whole number from ", range.min, " to ", range.max), entry));
  return std::nullopt;
}

std::optional<std::string> ScalarText(const Value& value) {
  if (const std::string* text = value.AsString()) return *text;
  if (const std::string* number = value.AsNumber()) return *number;
  if (const bool* boolean = value.AsBoolean()) return *boolean ? "true" : "false";
  return std::nullopt;
}

bool CheckName(std::string_view name, Position at, ConfigReader& reading) {
  if (name.empty()) {
    reading.Error(at, "a name must not be empty");
    return false;
  }
  const auto characters =
      std::ranges::count_if(name, [](char c) { return !IsUtf8Continuation(c); });
  if (characters > static_cast<std::ptrdiff_t>(kMaxNameCharacters)) {
    reading.Error(at, Concat("a name must have at most ", kMaxNameCharacters, " characters, found ",
                             characters));
    return false;
  }
  if (const auto control = FindControlCharacter(name)) {
    reading.Error(
        at, Concat("a name must have no control characters, found ", DescribeCharacter(*control)));
    return false;
  }
  return true;
}

std::optional<std::string> ReadName(const Entry& entry, ConfigReader& reading) {
  std::optional<std::string> name = ReadString(entry, reading);
  if (name && !CheckName(*name, entry.value.At(), reading)) return std::nullopt;
  return name;
}

bool CheckAttribute(std::string_view name, Position at, ConfigReader& reading) {
  if (name.empty() || name.size() > kMaxAttributeBytes ||
      !std::ranges::all_of(name, IsAttributeCharacter)) {
    reading.Error(at, Concat("an attribute's name must be 1 to ", kMaxAttributeBytes,
                             " of the characters A-Z a-z 0-9 _ . -, found ", Quoted(name)));
    return false;
  }
  const std::string lower = LowerCase(name);
  if (name.starts_with("header.") && name != lower) {
    reading.Error(at, Concat("the names of headers are in lower case, found ", Quoted(name),
                             "; did you mean ", Quoted(lower), "?"));
    return false;
  }
  return true;
}

}  // namespace sluice
