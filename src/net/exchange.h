// Exchange: one HTTP request and the reply to it, whatever version of HTTP carries them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/header_list.h"
#include "net/peer.h"

namespace sluice {

// A request as a service sees it. All of it views memory that stays until Serve returns; a service
// that replies later copies what it needs.
struct HttpRequest {
  // What keeps it from being whole. The service says so in its own way.
  enum class Fault : std::uint8_t { kNone, kHeadTooLarge, kBodyTooLarge };

  enum class Version : std::uint8_t { kHttp1, kHttp2 };

  Fault fault = Fault::kNone;
  Version version = Version::kHttp1;
  std::string_view method;
  std::string_view target;  // path and query as they came
  std::string_view authority;
  std::span<const Header> headers;  // names of HTTP/2 are in lower case, others as they came
  std::string_view body;
  bool is_whole = true;  // false: it streams, and more of its body may come
  const Peer* peer = nullptr;

  // The value of the first header of that name, or an empty view. REQUIRES: `name` in lower case.
  [[nodiscard]] std::string_view Find(std::string_view name) const;
};

// What is replied. Content-Length, Connection and Date are for the connection to add.
struct HttpReply {
  int status = 200;
  HeaderList headers;
  std::string body;
  // Sent in place of `body`, if it is not empty. It outlives every reply, so replies that wait for
  // their peer hold no copies of a long document.
  std::string_view fixed_body;
  // gRPC's last word. Written after the body over HTTP/2; HTTP/1 leaves them out.
  HeaderList trailers;

  [[nodiscard]] std::string_view body_text() const {
    return fixed_body.empty() ? std::string_view(body) : fixed_body;
  }

  void Clear() {
    status = 200;
    headers.Clear();
    body.clear();
    fixed_body = {};
    trailers.Clear();
  }
};

// One request and its reply. Sessions keep them and use them again.
//
// Thread safety: none; everything happens on the thread of the connection's worker. Ownership: its
// session's. A session whose connection is gone stays until the last of its exchanges is finished,
// or its worker has stopped.
class Exchange {
 public:
  HttpRequest request;
  HttpReply reply;

  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Says that `reply` is complete; the exchange must not be touched afterwards. Exactly once for
  // each that was served, while Serve runs or later.
  virtual void Finish() = 0;

  // Of one that streams: sends what `reply` has by now, its headers first.
  virtual void Send() = 0;
  // Of one that streams: so many bytes of the request's body are done with.
  std::size_t taken = 0;

  // The bytes that the service keeps of a request that it answers later. The service sets it, so
  // that they are counted as the connection's.
  std::size_t parked_bytes = 0;

 protected:
  ~Exchange() = default;
};

// What happened to a request that streams.
enum class StreamEvent : std::uint8_t {
  kMore,        // its head, more of its body or the end of it is there
  kDrainAhead,  // the server wants no new requests; this one may go on
  kDraining,    // it is to be finished soon
  kGone,        // its client is not there any more
};

// How a service takes the body of a request.
enum class BodyDelivery : std::uint8_t {
  kWhole,     // with the request, which is served once all of it has come
  kStreamed,  // as it comes; HTTP/1 treats it as kWhole
  kUnread,  // not at all: the request is served at its head, and what comes of the body is dropped
};

// What answers HTTP requests. One for each worker, called on its thread alone.
class HttpService {
 public:
  HttpService() = default;
  HttpService(const HttpService&) = delete;
  HttpService& operator=(const HttpService&) = delete;
  virtual ~HttpService() = default;

  // All requests that a connection read at once, to be decided as one batch.
  virtual void Serve(std::span<Exchange* const> batch) = 0;

  // Returns how a request is to be served. HTTP/2 asks about every head, HTTP/1 about one whose
  // body has not come with it.
  virtual BodyDelivery DeliveryFor(const HttpRequest& /*head*/) const {
    return BodyDelivery::kWhole;
  }
  // Tells of one that streams. After kGone it must not be touched, nor finished.
  virtual void ServeStream(Exchange& /*exchange*/, StreamEvent /*event*/) {}
};

}  // namespace sluice
