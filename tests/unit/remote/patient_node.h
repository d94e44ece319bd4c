// PatientNode: settings for servers of tests, which may stand still as the whole machine may.
#pragma once

#include <chrono>

#include "remote/redis_node.h"

namespace sluice {

// A server that says nothing for seconds is neither left nor rested from.
inline RedisNodeSettings PatientNode() {
  constexpr std::chrono::minutes kLong{1};
  RedisNodeSettings settings;
  settings.connection.patience.connect_most = kLong;
  settings.connection.patience.silence_most = kLong;
  settings.patience = kLong;
  return settings;
}

}  // namespace sluice
