// LoopUntil: runs an event loop until something is so.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "net/event_loop.h"
#include "sluice/clock.h"
#include "sluice/time.h"

namespace sluice {

// False if that takes too long.
inline bool LoopUntil(EventLoop& loop, const std::function<bool()>& condition,
                      std::chrono::seconds patience = std::chrono::seconds{20}) {
  const std::unique_ptr<Clock> clock = MakeSystemClock();
  const Time deadline = clock->Now() + patience;
  bool is_so = false;
  LoopTimer look(loop, [&] {
    is_so = condition();
    if (is_so || clock->Now() >= deadline) loop.End();
  });
  look.SetEvery(std::chrono::milliseconds{1});
  loop.Run();
  return is_so;
}

// What was sent before has left when this returns, if the system takes it.
inline void LoopOnce(EventLoop& loop) {
  LoopUntil(loop, [] { return true; });
}

}  // namespace sluice
