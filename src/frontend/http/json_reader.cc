#include "frontend/http/json_reader.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/ascii.h"
#include "base/decimal.h"
#include "base/text.h"
#include "base/utf8.h"
#include "frontend/http/json_plain.h"

namespace sluice {
namespace {

// Up to this many keys are compared pairwise; more are sorted.
constexpr std::size_t kFewKeys = 16;

// Bytes of names that a path shows unquoted.
constexpr ByteSet kNameBytes =
    ByteSet("_-").WithRange('0', '9').WithRange('A', 'Z').WithRange('a', 'z');
constexpr std::size_t kMaxNameBytes = 64;

std::optional<std::uint32_t> ReadHex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    const int digit = HexValue(c);
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<std::uint32_t>(digit);
  }
  return value;
}

std::optional<JsonKind> KindOf(char first) {
  switch (first) {
    case '{':
      return JsonKind::kMap;
    case '[':
      return JsonKind::kList;
    case '"':
      return JsonKind::kString;
    case 't':
    case 'f':
      return JsonKind::kBoolean;
    case 'n':
      return JsonKind::kNull;
    default:
      if (first == '-' || IsDigit(first)) return JsonKind::kNumber;
      return std::nullopt;
  }
}

std::string_view WordsFor(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBoolean:
      return "a boolean";
    case JsonKind::kNumber:
      return "a number";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kList:
      return "a list";
    case JsonKind::kMap:
      return "a map";
  }
  return "";
}

std::string ShownKey(std::string_view key) {
  const bool is_plain = !key.empty() && key.size() <= kMaxNameBytes && kNameBytes.HasAll(key);
  return is_plain ? std::string(key) : Quoted(key);
}

}  // namespace

void JsonReader::Begin(std::string_view text) {
  text_ = text;
  at_ = 0;
  begin_ = 0;
  depth_ = 0;
  keys_.clear();
  unescaped_.clear();
  failed_ = false;
}

bool JsonReader::SkipIf(char c) {
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void JsonReader::SkipBlanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
    ++at_;
  }
}

std::optional<JsonKind> JsonReader::Peek() {
  if (failed_) return std::nullopt;
  SkipBlanks();
  begin_ = at_;
  const std::optional<JsonKind> kind = KindOf(Next());
  if (!kind) FailExpecting("a value");
  return kind;
}

bool JsonReader::Expect(JsonKind kind) {
  const std::optional<JsonKind> found = Peek();
  if (!found) return false;
  if (*found == kind) return true;
  return Fail(Concat("expected ", WordsFor(kind), ", found ", WordsFor(*found)));
}

bool JsonReader::Open(JsonKind kind) {
  if (!Expect(kind)) return false;
  if (depth_ == kMaxDepth) return Fail(Concat("nested deeper than ", kMaxDepth, " levels"));
  levels_[depth_++] = {.kind = kind, .first_key = keys_.size()};
  ++at_;
  return true;
}

bool JsonReader::OpenMap() { return Open(JsonKind::kMap); }

bool JsonReader::OpenList() { return Open(JsonKind::kList); }

bool JsonReader::GoOn(char closing) {
  if (failed_) return false;
  assert(depth_ > 0);
  SkipBlanks();
  Level& level = levels_[depth_ - 1];
  if (SkipIf(closing)) {
    Close();
    return false;
  }
  if (level.begun) {
    if (!SkipIf(',')) return FailExpecting(closing == ']' ? "',' or ']'" : "',' or '}'");
    SkipBlanks();
    ++level.index;
  }
  level.begun = true;
  return true;
}

bool JsonReader::Close() {
  const Level& level = levels_[depth_ - 1];
  if (level.kind == JsonKind::kMap && HasDuplicate(level.first_key)) return false;
  keys_.resize(level.first_key);
  --depth_;
  return true;
}

