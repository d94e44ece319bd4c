#include "support/redis_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "wire/resp_writer.h"

namespace sluice::testing {
namespace {

constexpr std::chrono::seconds kStartMost{20};

int Connect(const std::string& path) {
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy_n(path.begin(), std::min(path.size(), sizeof(address.sun_path) - 1), address.sun_path);
  if (connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return made;
  close(made);
  return -1;
}

// Waits until the server answers, or has taken too long.
bool Answers(const std::string& path) {
  const auto deadline = std::chrono::steady_clock::now() + kStartMost;
  while (std::chrono::steady_clock::now() < deadline) {
    const int made = Connect(path);
    if (made >= 0) {
      close(made);
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace

std::unique_ptr<RedisServer> RedisServer::Start() {
  std::unique_ptr<RedisServer> server(new RedisServer);
  std::string folder = (std::filesystem::temp_directory_path() / "sluice-redis-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    ADD_FAILURE() << "no temporary directory";
    return nullptr;
  }
  server->folder_ = folder;
  if (!server->MakeClock() || !server->Spawn() || !Answers(server->socket_path())) {
    ADD_FAILURE() << "redis-server did not start; is it installed?";
    return nullptr;
  }
  return server;
}

RedisServer::~RedisServer() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  if (clock_ != nullptr) munmap(clock_, sizeof(*clock_));
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

bool RedisServer::MakeClock() {
  const std::string path = (folder_ / "clock").string();
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof(*clock_)) != 0) return false;
  void* mapped = mmap(nullptr, sizeof(*clock_), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return false;
  clock_ = static_cast<std::atomic<std::int64_t>*>(mapped);
  SetTime(Time{std::chrono::hours{24 * 365 * 55}});
  return true;
}

bool RedisServer::Spawn() {
  std::vector<std::string> words = {"redis-server",
                                    "--port",
                                    "0",
                                    "--unixsocket",
                                    socket_path(),
                                    "--save",
                                    "",
                                    "--appendonly",
                                    "no",
                                    "--dir",
                                    folder_.string(),
                                    "--logfile",
                                    (folder_ / "log").string()};
  std::vector<std::string> variables;
  variables.push_back("SLUICE_REDIS_CLOCK=" + (folder_ / "clock").string());
  variables.emplace_back("LD_PRELOAD=" SLUICE_REDIS_CLOCK_SHIM);
  variables.push_back(std::string("PATH=") + std::getenv("PATH"));
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> found;
    for (std::string& text : texts) found.push_back(text.data());
    found.push_back(nullptr);
    return found;
  };
  return posix_spawnp(&process_, "redis-server", nullptr, nullptr, pointers(words).data(),
                      pointers(variables).data()) == 0;
}

void RedisServer::SetTime(Time now) {
  clock_->store(std::chrono::floor<std::chrono::microseconds>(now).time_since_epoch().count());
}

RedisClient::RedisClient(const std::string& socket_path) : socket_(Connect(socket_path)) {}

RedisClient::~RedisClient() {
  if (socket_ >= 0) close(socket_);
}

std::span<const RespNode> RedisClient::Ask(std::string_view bytes) {
  received_.erase(0, consumed_);
  consumed_ = 0;
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      ADD_FAILURE() << "redis-server went away";
      return {};
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  while (true) {
    const RespValueRead read = reader_.Read(received_);
    if (read.state == ReadState::kWhole) {
      consumed_ = read.consumed;
      return read.nodes;
    }
    std::array<char, 65536> room;
    const ssize_t got =
        read.state == ReadState::kMore ? recv(socket_, room.data(), room.size(), 0) : -1;
    if (got <= 0) {
      ADD_FAILURE() << "redis-server went away, or answered no RESP";
      return {};
    }
    received_.append(room.data(), static_cast<std::size_t>(got));
  }
}

std::span<const RespNode> RedisClient::Command(std::initializer_list<std::string_view> words) {
  std::string bytes;
  RespWriter writer(RespVersion::k2, bytes);
  writer.ArrayHeader(words.size());
  for (const std::string_view word : words) writer.Bulk(word);
  return Ask(bytes);
}

std::int64_t RedisClient::Number(std::initializer_list<std::string_view> words) {
  const auto nodes = Command(words);
  if (nodes.empty() || nodes[0].type != RespType::kInteger) {
    ADD_FAILURE() << "no number: " << (nodes.empty() ? "" : nodes[0].text);
    return 0;
  }
  return nodes[0].integer;
}

std::string RedisClient::Text(std::initializer_list<std::string_view> words) {
  const auto nodes = Command(words);
  return nodes.empty() ? "" : std::string(nodes[0].text);
}

}  // namespace sluice::testing
