// RedisPipe: one connection to redis, without the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "remote/redis_command.h"
#include "sluice/result.h"
#include "sluice/time.h"
#include "wire/resp_value_reader.h"

namespace sluice {

struct RedisPipeBounds {
  std::size_t commands_most = 4096;                  // under way, the waiting ones too
  std::size_t bytes_most = std::size_t{4} << 20U;    // of commands that wait to be written
  std::size_t write_bytes = std::size_t{64} << 10U;  // put together for one write, or one command
  RespValueBounds reply;
};

// Commands that leave in the order they were sent, and replies that come in the same order. Bytes
// in, bytes out; time is passed in.
//
// A command waits until it is put into the output, then until the output has left, then for its
// reply. Where the system takes no more bytes commands wait on, so that those whose deadline passes
// meanwhile were never sent.
//
// Thread safety: none. Ownership: commands and listeners are others' and outlive what is under way.
//
// Invariants
//   (1) Each command that was taken is answered once: by the reply that is its own, or by what is
//       known of it when the pipe breaks. Nothing is written twice.
//   (2) Of a command that is told to be not sent no byte has been written, and none will be.
//   (3) A command whose deadline passes is told of once, at once. One that still waits is answered
//       as not sent; the reply of another is late, and given to its listener when it comes.
//   (4) What is under way is bounded by number, and what waits by bytes, too. What has no room is
//       not taken.
//   (5) Pushes of RESP3 answer nothing.
//   (6) While it is held only what is sent ahead is put into the output.
class RedisPipe {
 public:
  using Cause = RedisAnswer::Cause;

  explicit RedisPipe(const RedisPipeBounds& bounds) : bounds_(bounds), reader_(bounds.reply) {}

  // Takes a command. False if there is no room: then nobody is told.
  [[nodiscard]] bool Send(RedisCommand& command, RedisListener& listener);
  // The same for what opens a connection, or asks whether it lives: it waits for nothing, and there
  // is always room.
  void SendAhead(RedisCommand& command, RedisListener& listener);

  void Hold() { is_held_ = true; }
  void Release() { is_held_ = false; }

  // What is to be written next; empty if nothing is. The view is good until the next call.
  std::string_view Output();
  // So many bytes of it were written, or may have been.
  void Wrote(std::size_t bytes);

  // Reads what has come and tells the listeners. An error says what was no RESP; it is to be broken
  // then.
  Result<Done> Receive(std::string_view bytes);

  // Tells of deadlines that have passed.
  void Expire(Time now);
  // When Expire has something to do, or earlier. None where nothing has a deadline.
  [[nodiscard]] std::optional<Time> next_deadline() const;

  // Answers everything and starts anew, for another connection.
  void Break(Cause cause);

  [[nodiscard]] std::size_t under_way() const { return waiting_.size() + sent_.size(); }
  // How many have been put into the output, and wait for a reply.
  [[nodiscard]] std::size_t unanswered() const { return sent_.size(); }

 private:
  struct Entry {
    RedisCommand* command = nullptr;
    RedisListener* listener = nullptr;
    std::uint64_t begin = 0;  // of its bytes, counted from the first of the connection
    bool is_overdue = false;
  };

  void PutOut(Entry entry);
  // One reply, a push or a fault from the front of the bytes. How many were used, 0 for none.
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
  std::size_t output_taken_ = 0;  // of the output, by the system
  std::uint64_t put_out_ = 0;     // bytes of this connection, ever
  std::string carried_;           // of a reply that is not whole
  std::vector<RespNode> value_;   // of a reply with attributes
  std::uint64_t connection_ = 0;  // how many there have been
  Time next_deadline_ = kLatestTime;
};

}  // namespace sluice
