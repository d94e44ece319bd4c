// RunLoad: sends load to a server and measures what comes back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "load/key_choice.h"
#include "load/load_session.h"
#include "load/measurements.h"
#include "load/send_schedule.h"
#include "net/connect.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice {

// What is to be sent, and how.
struct LoadPlan {
  ServerAddress server;
  LoadSessionFactory make_session;
  std::size_t connections = 1;  // of all threads together; at least one for each
  std::size_t depth = 1;        // requests under way on one connection, at most
  std::size_t threads = 1;
  LoadAmount amount;
  KeyDistribution distribution = KeyDistribution::kUniform;
  std::uint64_t keys = 1;
  std::uint64_t seed = 1;
  // How long a connection may take to make, and may be without an answer while it is asked
  // something.
  Nanos timeout{0};
};

// Who looks on. Called on the thread that called RunLoad.
class LoadWatcher {
 public:
  LoadWatcher() = default;
  LoadWatcher(const LoadWatcher&) = delete;
  LoadWatcher& operator=(const LoadWatcher&) = delete;
  virtual ~LoadWatcher() = default;

  // What became of the last second, warm-up or not.
  virtual void OnSecond(const LoadReport& second) = 0;
  // Asked ten times a second: whether the run is to end now. What is under way is then not counted.
  virtual bool WantsEnd() = 0;
};

// Runs to the end. An error where no connection can be made at first, the server does not speak the
// protocol, never answers, closes without ever having answered, or is gone or takes no requests for
// as long as the timeout.
Result<LoadReport> RunLoad(const LoadPlan& plan, Clock& clock, LoadWatcher& watcher);

}  // namespace sluice
