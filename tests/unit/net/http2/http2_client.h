// An HTTP/2 client (nghttp2) for an Http2Session in the same thread, without sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct nghttp2_session;

namespace sluice {

class Http2Client {
 public:
  struct Reply {
    std::map<std::string, std::string> headers;
    std::map<std::string, std::string> trailers;
    std::string body;
    bool is_whole = false;
    bool is_reset = false;
    std::uint32_t error = 0;
  };

  Http2Client();
  ~Http2Client();
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;

  // Send a request and return its stream.
  std::int32_t Get(std::string path);
  std::int32_t Post(std::string path, std::string body);
  // Begins a request whose body never ends.
  std::int32_t PostUnfinished(std::string path, std::string body);
  // Continues and ends the body of the last request begun.
  void SendMore(std::int32_t stream, std::string_view bytes);
  void EndBody(std::int32_t stream);
  void Reset(std::int32_t stream);
  void Ping();
  // Sets the receive window of the connection to more than the default of HTTP/2.
  void GrantWindow(std::int32_t bytes);

  // Returns the bytes to send to the server.
  std::string TakeOutput();
  // Processes bytes from the server. Returns false if they violate the protocol.
  bool Receive(std::string_view bytes);

  std::map<std::int32_t, Reply> replies;
  bool has_goaway = false;
  std::int32_t goaway_last = 0;
  std::uint32_t goaway_error = 0;

 private:
  struct Callbacks;
  struct Sending {
    std::string body;
    std::size_t sent = 0;
    bool ends = true;
  };

  std::int32_t Send(std::string_view method, std::string path, Sending* sending);

  nghttp2_session* session_ = nullptr;
  std::vector<std::unique_ptr<Sending>> bodies_;
};

}  // namespace sluice
