// Interprets scalars of YAML: null, boolean, number or string.
#pragma once

#include <string>
#include <string_view>

#include "base/value.h"

namespace sluice {

// Returns the value of a plain scalar by the rules in yaml.h.
Value ResolvePlain(const std::string& text, Position at);

// Returns the null word that the text begins with; empty if there is none.
std::string_view NullWordAt(std::string_view text);

// Converts a quoted scalar from yaml-cpp to UTF-8: yaml-cpp writes the escapes \N (U+0085) and \_
// (U+00A0) as single bytes, and no other byte of a checked text is invalid UTF-8.
std::string RepairEscapes(const std::string& text);

// Returns a tag in its usual form: !!int for tag:yaml.org,2002:int.
std::string ShortTag(std::string_view tag);

}  // namespace sluice
