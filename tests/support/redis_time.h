// RedisTime: the wall clock of one or more redis-servers.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/time.h"

namespace sluice::testing {

// A clock that the test sets, for servers that are started with its variables. Until it is first
// set it shows the real time, so that servers can find each other.
//
// Thread safety: none. It must outlive the servers.
class RedisTime {
 public:
  // Check is_usable() afterwards.
  RedisTime();
  RedisTime(const RedisTime&) = delete;
  RedisTime& operator=(const RedisTime&) = delete;
  ~RedisTime();

  [[nodiscard]] bool is_usable() const { return clock_ != nullptr; }

  // Sets the wall clock of the servers. REQUIRES: whole microseconds.
  void Set(Time now);

  // Returns the environment variables for RedisProcess.
  [[nodiscard]] std::vector<std::string> variables() const;

 private:
  std::string path_;
  std::atomic<std::int64_t>* clock_ = nullptr;
};

}  // namespace sluice::testing
