#include "config/settings/setting_values.h"

namespace sluice {

TrustedProxies LocalProxies() {
  constexpr std::uint32_t kV4Loopback = 127U << 24U;
  return {{{IpAddress::FromV4(kV4Loopback), 8}, {IpAddress{0, 1}, 128}}, true};
}

}  // namespace sluice
