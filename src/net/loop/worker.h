// Worker: a thread with its event loop and its connections.
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

#include "net/loop/bounds.h"
#include "net/loop/byte_budget.h"
#include "net/loop/connection.h"
#include "net/loop/connection_limits.h"
#include "net/loop/event_loop.h"
#include "net/loop/listen.h"
#include "net/loop/services.h"

namespace sluice {

// Runs one event loop on one thread. A connection stays on the worker that adopted it.
//
// Thread safety: Adopt, MakeRoom, WarnOfDrain, Drain, Stop and the connection counts from any
// thread; everything else from the worker's thread. Ownership: owns its services and connections;
// the budget must outlive it.
//
// Invariants
//   (1) A connection is never freed inside one of its own functions or its session's.
//   (2) After Stop all connections are freed, even if they had unfinished exchanges.
class Worker {
 public:
  // Creates the services of all listeners, in the order of their indexes. They may use the loop.
  using MakeServices = std::function<std::vector<Services>(EventLoop& loop)>;

  struct Options {
    Bounds bounds;
    Deadlines deadlines;
    std::uint64_t seed = 0;  // for the random part of Deadlines::age
  };

  Worker(const Options& options, ByteBudget& budget, const MakeServices& make);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  void Start();

  // Takes over an accepted socket. `listener` is the index of the listener that accepted it.
  void Adopt(Accepted accepted, ConnectionLimits::Slot slot, std::size_t listener);

  // Closes the connections with these slot ids that still wait for their peers. Updates the slots
  // of all others, so that the next choice is made by current data.
  void MakeRoom(std::vector<std::uint64_t> slots);

  // Announces a later drain to all sessions.
  void WarnOfDrain();

  // Asks all peers to disconnect. Must be called twice, see Server::Drain.
  void Drain();

  // Closes all connections and returns once the thread has ended. Connections adopted later are
  // closed. Unfinished exchanges are freed: services must not touch them afterwards.
  void Stop();

  // Returns the number of connections, including those still being adopted.
  [[nodiscard]] std::size_t connection_count() const;
  // Returns the number of connections that this listener accepted.
  [[nodiscard]] std::size_t ConnectionCount(std::size_t listener) const {
    return counts_[listener].load();
  }

  // Returns the policy for connections to this listener.
  [[nodiscard]] const ListenerPolicy& ListenerPolicyOf(std::size_t listener) const {
    return services_[listener].entrance;
  }

  // The functions below are for connections, on the worker's thread.
  [[nodiscard]] EventLoop& loop() { return loop_; }
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }
  [[nodiscard]] const Deadlines& DeadlinesOf(Audience audience) const {
    return audience == Audience::kOperators ? operator_deadlines_ : deadlines_;
  }
  [[nodiscard]] ByteBudget& budget() { return budget_; }
  // Returns the read buffer that all connections share. Its content is valid until the next read.
  [[nodiscard]] std::span<char> scratch() { return scratch_; }
  // Frees the memory that its connections hold for reuse. At most once per tick, so that a flood
  // cannot make it visit all connections all the time.
  void ReclaimMemory();
  // Removes the connection from the list, and frees it at the end of the event loop's round.
  void Remove(Connection& connection);

 private:
  void Tick();
  // Returns when a connection that is adopted now will retire.
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
  std::vector<std::atomic<std::size_t>> counts_;  // connections per listener
  bool draining_ = false;
  bool stopped_ = false;        // used on the worker's thread only
  bool has_reclaimed_ = false;  // ReclaimMemory ran since the last tick
  Nanos now_{0};                // advances by kTick per tick, from 0
  std::thread thread_;
};

}  // namespace sluice
