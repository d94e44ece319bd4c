// Bounds and Deadlines: how much memory and time peers may take, one by one and all together.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "sluice/time.h"

namespace sluice {

struct Bounds {
  std::size_t connections = 10'000;  // open client connections; more wait to be accepted
  // Client connections per address; more are closed at once. Half of all connections, so that one
  // host cannot lock out the others, and far more than a proxy needs. See ConnectionLimits for
  // peers that are exempt.
  std::size_t address_connections = 5'000;
  // Operator connections, in addition to those of clients: enough for probes, scrapes and people.
  std::size_t operator_connections = 32;
  std::size_t connection_requests = 1000;  // in flight per connection; more are not read yet
  std::size_t streams = 100;               // open HTTP/2 streams per connection
  // Bytes kept per connection and direction. Replies may exceed this by one batch, because serving
  // pauses only between batches.
  std::size_t connection_bytes = std::size_t{4} << 20U;
  std::size_t bytes = std::size_t{256} << 20U;        // kept for all connections; see ByteBudget
  std::size_t request_bytes = std::size_t{1} << 20U;  // body of a request, or a RESP command
  std::size_t header_bytes = std::size_t{16} << 10U;  // head of a request
  std::size_t header_fields = 100;                    // header fields of a request
};

// Maximum idle deadline of operator connections. They are few, and probes and scrapers can
// reconnect at any time.
constexpr Nanos kOperatorIdle = std::chrono::seconds(10);

// Maximum body deadline of operator connections, whose bodies are only a word long.
constexpr Nanos kOperatorBody = std::chrono::seconds(2);

// Minimum rate, in bytes per second, at which a peer must read replies.
constexpr std::int64_t kMinRate = 1024;

struct Deadlines {
  // For a connection without a request in flight.
  Nanos idle = std::chrono::minutes(5);
  // From the first byte of a request to the end of its head.
  Nanos header = std::chrono::seconds(5);
  // From there to the end of the body.
  Nanos body = std::chrono::seconds(10);
  // A peer that reads replies at less than kMinRate over this time is disconnected.
  Nanos write = std::chrono::seconds(10);
  // Age at which a connection is asked to close, even if busy, minus up to a tenth at random so
  // that connections opened together do not close together. 0: never.
  Nanos age{0};
};

}  // namespace sluice
