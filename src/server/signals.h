// Signals: receives the signals that control a server.
#pragma once

#include <cstdint>

#include "sluice/time.h"

namespace sluice::cli {

enum class Asked : std::uint8_t {
  kNothing,  // the timeout has passed
  kReload,   // SIGHUP
  kEnd,      // SIGTERM, SIGINT
};

// Blocks SIGHUP, SIGTERM and SIGINT while it exists, so that they stay pending until WaitFor takes
// them. Ignores SIGPIPE permanently: writing to a closed connection then fails with an error.
//
// Thread safety: for one thread, which must create it before it starts others, so that they inherit
// the blocked signals.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  // Waits for the next signal. Returns kNothing if none arrives within this time.
  Asked WaitFor(Nanos length);
};

}  // namespace sluice::cli
