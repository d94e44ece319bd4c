// ReadYaml: parses the documents of a YAML text into Value trees with positions.
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>
#include <vector>

#include "base/value.h"
#include "config/syntax/json.h"
#include "config/syntax/secrecy.h"

namespace sluice {

// The maximums are those of JSON, so that what is accepted does not depend on the syntax.
inline constexpr std::size_t kMaxYamlDepth = kMaxJsonDepth;
inline constexpr std::size_t kMaxYamlBytes = kMaxJsonBytes;

// The maximum number of values in one text, including the copies that aliases make and the ones
// kept for anchors: enough for some ten thousand rules of twenty values each. Without it, a few
// hundred bytes of aliases to aliases could exhaust any memory.
inline constexpr std::size_t kMaxYamlNodes = 200'000;

// The maximum number of bytes that aliases copy or that are kept for anchors. A long string is only
// one value, so kMaxYamlNodes does not bound it.
inline constexpr std::size_t kMaxYamlCopiedBytes = std::size_t{16} << 20U;

// Parses every document of the text. A text of only blanks and comments has no documents; an empty
// document is a null. The text is parsed as if its last line ended in a newline.
//
//   - A plain scalar is a null (null, Null, NULL, ~ or nothing), a boolean (true, True, TRUE and
//     likewise for false), a number if it is a number in JSON, kept as its text, and otherwise a
//     string. yes, no, on, off, 0x10, 012, 1_000, +5, .5 and 1:30 are therefore strings: no country
//     code, phone number or time of day turns into something else. Quoted and block scalars are
//     strings, and so is a plain scalar with the tag !!str. Any other tag is rejected.
//   - A key is a scalar and always a string as written, including 123 and true. Repeated keys and
//     the merge key << are rejected.
//   - An alias is a copy of the anchored value, with the positions of that value.
//   - Also rejected: text over `max_bytes`, invalid UTF-8, a byte order mark, control characters,
//     nesting deeper than kMaxYamlDepth, more than the constants above allow, more than
//     kMaxYamlNodes commas and opening brackets anywhere in the text, and a second document that
//     does not begin with '---'.
//
// If the text is secret, errors quote at most a punctuation character of it, and a plain scalar of
// several lines is rejected.
//
// The position of a value is where its text begins, after an anchor or a tag. The position of an
// empty value is where its key, the '-' of its item, or its document begins.
//
// Takes time linear in the text, except for maps: n log n in their keys. Memory: yaml-cpp keeps a
// collection in brackets as tokens until it is closed, so at most some 50 bytes per byte of text
// and 250 for each of kMaxYamlNodes.
// REQUIRES: max_bytes < 2^31, because yaml-cpp counts bytes in an int.
std::variant<std::vector<Value>, PositionedError> ReadYaml(std::string_view text,
                                                           std::size_t max_bytes = kMaxYamlBytes,
                                                           Secrecy secrecy = Secrecy::kOpen);

}  // namespace sluice
