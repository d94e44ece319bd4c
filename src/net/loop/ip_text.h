// IpText: formats an IP address.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Returns the canonical text of an address of 4 or 16 bytes in network order. Empty if `bytes` has
// another length.
std::string IpText(std::string_view bytes);

}  // namespace sluice
