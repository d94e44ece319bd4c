// Http1Session: HTTP/1.1 and 1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/bounds.h"
#include "net/exchange.h"
#include "net/peer.h"
#include "net/reply_queue.h"
#include "net/session.h"
#include "wire/chunk_reader.h"
#include "wire/http1_head.h"

namespace sluice {

// The server's side of one HTTP/1 connection. Requests may be pipelined.
//
// Thread safety: none. Ownership: the service and the peer outlive it; exchanges are its own.
//
// Invariants: those of Session, and
//   (1) After a request that cannot be read the connection closes: where the next one begins is not
//       known.
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
  // Whether the next request can be begun in this batch.
  enum class Next : std::uint8_t { kGoOn, kServe };

  // See Session, invariant (4).
  [[nodiscard]] bool IsFull() const;
  // Reads requests into the batch. Returns the bytes that are done with.
  std::size_t ReadBatch(std::string_view unread);
  // Reads one, and adds what is done with to `taken`.
  Next ReadOne(std::string_view unread, std::size_t& taken);
  Next ReadSized(std::string_view unread, std::size_t head_bytes, std::size_t& taken);
  Next ReadChunks(std::string_view unread, std::size_t& taken);
  void BeginChunks(std::string_view head);
  Message& AddMessage(std::string_view body);
  // Whether the service answers at the head that was read last.
  [[nodiscard]] bool LeavesBodyUnread() const;
  // Adds the request of that head without its body. The connection closes after the reply, because
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
  std::size_t needed_ = 0;    // the unread bytes of a request whose head is known; 0: it is not
  bool is_chunked_ = false;   // a chunked body is being read
  std::string chunked_head_;  // its head, which does not stay where it was
  std::string chunks_;        // and itself
  bool told_to_continue_ = false;  // or will be, once all before it is answered
  bool owes_continue_ = false;
  bool half_read_ = false;
  bool closing_ = false;   // no request is read any more
  bool draining_ = false;  // the next reply is the last
  bool leaving_ = false;   // none is waited for
  ReplyQueue<Message, Exchange> queue_;
};

}  // namespace sluice
