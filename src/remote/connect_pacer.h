// ConnectPacer: how often one process connects to one server.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "sluice/time.h"

namespace sluice {

// Every worker has a connection of its own to each server and makes it again on its own. This
// spaces the attempts of all workers, so that a process with many of them is not many times the
// load on a server that comes back.
//
// Thread safety: every method from any thread. Only attempts to reconnect use it, so the lock is
// not on the path of a request.
//
// Invariants
//   (1) The attempts at one server are at least `spacing` apart, from when each was reserved.
//   (2) At most kServersMax servers are remembered, those with the latest attempts.
class ConnectPacer {
 public:
  static constexpr std::size_t kServersMax = 1024;

  explicit ConnectPacer(Nanos spacing = std::chrono::milliseconds{20}) : spacing_(spacing) {}

  // How long to wait for the next attempt at a server, at least `wait`.
  [[nodiscard]] Nanos Reserve(std::string_view server, Nanos wait, Time now);

 private:
  const Nanos spacing_;
  std::mutex mutex_;
  std::map<std::string, Time, std::less<>> free_from_;  // under the mutex
};

}  // namespace sluice
