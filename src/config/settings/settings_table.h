// The rows of the settings table, in three parts. All other code uses AllSettings.
#pragma once

#include <span>

#include "config/settings/setting.h"

namespace sluice {

// Returns the rows of rules, listen, proxy_protocol, trusted_proxies, core_dumps, client_header,
// unknown_domain, admin, tls and callers.
std::span<const Setting> ListenerRows();
// Returns the rows of store.
std::span<const Setting> StoreRows();
// Returns the rows of bounds, deadlines, drain, headers, rls and log.
std::span<const Setting> ServingRows();

}  // namespace sluice
