// RedisError: classifies the error replies of Redis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

enum class RedisErrorKind : std::uint8_t {
  kNone,           // not an error
  kMoved,          // another node serves the slot
  kAsk,            // another node serves this key already, while the slot moves
  kTryAgain,       // the command's keys are on two nodes while the slot moves
  kClusterDown,    // the cluster is down, or no node serves the slot
  kCrossSlot,      // the command's keys belong to several slots
  kReadOnly,       // a replica, which accepts no writes
  kLoading,        // the server is loading its data set
  kMasterDown,     // a replica that has lost its primary
  kBusy,           // a script has been running for too long
  kOutOfMemory,    // no writes until memory is freed
  kMisconfigured,  // no writes because saving has failed
  kNoReplicas,     // no writes because there are too few replicas
  kNoAuth,         // a password is required
  kWrongPassword,  // wrong password, or the user is unknown or disabled
  kNoPermission,   // the user lacks the permission
  kNoScript,       // the script is not loaded
  kNoProtocol,     // the server does not support RESP3
  kUnknownCommand,
  kOther,
};

inline constexpr std::size_t kRedisErrorKinds =
    static_cast<std::size_t>(RedisErrorKind::kOther) + 1;

struct RedisError {
  RedisErrorKind kind = RedisErrorKind::kOther;
  // Set for kMoved and kAsk.
  std::uint16_t slot = 0;
  std::string_view host = "";  // empty: the host of the node that replied
  std::uint16_t port = 0;      // 0: the address of the other node is unknown
};

// Parses the text of an error reply, without its leading "-". An unknown or malformed error is
// kOther. The host is a view into `text`.
//
// An error raised by a command inside a script has that command's kind: Redis 7 appends the
// information about the script, Redis 6.2 puts it first.
RedisError ReadRedisError(std::string_view text);

// Replaces the password in a text from the server, which may echo what it was sent. An empty
// password leaves the text unchanged.
std::string HidePassword(std::string text, std::string_view password);

// Prepares a text from the server for a log: hides the password, escapes control characters,
// removes a trailing full stop and limits the length.
std::string ServerWords(std::string_view text, std::string_view password);

// Returns a name for metrics and logs, such as "moved" or "out_of_memory".
std::string_view NameOf(RedisErrorKind kind);

}  // namespace sluice
