#include "support/redis_process.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "limiter/system_random.h"
#include "sluice/clock.h"
#include "sluice/time.h"
#include "support/random.h"

namespace sluice::testing {
namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr Nanos kMoment = std::chrono::milliseconds{5};

// A deadline for another process to reach a state.
class Patience {
 public:
  // Waits for a moment. Returns false once the deadline has passed.
  bool Wait() {
    clock_->SleepFor(kMoment);
    return clock_->Now() < deadline_;
  }

 private:
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  Time deadline_ = clock_->Now() + kPatience;
};

// Returns the server program: redis-server by default, or another with the same protocol.
std::string ServerProgram() {
  const char* const named = std::getenv("SLUICE_REDIS_SERVER");
  return named == nullptr ? "redis-server" : named;
}

bool IsFree(std::uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool is_free =
      bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(descriptor);
  return is_free;
}

}  // namespace

std::uint16_t FreePort() {
  // These ports are below the range from which the system assigns ports to connections, so the port
  // of a server that is down for a moment is not taken.
  constexpr std::uint16_t kFirst = 20000;
  constexpr std::uint16_t kLast = 31999;
  constexpr int kTries = 1000;
  Random random{DrawHashSeed().low};
  for (int i = 0; i < kTries; ++i) {
    const auto port = static_cast<std::uint16_t>(random.Between(kFirst, kLast));
    if (IsFree(port)) return port;
  }
  ADD_FAILURE() << "no port is free";
  return 0;
}

RedisProcess::RedisProcess(std::vector<std::string> arguments, Mode mode,
                           std::vector<std::string> variables)
    : arguments_(std::move(arguments)), mode_(mode), variables_(std::move(variables)) {
  std::string folder = std::filesystem::temp_directory_path() / "sluice-redis-XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  folder_ = folder;
  // Another process may take a port between its choice and its use.
  constexpr int kTries = 3;
  for (int i = 1; i < kTries; ++i) {
    ChoosePorts();
    Spawn();
    if (Answers()) return;
    Kill();
  }
  ChoosePorts();
  Start();
}

RedisProcess::~RedisProcess() {
  Kill();
  std::filesystem::remove_all(folder_);
}

void RedisProcess::ChoosePorts() {
  port_ = FreePort();
  bus_port_ = FreePort();
  tls_port_ = FreePort();
}

std::vector<std::string> RedisProcess::Arguments() const {
  const std::string port = std::to_string(port_);
  if (mode_ == Mode::kSentinel) {
    const std::string path = folder_ + "/sentinel.conf";
    std::ofstream file(path);
    file << "port " << port << "\nbind 127.0.0.1\ndir " << folder_ << "\n";
    for (const std::string& line : arguments_) file << line << "\n";
    return {ServerProgram(), path, "--sentinel", "--logfile", folder_ + "/log"};
  }
  std::vector<std::string> all = {ServerProgram(),
                                  "--port",
                                  port,
                                  "--bind",
                                  "127.0.0.1",
                                  "--dir",
                                  folder_,
                                  "--save",
                                  "",
                                  "--appendonly",
                                  "no",
                                  "--unixsocket",
                                  socket_path(),
                                  "--logfile",
                                  folder_ + "/log",
                                  "--repl-diskless-sync-delay",
                                  "0",
                                  "--enable-debug-command",
                                  "yes"};
  if (mode_ == Mode::kCluster) {
    all.insert(all.end(), {"--cluster-enabled", "yes", "--cluster-port", std::to_string(bus_port_),
                           "--cluster-node-timeout", "15000"});
  }
  all.insert(all.end(), arguments_.begin(), arguments_.end());
  std::replace(all.begin(), all.end(), std::string(kTlsPort), std::to_string(tls_port_));
  return all;
}

void RedisProcess::Start() {
  Spawn();
  if (Answers()) return;
  ADD_FAILURE() << "redis-server did not start; its log is in " << folder_;
  Kill();
}

void RedisProcess::Spawn() {
  const std::vector<std::string> words = Arguments();
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const std::string& variable : variables_) putenv(const_cast<char*>(variable.c_str()));
    execvp(pointers.front(), pointers.data());
    _exit(127);
  }
}

bool RedisProcess::Answers() {
  Patience patience;
  // A sentinel has no socket.
  const std::string where = mode_ == Mode::kSentinel ? "" : "-s " + socket_path() + " ";
  for (;;) {
    const std::string answer = Call(where + "PING");
    if (waitpid(process_, nullptr, WNOHANG) != 0) {
      process_ = -1;
      return false;
    }
    if (answer == "PONG" || answer.starts_with("NOAUTH") || answer.starts_with("NOPERM")) {
      return true;
    }
    if (!patience.Wait()) return false;
  }
}

void RedisProcess::Kill() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

void RedisProcess::Stop() const {
  if (is_running()) kill(process_, SIGSTOP);
}

void RedisProcess::Continue() const {
  if (is_running()) kill(process_, SIGCONT);
}

std::string RedisProcess::Call(const std::string& command) const {
  const std::string line =
      "redis-cli -h 127.0.0.1 -p " + std::to_string(port_) + " " + command + " 2>&1";
  FILE* const pipe = popen(line.c_str(), "re");
  if (pipe == nullptr) return "";
  std::string printed;
  std::array<char, 4096> part;
  while (const std::size_t size = fread(part.data(), 1, part.size(), pipe)) {
    printed.append(part.data(), size);
  }
  pclose(pipe);
  while (printed.ends_with('\n')) printed.pop_back();
  return printed;
}

std::string RedisProcess::CallUntil(const std::string& command, const std::string& expected) const {
  Patience patience;
  for (;;) {
    std::string printed = Call(command);
    if (printed.find(expected) != std::string::npos || !patience.Wait()) return printed;
  }
}

}  // namespace sluice::testing
