// Worker: a thread, its event loop and its connections.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "net/bounds.h"
#include "net/byte_budget.h"
#include "net/connection.h"
#include "net/event_loop.h"
#include "net/listen.h"
#include "net/seats.h"
#include "net/services.h"

namespace sluice {

// One event loop on one thread. Its connections never leave it.
//
// Thread safety: Adopt, MakeRoom, WarnOfDrain, Drain, Stop and connection counts from any thread,
// all else from its own. Ownership: services and connections are its own; the budget outlives it.
//
// Invariants
//   (1) A connection is freed by none of its own functions, nor by one of its session.
//   (2) After Stop there is none, whether its exchanges were finished or not.
class Worker {
 public:
  // Makes the services of each listener, by its index, which may use the loop.
  using MakeServices = std::function<std::vector<Services>(EventLoop& loop)>;

  struct Options {
    Bounds bounds;
    Deadlines deadlines;
    std::uint64_t seed = 0;  // of what is drawn at random
  };

  Worker(const Options& options, ByteBudget& budget, const MakeServices& make);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  void Start();

  // Takes over a connected socket that was accepted by that listener.
  void Adopt(Accepted accepted, Seats::Seat seat, std::size_t listener);

  // Closes the connections that have one of these seats and still wait for their peers. Updates the
  // seats of all others, so that the next choice is made by what is true now.
  void MakeRoom(std::vector<std::uint64_t> seats);

  // Tells of a drain that will come.
  void WarnOfDrain();

  // Asks all peers to go. To be called again after a while, which ends what the first call only
  // announced.
  void Drain();

  // Closes what is left, and returns once the thread has ended. Nothing is adopted afterwards, and
  // exchanges that were not finished are gone: services do not touch them any more.
  void Stop();

  // Those open, and those on their way from Adopt.
  [[nodiscard]] std::size_t connection_count() const;
  // Those that this listener accepted.
  [[nodiscard]] std::size_t ConnectionCount(std::size_t listener) const {
    return counts_[listener].load();
  }

  // What connections to this listener go through first.
  [[nodiscard]] const Entrance& EntranceOf(std::size_t listener) const {
    return services_[listener].entrance;
  }

  // For connections.
  [[nodiscard]] EventLoop& loop() { return loop_; }
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }
  [[nodiscard]] const Deadlines& DeadlinesOf(Audience audience) const {
    return audience == Audience::kOperators ? operator_deadlines_ : deadlines_;
  }
  [[nodiscard]] ByteBudget& budget() { return budget_; }
  // What the next read may write to. Its content is gone with the next read of any connection.
  [[nodiscard]] std::span<char> scratch() { return scratch_; }
  // Frees the memory that its connections hold only to be used again. Does so at most once per
  // tick, so that a flood cannot make it look at all connections all the time.
  void ReclaimMemory();
  // Lets it go, soon.
  void Remove(Connection& connection);

 private:
  void Tick();
  // When a connection that comes now will be too old.
  Nanos DrawRetirement();

  Bounds bounds_;
  Deadlines deadlines_;
  Deadlines operator_deadlines_;
  std::mt19937_64 random_;
  ByteBudget& budget_;
  std::vector<char> scratch_;
  EventLoop loop_;
  LoopTimer timer_{loop_, [this] { Tick(); }};
  std::vector<Services> services_;
  std::vector<std::shared_ptr<Connection>> connections_;
  std::vector<std::atomic<std::size_t>> counts_;  // of connections, by listener
  bool draining_ = false;
  bool stopped_ = false;        // as its thread sees it
  bool has_reclaimed_ = false;  // since the last tick
  Nanos now_{0};                // by ticks
  std::thread thread_;
};

}  // namespace sluice
