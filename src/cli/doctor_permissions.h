// What a user of redis must be allowed, and whether it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor_scene.h"
#include "config/store_url.h"

namespace sluice::cli {

// "~sluice:*", where every key begins with this prefix.
std::string KeyPattern(std::string_view prefix);

// The least that does, as ACL SETUSER takes it: "~sluice:* +ping +evalsha ...".
std::string AclRules(const StoreUrl& url, std::string_view prefix);

// What is missing of it.
struct Permissions {
  std::vector<std::string_view> commands;
  bool lacks_keys = false;
};

// Tries each of them. Nothing is left behind for longer than a minute.
Permissions FindMissing(const StoreUrl& url, const DecidingServer& server);

}  // namespace sluice::cli
