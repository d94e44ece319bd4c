// EventLoop: one thread's wait for descriptors, timers and calls from other threads (epoll).
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "net/loop/connect.h"
#include "sluice/time.h"

namespace sluice {

// Watches descriptors edge-triggered: a watcher is notified once when its descriptor becomes ready,
// and must then use it until it would block, or ask to be called again. A request therefore costs
// no system calls but those that read and write it. Rearming the descriptor before each wait would
// add one, a third of the cost of a small HTTP/1 request.
//
// Thread safety: Post from any thread; everything else from the thread in Run, or before Run.
// Ownership: does not own watchers and their descriptors.
//
// Invariants
//   (1) Each round calls the watchers that are ready, then those that asked to be called again, and
//       then the posted calls. A watcher may therefore be freed by a call that it posts, once its
//       descriptor is closed and its calls of Again have been answered.
//   (2) Posted calls run in order, including those posted before Run.
//   (3) After End, rounds go on until nothing is pending. Then Run may be called again.
class EventLoop {
 public:
  struct Readiness {
    bool input = false;   // there is input to read
    bool ended = false;   // the peer sends no more after the pending input
    bool broken = false;  // the connection failed; nothing can be written either
  };

  class Watcher {
   public:
    Watcher() = default;
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    // Called when the descriptor has become ready. If all of `ready` is false, it is writable.
    virtual void OnReady(const Readiness& ready) = 0;
    // Called once after Again.
    virtual void OnAgain() {}

   protected:
    ~Watcher() = default;
  };

  using Call = std::function<void()>;

  EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop() = default;

  // Returns whether the loop and everything watched so far could be set up. False if the system ran
  // out of descriptors, for example.
  [[nodiscard]] bool is_usable() const { return is_usable_; }

  // Reports input to the watcher until the descriptor is closed or unwatched. Returns false if the
  // system refuses to watch it.
  bool Watch(int descriptor, Watcher& watcher);
  // Reports writability as well from now on. REQUIRES: the descriptor is watched.
  void WatchRoom(int descriptor, Watcher& watcher);
  void Unwatch(int descriptor);

  // Calls OnAgain in this round or the next. REQUIRES: no earlier call of Again is pending for this
  // watcher.
  void Again(Watcher& watcher) { again_.push_back(&watcher); }

  // Runs the call on the loop's thread.
  void Post(Call call);

  // Runs rounds until End has been called and nothing is pending.
  void Run();
  void End() { is_ended_ = true; }

 private:
  static constexpr std::size_t kBatch = 256;

  // Wakes the loop from other threads, by an eventfd.
  class Bell final : public Watcher {
   public:
    Bell();
    void Ring() const;
    void OnReady(const Readiness& ready) override;
    [[nodiscard]] int descriptor() const { return socket_.descriptor(); }

   private:
    Socket socket_;
  };

  bool Control(int operation, int descriptor, std::uint32_t events, Watcher& watcher);
  void CallReady();
  void CallAgain();
  void CallPosted();
  [[nodiscard]] bool HasPosted();

  Socket epoll_;
  Bell bell_;
  std::array<epoll_event, kBatch> batch_{};
  std::vector<Watcher*> again_;
  std::vector<Watcher*> called_again_;  // again_, while this round calls them
  bool is_usable_ = true;
  bool is_ended_ = false;

  std::mutex mutex_;
  std::vector<Call> posted_;  // guarded by mutex_
};

// A timer of an EventLoop.
//
// Thread safety: as its loop. Ownership: the loop must outlive it.
class LoopTimer final : private EventLoop::Watcher {
 public:
  LoopTimer(EventLoop& loop, EventLoop::Call call);
  ~LoopTimer() = default;

  // Calls once, `length` from now. Replaces an earlier setting.
  void SetAfter(Nanos length) { Set(length, Nanos{0}); }
  // Calls every `length`. Replaces an earlier setting.
  void SetEvery(Nanos length) { Set(length, length); }
  void Cancel() { Set(Nanos{0}, Nanos{0}); }

 private:
  void Set(Nanos first, Nanos next);
  void OnReady(const EventLoop::Readiness& ready) override;

  Socket descriptor_;
  EventLoop::Call call_;
};

}  // namespace sluice
