// JsonReader: the JSON of request bodies, read value by value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

enum class JsonKind : std::uint8_t { kNull, kBoolean, kNumber, kString, kList, kMap };

// What is wrong with a text, and where.
struct JsonFault {
  std::size_t offset = 0;  // bytes before it
  std::string field;       // "checks[2].attributes.user"; empty where it is the whole
  std::string message;     // "expected a string, found a list"
};

// Reads one text of strict JSON (RFC 8259) in one pass, driven by whoever knows what it should
// hold. Rule files are read into trees of values that remember where they stood (config/json.h);
// requests are many and small, so what is read here is handed over at once and nothing is built.
//
// A map is read as
//
//   if (reader.OpenMap()) while (const auto key = reader.NextKey()) { one value }
//
// and a list likewise. Exactly one value is read for each key or item.
//
// Thread safety: none. Ownership: views the text, which must stay; what it returns views that, or
// the reader itself where there were escapes, until the next Begin.
//
// Invariants
//   (1) Refused are bad UTF-8, a byte order mark, half a surrogate pair, control characters in
//       strings, trailing commas, repeated keys, leading zeros and whatever else the grammar does
//       not allow, and nesting deeper than kDepthMost.
//   (2) After the first fault everything that is read is none, and the fault stays.
//   (3) Numbers are never rounded: they are whole, or refused.
//   (4) Once it has seen the longest text with escapes and the widest map it allocates nothing,
//       but for faults.
//   (5) Time is linear in the text but for maps, n log n in their keys.
class JsonReader {
 public:
  static constexpr std::size_t kDepthMost = 16;

  void Begin(std::string_view text);

  // What the next value is, by its first byte.
  std::optional<JsonKind> Peek();

  // Each begins what the next value must be.
  bool OpenMap();
  bool OpenList();
  // The next key of the innermost map; none at its end, which is then behind.
  std::optional<std::string_view> NextKey();
  // Whether the innermost list has another item; if not, its end is behind.
  bool NextItem();

  std::optional<std::string_view> ReadString();
  std::optional<bool> ReadBoolean();
  bool ReadNull();
  // A number without fraction and exponent, as it is written.
  std::optional<std::string_view> ReadInteger();
  // The same from 0 to `most`.
  std::optional<std::int64_t> ReadWhole(std::int64_t most);

  // After the value: whether nothing but blanks follows.
  bool ReadEnd();

  // Says that what was read last is wrong in the eyes of the caller; false.
  bool Fail(std::string message);
  // Says that the map that ended last, or the innermost value, lacks this key; false.
  bool FailMissing(std::string_view key);

  [[nodiscard]] bool ok() const { return !failed_; }
  // REQUIRES: !ok().
  [[nodiscard]] const JsonFault& fault() const { return fault_; }

 private:
  struct Key {
    std::string_view name;
    std::size_t offset = 0;
  };
  // A list or map that is open.
  struct Level {
    JsonKind kind = JsonKind::kMap;
    bool begun = false;         // it has had a key or an item
    std::size_t index = 0;      // of the item
    std::size_t first_key = 0;  // its keys are those of keys_ from here
  };

  [[nodiscard]] char Next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool SkipIf(char c);
  void SkipBlanks();
  // Notes where the next value begins, and fails if it is not of this kind.
  bool Expect(JsonKind kind);
  bool Open(JsonKind kind);
  // Whether another member follows in the innermost level; if not it is closed, or has failed.
  bool GoOn(char closing);
  bool Close();
  bool HasDuplicate(std::size_t first_key);

  std::optional<std::string_view> ReadText();
  std::optional<std::string_view> ReadTextSlowly(std::size_t begin);
  // One of a string, that is neither plain nor an escape.
  bool SkipCharacter();
  bool ReadEscape();
  bool ReadUnicodeEscape(std::size_t begin);
  bool ReadWord(std::string_view word);
  bool SkipDigits();
  // The number at the cursor, whole or not.
  std::optional<std::string_view> ReadNumber();

  // "expected X, found Y" at the cursor.
  bool FailExpecting(std::string_view expected);
  bool FailAt(std::size_t offset, std::string message);
  [[nodiscard]] std::string Field() const;

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  // of the key or value that was read last
  std::size_t depth_ = 0;
  std::array<Level, kDepthMost> levels_;
  std::vector<Key> keys_;  // of all open maps, the innermost last
  std::string unescaped_;  // strings that had escapes, one after another; never moves in a text
  bool failed_ = false;
  JsonFault fault_;
};

}  // namespace sluice
