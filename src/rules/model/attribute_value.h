// AttributeValue: the value of one attribute of a request, as the rules match it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rules/model/ip_address.h"

namespace sluice {

// The attribute that holds the client's address. Its values are compared as addresses, and a key
// cuts them to a prefix. Aliases of it behave the same way.
inline constexpr std::string_view kIpAttribute = "ip";

// The attribute that holds the request path. Rules ignore a trailing slash, unless a star has to
// match it; keys never contain it. A request may have a second form of its path (see
// MatchedAttributes). Aliases of it behave the same way.
inline constexpr std::string_view kPathAttribute = "path";

// How the values of an attribute are compared.
enum class AttributeKind : std::uint8_t { kTexts, kAddresses, kPaths };

// Does not own its bytes: they belong to the request or to its match. Thread safety: none; it
// belongs to one match.
class AttributeValue {
 public:
  AttributeValue() = default;
  explicit AttributeValue(std::string_view text) : text_(text), present_(true) {}

  [[nodiscard]] bool present() const { return present_; }
  [[nodiscard]] std::string_view text() const { return text_; }

  // Returns the address in the text, or nullopt if the text is not an address. Parses at most once,
  // no matter how many rules ask.
  [[nodiscard]] const std::optional<IpAddress>& Ip() {
    if (!ip_read_) {
      ip_ = ParseIpAddress(text_);
      ip_read_ = true;
    }
    return ip_;
  }

  // Replaces the text by another spelling. REQUIRES: `text` spells the same address.
  void Restate(std::string_view text) { text_ = text; }

 private:
  std::string_view text_;
  bool present_ = false;
  bool ip_read_ = false;
  std::optional<IpAddress> ip_;
};

}  // namespace sluice
