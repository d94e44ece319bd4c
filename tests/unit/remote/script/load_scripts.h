// LoadScripts: loads the scripts for states into a server.
#pragma once

#include "remote/script/redis_scripts.h"
#include "support/redis_server.h"

namespace sluice::testing {

inline void LoadScripts(RedisClient& client) {
  for (const RedisScript* script : {&DecideScript(), &NewTermsScript(), &PermitScript()}) {
    client.Command({"SCRIPT", "LOAD", script->text});
  }
}

}  // namespace sluice::testing
