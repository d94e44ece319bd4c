// CookieReader: the cookies of a Cookie field.
#pragma once

#include <optional>
#include <string_view>

namespace sluice {

// The value is as it was sent but for quotes around it.
struct Cookie {
  std::string_view name;
  std::string_view value;

  friend bool operator==(const Cookie&, const Cookie&) = default;
};

// Reads the cookies of "a=1; b=2" in order. What has no equals sign or no name is none, as RFC 6265
// has it for what sets them. The same name may come again: which one counts is up to the caller.
//
// Thread safety: none. Views the value of the field.
class CookieReader {
 public:
  explicit CookieReader(std::string_view field_value) : rest_(field_value) {}

  // None at the end.
  std::optional<Cookie> Next();

 private:
  std::string_view rest_;
};

}  // namespace sluice
