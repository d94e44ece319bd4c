// Writes numbers as hexadecimal digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// Appends all 16 digits in lower case, the most significant first.
inline void AppendHexDigits(std::uint64_t bits, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (unsigned shift = 64; shift > 0; shift -= 4) {
    out.push_back(kDigits[(bits >> (shift - 4)) & 15U]);
  }
}

}  // namespace sluice