bool JsonReader::HasDuplicate(std::size_t first_key) {
  const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(first_key);
  const auto again = [&] {
    if (keys_.size() - first_key > kFewKeys) {
      std::sort(first, keys_.end(), [](const Key& a, const Key& b) {
        return a.name != b.name ? a.name < b.name : a.offset > b.offset;
      });
      return std::adjacent_find(first, keys_.end(),
                                [](const Key& a, const Key& b) { return a.name == b.name; });
    }
    for (auto key = first; key != keys_.end(); ++key) {
      const auto earlier = [&](const Key& other) { return other.name == key->name; };
      if (std::find_if(first, key, earlier) != key) return key;
    }
    return keys_.end();
  }();
  if (again == keys_.end()) return false;
  std::swap(*again, keys_.back());  // Field() shows the last key
  FailAt(keys_.back().offset, Concat("duplicate key ", Quoted(keys_.back().name)));
  return true;
}

std::optional<std::string_view> JsonReader::NextKey() {
  if (!GoOn('}')) return std::nullopt;
  begin_ = at_;
  if (Next() != '"') {
    FailExpecting("a key in double quotes");
    return std::nullopt;
  }
  const std::optional<std::string_view> key = ReadText();
  if (!key) return std::nullopt;
  keys_.push_back({*key, begin_});
  SkipBlanks();
  if (!SkipIf(':')) {
    FailExpecting("':'");
    return std::nullopt;
  }
  return key;
}

bool JsonReader::NextItem() { return GoOn(']'); }

std::optional<std::string_view> JsonReader::ReadString() {
  if (!Expect(JsonKind::kString)) return std::nullopt;
  return ReadText();
}

std::optional<std::string_view> JsonReader::ReadText() {
  const std::size_t begin = ++at_;
  at_ = PlainJsonEnd(text_, at_);
  if (Next() == '"') return text_.substr(begin, at_++ - begin);
  return ReadTextSlowly(begin);
}

std::optional<std::string_view> JsonReader::ReadTextSlowly(std::size_t begin) {
  // An unescaped string is never longer than its source, so the reserved capacity suffices for all
  // strings of the text, and views stay valid.
  const std::size_t unescaped = unescaped_.size();
  std::size_t plain = begin;
  while (Next() != '"') {
    if (at_ == text_.size()) {
      FailAt(begin - 1, "this string has no closing quote");
      return std::nullopt;
    }
    if (Next() == '\\') {
      if (unescaped_.capacity() < text_.size()) unescaped_.reserve(text_.size());
      unescaped_.append(text_.substr(plain, at_ - plain));
      if (!ReadEscape()) return std::nullopt;
      plain = at_;
    } else if (!SkipCharacter()) {
      return std::nullopt;
    }
    at_ = PlainJsonEnd(text_, at_);
  }
  const std::string_view rest = text_.substr(plain, at_++ - plain);
  if (plain == begin) return rest;
  unescaped_.append(rest);
  return std::string_view(unescaped_).substr(unescaped);
}

bool JsonReader::SkipCharacter() {
  const std::size_t size = Utf8SizeAt(text_.substr(at_));
  if (size == 0) return FailAt(at_, "this byte is not UTF-8");
  const bool is_control = static_cast<unsigned char>(Next()) < 0x20;
  if (is_control) return FailAt(at_, "a control character must be escaped");
  at_ += size;
  return true;
}

bool JsonReader::ReadEscape() {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const std::size_t begin = at_++;
  if (SkipIf('u')) return ReadUnicodeEscape(begin);
  const std::size_t index =
      at_ == text_.size() ? std::string_view::npos : kLetters.find(text_[at_]);
  if (index == std::string_view::npos) {
    return FailAt(begin, R"(unknown escape; expected \" \\ \/ \b \f \n \r \t or \uXXXX)");
  }
  unescaped_ += kMeanings[index];
  ++at_;
  return true;
}

bool JsonReader::ReadUnicodeEscape(std::size_t begin) {
  const std::optional<std::uint32_t> first = ReadHex4(text_.substr(at_));
  if (!first) return FailAt(begin, "expected four hexadecimal digits after \\u");
  at_ += 4;
  if (*first < 0xD800 || *first > 0xDFFF) {
    AppendUtf8(*first, unescaped_);
    return true;
  }
  const bool has_second = *first < 0xDC00 && text_.substr(at_).starts_with("\\u");
  const auto second = has_second ? ReadHex4(text_.substr(at_ + 2)) : std::nullopt;
  if (!second || *second < 0xDC00 || *second > 0xDFFF) {
    return FailAt(begin, "half of a surrogate pair");
  }
  at_ += 6;
  AppendUtf8(0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00), unescaped_);
  return true;
}

