// RedisProcess: a redis-server of a test's own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::testing {

// A port that nobody listens at.
std::uint16_t FreePort();

// A server in a folder of its own, at a free port of 127.0.0.1 and at a socket in the folder. It
// keeps nothing on disk. It ends, killed, with this. The variable SLUICE_REDIS_SERVER names another
// program than redis-server.
//
// Thread safety: none.
class RedisProcess {
 public:
  enum class Mode : std::uint8_t { kServer, kCluster, kSentinel };
  // An argument that stands for tls_port(): {"--tls-port", std::string(kTlsPort)}.
  static constexpr std::string_view kTlsPort = "(tls_port)";

  // Returns once it answers, or has failed the test. The arguments are added: {"--requirepass",
  // "x"}; those of a sentinel are lines of its file. So are the variables of its environment,
  // {"NAME=value"}.
  explicit RedisProcess(std::vector<std::string> arguments = {}, Mode mode = Mode::kServer,
                        std::vector<std::string> variables = {});
  RedisProcess(const RedisProcess&) = delete;
  RedisProcess& operator=(const RedisProcess&) = delete;
  ~RedisProcess();

  [[nodiscard]] bool is_running() const { return process_ > 0; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::uint16_t tls_port() const { return tls_port_; }
  [[nodiscard]] std::string socket_path() const { return folder_ + "/socket"; }

  // kill -9.
  void Kill();
  // At the same port, empty.
  void Start();
  // SIGSTOP and SIGCONT, where it runs.
  void Stop() const;
  void Continue() const;

  // What redis-cli prints for a command: "SET a 1".
  [[nodiscard]] std::string Call(const std::string& command) const;
  // Calls until it prints what is expected, or a deadline has passed. What was printed last.
  [[nodiscard]] std::string CallUntil(const std::string& command,
                                      const std::string& expected) const;

 private:
  void ChoosePorts();
  [[nodiscard]] std::vector<std::string> Arguments() const;
  void Spawn();
  // Whether it comes to answer, this one and no other at its port.
  [[nodiscard]] bool Answers();

  const std::vector<std::string> arguments_;
  const Mode mode_;
  const std::vector<std::string> variables_;
  std::uint16_t port_ = 0;
  std::uint16_t bus_port_ = 0;
  std::uint16_t tls_port_ = 0;
  std::string folder_;
  pid_t process_ = -1;
};

}  // namespace sluice::testing
