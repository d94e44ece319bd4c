// JsonReader: a pull parser for the JSON of request bodies.
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

// A fault in a text, and its place.
struct JsonFault {
  std::size_t offset = 0;  // bytes before it
  std::string field;       // "checks[2].attributes.user"; empty for the whole text
  std::string message;     // "expected a string, found a list"
};

// Reads one text of strict JSON (RFC 8259) in one pass, driven by a caller that knows what it
// should contain. Rule files are parsed into trees of values with their positions
// (config/syntax/json.h). Requests are many and small, so this reader returns each value at once
// and builds nothing.
//
// A map is read as
//
//   if (reader.OpenMap()) while (const auto key = reader.NextKey()) { one value }
//
// and a list in the same way with OpenList and NextItem. Exactly one value is read for each key or
// item.
//
// Thread safety: none. Ownership: views the text, which must outlive it. Results view the text, or
// the reader itself if they had escapes, until the next Begin.
//
// Invariants
//   (1) Bad UTF-8, a byte order mark, half a surrogate pair, control characters in strings,
//       trailing commas, repeated keys, leading zeros and anything else that the grammar does not
//       allow are faults, and so is nesting deeper than kMaxDepth.
//   (2) After the first fault, every read returns nothing, and the fault stays.
//   (3) Numbers are never rounded: they are whole, or refused.
//   (4) Once it has seen the longest text with escapes and the widest map, it allocates nothing
//       except for faults.
//   (5) Time is linear in the text, except for maps: n log n in their keys.
class JsonReader {
 public:
  static constexpr std::size_t kMaxDepth = 16;

  void Begin(std::string_view text);

  // Returns the kind of the next value, by its first byte.
  std::optional<JsonKind> Peek();

  // Each opens the next value, which must be of this kind.
  bool OpenMap();
  bool OpenList();
  // Returns the next key of the innermost map. At the end of the map, closes it and returns
  // nothing.
  std::optional<std::string_view> NextKey();
  // Returns whether the innermost list has another item. If not, closes the list.
  bool NextItem();

  std::optional<std::string_view> ReadString();
  std::optional<bool> ReadBoolean();
  bool ReadNull();
  // Reads a number without fraction and exponent. Returns it as it is written.
  std::optional<std::string_view> ReadInteger();
  // Reads a whole number from 0 to `most`.
  std::optional<std::int64_t> ReadWhole(std::int64_t max);

  // Returns whether nothing but blanks follows the value.
  bool ReadEnd();

  // Reports that the value read last is invalid for the caller. Returns false.
  bool Fail(std::string message);
  // Reports that the map that ended last, or the innermost value, lacks this key. Returns false.
  bool FailMissing(std::string_view key);

  [[nodiscard]] bool ok() const { return !failed_; }
  // REQUIRES: !ok().
  [[nodiscard]] const JsonFault& fault() const { return fault_; }

 private:
  struct Key {
    std::string_view name;
    std::size_t offset = 0;
  };
  // An open list or map.
  struct Level {
    JsonKind kind = JsonKind::kMap;
    bool begun = false;         // it has had a key or an item
    std::size_t index = 0;      // position of the current item
    std::size_t first_key = 0;  // its keys begin here in keys_
  };

  [[nodiscard]] char Next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool SkipIf(char c);
  void SkipBlanks();
  // Stores where the next value begins, and fails if it is of another kind.
  bool Expect(JsonKind kind);
  bool Open(JsonKind kind);
  // Returns whether another member follows in the innermost level. If not, closes it or fails.
  bool GoOn(char closing);
  bool Close();
  bool HasDuplicate(std::size_t first_key);

  std::optional<std::string_view> ReadText();
  std::optional<std::string_view> ReadTextSlowly(std::size_t begin);
  // Skips a character of a string that is neither plain nor an escape.
  bool SkipCharacter();
  bool ReadEscape();
  bool ReadUnicodeEscape(std::size_t begin);
  bool ReadWord(std::string_view word);
  bool SkipDigits();
  // Reads the number at the cursor, whole or not.
  std::optional<std::string_view> ReadNumber();

  // Fails with "expected X, found Y" at the cursor.
  bool FailExpecting(std::string_view expected);
  bool FailAt(std::size_t offset, std::string message);
  [[nodiscard]] std::string Field() const;

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  // start of the key or value that was read last
  std::size_t depth_ = 0;
  std::array<Level, kMaxDepth> levels_;
  std::vector<Key> keys_;  // keys of all open maps, the innermost map last
  std::string unescaped_;  // strings that had escapes, appended; never reallocated within a text
  bool failed_ = false;
  JsonFault fault_;
};

}  // namespace sluice
