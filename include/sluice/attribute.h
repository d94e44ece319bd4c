// Attribute: a property of a request, such as "user" = "42".
#pragma once

#include <string_view>

namespace sluice {

// Views bytes that the caller owns. They must stay valid until the call that takes the attribute
// returns.
struct Attribute {
  std::string_view name;
  std::string_view value;
};

}  // namespace sluice
