// Reading: strict reading of configuration values, with every problem and its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/secrecy.h"
#include "core/config_problem.h"
#include "core/limit.h"
#include "core/limit_words.h"
#include "core/text.h"
#include "core/value.h"
#include "rules/rule_spec.h"

namespace sluice {

// What reading a text needs besides its values: which text it is, where problems go, and time
// zones. Refers to what it is made of, which must outlive it.
class Reading {
 public:
  Reading(std::uint32_t file, const ZoneSource& zones, ConfigProblems& problems)
      : file_(file), zones_(zones), problems_(problems) {}

  void Error(Position at, std::string message) {
    problems_.Error(OriginOf(at), std::move(message));
  }

  // Of all texts so far.
  [[nodiscard]] std::size_t ErrorCount() const { return problems_.ErrorCount(); }

  [[nodiscard]] Origin OriginOf(Position at) const { return {file_, at}; }
  // The keys of a mapping; nothing of another value.
  [[nodiscard]] WrittenKeys KeysOf(const Value& value) const;
  [[nodiscard]] const ZoneSource& Zones() const { return zones_; }

 private:
  std::uint32_t file_;
  const ZoneSource& zones_;
  ConfigProblems& problems_;
};

// A key of a mapping, and how the value under it is read into a T.
template <typename T>
struct Field {
  std::string_view key;
  void (*read)(const Value::Entry& entry, Reading& reading, T& out);
};

// "'cost' must be X, found Y"
std::string MustBe(std::string_view expected, const Value::Entry& entry);

// The mapping it is; null, with an error, where it is none. `what` is "a rule".
const Value::Map* ReadMap(std::string_view what, const Value& value, Reading& reading,
                          Secrecy secrecy = Secrecy::kOpen);
// The list it is; null, with an error, where it is none.
const Value::List* ReadList(const Value::Entry& entry, Reading& reading);

// Reads a mapping key by key. A key that is none of `fields` is an error.
template <typename T>
void ReadFields(const Value::Map& map, std::span<const Field<T>> fields, Reading& reading, T& out) {
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

// Whether the mapping lacks the key, and no key of it that looks like a misspelling, which has been
// reported already.
bool Lacks(const Value::Map& map, std::string_view key);

// Each Read gives nothing where the value is not what it must be, and has then said so.

std::optional<std::string> ReadString(const Value::Entry& entry, Reading& reading);
std::optional<bool> ReadBoolean(const Value::Entry& entry, Reading& reading);

struct WholeRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
std::optional<std::int64_t> ReadWholeIn(WholeRange range, const Value::Entry& entry,
                                        Reading& reading);

template <typename T>
std::optional<T> ReadWord(std::span<const Word<T>> words, const Value::Entry& entry,
                          Reading& reading) {
  std::vector<std::string_view> known;
  for (const Word<T>& word : words) known.push_back(word.text);
  const std::string* text = entry.value.AsString();
  if (text == nullptr) {
    reading.Error(entry.value.At(), MustBe(JoinWords(known, "or"), entry));
    return std::nullopt;
  }
  for (const Word<T>& word : words) {
    if (word.text == *text) return word.meaning;
  }
  reading.Error(entry.value.At(),
                Concat("unknown ", entry.key, " ", Quoted(*text), Suggestion(*text, known)));
  return std::nullopt;
}

// The text of a string, number or boolean; none of anything else.
std::optional<std::string> ScalarText(const Value& value);

// A name that people give to something: 1 to 200 characters, none of them a control character.
inline constexpr std::size_t kNameCharactersMost = 200;
bool CheckName(std::string_view name, Position at, Reading& reading);
std::optional<std::string> ReadName(const Value::Entry& entry, Reading& reading);

// The name of an attribute: 1 to 100 of A-Z a-z 0-9 _ . -, with a header's name in lower case.
inline constexpr std::size_t kAttributeBytesMost = 100;
bool CheckAttribute(std::string_view name, Position at, Reading& reading);

}  // namespace sluice
