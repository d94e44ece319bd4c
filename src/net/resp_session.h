// RespSession: the Redis protocol, from the side of the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "net/bounds.h"
#include "net/peer.h"
#include "net/reply_queue.h"
#include "net/resp_service.h"
#include "net/session.h"
#include "wire/resp_reader.h"

namespace sluice {

// Thread safety: none. Ownership: the service and the peer outlive it; exchanges are its own.
//
// Invariants: those of Session, and
//   (1) A command that is none ends the connection, after the replies to those before it.
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

  // See Session, invariant (4).
  [[nodiscard]] bool IsFull() const;
  // Reads commands into the batch until it is full or no whole one is left. Returns the bytes.
  std::size_t ReadBatch(std::string_view unread);
  void ServeBatch();
  void Finished();
  // Moves the replies of all that are finished in front of the queue to the output.
  void WriteReplies();

  RespService& service_;
  std::size_t commands_most_;
  RespReader reader_;
  RespClient client_;
  std::vector<std::string_view> arguments_;  // of the batch, one command after another
  ReplyQueue<Command, RespExchange> queue_;
  std::string fault_;       // what to say once all before it is answered
  bool half_read_ = false;  // a command has begun
  bool closing_ = false;    // no command is read any more
  bool draining_ = false;   // the next replies are the last
  bool leaving_ = false;    // none are waited for
};

}  // namespace sluice
