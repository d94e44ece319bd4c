// The PROXY protocol, version 2: the header that a proxy sends before the bytes of its client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/read_state.h"

namespace sluice {

// A whole header must arrive before anything else is read, so every peer can make us buffer this
// much. The format would allow 64 KiB. HAProxy stays below 800 bytes with everything it can add
// except whole certificates (addresses, the client's TLS and name, the server's name, an id).
inline constexpr std::size_t kMaxProxyHeaderBytes = 2048;

// The client at the other end of the proxy.
struct ProxyHeader {
  enum class Client : std::uint8_t {
    kProxy,      // the proxy itself, for example a health check (LOCAL)
    kIpAddress,  // the client at `address`
    kUnknown,    // no IP address: a Unix socket, or not specified
  };

  Client client = Client::kProxy;
  std::string_view address;  // as on the wire, 4 or 16 bytes; views the bytes read
  std::uint16_t port = 0;
};

struct ProxyHeaderRead {
  ReadState state = ReadState::kMore;
  std::size_t consumed = 0;  // only with kWhole
  ProxyHeader header;        // only with kWhole
  std::string_view fault;    // only with kFault: a description of the error
};

// Reads the header at the start of a connection, given all bytes that have arrived.
//
// Every byte is validated as soon as it arrives, so that no one waits for the rest of a header that
// will be refused. Version 1, which is text, and datagrams are refused. Data after the addresses
// (TLVs) is skipped.
ProxyHeaderRead ReadProxyHeader(std::string_view unread);

}  // namespace sluice
