// RedisProcess: a redis-server that belongs to one test.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::testing {

// Returns a port that is not in use.
std::uint16_t FreePort();

// A server in its own folder, on a free port of 127.0.0.1 and on a socket in the folder. It stores
// nothing on disk and is killed by the destructor. The variable SLUICE_REDIS_SERVER can name a
// program other than redis-server.
//
// Thread safety: none.
class RedisProcess {
 public:
  enum class Mode : std::uint8_t { kServer, kCluster, kSentinel };
  // Stands for tls_port() in an argument: {"--tls-port", std::string(kTlsPort)}.
  static constexpr std::string_view kTlsPort = "(tls_port)";

  // Returns when the server answers, or fails the test. `arguments` are added to the command line,
  // such as {"--requirepass", "x"}; for a sentinel they are lines of its configuration file.
  // `variables` are added to its environment: {"NAME=value"}.
  explicit RedisProcess(std::vector<std::string> arguments = {}, Mode mode = Mode::kServer,
                        std::vector<std::string> variables = {});
  RedisProcess(const RedisProcess&) = delete;
  RedisProcess& operator=(const RedisProcess&) = delete;
  ~RedisProcess();

  [[nodiscard]] bool is_running() const { return process_ > 0; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::uint16_t tls_port() const { return tls_port_; }
  [[nodiscard]] std::string socket_path() const { return folder_ + "/socket"; }

  // Sends SIGKILL.
  void Kill();
  // Starts the server again on the same port, without data.
  void Start();
  // Send SIGSTOP and SIGCONT if the server is running.
  void Stop() const;
  void Continue() const;

  // Returns what redis-cli prints for a command such as "SET a 1".
  [[nodiscard]] std::string Call(const std::string& command) const;
  // Calls until the output contains `expected` or a deadline has passed. Returns the last output.
  [[nodiscard]] std::string CallUntil(const std::string& command,
                                      const std::string& expected) const;

 private:
  void ChoosePorts();
  [[nodiscard]] std::vector<std::string> Arguments() const;
  void Spawn();
  // Waits until this server answers; returns false if it exits or a deadline passes.
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
