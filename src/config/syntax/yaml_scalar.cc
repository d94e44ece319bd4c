#include "config/syntax/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text.h"
#include "base/utf8.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 4> kNullWords = {"null", "Null", "NULL", "~"};
constexpr std::array<std::string_view, 3> kTrueWords = {"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> kFalseWords = {"false", "False", "FALSE"};

template <std::size_t size>
bool IsAnyOf(std::string_view text, const std::array<std::string_view, size>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool SkipIf(std::string_view& rest, std::string_view any_of) {
  if (rest.empty() || any_of.find(rest.front()) == std::string_view::npos) return false;
  rest.remove_prefix(1);
  return true;
}

// Skips digits and returns their number.
std::size_t SkipDigits(std::string_view& rest) {
  const std::size_t count = std::min(rest.find_first_not_of("0123456789"), rest.size());
  rest.remove_prefix(count);
  return count;
}

// Returns whether the text is a number by the grammar of RFC 8259.
bool IsNumber(std::string_view rest) {
  SkipIf(rest, "-");
  const bool zero_first = rest.starts_with('0');
  const std::size_t whole = SkipDigits(rest);
  if (whole == 0 || (zero_first && whole > 1)) return false;
  if (SkipIf(rest, ".") && SkipDigits(rest) == 0) return false;
  if (SkipIf(rest, "eE")) {
    SkipIf(rest, "+-");
    if (SkipDigits(rest) == 0) return false;
  }
  return rest.empty();
}

}  // namespace

Value ResolvePlain(const std::string& text, Position at) {
  if (text.empty() || IsAnyOf(text, kNullWords)) return Value(at);
  if (IsAnyOf(text, kTrueWords)) return Value::Boolean(true, at);
  if (IsAnyOf(text, kFalseWords)) return Value::Boolean(false, at);
  return IsNumber(text) ? Value::Number(text, at) : Value::String(text, at);
}

std::string_view NullWordAt(std::string_view text) {
  for (const std::string_view word : kNullWords) {
    if (text.starts_with(word)) return word;
  }
  return {};
}

std::string RepairEscapes(const std::string& text) {
  std::string repaired;
  repaired.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t size = Utf8SizeAt(rest);
    if (size == 0) {
      AppendUtf8(static_cast<unsigned char>(rest.front()), repaired);
    } else {
      repaired += rest.substr(0, size);
    }
    rest.remove_prefix(std::max(size, std::size_t{1}));
  }
  return repaired;
}

std::string ShortTag(std::string_view tag) {
  constexpr std::string_view kCore = "tag:yaml.org,2002:";
  return tag.starts_with(kCore) ? Concat("!!", tag.substr(kCore.size())) : std::string(tag);
}

}  // namespace sluice
