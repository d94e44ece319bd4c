// RedisServer: a real redis-server whose wall clock the test sets. RedisClient: a connection to it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sluice/time.h"
#include "support/redis_process.h"
#include "support/redis_time.h"
#include "wire/resp/resp_value_reader.h"

namespace sluice::testing {

// A RedisProcess whose time only the test changes. It ends with this object.
class RedisServer {
 public:
  // Fails the test and returns null if the server does not start.
  static std::unique_ptr<RedisServer> Start();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer() = default;

  // Sets the server's wall clock. REQUIRES: whole microseconds.
  void SetTime(Time now) { time_.Set(now); }

  [[nodiscard]] std::string socket_path() const { return process_->socket_path(); }
  [[nodiscard]] RedisProcess& process() { return *process_; }

 private:
  RedisServer() = default;

  RedisTime time_;
  std::unique_ptr<RedisProcess> process_;
};

// A blocking connection.
class RedisClient {
 public:
  // REQUIRES: the server is running. Check is_open() afterwards.
  explicit RedisClient(const std::string& socket_path);
  RedisClient(const RedisClient&) = delete;
  RedisClient& operator=(const RedisClient&) = delete;
  ~RedisClient();

  [[nodiscard]] bool is_open() const { return socket_ >= 0; }

  // Sends bytes and reads one reply, which is valid until the next call. Fails the test and returns
  // nothing if the connection breaks.
  std::span<const RespNode> Ask(std::string_view bytes);
  std::span<const RespNode> Command(std::initializer_list<std::string_view> words);

  // Send commands whose reply is one number or text.
  std::int64_t Number(std::initializer_list<std::string_view> words);
  std::string Text(std::initializer_list<std::string_view> words);

 private:
  int socket_ = -1;
  std::string received_;
  std::size_t consumed_ = 0;
  RespValueReader reader_{RespValueBounds{}};
};

}  // namespace sluice::testing
