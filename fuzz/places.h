// Checks of error messages: each must be a readable sentence and refer to a position within its
// text.
#pragma once

#include <string_view>
#include <vector>

#include "base/value.h"

namespace sluice::fuzz {

void MustBeMessage(std::string_view message);

// The valid positions in a text: each character, and the end of each line.
class Places {
 public:
  explicit Places(std::string_view text);

  void MustHave(Position at) const;
  // Checks the positions of all values in the tree.
  void MustHave(const Value& value) const;

 private:
  std::vector<std::size_t> characters_;  // per line
};

}  // namespace sluice::fuzz
