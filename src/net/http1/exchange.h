// Exchange: one HTTP request and its reply, over HTTP/1 or HTTP/2.
//
// Sessions (Http1Session, Http2Session) own the exchanges and pass them to an HttpService, all on
// the thread of the connection's worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/header_list.h"
#include "net/loop/peer.h"

namespace sluice {

// A request as a service sees it. All views are valid until Serve returns; a service that replies
// later must copy what it needs.
struct HttpRequest {
  // Why part of the request was dropped. The service chooses the reply.
  enum class Fault : std::uint8_t { kNone, kHeadTooLarge, kBodyTooLarge };

  enum class Version : std::uint8_t { kHttp1, kHttp2 };

  Fault fault = Fault::kNone;
  Version version = Version::kHttp1;
  std::string_view method;
  std::string_view target;  // path and query as received
  std::string_view authority;
  std::span<const Header> headers;  // names in lower case over HTTP/2, as received over HTTP/1
  std::string_view body;
  bool is_whole = true;  // false: the request streams, and more of its body may follow
  const Peer* peer = nullptr;

  // Returns the value of the first header with this name, or an empty view.
  // REQUIRES: `name` is in lower case.
  [[nodiscard]] std::string_view Find(std::string_view name) const;
};

// A service's reply. The service does not set Content-Length or Connection: the session adds them.
struct HttpReply {
  int status = 200;
  HeaderList headers;
  std::string body;
  // Sent in place of `body` unless empty. The viewed text must outlive every reply, so that replies
  // waiting for a slow peer hold no copies of a long document.
  std::string_view fixed_body;
  // Sent after the body over HTTP/2 (gRPC's status); HTTP/1 omits them.
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

// One request and its reply. Sessions pool and reuse exchanges.
//
// Thread safety: none; all calls are made on the thread of the connection's worker.
// Ownership: owned by its session. A session outlives its closed connection until the last of its
// exchanges is finished or its worker has stopped.
class Exchange {
 public:
  HttpRequest request;
  HttpReply reply;

  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Called by the service when `reply` is complete; the service must not touch the exchange
  // afterwards. Called exactly once per served exchange, during Serve or later.
  virtual void Finish() = 0;

  // Streaming only: sends the part of `reply` that is there so far, headers first.
  virtual void Send() = 0;
  // Streaming only: bytes of the request's body that the service has consumed.
  std::size_t taken = 0;

  // Bytes that the service keeps for a request that it answers later. The service sets this, so
  // that they count against the connection's memory.
  std::size_t parked_bytes = 0;

 protected:
  ~Exchange() = default;
};

// An event on a streaming request.
enum class StreamEvent : std::uint8_t {
  kMore,        // the head, more of the body, or the end of the request has arrived
  kDrainAhead,  // a drain will follow: clients should open no new requests; this one may go on
  kDraining,    // the server drains: the service should finish the exchange soon
  kGone,        // the client is gone
};

// How a service receives the body of a request.
enum class BodyDelivery : std::uint8_t {
  kWhole,     // with the request, which is served once it is complete
  kStreamed,  // piece by piece as it arrives; HTTP/1 treats this as kWhole
  kUnread,    // never: the request is served after its head, and its body is dropped
};

// Answers HTTP requests. There is one per worker and listener, called only on the worker's thread.
class HttpService {
 public:
  HttpService() = default;
  HttpService(const HttpService&) = delete;
  HttpService& operator=(const HttpService&) = delete;
  virtual ~HttpService() = default;

  // Serves requests that one connection received together, as one batch.
  virtual void Serve(std::span<Exchange* const> batch) = 0;

  // Returns how the body of a request is to be delivered. HTTP/2 asks for every head; HTTP/1 asks
  // only if the body is chunked or has not arrived with its head.
  virtual BodyDelivery DeliveryFor(const HttpRequest& /*head*/) const {
    return BodyDelivery::kWhole;
  }
  // Reports an event on a streaming request. After kGone the service must neither touch nor finish
  // the exchange.
  virtual void ServeStream(Exchange& /*exchange*/, StreamEvent /*event*/) {}
};

}  // namespace sluice
