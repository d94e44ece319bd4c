// RedisServerObserver: hears which servers of redis answer, and why others fail.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

// What a server is asked for.
enum class RedisServerRole : std::uint8_t {
  kStore,     // states
  kSentinel,  // where the primary is
};

// Called on the thread of the client, also between a request and its decision: implementations
// neither wait nor write a log there. Texts are valid during the call only.
class RedisServerObserver {
 public:
  RedisServerObserver() = default;
  RedisServerObserver(const RedisServerObserver&) = delete;
  RedisServerObserver& operator=(const RedisServerObserver&) = delete;

  // A server has accepted the login. Only for servers that keep states.
  virtual void OnConnected(std::string_view server) = 0;
  // `cause` is a sentence for a log that names the server and holds no password: "cannot connect to
  // 10.0.0.7:6379: Connection refused".
  virtual void OnFailure(RedisServerRole role, std::string_view server, std::string_view cause) = 0;

 protected:
  ~RedisServerObserver() = default;
};

}  // namespace sluice
