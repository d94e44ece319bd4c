#include "wire/forwarded.h"

#include <algorithm>

#include "base/ascii.h"

namespace sluice {
namespace {

constexpr ByteSet kAddressBytes =
    ByteSet(".:").WithRange('0', '9').WithRange('A', 'F').WithRange('a', 'f');
constexpr ByteSet kObfuscatedBytes =
    ByteSet("-._").WithRange('0', '9').WithRange('A', 'Z').WithRange('a', 'z');
// Allowed in a value without quotes. Brackets and colons are not token characters, but addresses
// are often sent with them.
constexpr ByteSet kBareBytes = kTokenBytes.With("[]:");
// Allowed inside quotes. Backslash escapes are not, because their meaning in addresses would be a
// guess.
constexpr ByteSet kQuotedBytes =
    ByteSet("\t !").WithRange('#', '[').WithRange(']', '~').WithRange(0x80, 0xFF);

bool IsPort(std::string_view text) {
  constexpr std::size_t kMaxDigits = 5;
  if (text.starts_with('_')) return text.size() > 1 && kObfuscatedBytes.HasAll(text);
  return text.size() <= kMaxDigits && IsDigits(text);
}

// Returns the address of "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]" or
// "[2001:db8::1]:80".
std::optional<std::string_view> WithoutPort(std::string_view text) {
  std::string_view address = text;
  std::string_view port;
  if (text.starts_with('[')) {
    text.remove_prefix(1);
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    address = text.substr(0, close);
    port = text.substr(close + 1);
    if (address.find(':') == std::string_view::npos) return std::nullopt;
  } else if (std::count(text.begin(), text.end(), ':') == 1) {
    address = text.substr(0, text.find(':'));
    port = text.substr(address.size());
  }
  if (!port.empty() && (port.front() != ':' || !IsPort(port.substr(1)))) return std::nullopt;
  if (address.empty() || !kAddressBytes.HasAll(address)) return std::nullopt;
  return address;
}

// Removes and returns the last element that is not empty; returns an empty text if there is none.
std::string_view TakeLast(FieldValues& values, std::string_view& rest) {
  for (;;) {
    if (rest.empty()) {
      if (values.empty()) return {};
      rest = values.back();
      values = values.first(values.size() - 1);
    }
    const std::size_t comma = rest.rfind(',');
    const std::size_t begin = comma == std::string_view::npos ? 0 : comma + 1;
    const std::string_view element = TrimBlanks(rest.substr(begin));
    rest = rest.substr(0, begin == 0 ? 0 : comma);
    if (!element.empty()) return element;
  }
}

// Removes a value, quoted or not, and returns it without quotes.
std::optional<std::string_view> TakeValue(std::string_view& rest) {
  const bool is_quoted = rest.starts_with('"');
  if (is_quoted) rest.remove_prefix(1);
  const ByteSet& allowed = is_quoted ? kQuotedBytes : kBareBytes;
  std::size_t size = 0;
  while (size < rest.size() && allowed.Has(rest[size])) ++size;
  const std::string_view value = rest.substr(0, size);
  rest.remove_prefix(size);
  if (!is_quoted) return value;
  if (!rest.starts_with('"')) return std::nullopt;
  rest.remove_prefix(1);
  return value;
}

// Returns the value of `for` in "for=192.0.2.1;proto=http"; nullopt if the element is malformed.
std::optional<std::string_view> ForOf(std::string_view element) {
  std::optional<std::string_view> found;
  while (!element.empty()) {
    std::size_t size = 0;
    while (size < element.size() && kTokenBytes.Has(element[size])) ++size;
    const std::string_view name = element.substr(0, size);
    element.remove_prefix(size);
    if (name.empty() || !element.starts_with('=')) return std::nullopt;
    element.remove_prefix(1);
    const std::optional<std::string_view> value = TakeValue(element);
    if (!value) return std::nullopt;
    if (EqualsLower(name, "for")) {
      if (found) return std::nullopt;
      found = value;
    }
    element = TrimBlanks(element);
    if (!element.empty() && element.front() != ';') return std::nullopt;
    // The RFC does not allow blanks around semicolons or a trailing semicolon, but some proxies
    // send them.
    element = TrimBlanks(element.substr(element.empty() ? 0 : 1));
  }
  return found;
}

}  // namespace

std::optional<std::string_view> ForwardedForReader::Next() {
  const std::optional<std::string_view> address = WithoutPort(TakeLast(values_, rest_));
  if (!address) *this = ForwardedForReader({});
  return address;
}

std::optional<std::string_view> ForwardedReader::Next() {
  const std::optional<std::string_view> node = ForOf(TakeLast(values_, rest_));
  const std::optional<std::string_view> address = node ? WithoutPort(*node) : std::nullopt;
  if (!address) *this = ForwardedReader({});
  return address;
}

}  // namespace sluice
