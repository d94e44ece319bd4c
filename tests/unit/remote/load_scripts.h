// LoadScripts: makes the scripts that decide known to a server.
#pragma once

#include "remote/redis_script.h"
#include "support/redis_server.h"

namespace sluice::testing {

inline void LoadScripts(RedisClient& client) {
  for (const RedisScript* script : {&DecideScript(), &NewTermsScript(), &PermitScript()}) {
    client.Command({"SCRIPT", "LOAD", script->text});
  }
}

}  // namespace sluice::testing
