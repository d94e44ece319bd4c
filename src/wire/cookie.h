// CookieReader: reads the cookies of a Cookie header field.
#pragma once

#include <optional>
#include <string_view>

namespace sluice {

// A cookie. The value is as it was sent, without surrounding quotes.
struct Cookie {
  std::string_view name;
  std::string_view value;

  friend bool operator==(const Cookie&, const Cookie&) = default;
};

// Reads the cookies of "a=1; b=2" in order. A pair without an equals sign or without a name is
// skipped, as RFC 6265 specifies for Set-Cookie. A name may occur more than once; the caller
// decides which one counts.
//
// Thread safety: none. Views the value of the field.
class CookieReader {
 public:
  explicit CookieReader(std::string_view field_value) : rest_(field_value) {}

  // Returns the next cookie, or nullopt at the end.
  std::optional<Cookie> Next();

 private:
  std::string_view rest_;
};

}  // namespace sluice
