// ConnectPacer: spaces the connection attempts of one process to each server.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "sluice/time.h"

namespace sluice {

// Each worker has its own connection to each server and reconnects independently. The pacer spaces
// the attempts of all workers, so that a process with many workers does not flood a server that has
// just come back.
//
// Thread safety: every method may be called from any thread. Only reconnect attempts use the pacer,
// so its lock is not on the path of a request.
//
// Invariants
//   (1) Attempts at one server are reserved at least `spacing` apart.
//   (2) At most kServersMax servers are remembered: those with the latest reserved attempts.
class ConnectPacer {
 public:
  static constexpr std::size_t kServersMax = 1024;

  explicit ConnectPacer(Nanos spacing = std::chrono::milliseconds{20}) : spacing_(spacing) {}

  // Reserves the next attempt at a server and returns how long to wait for it, at least `wait`.
  [[nodiscard]] Nanos Reserve(std::string_view server, Nanos wait, Time now);

 private:
  const Nanos spacing_;
  std::mutex mutex_;
  std::map<std::string, Time, std::less<>> free_from_;  // guarded by mutex_
};

}  // namespace sluice
