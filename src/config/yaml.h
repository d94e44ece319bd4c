// ReadYaml: the documents of a YAML text as Value trees that know where everything stood.
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>
#include <vector>

#include "config/json.h"
#include "config/secrecy.h"
#include "core/value.h"

namespace sluice {

// The same as for JSON, so that what is too deep or too long does not depend on the notation.
inline constexpr std::size_t kYamlDepthMost = kJsonDepthMost;
inline constexpr std::size_t kYamlBytesMost = kJsonBytesMost;

// Values in one text, counting again what aliases repeat and what is kept for them: some ten
// thousand rules of twenty values each. Without it a few hundred bytes of aliases to aliases fill
// any memory.
inline constexpr std::size_t kYamlNodesMost = 200'000;

// Bytes of text that aliases repeat or that are kept for them: a long string is but one value.
inline constexpr std::size_t kYamlCopiedBytesMost = std::size_t{16} << 20U;

// Reads every document of the text: none where it holds nothing but blanks and comments, a null
// where a document is empty. The text is read as if its last line ended in a newline.
//
//   - A plain scalar is a null (null, Null, NULL, ~ or nothing), a boolean (true, True, TRUE and
//     so for false), a number where it is one of JSON's, kept as its text, and else a string. So
//     yes, no, on, off, 0x10, 012, 1_000, +5, .5 and 1:30 are strings: nobody's country code,
//     phone number or time of day becomes something else. Quoted and block scalars are strings,
//     and so is a plain one with the tag !!str. Any other tag is refused.
//   - A key is a scalar and always a string, as written: 123 and true, too. Repeated keys are
//     refused, and so is the merge key <<.
//   - An alias is a copy of what its anchor named, with the positions of that.
//   - Refused, too: text over `bytes_most`, bad UTF-8 or a byte order mark, control characters,
//     nesting deeper than kYamlDepthMost, more than the constants above allow, more than
//     kYamlNodesMost commas and opening brackets wherever they stand, and a second document that
//     does not begin with '---'.
//
// Of a text that is secret no error quotes more than a sign, and a plain scalar of several lines is
// refused.
//
// A value stands where its text begins, past an anchor or a tag; an empty one where its key, the
// '-' of its item, or its document begins.
//
// Time is linear in the text but for maps, n log n in their keys. Memory: yaml-cpp holds a
// collection in brackets as tokens until it is closed, so at most some 50 bytes for each byte of
// text and 250 for each of kYamlNodesMost.
// REQUIRES: bytes_most < 2^31, which is how far yaml-cpp counts.
std::variant<std::vector<Value>, PositionedError> ReadYaml(std::string_view text,
                                                           std::size_t bytes_most = kYamlBytesMost,
                                                           Secrecy secrecy = Secrecy::kOpen);

}  // namespace sluice
