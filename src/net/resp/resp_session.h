// RespSession: the server's side of the Redis protocol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "net/http1/reply_queue.h"
#include "net/loop/bounds.h"
#include "net/loop/peer.h"
#include "net/loop/session.h"
#include "net/resp/resp_service.h"
#include "wire/resp/resp_reader.h"

namespace sluice {

// The server's side of one RESP connection. Clients may pipeline commands.
//
// Thread safety: none. Ownership: owns its exchanges; the service and the peer must outlive it.
//
// Invariants, besides those of Session
//   (1) A malformed command ends the session with an error, after the replies to the commands
//       before it.
class RespSession final : public Session {
 public:
  RespSession(RespService& service, const Peer& peer, const Bounds& bounds);
  ~RespSession() override;

  std::size_t Receive(std::string_view unread) override;
  void ReceiveEnd() override;
  void Drain() override;
  void Retire() override;
  [[nodiscard]] Phase phase() const override;
  [[nodiscard]] std::size_t kept_bytes() const override;
  void ReleaseMemory() override;
  void Tick(Nanos now, const Deadlines& deadlines) override;

 private:
  class Command;

  // Returns whether reading must pause (Session, invariant 4).
  [[nodiscard]] bool IsFull() const;
  // Reads complete commands into the batch until it is full. Returns the number of bytes consumed.
  std::size_t ReadBatch(std::string_view unread);
  void ServeBatch();
  void Finished();
  // Appends the replies at the front of the queue to the output, up to the first unfinished one.
  void WriteReplies();

  RespService& service_;
  std::size_t max_commands_;
  RespReader reader_;
  RespClient client_;
  std::vector<std::string_view> arguments_;  // arguments of all commands in the batch
  ReplyQueue<Command, RespExchange> queue_;
  std::string fault_;       // error to send after the replies to all commands before it
  bool half_read_ = false;  // part of a command has arrived
  bool closing_ = false;    // no more commands are read
  bool draining_ = false;   // the next replies are the last
  bool leaving_ = false;    // close as soon as no command is pending
};

}  // namespace sluice
