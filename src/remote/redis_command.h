// RedisCommand: a command on its way to redis, and what becomes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "remote/redis_error.h"
#include "sluice/time.h"
#include "wire/resp_value_reader.h"

namespace sluice {

// What became of a command.
struct RedisAnswer {
  enum class Fate : std::uint8_t {
    kReplied,
    kNotSent,  // no byte of it was written: it has no effect, and may be sent elsewhere
    kUnknown,  // it was written and its reply will not come: whether it took effect nobody knows,
               // so it is not to be sent again
  };

  // Why there is no reply.
  enum class Cause : std::uint8_t {
    kNone,
    kFull,          // as much as may be is under way already
    kOverdue,       // its deadline came before its turn
    kNotConnected,  // and it is not time yet to try again
    kResting,       // the breaker of the node is open
    kNoNode,        // nobody is known to serve it
    kBroken,        // the connection broke
    kFault,         // the server sent what is no RESP
    kSilent,        // the server has said nothing for too long
    kClosed,        // we have closed the connection
  };

  Fate fate = Fate::kReplied;
  Cause cause = Cause::kNone;
  // kReplied: one value, valid while the listener is called.
  std::span<const RespNode> reply{};
  // Of the reply; kNone where it is none.
  RedisError error{.kind = RedisErrorKind::kNone};
  // Its deadline had passed, and the listener was told so.
  bool is_late = false;
};

inline constexpr std::size_t kRedisCauses =
    static_cast<std::size_t>(RedisAnswer::Cause::kClosed) + 1;

// "not_connected": for metrics and logs.
std::string_view NameOf(RedisAnswer::Cause cause);

class RedisListener;
class RedisNode;

// Bytes for a server, a deadline, and where they go.
//
// Thread safety: none. Ownership: the caller's. From Send until its listener has the answer it is
// neither changed nor freed.
struct RedisCommand {
  // As they are sent; AppendRedisCommand makes them.
  std::string bytes;
  // By the clock of the client.
  Time deadline = kLatestTime;
  // In a cluster: of its keys.
  std::uint16_t slot = 0;
  // Of EVALSHA, where the node is to be taught a script it has forgotten: the script. It outlives
  // the client.
  std::string_view script;
  // Nodes of a reply that is no error; 0: any number. One that has another number is a reply to
  // something else, and so may be those that follow it.
  std::uint32_t reply_nodes = 0;
  // It is rare, nobody waits for it, and it matters more where the server is slow: it goes even
  // while the breaker of the server is open.
  bool passes_breaker = false;

  // What a client notes while the command is under way.
  struct Way {
    RedisListener* listener = nullptr;  // whose it is
    RedisNode* node = nullptr;          // to whom it was last given
    std::uint8_t tries = 0;             // how often it was sent, and had no effect
    bool taught = false;                // the node has been taught the script for it
    Time sent_at{};                     // when it was last given to it
    bool is_apart = false;              // it went past the breaker, and tells it nothing
    bool is_judged = false;             // the breaker has been told of it
  };
  Way node_way;    // of the node it was given to
  Way client_way;  // of a client of several nodes
};

// Hears what becomes of commands, on the thread of the client. It may send others while it is
// called; it does not free whom it is called by.
class RedisListener {
 public:
  RedisListener() = default;
  RedisListener(const RedisListener&) = delete;
  RedisListener& operator=(const RedisListener&) = delete;

  // The deadline has passed and the command is still under way. At most once, before the answer.
  virtual void OnOverdue(RedisCommand& command) = 0;
  // Once for each command that was sent, and nothing after it.
  virtual void OnAnswer(RedisCommand& command, const RedisAnswer& answer) = 0;

 protected:
  ~RedisListener() = default;
};

// Adds "*2\r\n$3\r\nGET\r\n$1\r\na\r\n".
void AppendRedisCommand(std::span<const std::string_view> words, std::string& bytes);
void AppendRedisCommand(std::initializer_list<std::string_view> words, std::string& bytes);

}  // namespace sluice
