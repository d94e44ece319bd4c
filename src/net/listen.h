// Sockets that listen, and what they accept.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "net/endpoint.h"
#include "net/peer.h"
#include "sluice/result.h"

namespace sluice {

// A socket that listens.
//
// Thread safety: none. Ownership: closes its socket. That of a Unix socket which it made itself
// removes the file, too.
class ListeningSocket {
 public:
  // Whose it is: of whoever made it and handed it over it is to be used with care.
  enum class Origin : std::uint8_t { kOpened, kAdopted };

  // An error if somebody else serves there. The file of a Unix socket that nobody serves any more
  // is replaced.
  static Result<ListeningSocket> Open(const Endpoint& endpoint);

  // Takes over one that was made elsewhere (socket activation).
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

  // Whoever waits to be accepted is refused, unless somebody else has the socket, too. Once.
  void Close();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Where it listens: "127.0.0.1:8080", "unix:/run/sluice.sock".
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool is_unix() const { return text_.starts_with("unix:"); }
  // Whether nobody but this machine can reach it.
  [[nodiscard]] bool IsLocal() const;
  [[nodiscard]] Origin origin() const { return origin_; }

 private:
  ListeningSocket(int descriptor, std::string made_path, Origin origin)
      : descriptor_(descriptor), made_path_(std::move(made_path)), origin_(origin) {}

  int descriptor_;
  std::string text_;
  std::string made_path_;  // empty where there is no file to remove
  Origin origin_;
};

// A connection that was accepted. The socket is the caller's to close.
struct Accepted {
  int socket = -1;
  Peer peer;
};

// Accepts one connection. `error` is that of accept4, 0 where there is one.
struct AcceptOutcome {
  Accepted accepted;
  int error = 0;
};
AcceptOutcome AcceptOne(int listening);

}  // namespace sluice
