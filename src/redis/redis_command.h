// RedisCommand: a command for Redis, and RedisAnswer, its result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "redis/redis_error.h"
#include "sluice/time.h"
#include "wire/resp/resp_value_reader.h"

namespace sluice {

// The result of a command.
struct RedisAnswer {
  enum class Fate : std::uint8_t {
    kReplied,
    kNotSent,  // no byte was written: it had no effect and may be sent elsewhere
    // Written, but the reply will not come. The command may have taken effect, so it must not be
    // sent again.
    kUnknown,
  };

  // Why there is no reply.
  enum class Cause : std::uint8_t {
    kNone,
    kFull,          // too many commands or bytes are in flight
    kOverdue,       // its deadline passed before it was written
    kNotConnected,  // not connected, and it is too early to retry
    kResting,       // the node's breaker is open
    kNoNode,        // no node is known to serve the slot
    kBroken,        // the connection was lost
    kFault,         // the server sent malformed RESP
    kSilent,        // the server has sent nothing for too long
    kClosed,        // the client closed the connection
  };

  Fate outcome = Fate::kReplied;
  Cause cause = Cause::kNone;
  // Set for kReplied: one value, valid only during the listener call.
  std::span<const RespNode> reply{};
  // The error reply; kNone if the reply is not an error.
  RedisError error{.kind = RedisErrorKind::kNone};
  // The deadline had already passed and OnOverdue was called.
  bool is_late = false;
};

inline constexpr std::size_t kRedisCauses =
    static_cast<std::size_t>(RedisAnswer::Cause::kClosed) + 1;

// Returns a name for metrics and logs, such as "not_connected".
std::string_view NameOf(RedisAnswer::Cause cause);

class RedisListener;
class RedisNode;

// A serialized command with its deadline and routing.
//
// Thread safety: none. Ownership: the caller's. From Send until its listener is called with the
// answer, the command must be neither changed nor destroyed.
struct RedisCommand {
  // The bytes to send, as AppendRedisCommand writes them.
  std::string bytes;
  // The deadline, by the client's clock.
  Time deadline = kLatestTime;
  // In a cluster, the slot of its keys.
  std::uint16_t slot = 0;
  // The text of the script, for an EVALSHA after which the node should load a script that it does
  // not know. It must outlive the client.
  std::string_view script;
  // The number of nodes in a reply that is not an error; 0: any number. A reply with a different
  // number belongs to another command, and so may those after it.
  std::uint32_t reply_nodes = 0;
  // Set for a rare command that has no waiting caller and matters most while the server is slow. It
  // is sent even while the server's breaker is open.
  bool passes_breaker = false;

  // State that a client keeps while the command is in flight.
  struct Way {
    RedisListener* listener = nullptr;  // the caller's listener
    RedisNode* node = nullptr;          // the node it was last sent to
    std::uint8_t tries = 0;             // how often it was sent without taking effect
    bool script_loaded = false;         // the node has loaded the script for it
    Time sent_at{};                     // when it was last sent to the node
    bool is_apart = false;              // it bypasses the breaker and reports no result to it
    bool is_judged = false;             // its result has been reported to the breaker
  };
  Way node_way;    // used by RedisNode
  Way client_way;  // used by clients of several nodes
};

// Receives the results of commands, on the client's thread. It may send other commands during a
// call, but must not destroy the object that calls it.
class RedisListener {
 public:
  RedisListener() = default;
  RedisListener(const RedisListener&) = delete;
  RedisListener& operator=(const RedisListener&) = delete;

  // Called when the deadline has passed while the command is in flight. At most once, before
  // OnAnswer.
  virtual void OnOverdue(RedisCommand& command) = 0;
  // Called exactly once for each accepted command; no call follows it.
  virtual void OnAnswer(RedisCommand& command, const RedisAnswer& answer) = 0;

 protected:
  ~RedisListener() = default;
};

// Appends a command in RESP form, such as "*2\r\n$3\r\nGET\r\n$1\r\na\r\n".
void AppendRedisCommand(std::span<const std::string_view> words, std::string& bytes);
void AppendRedisCommand(std::initializer_list<std::string_view> words, std::string& bytes);

}  // namespace sluice
