// RunLoad: sends load to a server and measures the answers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "load/key_choice.h"
#include "load/load_session.h"
#include "load/measurements.h"
#include "load/send_schedule.h"
#include "net/loop/connect.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice {

// The load to generate.
struct LoadPlan {
  ServerAddress server;
  LoadSessionFactory make_session;
  std::size_t connections = 1;  // of all threads together; at least one per thread
  std::size_t depth = 1;        // maximum requests in flight per connection
  std::size_t threads = 1;
  LoadAmount amount;
  KeyDistribution distribution = KeyDistribution::kUniform;
  std::uint64_t keys = 1;
  std::uint64_t seed = 1;
  // The maximum time for connecting, and for a connection with requests in flight to go without an
  // answer.
  Nanos timeout{0};
};

// Observes a run. Called on the thread that called RunLoad.
class LoadWatcher {
 public:
  LoadWatcher() = default;
  LoadWatcher(const LoadWatcher&) = delete;
  LoadWatcher& operator=(const LoadWatcher&) = delete;
  virtual ~LoadWatcher() = default;

  // Called once per second with the results of the last second, including the warm-up.
  virtual void OnSecond(const LoadReport& second) = 0;
  // Called ten times per second. Return true to end the run now; requests in flight are then not
  // counted.
  virtual bool WantsEnd() = 0;
};

// Runs to the end. Returns an error if a connection cannot be opened at the start, or if the server
// does not speak the protocol, never answers, closes a connection before its first answer, or is
// unreachable or takes no requests for as long as the timeout.
Result<LoadReport> RunLoad(const LoadPlan& plan, Clock& clock, LoadWatcher& watcher);

}  // namespace sluice
