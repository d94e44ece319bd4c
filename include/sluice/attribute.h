// Attribute: one thing that is known of a request, "user" is "42".
#pragma once

#include <string_view>

namespace sluice {

// Views bytes of the caller's, who keeps them until the call that was given it has returned.
struct Attribute {
  std::string_view name;
  std::string_view value;
};

}  // namespace sluice
