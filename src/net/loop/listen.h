// Listening sockets and accepted connections.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "net/loop/endpoint.h"
#include "net/loop/peer.h"
#include "sluice/result.h"

namespace sluice {

// Owns a listening socket and closes it on destruction. If it has created the file of a Unix
// socket, it removes the file as well.
//
// Thread safety: none.
class ListeningSocket {
 public:
  // Opened by this process, or inherited. Another process may go on accepting from an inherited
  // socket.
  enum class Origin : std::uint8_t { kOpened, kAdopted };

  // Opens a socket. Returns an error if the address is in use. Replaces the file of a Unix socket
  // on which no process listens.
  static Result<ListeningSocket> Open(const Endpoint& endpoint);

  // Takes over an inherited descriptor (socket activation).
  static Result<ListeningSocket> Adopt(int descriptor);

  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;
  ListeningSocket(ListeningSocket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        text_(std::move(other.text_)),
        made_path_(std::move(other.made_path_)),
        origin_(other.origin_) {}
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();

  // Closes the socket. Connections that wait to be accepted are refused, unless another process
  // has the socket open. May be called once.
  void Close();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Returns the address, such as "127.0.0.1:8080" or "unix:/run/sluice.sock".
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool is_unix() const { return text_.starts_with("unix:"); }
  // Returns whether only this machine can reach it: a loopback address or a Unix socket.
  [[nodiscard]] bool IsLocal() const;
  [[nodiscard]] Origin origin() const { return origin_; }

 private:
  ListeningSocket(int descriptor, std::string made_path, Origin origin)
      : descriptor_(descriptor), made_path_(std::move(made_path)), origin_(origin) {}

  int descriptor_;
  std::string text_;
  std::string made_path_;  // empty if there is no file to remove
  Origin origin_;
};

// An accepted connection. The caller must close the socket.
struct Accepted {
  int socket = -1;
  Peer peer;
};

struct AcceptOutcome {
  Accepted accepted;
  int error = 0;  // errno of accept4; 0: a connection was accepted
};
// Accepts one connection, without blocking if the socket is non-blocking.
AcceptOutcome AcceptOne(int listening);

}  // namespace sluice
