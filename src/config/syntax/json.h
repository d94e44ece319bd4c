// ReadJson: parses strict JSON (RFC 8259) into a Value tree with positions.
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>

#include "base/value.h"
#include "config/syntax/secrecy.h"

namespace sluice {

// The maximum nesting depth of lists and maps.
inline constexpr std::size_t kMaxJsonDepth = 64;

// The maximum size of a text; rule files are far smaller. A tree takes at most some 50 bytes per
// byte of text.
inline constexpr std::size_t kMaxJsonBytes = std::size_t{4} << 20U;

// Parses a text that contains exactly one value.
//   - Rejects text over `max_bytes`, invalid UTF-8, a byte order mark, repeated keys, nesting
//     deeper than kMaxJsonDepth, unpaired surrogates, control characters in strings, and anything
//     else that the grammar does not allow.
//   - Keeps numbers as text, of any length.
//   - If the text is secret, errors quote at most a punctuation character of it.
// Takes time linear in the text, except for maps: n log n in their keys.
std::variant<Value, PositionedError> ReadJson(std::string_view text,
                                              std::size_t max_bytes = kMaxJsonBytes,
                                              Secrecy secrecy = Secrecy::kOpen);

}  // namespace sluice
