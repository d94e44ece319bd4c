// Server: listening sockets and the workers that serve what they accept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "net/bounds.h"
#include "net/byte_budget.h"
#include "net/listen.h"
#include "net/seats.h"
#include "net/services.h"
#include "net/worker.h"
#include "sluice/result.h"

namespace sluice {

// Thread safety: none but for what its workers do among themselves; one thread makes, drains and
// stops it. Ownership: its sockets and workers; what the services refer to outlives it.
//
// Invariants
//   (1) A connection goes to the worker that has the fewest.
//   (2) There are never more connections than the bounds say; more wait to be accepted, or are
//       closed at once where it is their address that has too many. While some wait, others that
//       are idle are closed (Seats, invariant 3).
//   (3) From Drain on nobody waits to be accepted who never will be: what clients connect to is
//       closed, but for sockets that were handed over, where others may come. Operators are served
//       until Stop.
class Server {
 public:
  struct Options {
    Bounds bounds;
    Deadlines deadlines;
    std::size_t workers = 1;
    std::uint64_t seed = 0;                // of what is drawn at random
    std::optional<std::size_t> operators;  // the listener that is theirs
  };
  struct Place {
    std::size_t worker = 0;
    std::size_t listener = 0;
    EventLoop& loop;  // the worker's
  };
  // The services that a worker has for a listener; called once for each pair, before it starts.
  using MakeServices = std::function<Services(const Place& place)>;

  Server(const Options& options, std::vector<ListeningSocket> sockets, const MakeServices& make);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // An error if the system has not enough descriptors for its threads to wait with.
  Result<Done> Start();

  // Tells of a drain that will come those who can be told while they go on (StreamEvent).
  void WarnOfDrain();

  // Accepts no more clients and asks all of them to go. To be called again a moment later: what the
  // first call only announced (GOAWAY) is final then.
  void Drain();

  // Those of clients that are open.
  [[nodiscard]] std::size_t connection_count() const { return seats_.count(Audience::kClients); }
  // Those that one of the sockets accepted.
  [[nodiscard]] std::size_t ConnectionCount(std::size_t listener) const;

  // What all connections keep.
  [[nodiscard]] std::size_t kept_bytes() const { return budget_.total(); }

  // Closes what is left. Returns once all threads have ended.
  void Stop();

 private:
  class Acceptor;

  Seats seats_;
  ByteBudget budget_;
  std::vector<ListeningSocket> sockets_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;  // one a socket
};

}  // namespace sluice
