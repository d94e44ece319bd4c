// Signals: what the system asks of a program that serves.
#pragma once

#include <cstdint>

#include "sluice/time.h"

namespace sluice::cli {

enum class Asked : std::uint8_t {
  kNothing,  // the time is over
  kReload,   // SIGHUP
  kEnd,      // SIGTERM, SIGINT
};

// Takes SIGHUP, SIGTERM and SIGINT out of their usual course for as long as it lives; they wait
// until somebody asks. SIGPIPE is ignored for good: a reader that goes away is an error of write.
//
// Thread safety: one thread, before it starts others, which then leave these signals alone, too.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  // The next signal, or kNothing after so long.
  Asked WaitFor(Nanos length);
};

}  // namespace sluice::cli
