// GrpcClient: unary calls over one HTTP/2 connection, without the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/header_list.h"
#include "wire/grpc_status.h"

struct nghttp2_session;

namespace sluice {

// What became of a call. Its texts are good until the function it was given to returns.
struct GrpcReply {
  enum class Fate : std::uint8_t {
    kAnswered,  // with a status, and a message where that is kOk
    kBroken,    // there was no whole answer; `words` says what there was
    kNotTaken,  // the server has not begun with it and says so: it may be sent again
  };

  std::uint64_t tag = 0;
  Fate fate = Fate::kAnswered;
  GrpcStatus status = GrpcStatus::kOk;
  std::string_view message = "";
  std::string_view words = "";  // grpc-message, as it was sent
};

// Calls one method of a server, any number at a time.
//
// Thread safety: none. Ownership: streams and the session are its own.
//
// Invariants
//   (1) Every call that was begun is told of once, by Receive or ReceiveEnd.
//   (2) No more are under way than the server allows: those beyond wait here.
//   (3) A reply is kept up to kReplyBytesMost; more than that breaks its call.
//   (4) After as many calls at a time as there ever are nothing of ours is allocated for another.
class GrpcClient {
 public:
  static constexpr std::size_t kReplyBytesMost = std::size_t{1} << 20U;

  // Who is told of replies, while Receive or ReceiveEnd runs, and makes no call then.
  class Listener {
   public:
    Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    virtual ~Listener() = default;
    virtual void OnReply(const GrpcReply& reply) = 0;
  };

  // The listener outlives it. `path` is "/package.Service/Method"; the metadata goes with every
  // call, its names in lower case.
  GrpcClient(std::string authority, std::string path, Listener& listener, HeaderList metadata = {});
  GrpcClient(const GrpcClient&) = delete;
  GrpcClient& operator=(const GrpcClient&) = delete;
  ~GrpcClient();

  // Begins a call. Its frames are in the output after Pump.
  void Call(std::uint64_t tag, std::string_view message);

  // Puts into the output what there is to be sent.
  void Pump();

  // Takes what came, and answers what has to be answered. False where it is not HTTP/2: fault()
  // says why.
  bool Receive(std::string_view bytes);

  // No more will come: what is under way is told of as broken.
  void ReceiveEnd();

  // Whether another call makes sense: not after the server has asked to go.
  [[nodiscard]] bool takes_calls() const { return takes_calls_; }
  [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
  [[nodiscard]] const std::string& fault() const { return fault_; }

  // What is to be sent. Its owner takes it from here.
  std::string output;

 private:
  struct Callbacks;  // what nghttp2 calls
  struct Fields;     // headers as nghttp2 takes them
  struct Stream;
  struct Free {
    void operator()(nghttp2_session* session) const;
  };

  void Close(Stream& stream, std::uint32_t error);
  // Tells of the call and is done with it.
  void Tell(Stream& stream, GrpcReply reply);

  std::string authority_;
  std::string path_;
  HeaderList metadata_;
  Listener& listener_;
  std::unique_ptr<Fields> fields_;
  std::vector<std::unique_ptr<Stream>> streams_;  // all there are
  std::vector<Stream*> spare_;
  std::unique_ptr<nghttp2_session, Free> session_;  // goes first: it refers to streams
  std::size_t in_flight_ = 0;
  bool takes_calls_ = true;
  bool was_asked_to_go_ = false;
  std::string fault_;
};

}  // namespace sluice
