// RedisServerObserver: is notified of connections to Redis servers and of their failures.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

// The purpose a server is used for.
enum class RedisServerRole : std::uint8_t {
  kStore,     // keeps states
  kSentinel,  // names the primary
};

// Called on the client's thread, possibly between a request and its decision, so implementations
// must neither block nor write a log there. Texts are valid only during the call.
class RedisServerObserver {
 public:
  RedisServerObserver() = default;
  RedisServerObserver(const RedisServerObserver&) = delete;
  RedisServerObserver& operator=(const RedisServerObserver&) = delete;

  // Called when a server has accepted the login. Only for servers that keep states.
  virtual void OnConnected(std::string_view server) = 0;
  // Called when a server fails. `cause` is a message for a log that names the server and contains
  // no password, for example "cannot connect to 10.0.0.7:6379: Connection refused".
  virtual void OnFailure(RedisServerRole role, std::string_view server, std::string_view cause) = 0;

 protected:
  ~RedisServerObserver() = default;
};

}  // namespace sluice
