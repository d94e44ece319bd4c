// The rows of the table of settings, by what they are about. Everyone else asks AllSettings.
#pragma once

#include <span>

#include "config/setting.h"

namespace sluice {

// rules, listen, trusted_proxies, admin, tls, callers
std::span<const Setting> ListenerRows();
// store
std::span<const Setting> StoreRows();
// bounds, deadlines, drain, headers, rls, log
std::span<const Setting> ServingRows();

}  // namespace sluice
