// The PROXY protocol, version 2: what a proxy says before the bytes of its client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/read_state.h"

namespace sluice {

// A header has to be here whole before anything else is read, and every peer that may connect can
// make us keep that much. The format would allow 64 KiB. HAProxy with all that it can add but whole
// certificates (addresses, the client's TLS and name, the server's name, an id) stays below 800.
inline constexpr std::size_t kProxyHeaderBytesMost = 2048;

// Who is at the other end of the proxy.
struct ProxyHeader {
  enum class Client : std::uint8_t {
    kProxy,      // the proxy itself, which looks whether we are there (LOCAL)
    kIpAddress,  // who has `address`
    kUnknown,    // somebody whom no IP address tells: by a Unix socket, or unsaid
  };

  Client client = Client::kProxy;
  std::string_view address;  // as on the wire: 4 bytes or 16, views what was read
  std::uint16_t port = 0;
};

struct ProxyHeaderRead {
  ReadState state = ReadState::kMore;
  std::size_t consumed = 0;  // of kWhole
  ProxyHeader header;        // of kWhole
  std::string_view fault;    // of kFault, in words
};

// Reads the header that a connection begins with, from all bytes of it that have come.
//
// Every byte is judged as soon as it is there, so that nobody waits for the rest of what will be
// refused. Version 1, which is text, is refused, and so are datagrams. What the proxy adds after
// the addresses (TLVs) is passed over.
ProxyHeaderRead ReadProxyHeader(std::string_view unread);

}  // namespace sluice
