#include "config/syntax/json.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "config/syntax/duplicate_key.h"

namespace sluice {
namespace {

constexpr char kEnd = '\0';

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A position in the text that keeps track of line and column.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool AtEnd() const { return rest_.empty(); }
  // Returns the next byte, or kEnd at the end of the text; kEnd is not a valid byte outside strings
  // either.
  [[nodiscard]] char Next() const { return rest_.empty() ? kEnd : rest_.front(); }
  [[nodiscard]] std::string_view Rest() const { return rest_; }
  [[nodiscard]] Position Here() const { return here_; }

  void Skip(std::size_t bytes) {
    for (const char c : rest_.substr(0, bytes)) {
      if (c == '\n') {
        ++here_.line;
        here_.column = 1;
      } else if (!IsUtf8Continuation(c)) {
        ++here_.column;
      }
    }
    rest_.remove_prefix(std::min(bytes, rest_.size()));
  }

  bool SkipIf(char c) {
    if (AtEnd() || rest_.front() != c) return false;
    Skip(1);
    return true;
  }

  void SkipBlanks() {
    const std::size_t end = rest_.find_first_not_of(" \t\r\n");
    Skip(end == std::string_view::npos ? rest_.size() : end);
  }

  // Skips digits and returns their number.
  std::size_t SkipDigits() {
    const auto* const end = std::find_if_not(rest_.begin(), rest_.end(), IsDigit);
    const auto count = static_cast<std::size_t>(end - rest_.begin());
    Skip(count);
    return count;
  }

 private:
  std::string_view rest_;
  Position here_{1, 1};
};

std::optional<std::uint32_t> ReadHex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    std::uint32_t digit = 0;
    if (IsDigit(c)) {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<std::uint32_t>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<std::uint32_t>(c - 'A') + 10;
    } else {
      return std::nullopt;
    }
    value = value * 16 + digit;
  }
  return value;
}

class JsonReader {
 public:
  JsonReader(std::string_view text, Secrecy secrecy) : cursor_(text), secrecy_(secrecy) {}

  std::variant<Value, PositionedError> ReadDocument() {
    Value value;
    cursor_.SkipBlanks();
    if (!ReadValue(value)) return error_;
    cursor_.SkipBlanks();
    if (!cursor_.AtEnd()) {
      Fail("the end of the text");
      return error_;
    }
    return value;
  }

 private:
  // Each Read function returns false after setting error_.

  // Reports "expected X, found Y" at the cursor.
  bool Fail(std::string_view expected) {
    return FailAt(cursor_.Here(), Concat("expected ", expected, ", found ", Found()));
  }

  bool FailAt(Position at, std::string message) {
    error_ = {at, std::move(message)};
    return false;
  }

  // Describes the whole character at the cursor.
  [[nodiscard]] std::string Found() const {
    if (cursor_.AtEnd()) return "the end of the text";
    const std::size_t size = Utf8SizeAt(cursor_.Rest());
    if (size == 0) return "a byte that is not UTF-8";
    if (cursor_.Rest().starts_with("\xEF\xBB\xBF")) return "a byte order mark";
    return QuotedSign(cursor_.Rest().substr(0, size), secrecy_);
  }

  bool ReadValue(Value& out) {
    const Position at = cursor_.Here();
    switch (cursor_.Next()) {
      case '{':
        return ReadMap(out);
      case '[':
        return ReadList(out);
      case '"': {
        std::string text;
        if (!ReadString(text)) return false;
        out = Value::String(std::move(text), at);
        return true;
      }
      case 't':
        out = Value::Boolean(true, at);
        return ReadWord("true");
      case 'f':
        out = Value::Boolean(false, at);
        return ReadWord("false");
      case 'n':
        out = Value(at);
        return ReadWord("null");
      default:
        return ReadNumber(out);
    }
  }

  bool ReadWord(std::string_view word) {
    if (!cursor_.Rest().starts_with(word)) {
      return FailAt(cursor_.Here(), Concat("expected a value, such as ", word));
    }
    cursor_.Skip(word.size());
    return true;
  }

  bool ReadNumber(Value& out) {
    const Position at = cursor_.Here();
    const std::string_view from = cursor_.Rest();
    if (!cursor_.SkipIf('-') && !IsDigit(cursor_.Next())) return Fail("a value");
    if (!ReadDigits(Digits::kNoLeadingZero)) return false;
    if (cursor_.SkipIf('.') && !ReadDigits(Digits::kAny)) return false;
    if (cursor_.SkipIf('e') || cursor_.SkipIf('E')) {
      if (!cursor_.SkipIf('+')) cursor_.SkipIf('-');
      if (!ReadDigits(Digits::kAny)) return false;
    }
    out = Value::Number(std::string(from.substr(0, from.size() - cursor_.Rest().size())), at);
    return true;
  }

  enum class Digits : std::uint8_t { kAny, kNoLeadingZero };

  bool ReadDigits(Digits kind) {
    const Position at = cursor_.Here();
    const bool zero_first = cursor_.Next() == '0';
    const std::size_t count = cursor_.SkipDigits();
    if (count == 0) return Fail("a digit");
    if (kind == Digits::kNoLeadingZero && zero_first && count > 1) {
      return FailAt(at, "a number must not begin with 0");
    }
    return true;
  }

