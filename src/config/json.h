// ReadJson: strict JSON (RFC 8259) into a Value tree that knows where everything stood.
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>

#include "config/secrecy.h"
#include "core/value.h"

namespace sluice {

// Lists and maps inside one another, at most.
inline constexpr std::size_t kJsonDepthMost = 64;

// Rule files are far smaller. A tree takes at most some 50 bytes for each byte of text.
inline constexpr std::size_t kJsonBytesMost = std::size_t{4} << 20U;

// Reads one value and nothing after it.
//   - Refused: text over `bytes_most`, bad UTF-8 or a byte order mark, repeated keys, nesting
//     deeper than kJsonDepthMost, half a surrogate pair, control characters in a string, and
//     whatever else the grammar does not allow.
//   - Numbers are kept as their text, of any length.
//   - Of a text that is secret no error quotes more than a sign.
// Time is linear in the text but for maps, n log n in their keys.
std::variant<Value, PositionedError> ReadJson(std::string_view text,
                                              std::size_t bytes_most = kJsonBytesMost,
                                              Secrecy secrecy = Secrecy::kOpen);

}  // namespace sluice
