// Server: listening sockets, and the workers that serve the accepted connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "net/loop/bounds.h"
#include "net/loop/byte_budget.h"
#include "net/loop/connection_limits.h"
#include "net/loop/listen.h"
#include "net/loop/services.h"
#include "net/loop/worker.h"
#include "sluice/result.h"

namespace sluice {

// Accepts connections on the first worker's thread and distributes them to all workers.
//
// Thread safety: none; one thread creates, starts, drains and stops it. The counts may be read from
// any thread. Ownership: owns its sockets and workers; what the services refer to must outlive it.
//
// Invariants
//   (1) A new connection goes to the worker that has the fewest.
//   (2) The number of connections never exceeds the bounds. Further connections wait to be
//       accepted, or are closed at once if their address has reached its maximum. While some wait,
//       others that wait for their peers are evicted (ConnectionLimits, invariant 3).
//   (3) After Drain no client is left waiting in an accept queue: sockets for clients are closed.
//       Inherited sockets stay open, because another process may accept from them. Operators are
//       served until Stop.
class Server {
 public:
  struct Options {
    Bounds bounds;
    Deadlines deadlines;
    std::size_t workers = 1;
    std::uint64_t seed = 0;                // for the random part of Deadlines::age
    std::optional<std::size_t> operators;  // index of the listener for operators
  };
  struct Place {
    std::size_t worker = 0;
    std::size_t listener = 0;
    EventLoop& loop;  // the worker's loop
  };
  // Creates the services of a worker for a listener. Called once per pair, in the constructor.
  using MakeServices = std::function<Services(const Place& place)>;

  Server(const Options& options, std::vector<ListeningSocket> sockets, const MakeServices& make);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // Starts all threads. Returns an error if the system is out of descriptors for the event loops.
  Result<Done> Start();

  // Announces a later drain to streaming requests, which may go on (StreamEvent::kDrainAhead).
  void WarnOfDrain();

  // Stops accepting clients and asks all of them to disconnect. Must be called twice, a moment
  // apart: the first call only announces the end over HTTP/2 (GOAWAY), the second makes it final.
  void Drain();

  // Returns the number of open client connections.
  [[nodiscard]] std::size_t connection_count() const { return limits_.count(Audience::kClients); }
  // Returns the number of open connections that this listener accepted.
  [[nodiscard]] std::size_t ConnectionCount(std::size_t listener) const;

  // Returns the bytes that all connections keep, see ByteBudget.
  [[nodiscard]] std::size_t kept_bytes() const { return budget_.total(); }

  // Closes all connections. Returns once all threads have ended.
  void Stop();

 private:
  class Acceptor;

  ConnectionLimits limits_;
  ByteBudget budget_;
  std::vector<ListeningSocket> sockets_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;  // one per socket
};

}  // namespace sluice