  bool ReadString(std::string& out) {
    const Position opened = cursor_.Here();
    cursor_.Skip(1);
    while (!cursor_.SkipIf('"')) {
      if (cursor_.AtEnd()) return FailAt(opened, "this string has no closing quote");
      if (!(cursor_.Next() == '\\' ? ReadEscape(out) : ReadPlain(out))) return false;
    }
    return true;
  }

  // Reads the characters up to the next quote or escape.
  bool ReadPlain(std::string& out) {
    const std::string_view rest = cursor_.Rest();
    std::size_t size = 0;
    while (size < rest.size() && rest[size] != '"' && rest[size] != '\\') {
      const std::size_t step = Utf8SizeAt(rest.substr(size));
      const bool is_control = static_cast<unsigned char>(rest[size]) < 0x20;
      if (step == 0 || is_control) {
        cursor_.Skip(size);
        return FailAt(cursor_.Here(),
                      step == 0 ? "this byte is not UTF-8" : "a control character must be escaped");
      }
      size += step;
    }
    out += rest.substr(0, size);
    cursor_.Skip(size);
    return true;
  }

  bool ReadEscape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const Position at = cursor_.Here();
    cursor_.Skip(1);
    if (cursor_.SkipIf('u')) return ReadUnicodeEscape(at, out);
    const std::size_t index =
        cursor_.AtEnd() ? std::string_view::npos : kLetters.find(cursor_.Next());
    if (index == std::string_view::npos) {
      return FailAt(at, "unknown escape; expected \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\uXXXX");
    }
    out += kMeanings[index];
    cursor_.Skip(1);
    return true;
  }

  bool ReadUnicodeEscape(Position at, std::string& out) {
    const std::optional<std::uint32_t> first = ReadHex4(cursor_.Rest());
    if (!first) return FailAt(at, "expected four hexadecimal digits after \\u");
    cursor_.Skip(4);
    if (*first < 0xD800 || *first > 0xDFFF) {
      AppendUtf8(*first, out);
      return true;
    }
    const bool has_second = *first < 0xDC00 && cursor_.Rest().starts_with("\\u");
    const auto second = has_second ? ReadHex4(cursor_.Rest().substr(2)) : std::nullopt;
    if (!second || *second < 0xDC00 || *second > 0xDFFF) {
      return FailAt(at, "half of a surrogate pair");
    }
    cursor_.Skip(6);
    AppendUtf8(0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00), out);
    return true;
  }

  // Enters a nested value; the caller decrements depth_ afterwards.
  bool Open() {
    if (depth_ == kMaxJsonDepth) {
      return FailAt(cursor_.Here(), Concat("nested deeper than ", kMaxJsonDepth, " levels"));
    }
    ++depth_;
    cursor_.Skip(1);
    cursor_.SkipBlanks();
    return true;
  }

  // Reads what follows a member: a comma, or the closing bracket, which sets `closed`. Returns
  // false on anything else.
  bool ReadSeparator(char closing, bool& closed) {
    cursor_.SkipBlanks();
    closed = cursor_.SkipIf(closing);
    if (closed) return true;
    if (!cursor_.SkipIf(',')) return Fail(closing == ']' ? "',' or ']'" : "',' or '}'");
    cursor_.SkipBlanks();
    return true;
  }

  bool ReadList(Value& out) {
    const Position at = cursor_.Here();
    if (!Open()) return false;
    Value::List items;
    bool closed = cursor_.SkipIf(']');
    while (!closed) {
      if (!ReadValue(items.emplace_back()) || !ReadSeparator(']', closed)) return false;
    }
    --depth_;
    out = Value::MakeList(std::move(items), at);
    return true;
  }

  bool ReadMap(Value& out) {
    const Position at = cursor_.Here();
    if (!Open()) return false;
    Value::Map entries;
    bool closed = cursor_.SkipIf('}');
    while (!closed) {
      if (!ReadEntry(entries.emplace_back()) || !ReadSeparator('}', closed)) return false;
    }
    --depth_;
    if (const Value::Entry* again = FindDuplicateKey(entries)) {
      return FailAt(again->key_at, DuplicateKey(again->key, secrecy_));
    }
    out = Value::MakeMap(std::move(entries), at);
    return true;
  }

  bool ReadEntry(Value::Entry& entry) {
    entry.key_at = cursor_.Here();
    if (cursor_.Next() != '"') return Fail("a key in double quotes");
    if (!ReadString(entry.key)) return false;
    cursor_.SkipBlanks();
    if (!cursor_.SkipIf(':')) return Fail("':'");
    cursor_.SkipBlanks();
    return ReadValue(entry.value);
  }

  Cursor cursor_;
  Secrecy secrecy_;
  std::size_t depth_ = 0;
  PositionedError error_;
};

}  // namespace

std::variant<Value, PositionedError> ReadJson(std::string_view text, std::size_t max_bytes,
                                              Secrecy secrecy) {
  if (text.size() > max_bytes) {
    return PositionedError{
        {}, Concat("the text is ", text.size(), " bytes long, at most ", max_bytes, " are read")};
  }
  return JsonReader(text, secrecy).ReadDocument();
}

}  // namespace sluice
