// RedisError: what an error reply of redis means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

enum class RedisErrorKind : std::uint8_t {
  kNone,           // the reply is no error
  kMoved,          // another node serves the slot
  kAsk,            // another node serves this key already, while the slot moves
  kTryAgain,       // the keys of the command are on two nodes while the slot moves
  kClusterDown,    // the cluster, or the slot, is served by nobody
  kCrossSlot,      // the keys of the command are of several slots
  kReadOnly,       // a replica, which takes no writes
  kLoading,        // it reads its data from disk
  kMasterDown,     // a replica that has lost its primary
  kBusy,           // a script runs and does not end
  kOutOfMemory,    // it takes no writes before memory is freed
  kMisconfigured,  // it takes no writes because it could not save
  kNoReplicas,     // it takes no writes because too few replicas follow
  kNoAuth,         // a password is asked for
  kWrongPassword,  // or a user that is unknown or off
  kNoPermission,   // the user may not do that
  kNoScript,       // the script was never loaded, or is forgotten
  kNoProtocol,     // it does not speak RESP3
  kUnknownCommand,
  kOther,
};

inline constexpr std::size_t kRedisErrorKinds =
    static_cast<std::size_t>(RedisErrorKind::kOther) + 1;

struct RedisError {
  RedisErrorKind kind = RedisErrorKind::kOther;
  // kMoved and kAsk.
  std::uint16_t slot = 0;
  std::string_view host = "";  // empty: that of the node which answered
  std::uint16_t port = 0;      // 0: it does not know where the other node is
};

// Reads the text of an error reply, without its "-". What is not known, or malformed, is kOther.
// The host views the text.
//
// An error of a command inside of a script is of the kind of that command's: redis 7 puts the words
// about the script behind it, redis 6.2 in front.
RedisError ReadRedisError(std::string_view text);

// Replaces the password in a text of the server, which may repeat what it was sent. An empty
// password is in no text.
std::string HidePassword(std::string text, std::string_view password);

// A text of the server for a log: without the password, without control characters, without a full
// stop at its end and not long.
std::string ServerWords(std::string_view text, std::string_view password);

// "moved", "out_of_memory": for metrics and logs.
std::string_view NameOf(RedisErrorKind kind);

}  // namespace sluice
