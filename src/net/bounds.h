// Bounds and Deadlines: what one peer, and all of them together, may ask of a server.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "sluice/time.h"

namespace sluice {

struct Bounds {
  std::size_t connections = 10'000;  // of clients open at once; more wait to be accepted
  // Of them those from one address; more are closed at once. Half of all, so that no host keeps out
  // all others, and far more than a proxy needs. See Seats for who is not counted.
  std::size_t address_connections = 5'000;
  // Of operators, beside those of clients: enough for probes, scrapes and people at once.
  std::size_t operator_connections = 32;
  std::size_t connection_requests = 1000;  // in flight on one connection; more are not read yet
  std::size_t streams = 100;               // of HTTP/2 open at once on one connection
  // Kept for one connection, each way. Of its replies one batch more may be: they are not served
  // any further until those have left.
  std::size_t connection_bytes = std::size_t{4} << 20U;
  std::size_t bytes = std::size_t{256} << 20U;        // kept for all connections; see ByteBudget
  std::size_t request_bytes = std::size_t{1} << 20U;  // body of one request, or a command
  std::size_t header_bytes = std::size_t{16} << 10U;  // head of one request
  std::size_t header_fields = 100;
};

// How long a connection of operators may idle, where Deadlines::idle is longer: they have few, and
// probes and scrapes find a new one at any time.
constexpr Nanos kOperatorIdle = std::chrono::seconds(10);

// The same for Deadlines::body: the only body that they send is a word.
constexpr Nanos kOperatorBody = std::chrono::seconds(2);

// Bytes a second that whoever asks must take of the replies.
constexpr std::int64_t kLeastRate = 1024;

struct Deadlines {
  Nanos idle = std::chrono::minutes(5);  // a connection without a request in flight
  Nanos header =
      std::chrono::seconds(5);            // from the first byte of a request to the end of its head
  Nanos body = std::chrono::seconds(10);  // from there to the end of its body
  // A peer that takes less than kLeastRate of what is replied to it, in so long a time.
  Nanos write = std::chrono::seconds(10);
  // The age at which a connection is asked to go, however busy, up to a tenth earlier at random so
  // that those that came together do not go together. 0: at none.
  Nanos age{0};
};

}  // namespace sluice
