// The permissions that the Redis user needs, and whether it has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/settings/store_url.h"
#include "doctor/doctor_context.h"

namespace sluice::cli {

// Returns the key pattern of an ACL for keys with this prefix: "~sluice:*".
std::string KeyPattern(std::string_view prefix);

// Returns the minimum rules for ACL SETUSER: "~sluice:* +ping +evalsha ...".
std::string AclRules(const StoreUrl& url, std::string_view prefix);

// The permissions that the user lacks.
struct Permissions {
  std::vector<std::string_view> commands;
  bool lacks_keys = false;
};

// Tries every permission. Leaves nothing behind for longer than a minute.
Permissions FindMissing(const StoreUrl& url, const DecidingServer& server);

}  // namespace sluice::cli
