// HeldReplies: replies that leave late, to callers who showed a wrong credential.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "net/event_loop.h"
#include "sluice/time.h"

namespace sluice {

// Slows down guessing without blocking a thread. The number of replies held is bounded, because
// each keeps a connection or stream of its proxy busy: a client of that proxy must not be able to
// use all of them up. Replies beyond the bound leave at once. A caller with the right credential
// never waits.
//
// Thread safety: none; called on the loop's thread. Ownership: the loop outlives it. Replies that
// are held when it is destroyed are not finished.
class HeldReplies {
 public:
  static constexpr Nanos kHoldTime = std::chrono::seconds{1};
  static constexpr std::size_t kMaxHeld = 16;

  // Without a loop nothing is held.
  explicit HeldReplies(EventLoop* loop, Nanos hold_time = kHoldTime)
      : loop_(loop), hold_time_(hold_time) {}

  // Calls `finish` after the hold time, or at once if kMaxHeld replies are held.
  void Hold(EventLoop::Call finish);

 private:
  struct Slot {
    explicit Slot(EventLoop& loop) : timer(loop, [this] { Release(); }) {}
    void Release() { std::exchange(finish, nullptr)(); }

    LoopTimer timer;
    EventLoop::Call finish;  // null while the slot is free
  };

  EventLoop* loop_;
  Nanos hold_time_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace sluice