bool JsonReader::ReadWord(std::string_view word) {
  if (!text_.substr(at_).starts_with(word)) return Fail(Concat("expected ", word));
  at_ += word.size();
  return true;
}

std::optional<bool> JsonReader::ReadBoolean() {
  if (!Expect(JsonKind::kBoolean)) return std::nullopt;
  const bool value = Next() == 't';
  if (!ReadWord(value ? "true" : "false")) return std::nullopt;
  return value;
}

bool JsonReader::ReadNull() { return Expect(JsonKind::kNull) && ReadWord("null"); }

bool JsonReader::SkipDigits() {
  const std::size_t begin = at_;
  while (IsDigit(Next())) ++at_;
  return at_ > begin || FailExpecting("a digit");
}

std::optional<std::string_view> JsonReader::ReadNumber() {
  if (!Expect(JsonKind::kNumber)) return std::nullopt;
  SkipIf('-');
  const std::size_t digits = at_;
  if (!SkipDigits()) return std::nullopt;
  if (text_[digits] == '0' && at_ > digits + 1) {
    Fail("a number must not begin with 0");
    return std::nullopt;
  }
  if (SkipIf('.') && !SkipDigits()) return std::nullopt;
  if (SkipIf('e') || SkipIf('E')) {
    if (!SkipIf('+')) SkipIf('-');
    if (!SkipDigits()) return std::nullopt;
  }
  return text_.substr(begin_, at_ - begin_);
}

std::optional<std::string_view> JsonReader::ReadInteger() {
  const std::optional<std::string_view> number = ReadNumber();
  if (!number || number->find_first_of(".eE") == std::string_view::npos) return number;
  Fail(Concat("expected a whole number, found ", Quoted(*number)));
  return std::nullopt;
}

std::optional<std::int64_t> JsonReader::ReadWhole(std::int64_t max) {
  const std::optional<std::string_view> number = ReadNumber();
  if (!number) return std::nullopt;
  const auto read = sluice::ReadWhole(*number);
  const auto* const whole = std::get_if<std::int64_t>(&read);
  if (whole != nullptr && *whole <= max) return *whole;
  Fail(Concat("expected a whole number from 0 to ", max, ", found ", Quoted(*number)));
  return std::nullopt;
}

bool JsonReader::ReadEnd() {
  if (failed_) return false;
  SkipBlanks();
  return at_ == text_.size() || FailExpecting("the end of the text");
}

bool JsonReader::Fail(std::string message) { return FailAt(begin_, std::move(message)); }

bool JsonReader::FailMissing(std::string_view key) {
  if (failed_) return false;
  FailAt(at_, Concat("expected the key ", Quoted(key)));
  if (!fault_.field.empty()) fault_.field += '.';
  fault_.field += key;
  return false;
}

bool JsonReader::FailExpecting(std::string_view expected) {
  const std::string_view rest = text_.substr(at_);
  std::string found;
  if (rest.empty()) {
    found = "the end of the text";
  } else if (rest.starts_with("\xEF\xBB\xBF")) {
    found = "a byte order mark";
  } else {
    const std::size_t size = Utf8SizeAt(rest);
    found = size == 0 ? "a byte that is not UTF-8" : Quoted(rest.substr(0, size));
  }
  return FailAt(at_, Concat("expected ", expected, ", found ", found));
}

bool JsonReader::FailAt(std::size_t offset, std::string message) {
  if (failed_) return false;
  failed_ = true;
  fault_ = {offset, Field(), std::move(message)};
  return false;
}

std::string JsonReader::Field() const {
  std::string field;
  for (std::size_t i = 0; i < depth_; ++i) {
    const Level& level = levels_[i];
    if (level.kind == JsonKind::kList) {
      if (level.begun) field += Concat("[", level.index, "]");
      continue;
    }
    const std::size_t end = i + 1 < depth_ ? levels_[i + 1].first_key : keys_.size();
    if (end == level.first_key) continue;
    if (!field.empty()) field += '.';
    field += ShownKey(keys_[end - 1].name);
  }
  return field;
}

}  // namespace sluice
