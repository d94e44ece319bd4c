// GrpcClient: makes unary gRPC calls over one HTTP/2 connection. It produces and consumes bytes;
// the caller owns the socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/header_list.h"
#include "wire/grpc/grpc_status.h"

struct nghttp2_session;

namespace sluice {

// The result of a call. Its texts are valid until OnReply returns.
struct GrpcReply {
  enum class Fate : std::uint8_t {
    kAnswered,  // with a status, and with a message if that is kOk
    kBroken,    // without a complete reply; `words` holds the reason
    kNotTaken,  // the server reported that it did not process the call; it is safe to retry
  };

  std::uint64_t tag = 0;
  Fate outcome = Fate::kAnswered;
  GrpcStatus status = GrpcStatus::kOk;
  std::string_view message = "";
  std::string_view words = "";  // kAnswered: grpc-message as it was sent
};

// Calls one method of a server, with any number of calls in flight.
//
// Thread safety: none. Ownership: owns its streams and the session.
//
// Invariants
//   (1) Every call is reported exactly once, by Receive, ReceiveEnd or Call itself (when the stream
//       identifiers are used up).
//   (2) No more calls are in flight than the server allows; nghttp2 queues the others.
//   (3) A reply is buffered up to kMaxReplyBytes; a longer one fails its call.
//   (4) Streams are reused: we allocate nothing for a call unless more calls are in flight than
//       ever before.
class GrpcClient {
 public:
  static constexpr std::size_t kMaxReplyBytes = std::size_t{1} << 20U;

  // Notified of replies while one of the functions in invariant (1) runs. It must not make calls
  // from OnReply.
  class Listener {
   public:
    Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    virtual ~Listener() = default;
    virtual void OnReply(const GrpcReply& reply) = 0;
  };

  // The listener must outlive the client. `path` is "/package.Service/Method". `metadata` is sent
  // with every call; its names must be in lower case.
  GrpcClient(std::string authority, std::string path, Listener& listener, HeaderList metadata = {});
  GrpcClient(const GrpcClient&) = delete;
  GrpcClient& operator=(const GrpcClient&) = delete;
  ~GrpcClient();

  // Begins a call. Pump writes its frames to the output.
  void Call(std::uint64_t tag, std::string_view message);

  // Appends all pending frames to the output.
  void Pump();

  // Processes received bytes and appends any protocol responses to the output. Returns false if the
  // server violates HTTP/2; fault() then describes the error.
  bool Receive(std::string_view bytes);

  // Called when the connection has ended. Reports all calls in flight as broken.
  void ReceiveEnd();

  // Whether another call can be made; false after the server has sent GOAWAY.
  [[nodiscard]] bool takes_calls() const { return takes_calls_; }
  [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
  [[nodiscard]] const std::string& fault() const { return fault_; }

  // The bytes to send. The owner of the connection removes them from here.
  std::string output;

 private:
  struct Callbacks;  // the callbacks of nghttp2
  struct Fields;     // the headers in nghttp2's format
  struct Stream;
  struct Free {
    void operator()(nghttp2_session* session) const;
  };

  void Close(Stream& stream, std::uint32_t error);
  // Reports the result of the call to the listener and releases its stream.
  void Tell(Stream& stream, GrpcReply reply);

  std::string authority_;
  std::string path_;
  HeaderList metadata_;
  Listener& listener_;
  std::unique_ptr<Fields> fields_;
  std::vector<std::unique_ptr<Stream>> streams_;  // owns all streams
  std::vector<Stream*> spare_;
  std::unique_ptr<nghttp2_session, Free> session_;  // destroyed first: it refers to streams
  std::size_t in_flight_ = 0;
  bool takes_calls_ = true;
  bool was_asked_to_go_ = false;
  std::string fault_;
};

}  // namespace sluice
