// Http1Session: the server's side of HTTP/1.1 and 1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/http1/exchange.h"
#include "net/http1/reply_queue.h"
#include "net/loop/bounds.h"
#include "net/loop/peer.h"
#include "net/loop/session.h"
#include "wire/http1/chunk_reader.h"
#include "wire/http1/http1_head.h"

namespace sluice {

// The server's side of one HTTP/1 connection. Clients may pipeline requests.
//
// Thread safety: none. Ownership: owns its exchanges; the service and the peer must outlive it.
//
// Invariants, besides those of Session
//   (1) The connection closes after a malformed request, because the start of the next request is
//       unknown.
class Http1Session final : public Session {
 public:
  Http1Session(HttpService& service, const Peer& peer, const Bounds& bounds);
  ~Http1Session() override;

  std::size_t Receive(std::string_view unread) override;
  void ReceiveEnd() override;
  void Drain() override;
  void Retire() override;
  [[nodiscard]] Phase phase() const override;
  [[nodiscard]] std::size_t kept_bytes() const override;
  void ReleaseMemory() override;
  void Tick(Nanos now, const Deadlines& deadlines) override;

 private:
  class Message;
  // The next step after reading from the input: read another request, or serve the batch.
  enum class Next : std::uint8_t { kGoOn, kServe };

  // Returns whether reading must pause (Session, invariant 4).
  [[nodiscard]] bool IsFull() const;
  // Reads requests into the batch. Returns the number of bytes consumed.
  std::size_t ReadBatch(std::string_view unread);
  // Reads one request and adds the bytes consumed to `taken`.
  Next ReadOne(std::string_view unread, std::size_t& taken);
  Next ReadSized(std::string_view unread, std::size_t head_bytes, std::size_t& taken);
  Next ReadChunks(std::string_view unread, std::size_t& taken);
  void BeginChunks(std::string_view head);
  Message& AddMessage(std::string_view body);
  // Returns whether the service answers the request read last without its body.
  [[nodiscard]] bool LeavesBodyUnread() const;
  // Adds the request read last without its body. The connection closes after the reply, because
  // the body is not read.
  Next AnswerHead();
  void Refuse(const HttpFault& fault);
  void ServeBatch();
  void Finished();
  void WriteReplies();
  void WriteReply(const Message& message, bool is_last);

  HttpService& service_;
  const Peer& peer_;
  Bounds bounds_;
  Http1HeadReader reader_;
  ChunkReader chunk_reader_;
  std::size_t needed_ = 0;    // bytes of the current request, head and body; 0: head incomplete
  bool is_chunked_ = false;   // a chunked body is being read
  std::string chunked_head_;  // copy of that request's head, because the input buffer moves on
  std::string chunks_;        // the body decoded so far
  // 100 Continue was sent for the current request, or will be once all requests before it are
  // answered.
  bool told_to_continue_ = false;
  bool owes_continue_ = false;  // 100 Continue must still be sent
  bool half_read_ = false;      // part of a request has arrived
  bool closing_ = false;        // no more requests are read
  bool draining_ = false;       // the next reply is the last
  bool leaving_ = false;        // close as soon as no request is pending
  ReplyQueue<Message, Exchange> queue_;
};

}  // namespace sluice
