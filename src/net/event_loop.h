// EventLoop: what one thread waits for.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "net/connect.h"
#include "sluice/time.h"

namespace sluice {

// Waits for descriptors, for calls from other threads and for times.
//
// A watcher hears that its descriptor has become ready, once: it has to use it until it would
// block, or ask to be called again. So a request costs no calls of the system but those that read
// and write it, where a library that asks anew each time it waits makes one more (a third of what a
// small request of HTTP/1 costs).
//
// Thread safety: Post from any thread, all else from the one that runs it, or before it runs.
// Ownership: watchers and their descriptors are others'.
//
// Invariants
//   (1) In each round those that are ready are called, then those that asked to be called
//       again, and then what was posted. So a watcher whose descriptor is closed, and which has
//       been called again if it asked for that, may be freed by what it posts.
//   (2) What is posted runs in order, also what was posted before Run.
//   (3) After End rounds go on until nobody asks for another. Then it may be run again.
class EventLoop {
 public:
  struct Readiness {
    bool input = false;   // there is something to read
    bool ended = false;   // nothing more comes, once all is read
    bool broken = false;  // nor can anything be written
  };

  class Watcher {
   public:
    Watcher() = default;
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    // With nothing in it: there is room to write.
    virtual void OnReady(const Readiness& ready) = 0;
    // It asked to be called again.
    virtual void OnAgain() {}

   protected:
    ~Watcher() = default;
  };

  using Call = std::function<void()>;

  EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop() = default;

  // False if the system did not give it what it needs to wait, for itself or for what was watched
  // so far.
  [[nodiscard]] bool is_usable() const { return is_usable_; }

  // Tells of input, until the descriptor is closed or no longer watched. False if the system does
  // not watch any more of them.
  bool Watch(int descriptor, Watcher& watcher);
  // From now on tells of room, too.
  void WatchRoom(int descriptor, Watcher& watcher);
  void Unwatch(int descriptor);

  // Calls it in this round, or the next. To be asked for once at a time.
  void Again(Watcher& watcher) { again_.push_back(&watcher); }

  void Post(Call call);

  // Returns some time after End.
  void Run();
  void End() { is_ended_ = true; }

 private:
  static constexpr std::size_t kBatch = 256;

  // Ends a wait from other threads.
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
  std::vector<Watcher*> called_again_;  // of this round
  bool is_usable_ = true;
  bool is_ended_ = false;

  std::mutex mutex_;
  std::vector<Call> posted_;  // under the mutex
};

// A time that an EventLoop waits for.
//
// Thread safety: that of its loop, which outlives it.
class LoopTimer final : private EventLoop::Watcher {
 public:
  LoopTimer(EventLoop& loop, EventLoop::Call call);
  ~LoopTimer() = default;

  // Calls once, so much later. What was set before is forgotten.
  void SetAfter(Nanos length) { Set(length, Nanos{0}); }
  // Calls again and again.
  void SetEvery(Nanos length) { Set(length, length); }
  void Cancel() { Set(Nanos{0}, Nanos{0}); }

 private:
  void Set(Nanos first, Nanos next);
  void OnReady(const EventLoop::Readiness& ready) override;

  Socket descriptor_;
  EventLoop::Call call_;
};

}  // namespace sluice
