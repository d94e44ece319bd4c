// KeyText: what Redis holds under a key that has a state as one text.
#pragma once

#include <optional>
#include <string_view>

#include "sluice/time.h"

namespace sluice {

// The text of first terms, as scripts/states.lua describes it. Views the text.
struct KeyText {
  std::string_view state;  // the tag and the numbers
  std::string_view tag;
  std::optional<Time> kept_until;  // nothing where the terms were last asked for by their own
  std::string_view beside;         // tags, each after a space

  // REQUIRES: a tag without spaces.
  [[nodiscard]] bool HasBeside(std::string_view other) const;
};

KeyText ReadKeyText(std::string_view text);

}  // namespace sluice
