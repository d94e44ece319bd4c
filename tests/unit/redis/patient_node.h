// PatientNode: node settings with long timeouts, because test servers may be suspended together
// with the whole machine.
#pragma once

#include <chrono>

#include "redis/redis_node.h"

namespace sluice {

// A server that is silent for seconds is neither disconnected nor avoided by the breaker.
inline RedisNodeSettings PatientNode() {
  constexpr std::chrono::minutes kLong{1};
  RedisNodeSettings settings;
  settings.connection.timeouts.max_connect = kLong;
  settings.connection.timeouts.max_silence = kLong;
  settings.timeout = kLong;
  return settings;
}

}  // namespace sluice
