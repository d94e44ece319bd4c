// What every message about a text must be: a sentence, and a place in that text.
#pragma once

#include <string_view>
#include <vector>

#include "core/value.h"

namespace sluice::fuzz {

void MustBeMessage(std::string_view message);

// The places of one text: each character of it, and the end of each of its lines.
class Places {
 public:
  explicit Places(std::string_view text);

  void MustHave(Position at) const;
  // Wherever anything of the tree stands.
  void MustHave(const Value& value) const;

 private:
  std::vector<std::size_t> characters_;  // of each line
};

}  // namespace sluice::fuzz
