// IpText: an IP address as text.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// The one text of the address whose bytes these are, as networks order them: 4 or 16. Empty if
// there are more or fewer.
std::string IpText(std::string_view bytes);

}  // namespace sluice
