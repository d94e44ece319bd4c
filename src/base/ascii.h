// Character classes of ASCII, independent of the locale, for parsing protocols.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice {

// A set of bytes. A membership test is one load.
//
// Thread safety: a value. The sets below are constants.
class ByteSet {
 public:
  constexpr ByteSet() = default;
  constexpr explicit ByteSet(std::string_view bytes) { *this = With(bytes); }

  [[nodiscard]] constexpr ByteSet With(std::string_view bytes) const {
    ByteSet more = *this;
    for (const char c : bytes) more.has_[static_cast<unsigned char>(c)] = true;
    return more;
  }
  // Adds the bytes from `first` to `last`, both included.
  [[nodiscard]] constexpr ByteSet WithRange(unsigned char first, unsigned char last) const {
    ByteSet more = *this;
    for (std::size_t byte = first; byte <= last; ++byte) more.has_[byte] = true;
    return more;
  }

  [[nodiscard]] constexpr bool Has(char c) const { return has_[static_cast<unsigned char>(c)]; }
  [[nodiscard]] constexpr bool HasAll(std::string_view bytes) const {
    for (const char c : bytes) {
      if (!Has(c)) return false;
    }
    return true;
  }

 private:
  std::array<bool, 256> has_{};
};

inline constexpr ByteSet kDigitBytes = ByteSet().WithRange('0', '9');
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
// Returns true for one or more digits and nothing else.
constexpr bool IsDigits(std::string_view text) { return !text.empty() && kDigitBytes.HasAll(text); }
// Returns true for a space or tab, the optional whitespace (OWS) of HTTP.
constexpr bool IsBlank(char c) { return c == ' ' || c == '\t'; }

constexpr bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

constexpr char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Returns the value of a hexadecimal digit, or -1 if the character is not one.
constexpr int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = ToLower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The "tchar" of RFC 9110: the characters of method and field names.
inline constexpr ByteSet kTokenBytes =
    ByteSet("!#$%&'*+-.^_`|~").WithRange('0', '9').WithRange('A', 'Z').WithRange('a', 'z');

// The characters of a request target: printable ASCII without the space. "#" is excluded because a
// fragment is never sent.
inline constexpr ByteSet kTargetBytes = ByteSet().WithRange('!', '"').WithRange('$', '~');

// Compares ignoring the case of ASCII letters. REQUIRES: `lower` has no capital letters.
constexpr bool EqualsLower(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (ToLower(text[i]) != lower[i]) return false;
  }
  return true;
}

constexpr std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// Removes and returns the text before the first `separator`, and removes the separator too. Returns
// all of `rest` if there is none.
constexpr std::string_view TakeUntil(char separator, std::string_view& rest) {
  const std::size_t found = rest.find(separator);
  const std::string_view taken = rest.substr(0, found);
  rest.remove_prefix(found == std::string_view::npos ? rest.size() : found + 1);
  return taken;
}

}  // namespace sluice
