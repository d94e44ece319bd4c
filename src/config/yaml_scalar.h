// What a scalar of YAML means: null, boolean, number or string.
#pragma once

#include <string>
#include <string_view>

#include "core/value.h"

namespace sluice {

// The value of a plain scalar, by the rules in yaml.h.
Value ResolvePlain(const std::string& text, Position at);

// The word for null, of those a plain scalar may be, that the text begins with; empty if none.
std::string_view NullWordAt(std::string_view text);

// The text of a quoted scalar as yaml-cpp gives it, in UTF-8: it writes the escapes \N (U+0085)
// and \_ (U+00A0) as single bytes, which nothing else in a checked text can be.
std::string RepairEscapes(const std::string& text);

// A tag as it is mostly written: !!int for tag:yaml.org,2002:int.
std::string ShortTag(std::string_view tag);

}  // namespace sluice
