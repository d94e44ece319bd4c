// KeyText: parses what Redis stores under a key whose state is one text.
#pragma once

#include <optional>
#include <string_view>

#include "sluice/time.h"

namespace sluice {

// The parts of the text, as scripts/states.lua describes it. Views into the text.
struct KeyText {
  std::string_view state;  // the tag and the numbers
  std::string_view tag;
  std::optional<Time> kept_until;  // none if nodes with these terms used them last
  std::string_view beside;         // tags, each after a space

  // Returns whether a tag is in `beside`. REQUIRES: `other` has no spaces.
  [[nodiscard]] bool HasBeside(std::string_view other) const;
};

KeyText ReadKeyText(std::string_view text);

}  // namespace sluice
