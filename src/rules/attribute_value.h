// AttributeValue: one attribute of one request while rules are matched.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rules/ip_address.h"

namespace sluice {

// The attribute that holds the caller's address: its values are compared as addresses, and cut
// to a prefix where they make a key. So are those of its aliases.
inline constexpr std::string_view kIpAttribute = "ip";

// The attribute that holds the path of the request. Rules ignore a slash at its end, except for a
// star that has to match the slash; keys are made without it; and a request may have a second form
// of it (MatchedAttributes). The same is true of its aliases.
inline constexpr std::string_view kPathAttribute = "path";

// What the values of an attribute are.
enum class AttributeKind : std::uint8_t { kTexts, kAddresses, kPaths };

// Views the request's bytes, or those of its match. Thread safety: none; it belongs to one match.
class AttributeValue {
 public:
  AttributeValue() = default;
  explicit AttributeValue(std::string_view text) : text_(text), present_(true) {}

  [[nodiscard]] bool present() const { return present_; }
  [[nodiscard]] std::string_view text() const { return text_; }

  // The address it says, or nothing. Read once, however many rules ask.
  [[nodiscard]] const std::optional<IpAddress>& Ip() {
    if (!ip_read_) {
      ip_ = ParseIpAddress(text_);
      ip_read_ = true;
    }
    return ip_;
  }

  // Says the same address as `text` does.
  void Restate(std::string_view text) { text_ = text; }

 private:
  std::string_view text_;
  bool present_ = false;
  bool ip_read_ = false;
  std::optional<IpAddress> ip_;
};

}  // namespace sluice
