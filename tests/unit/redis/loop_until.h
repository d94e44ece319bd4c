// LoopUntil: runs an event loop until a condition is true.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "net/loop/event_loop.h"
#include "sluice/clock.h"
#include "sluice/time.h"

namespace sluice {

// Returns false if the condition is not true within `timeout`.
inline bool LoopUntil(EventLoop& loop, const std::function<bool()>& condition,
                      std::chrono::seconds timeout = std::chrono::seconds{20}) {
  const std::unique_ptr<Clock> clock = MakeSystemClock();
  const Time deadline = clock->Now() + timeout;
  bool is_so = false;
  LoopTimer look(loop, [&] {
    is_so = condition();
    if (is_so || clock->Now() >= deadline) loop.End();
  });
  look.SetEvery(std::chrono::milliseconds{1});
  loop.Run();
  return is_so;
}

// Runs the loop for a moment. Commands sent before have been written when this returns, if the
// system accepts them.
inline void LoopOnce(EventLoop& loop) {
  LoopUntil(loop, [] { return true; });
}

}  // namespace sluice
