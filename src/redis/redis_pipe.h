// RedisPipe: the command pipeline of one Redis connection, without the socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redis/redis_command.h"
#include "sluice/result.h"
#include "sluice/time.h"
#include "wire/resp/resp_value_reader.h"

namespace sluice {

struct RedisPipeBounds {
  std::size_t max_commands = 4096;                   // in flight, including queued ones
  std::size_t max_bytes = std::size_t{4} << 20U;     // in queued commands
  std::size_t write_bytes = std::size_t{64} << 10U;  // collected for one write, or one command
  RespValueBounds reply;
};

// Sends commands in order and matches replies to them in order. It takes and produces bytes; the
// caller passes in the time.
//
// A command is first queued, then put into the output buffer, then waits for its reply. While the
// system accepts no more bytes, commands stay queued, so that those whose deadline passes meanwhile
// were never sent.
//
// Thread safety: none. Ownership: the caller owns commands and listeners, which must outlive the
// commands in flight.
//
// Invariants
//   (1) Each accepted command is answered exactly once: with its own reply, or with what is known
//       about it when the pipe breaks. Nothing is written twice.
//   (2) If a command is answered as not sent, no byte of it has been written or will be.
//   (3) A missed deadline is reported exactly once, as soon as it is noticed. A queued command is
//       then answered as not sent; the late reply to a sent one is still passed to its listener.
//   (4) The commands in flight are bounded by number, and queued commands also by bytes. A command
//       that does not fit is rejected.
//   (5) RESP3 push messages answer no command.
//   (6) While the pipe is held, only commands from SendAhead are put into the output.
class RedisPipe {
 public:
  using Cause = RedisAnswer::Cause;

  explicit RedisPipe(const RedisPipeBounds& bounds) : bounds_(bounds), reader_(bounds.reply) {}

  // Accepts a command. Returns false if there is no room; then no listener is notified.
  [[nodiscard]] bool Send(RedisCommand& command, RedisListener& listener);
  // Sends a login command or ping: it bypasses the queue, and there is always room for it.
  void SendAhead(RedisCommand& command, RedisListener& listener);

  void Hold() { is_held_ = true; }
  void Release() { is_held_ = false; }

  // Returns the bytes to write next; empty if there are none. The view is valid until the next
  // call.
  std::string_view Output();
  // Records that this many bytes of the output were written, or may have been.
  void Wrote(std::size_t bytes);

  // Parses received bytes and notifies the listeners. An error describes malformed input; the
  // caller must then call Break.
  Result<Done> Receive(std::string_view bytes);

  // Reports the deadlines that have passed.
  void Expire(Time now);
  // Returns the earliest time at which Expire may have work to do. None if no command has a
  // deadline.
  [[nodiscard]] std::optional<Time> next_deadline() const;

  // Answers all commands in flight and resets the pipe for another connection.
  void Break(Cause cause);

  [[nodiscard]] std::size_t under_way() const { return waiting_.size() + sent_.size(); }
  // Returns the number of commands in the output or sent that wait for a reply.
  [[nodiscard]] std::size_t unanswered() const { return sent_.size(); }

 private:
  struct Entry {
    RedisCommand* command = nullptr;
    RedisListener* listener = nullptr;
    std::uint64_t begin = 0;  // offset of its first byte in the connection's output
    bool is_overdue = false;
  };

  void PutOut(Entry entry);
  // Reads one reply or push from the front. Returns the number of bytes used, 0 if incomplete.
  Result<std::size_t> ReadOne(std::string_view unread);
  std::span<const RespNode> ValueOf(std::span<const RespNode> nodes);
  void Answer(std::span<const RespNode> value);
  void NoteDeadline(Time deadline);
  static void Tell(const Entry& entry, const RedisAnswer& answer);

  const RedisPipeBounds bounds_;
  RespValueReader reader_;
  bool is_held_ = false;
  std::deque<Entry> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::deque<Entry> sent_;
  std::string output_;
  std::size_t output_taken_ = 0;  // bytes of output_ that were written
  std::uint64_t put_out_ = 0;     // bytes put into the output of this connection
  std::string carried_;           // received part of an incomplete reply
  std::vector<RespNode> value_;   // copy of a reply that had attributes
  std::uint64_t connection_ = 0;  // incremented by Break
  Time next_deadline_ = kLatestTime;
};

}  // namespace sluice
