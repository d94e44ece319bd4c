// RedisTime: what the wall clock of some redis-servers shows.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/time.h"

namespace sluice::testing {

// A clock that a test sets, for servers that are started with its variables. Until it is first set
// it shows the real time, so that servers can find each other.
//
// Thread safety: none. It outlives the servers.
class RedisTime {
 public:
  // Check is_usable().
  RedisTime();
  RedisTime(const RedisTime&) = delete;
  RedisTime& operator=(const RedisTime&) = delete;
  ~RedisTime();

  [[nodiscard]] bool is_usable() const { return clock_ != nullptr; }

  // What it shows from now on. REQUIRES: whole microseconds.
  void Set(Time now);

  // For RedisProcess.
  [[nodiscard]] std::vector<std::string> variables() const;

 private:
  std::string path_;
  std::atomic<std::int64_t>* clock_ = nullptr;
};

}  // namespace sluice::testing
