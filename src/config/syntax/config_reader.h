// ConfigReader: strict reading of configuration values; reports every problem with its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config_problem.h"
#include "base/enum_name.h"
#include "base/spelling.h"
#include "base/text.h"
#include "base/value.h"
#include "config/syntax/secrecy.h"
#include "core/limit/limit.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// The context for reading one text: the file number, the problems to report to, and the time zones.
// Refers to the problems and zones, which must outlive it.
class ConfigReader {
 public:
  ConfigReader(std::uint32_t file, const ZoneSource& zones, ConfigProblems& problems)
      : file_(file), zones_(zones), problems_(problems) {}

  void Error(Position at, std::string message) {
    problems_.Error(OriginOf(at), std::move(message));
  }

  // Returns the number of errors in all texts so far.
  [[nodiscard]] std::size_t ErrorCount() const { return problems_.ErrorCount(); }

  [[nodiscard]] Origin OriginOf(Position at) const { return {file_, at}; }
  // Returns the keys of a mapping; for any other value, nothing.
  [[nodiscard]] WrittenKeys KeysOf(const Value& value) const;
  [[nodiscard]] const ZoneSource& Zones() const { return zones_; }

 private:
  std::uint32_t file_;
  const ZoneSource& zones_;
  ConfigProblems& problems_;
};

// A key of a mapping, and the function that reads its value into a T.
template <typename T>
struct Field {
  std::string_view key;
  void (*read)(const Value::Entry& entry, ConfigReader& reading, T& out);
};

// Returns "'cost' must be X, found Y".
std::string MustBe(std::string_view expected, const Value::Entry& entry);

// Returns the mapping, or null after reporting an error. `what` describes it: "a rule".
const Value::Map* ReadMap(std::string_view what, const Value& value, ConfigReader& reading,
                          Secrecy secrecy = Secrecy::kOpen);
// Returns the list, or null after reporting an error.
const Value::List* ReadList(const Value::Entry& entry, ConfigReader& reading);

// Reads a mapping key by key. Reports a key that is not one of `fields` as an error.
template <typename T>
void ReadFields(const Value::Map& map, std::span<const Field<T>> fields, ConfigReader& reading,
                T& out) {
  for (const Value::Entry& entry : map) {
    const Field<T>* known = nullptr;
    for (const Field<T>& field : fields) {
      if (field.key == entry.key) known = &field;
    }
    if (known != nullptr) {
      known->read(entry, reading, out);
      continue;
    }
    std::vector<std::string_view> names;
    for (const Field<T>& field : fields) names.push_back(field.key);
    reading.Error(entry.key_at,
                  Concat("unknown key ", Quoted(entry.key), Suggestion(entry.key, names)));
  }
}

// Returns whether the mapping has neither the key nor a likely misspelling of it, which has already
// been reported.
bool Lacks(const Value::Map& map, std::string_view key);

// Each of the following functions returns nothing after reporting an error if the value is invalid.

std::optional<std::string> ReadString(const Value::Entry& entry, ConfigReader& reading);
std::optional<bool> ReadBoolean(const Value::Entry& entry, ConfigReader& reading);

struct WholeRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};
std::optional<std::int64_t> ReadWholeIn(WholeRange range, const Value::Entry& entry,
                                        ConfigReader& reading);

template <typename T>
std::optional<T> ReadWord(std::span<const EnumName<T>> words, const Value::Entry& entry,
                          ConfigReader& reading) {
  std::vector<std::string_view> known;
  for (const EnumName<T>& word : words) known.push_back(word.text);
  const std::string* text = entry.value.AsString();
  if (text == nullptr) {
    reading.Error(entry.value.At(), MustBe(JoinWords(known, "or"), entry));
    return std::nullopt;
  }
  for (const EnumName<T>& word : words) {
    if (word.text == *text) return word.meaning;
  }
  reading.Error(entry.value.At(),
                Concat("unknown ", entry.key, " ", Quoted(*text), Suggestion(*text, known)));
  return std::nullopt;
}

// Returns the text of a string, number or boolean; for any other value, nothing.
std::optional<std::string> ScalarText(const Value& value);

// The names of domains, rules, lists and so on: 1 to 200 characters without control characters.
inline constexpr std::size_t kMaxNameCharacters = 200;
bool CheckName(std::string_view name, Position at, ConfigReader& reading);
std::optional<std::string> ReadName(const Value::Entry& entry, ConfigReader& reading);

// Attribute names: 1 to 100 of A-Z a-z 0-9 _ . -, with header names in lower case.
inline constexpr std::size_t kMaxAttributeBytes = 100;
bool CheckAttribute(std::string_view name, Position at, ConfigReader& reading);

}  // namespace sluice
